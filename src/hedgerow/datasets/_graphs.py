"""Graph generators: from a number of nodes to a list of edges.

Every generator has the signature ``(p, rng, *, options)`` and returns a `Graph`, so that the
registry can call any of them; the deterministic ones ignore ``rng``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from hedgerow.base.checks import in_open_interval, integer_at_least, one_of, positive

_SHUFFLES = 30  # rounds in which every edge of a regular graph may move


class Graph(NamedTuple):
    """Nodes ``0 … size-1`` and edges ``i < j``, each of an optional second kind.

    The kind tells the two parts of a composite family apart (path and cliques, chain and copies).
    """

    size: int
    edges: np.ndarray
    second_kind: np.ndarray


def options_of(generator: Callable[..., Graph]) -> dict[str, Any]:
    """Names and defaults of a generator's options."""
    arguments = inspect.signature(generator).parameters.values()
    return {a.name: a.default for a in arguments if a.kind is a.KEYWORD_ONLY}


def refuse_unknown(given: dict[str, Any], family: str, options: dict[str, Any]) -> None:
    """Raise if a family has no such option."""
    for name in given:
        if not options:
            raise ValueError(f"{family} has no options, got {name!r}")
        one_of(f"option of {family}", name, tuple(options))


def _graph(
    p: int, pairs: np.ndarray | list[Any], second: np.ndarray | list[Any] | None = None
) -> Graph:
    edges = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
    kind = np.zeros(len(edges), bool) if second is None else np.asarray(second, dtype=bool)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    return Graph(p, edges[order], kind[order])


def degrees(graph: Graph) -> np.ndarray:
    """Number of neighbours of each node."""
    return np.bincount(graph.edges.ravel(), minlength=graph.size)


def _ahead(nodes: np.ndarray, step: int) -> np.ndarray:
    """Each of the nodes with the one ``step`` further on."""
    return np.column_stack([nodes, nodes + step])


def chain(p: int, rng: Generator) -> Graph:
    """A path through all nodes."""
    return _graph(p, _ahead(np.arange(p - 1), 1))


def cycle(p: int, rng: Generator) -> Graph:
    """A ring."""
    return _graph(p, _ahead(np.arange(p), 1) % p)


def grid(p: int, rng: Generator) -> Graph:
    """A square lattice filled row by row; the last row may be incomplete."""
    width = int(np.ceil(np.sqrt(p)))
    node = np.arange(p)
    right = node[(node % width < width - 1) & (node + 1 < p)]
    below = node[node + width < p]
    return _graph(p, np.vstack([_ahead(right, 1), _ahead(below, width)]))


def torus(p: int, rng: Generator) -> Graph:
    """A square lattice whose last row and column are joined to the first."""
    width = round(p**0.5)
    if width**2 != p:
        raise ValueError(f"p must be a square for a torus, got {p}")
    node = np.arange(p)
    right = node - node % width + (node + 1) % width
    below = (node + width) % p
    return _graph(p, np.vstack([np.column_stack([node, right]), np.column_stack([node, below])]))


def triangular(p: int, rng: Generator) -> Graph:
    """A square lattice, filled row by row, with one diagonal in each square."""
    width = int(np.ceil(np.sqrt(p)))
    node = np.arange(p)
    across = node[(node % width < width - 1) & (node + width + 1 < p)]
    return _graph(p, np.vstack([grid(p, rng).edges, _ahead(across, width + 1)]))


def complete(p: int, rng: Generator) -> Graph:
    """All pairs."""
    return _graph(p, _within_blocks(0, p, p))


def star(p: int, rng: Generator) -> Graph:
    """Node 0 joined to all the others."""
    return _graph(p, np.column_stack([np.zeros(p - 1, int), np.arange(1, p)]))


def hubs(p: int, rng: Generator, *, count: int | None = None) -> Graph:
    """``count`` stars of about equal size, side by side; by default one hub for 20 nodes."""
    count = max(2, p // 20) if count is None else integer_at_least("count", count, 1)
    if 2 * count > p:
        raise ValueError(f"count must be at most p / 2 = {p // 2}, got {count}")
    leaves = np.arange(count, p)
    return _graph(p, np.column_stack([leaves % count, leaves]))


def band(p: int, rng: Generator, *, width: int = 2) -> Graph:
    """Every node joined to the next ``width`` nodes."""
    width = min(integer_at_least("width", width, 1), p - 1)
    steps = range(1, width + 1)
    return _graph(p, np.vstack([_ahead(np.arange(p - step), step) for step in steps]))


def cliques(p: int, rng: Generator, *, size: int = 5) -> Graph:
    """Complete graphs on consecutive blocks of ``size`` nodes; the last may be smaller."""
    return _graph(p, _within_blocks(0, p, integer_at_least("size", size, 2)))


def cluster(p: int, rng: Generator, *, size: int = 20, density: float = 0.2) -> Graph:
    """Blocks of ``size`` nodes; a pair in a block is an edge with probability ``density``."""
    pairs = _within_blocks(0, p, integer_at_least("size", size, 2))
    density = in_open_interval("density", density, 0, 1)
    return _graph(p, pairs[rng.random(len(pairs)) < density])


def _within_blocks(first: int, stop: int, size: int) -> np.ndarray:
    """All pairs inside consecutive blocks of the nodes ``first … stop-1``."""
    size = min(size, stop - first)
    starts = np.arange(first, stop, size)
    pairs = starts[:, None, None] + np.column_stack(np.triu_indices(size, k=1))
    pairs = pairs.reshape(-1, 2)
    return pairs[pairs[:, 1] < stop]  # the last block is cut short


def erdos_renyi(p: int, rng: Generator, *, degree: float = 3.0) -> Graph:
    """Every pair is an edge with the same probability; ``degree`` is the expected degree."""
    probability = min(1.0, positive("degree", degree) / (p - 1))
    pairs = p * (p - 1) // 2
    chosen = rng.choice(pairs, rng.binomial(pairs, probability), replace=False, shuffle=False)
    # Pairs are numbered row by row of the upper triangle; ends[i] is the number past row i.
    ends = np.cumsum(np.arange(p - 1, 0, -1))
    first = np.searchsorted(ends, chosen, side="right")
    return _graph(p, np.column_stack([first, p - (ends[first] - chosen)]))


def random_regular(p: int, rng: Generator, *, degree: int = 4) -> Graph:
    """Every node has ``degree`` neighbours; close to uniform among such graphs."""
    degree = integer_at_least("degree", degree, 1)
    if degree >= p:
        raise ValueError(f"degree must be below p = {p}, got {degree}")
    if p * degree % 2:
        raise ValueError(f"degree must be even when p is odd (p = {p}), got {degree}")
    if 2 * degree > p - 1:
        return _complement(_regular(p, p - 1 - degree, rng))
    return _regular(p, degree, rng)


def _regular(p: int, degree: int, rng: Generator) -> Graph:
    """Shuffle a ring with equal degrees: swapping the ends of two edges keeps all degrees."""
    steps = range(1, degree // 2 + 1)
    across = _ahead(np.arange(degree % 2 * p // 2), p // 2)
    pairs = np.vstack([across, *(_ahead(np.arange(p), step) % p for step in steps)])
    for _ in range(_SHUFFLES):
        pairs = rng.permuted(rng.permutation(pairs), axis=1)
        couples = pairs[: len(pairs) // 2 * 2].reshape(2, -1, 2)  # a view: edges k of both halves
        swapped = couples.copy()
        swapped[:, :, 1] = couples[::-1, :, 1]
        simple = _all_new(swapped, pairs, p).all(axis=0)
        couples[:, simple] = swapped[:, simple]
    return _graph(p, pairs)


def _all_new(proposed: np.ndarray, pairs: np.ndarray, p: int) -> np.ndarray:
    """Which proposed edges are no loop, not in the graph, and proposed only once."""
    key = proposed.min(axis=-1) * p + proposed.max(axis=-1)
    old = pairs.min(axis=1) * p + pairs.max(axis=1)
    _, index, count = np.unique(key, return_inverse=True, return_counts=True)
    once = count[index].reshape(key.shape) == 1
    result: np.ndarray = once & (proposed[..., 0] != proposed[..., 1]) & ~np.isin(key, old)
    return result


def _complement(graph: Graph) -> Graph:
    absent = np.triu(np.ones((graph.size, graph.size), bool), k=1)
    absent[tuple(graph.edges.T)] = False
    return _graph(graph.size, np.argwhere(absent))


def barabasi_albert(p: int, rng: Generator, *, attach: int = 2) -> Graph:
    """Nodes arrive one by one and join ``attach`` others, chosen in proportion to their degree."""
    attach = integer_at_least("attach", attach, 1)
    if attach >= p:
        raise ValueError(f"attach must be below p = {p}, got {attach}")
    pairs = [(node, attach) for node in range(attach)]
    ends = [node for pair in pairs for node in pair]  # a node is listed once per edge
    for new in range(attach + 1, p):
        targets: set[int] = set()
        while len(targets) < attach:
            targets.add(ends[rng.integers(len(ends))])
        for target in sorted(targets):
            pairs.append((target, new))
            ends += (target, new)
    return _graph(p, pairs)


def watts_strogatz(p: int, rng: Generator, *, neighbours: int = 4, rewire: float = 0.1) -> Graph:
    """A ring of near ``neighbours``; each edge moves its far end with probability ``rewire``."""
    neighbours = integer_at_least("neighbours", neighbours, 2)
    rewire = in_open_interval("rewire", rewire, 0, 1)
    if neighbours % 2 or neighbours >= p:
        raise ValueError(f"neighbours must be even and below p = {p}, got {neighbours}")
    steps = range(1, neighbours // 2 + 1)
    near = [(node, (node + step) % p) for step in steps for node in range(p)]
    around: list[set[int]] = [set() for _ in range(p)]
    for i, j in near:
        around[i].add(j)
        around[j].add(i)
    for i, j in near:
        if rng.random() < rewire and len(around[i]) < p - 1:
            while (new := int(rng.integers(p))) == i or new in around[i]:
                pass
            around[i].remove(j)
            around[j].remove(i)
            around[i].add(new)
            around[new].add(i)
    return _graph(p, [(i, j) for i in range(p) for j in around[i] if i < j])


def random_tree(p: int, rng: Generator) -> Graph:
    """A tree drawn uniformly from all labelled trees, decoded from a random Prüfer sequence."""
    code = rng.integers(p, size=p - 2)
    missing = np.bincount(code, minlength=p) + 1
    leaves = list(np.flatnonzero(missing == 1))
    heapify(leaves)
    pairs = []
    for node in code:
        pairs.append((heappop(leaves), node))
        missing[node] -= 1
        if missing[node] == 1:
            heappush(leaves, node)
    pairs.append((heappop(leaves), heappop(leaves)))
    return _graph(p, pairs)


def path_cliques(p: int, rng: Generator, *, size: int = 4) -> Graph:
    """A path on about half of the nodes and cliques of ``size`` on the others (second kind)."""
    size = integer_at_least("size", size, 2)
    if 2 * size > p:
        raise ValueError(f"size must be at most p / 2 = {p // 2}, got {size}")
    first = p - p // 2 // size * size
    path = _ahead(np.arange(first - 1), 1)
    complete = _within_blocks(first, p, size)
    return _graph(p, np.vstack([path, complete]), [False] * len(path) + [True] * len(complete))


def near_copies(p: int, rng: Generator, *, copies: int = 1) -> Graph:
    """A chain of sources, each with ``copies`` after it (second kind); the last may have fewer."""
    copies = integer_at_least("copies", copies, 1)
    group = copies + 1
    if 2 * group > p:
        raise ValueError(f"copies must be at most p / 2 - 1 = {p // 2 - 1}, got {copies}")
    node = np.arange(p)
    source = node - node % group
    links = _ahead(np.arange(0, p - group, group), group)
    copy = node[node != source]
    pairs = np.vstack([links, np.column_stack([source[copy], copy])])
    return _graph(p, pairs, [False] * len(links) + [True] * len(copy))
