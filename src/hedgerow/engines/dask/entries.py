"""Single entries of the products for exact tests: each strip is asked once for all that it has.

A test of node i with variable j needs the products of i and its neighbours with j, and with few
others. The strip that has j has them all. Strips find out by themselves what is asked of them, from
the pairs and from what was chosen for all nodes, and answer with 8 bytes for each product. What is
more than a thread may have in hand is asked for in several batches of nodes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hedgerow.engines.dask.choosing import Rule
from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import in_batches
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.dask.sheet import sheet
from hedgerow.engines.numba_cpu import strips
from hedgerow.engines.numba_cpu.strips import Neighbours, choosers_of, weaken
from hedgerow.method.engine import Array, Indices

Pairs = tuple[Indices, Indices]
Asks = Callable[[Any, Neighbours], Pairs]
Answer = Callable[[Strip, Array], tuple[Any, ...]]  # of a run of nodes
Answers = Callable[[Any, Rule, Neighbours], Answer]


class Entries(NamedTuple):
    """Products of nodes, and of each node's neighbours, with others; ordered by node."""

    nodes: Indices
    others: Indices
    values: Array  # of a pair: the node's with the other, and then its neighbours'


class Asking:
    """Asks strips of products for entries."""

    def __init__(
        self, cluster: Cluster, layout: Layout, products: list[Future], rule: Future, found: Future
    ) -> None:
        self.cluster = cluster
        self.layout = layout
        self.products = products
        self.rule = rule
        self.found = found

    def stand_ins(self) -> Future:
        """Return the promise of neighbours, with what a stand-in would leave of each."""
        cluster = self.cluster
        costs = cluster.answer(
            cluster.task("number of stand-ins", _number_of_stand_ins, self.found)
        )
        runs = [(some.start, some.stop) for some in in_batches(costs, self._most)]
        parts = self._ask("ask stand-ins", _stand_ins, _weakened, runs)
        return cluster.task("all neighbours", _joined, self.found, parts)

    def partial_correlations(
        self, nodes: Indices, others: Indices, sizes: Indices
    ) -> tuple[Array, Indices]:
        """Return partial correlations of nodes with others, and how many were given."""
        costs = (sizes[nodes] + 1) ** 2
        return self._of_pairs("test", _given_node, _partial_correlations, (nodes, others), costs)

    def estimates(self, source: Indices, target: Indices, sizes: Indices) -> Array:
        """Return the debiased statistic of pairs."""
        costs = (sizes[source] + 1) * (sizes[target] + 1)
        return self._of_pairs("estimate", _given_both, _estimates, (source, target), costs)[0]

    @property
    def _most(self) -> int:
        """Number of entries that a thread may have in hand."""
        return self.layout.rows * self.layout.n_columns

    def _of_pairs(
        self, what: str, asks: Asks, answers: Answers, pairs: Pairs, costs: Indices
    ) -> tuple[Array, Indices]:
        order = np.argsort(pairs[0], kind="stable")
        nodes, others = (field[order] for field in pairs)
        values, numbers = np.empty(len(order)), np.zeros(len(order), dtype=np.int64)
        batches = in_batches(costs[order], self._most)
        futures = self._ask(what, asks, answers, [(nodes[some], others[some]) for some in batches])
        for some, (value, number) in zip(batches, self.cluster.answers(futures)):
            values[order[some]], numbers[order[some]] = value, number
        return values, numbers

    def _ask(self, what: str, asks: Asks, answers: Answers, batches: list[Any]) -> list[Future]:
        """Return promises of what is answered to batches of questions."""
        cluster, strips = self.cluster, self.layout.strips
        name = f"{what}, entries of strip {{}} of {len(strips)}"
        result: list[Future] = []
        for start in range(0, len(batches), cluster.threads):
            for one in batches[start : start + cluster.threads]:
                asked = cluster.given(f"what to {what}", one)
                known = asks, asked, self.found
                entries = cluster.beside(self.products, name, _entries, strips, *known)
                own = asked, entries, self.found, self.rule, self.layout.run
                result.append(cluster.task(what, _answered, answers, *own))
                del entries
            cluster.wait(result[start:])
        return result


def _entries(products: Array, strip: Strip, asks: Asks, asked: Any, found: Neighbours) -> Entries:
    """Return what is asked of a strip: products with its own columns."""
    first, last = strip
    n_columns = len(found.sizes)
    nodes, others = asks(asked, found)
    own = (others >= first) & (others < last)
    nodes, others = np.divmod(np.unique(nodes[own] * n_columns + others[own]), n_columns)
    pair, rows = _rows_of(nodes, found)
    return Entries(nodes, others, products[others[pair] - first, rows])


def _rows_of(nodes: Indices, found: Neighbours) -> tuple[Indices, Indices]:
    """Return nodes, each followed by its neighbours, and before them the place of the node."""
    sizes = found.sizes[nodes] + 1
    pair = np.repeat(np.arange(len(nodes)), sizes)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return pair, np.where(at == 0, nodes[pair], found.chosen[nodes[pair], at - 1])


def _with_neighbours(nodes: Indices, others: Indices, found: Neighbours) -> Pairs:
    """Return pairs of nodes with others, and with the neighbours of these."""
    pair, rows = _rows_of(others, found)
    return nodes[pair], rows


def _given_node(asked: Pairs, found: Neighbours) -> Pairs:
    nodes, others = asked
    some = np.unique(nodes)
    own = _with_neighbours(some, some, found)
    return np.concatenate([nodes, own[0]]), np.concatenate([others, own[1]])


def _given_both(asked: Pairs, found: Neighbours) -> Pairs:
    return _with_neighbours(*asked, found)


def _chosen(found: Neighbours) -> csr_array:
    """Return a matrix that says which variables each node chose."""
    n_columns, most = found.chosen.shape
    columns = found.chosen[np.arange(most) < found.sizes[:, None]]
    starts = np.r_[0, np.cumsum(found.sizes)]
    shape = n_columns, n_columns
    return csr_array((np.ones(len(columns), dtype=np.bool_), columns, starts), shape)


def _number_of_stand_ins(found: Neighbours) -> Indices:
    """Return, for each node, how many entries it asks for at most."""
    choosers = strips.chosen_by(found)
    others = _chosen(found).astype(np.intp) @ (choosers + found.sizes)
    number: Indices = (found.sizes + 1) * (choosers + others + found.sizes + 1)
    return number


def _stand_ins(run: Strip, found: Neighbours) -> Pairs:
    """Return pairs of nodes with their neighbours and with what could stand in for these."""
    chosen = _chosen(found)
    own, by = chosen[slice(*run)], chosen.T.tocsr()
    nodes, others = (own @ (chosen + by) + own + by[slice(*run)]).nonzero()
    every = np.arange(*run)
    return np.r_[nodes + run[0], every], np.r_[others.astype(np.intp), every]


def _answered(
    answers: Answers, asked: Any, known: list[Entries], found: Neighbours, rule: Rule, run: int
) -> Any:
    """Return what is answered for so many nodes at a time, with their entries on a sheet."""
    n_columns = len(found.sizes)
    answer = answers(asked, rule, found)
    parts = []
    for first in range(0, n_columns, run):
        last = min(first + run, n_columns)
        places = [np.searchsorted(some.nodes, [first, last]) for some in known]
        if all(start == stop for start, stop in places):
            continue
        products: Array = sheet(n_columns, n_columns, np.float64)
        for (nodes, others, values), (start, stop) in zip(known, places):
            before = int((found.sizes[nodes[:start]] + 1).sum())
            pair, rows = _rows_of(nodes[start:stop], found)
            own = others[start:stop]
            products[rows, own[pair]] = values[before : before + len(pair)]
            products[own, own] = rule.squares[own]
        parts.append(answer((first, last), products))
    return [np.concatenate(fields) for fields in zip(*parts)]


def _of_run(run: Strip, pairs: Pairs) -> Pairs:
    start, stop = np.searchsorted(pairs[0], run)
    return pairs[0][start:stop], pairs[1][start:stop]


def _partial_correlations(pairs: Pairs, rule: Rule, found: Neighbours) -> Answer:
    def answer(run: Strip, products: Array) -> tuple[Array, Indices]:
        own = _of_run(run, pairs)
        values, number = strips.partial_correlations(*own, products, rule.per_scale, found)
        return values, number

    return answer


def _estimates(pairs: Pairs, rule: Rule, found: Neighbours) -> Answer:
    def answer(run: Strip, products: Array) -> tuple[Array, Indices]:
        own = _of_run(run, pairs)
        return strips.estimates(*own, products, rule.per_scale, found), found.sizes[own[0]]

    return answer


def _weakened(asked: Strip, rule: Rule, found: Neighbours) -> Answer:
    """Answer with nodes, what stand-ins leave of their partial correlations, and where they do."""
    choosers = choosers_of(found)
    found = found._replace(partial=found.partial.copy(), stands_in=found.stands_in.copy())
    known = rule.per_scale, rule.n_rows, rule.thresholds, rule.curves
    n_columns = len(found.sizes)

    def answer(run: Strip, products: Array) -> tuple[Indices, Array, Any]:
        first, last = max(run[0], asked[0]), min(run[1], asked[1])
        unused = sheet(n_columns, n_columns, np.float32)  # scores are made when all this is known
        weaken(first, last, products, *known, choosers, found, unused)
        own = slice(first, last)
        return np.arange(first, last), found.partial[own], found.stands_in[own]

    return answer


def _joined(found: Neighbours, parts: list[Any]) -> Neighbours:
    partial, stands_in = found.partial.copy(), found.stands_in.copy()
    for nodes, own, stand in parts:
        partial[nodes], stands_in[nodes] = own, stand
    return found._replace(partial=partial, stands_in=stands_in)
