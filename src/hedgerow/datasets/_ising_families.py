"""Families of Ising models: graphs, couplings of one size, and the three ways of their signs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from hedgerow.base.checks import integer_at_least, one_of, positive
from hedgerow.datasets import _graphs as graphs
from hedgerow.datasets._families import FAMILIES
from hedgerow.datasets._graphs import Graph, options_of, refuse_unknown
from hedgerow.datasets._ising_model import IsingModel

SIGNS = ("attractive", "mixed", "frustrated")


class IsingFamily(NamedTuple):
    """How to draw a graph, the fewest variables that make sense, and how strong it is."""

    summary: str
    graph: Callable[..., Graph]
    smallest: int
    strength: float = 0.3
    per_variable: bool = False  # whether a coupling is the strength divided by p

    @property
    def options(self) -> dict[str, Any]:
        """Names and defaults of the options."""
        return options_of(self.graph)


_SHARED = (
    *("chain", "cycle", "grid", "random_regular", "erdos_renyi", "watts_strogatz"),
    *("star", "hubs", "band", "cluster", "cliques", "random_tree"),
)
ISING_FAMILIES: dict[str, IsingFamily] = {
    **{
        name: IsingFamily(FAMILIES[name].summary, FAMILIES[name].graph, FAMILIES[name].smallest)
        for name in _SHARED
    },
    "barabasi_albert": IsingFamily(
        FAMILIES["barabasi_albert"].summary, graphs.barabasi_albert, 2, strength=0.2
    ),
    "torus": IsingFamily(
        "A square lattice whose borders meet; p must be a square.", graphs.torus, 9
    ),
    "triangular": IsingFamily(
        "A triangular lattice, filled row by row.", graphs.triangular, 3, strength=0.2
    ),
    "curie_weiss": IsingFamily(
        "All pairs, each with the strength divided by p.",
        graphs.complete,
        2,
        strength=0.8,
        per_variable=True,
    ),
}


def make_ising(
    family: str,
    p: int,
    *,
    strength: float | None = None,
    signs: str = "attractive",
    field: float | np.ndarray = 0.0,
    seed: int | Generator | None = None,
    **options: Any,
) -> IsingModel:
    """Make an Ising model of a family: the same arguments give the same model.

    Parameters
    ----------
    family : str
        A key of `ISING_FAMILIES`.
    p : int
        Number of variables.
    strength : float, optional
        Absolute coupling ``|J_ij|`` of every edge; for "curie_weiss" the coupling times p. By
        default 0.3, for "barabasi_albert" and "triangular" 0.2 and for "curie_weiss" 0.8.
    signs : {"attractive", "mixed", "frustrated"}, default "attractive"
        All couplings positive; each with a random sign; or signs by which edges, one after
        another, close a shortest cycle of negative product, as in the fully frustrated lattice
        and the antiferromagnet on triangles.
    field : float or array of shape (p,), default 0
        Field h_i of every variable, or of each.
    seed : int or Generator, optional
        Decides the graph, where it is random, and the signs.
    **options
        Options of the family, as listed by ``ISING_FAMILIES[family].options``.

    Returns
    -------
    IsingModel

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> model = make_ising("triangular", 64, strength=0.5, signs="frustrated")
    >>> len(model.edges), model.width
    (161, 3.0)
    """
    entry = ISING_FAMILIES[one_of("family", family, tuple(ISING_FAMILIES))]
    p = integer_at_least("p", p, entry.smallest)
    one_of("signs", signs, SIGNS)
    refuse_unknown(options, family, entry.options)
    rng = np.random.default_rng(seed)
    graph = entry.graph(p, rng, **options)
    size = entry.strength if strength is None else positive("strength", strength)
    signed = _signs(graph, signs, rng) * (size / p if entry.per_variable else size)
    i, j = graph.edges.T
    couplings = csr_array((np.r_[signed, signed], (np.r_[i, j], np.r_[j, i])), shape=(p, p))
    return IsingModel(couplings, np.asarray(field, dtype=float), family)


def _signs(graph: Graph, signs: str, rng: Generator) -> np.ndarray:
    if signs == "mixed":
        return rng.choice([-1.0, 1.0], len(graph.edges))
    if signs == "frustrated":
        return _frustrated(graph)
    return np.ones(len(graph.edges))


def _frustrated(graph: Graph) -> np.ndarray:
    """Give each edge the sign that no two ends can agree on along a shortest way around it."""
    around: list[dict[int, float]] = [{} for _ in range(graph.size)]
    signs = np.ones(len(graph.edges))
    for k, (i, j) in enumerate(graph.edges.tolist()):
        signs[k] = -_sign_along(around, i, j)
        around[i][j] = around[j][i] = signs[k]
    return signs


def _sign_along(around: list[dict[int, float]], start: int, end: int) -> float:
    """Product of the signs along a shortest path; -1, so that an edge is +1, if there is none."""
    product = {start: 1.0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other, sign in around[node].items():
            if other == end:
                return product[node] * sign
            if other not in product:
                product[other] = product[node] * sign
                waiting.append(other)
    return -1.0
