"""Neighbours are chosen for a run of nodes at a time, with the rows of products that they ask for.

Which rows a node needs is known only as its neighbours are found: those of all it has chosen so
far. So a task says which row it cannot go on without, the rows are fetched, and the question is put
again. Rows go from the strips that have them to the run that asked, and to no one else.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import Rows, all_rows, on_a_sheet, part, rows_from
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.numba_cpu import strips
from hedgerow.engines.numba_cpu.strips import (
    Neighbours,
    choosers_of,
    no_neighbours,
    select_nodes,
    unknown_rows,
    weaken,
)
from hedgerow.method.engine import Array, Indices

Singles = NDArray[np.float32]


class Rule(NamedTuple):
    """What all tests need."""

    per_scale: Array
    squares: Array  # of the columns: the diagonal of the products
    n_rows: float
    thresholds: Array
    hubs: Indices
    curves: Array
    ends: Array


class Chosen(NamedTuple):
    """What was found for a run of nodes."""

    found: Neighbours
    scores: Singles  # (nodes, p)
    codes: strips.Bytes  # (nodes, p)


class Choosing:
    """Chooses neighbours, and computes what needs the rows of products of nodes and neighbours."""

    def __init__(
        self, cluster: Cluster, layout: Layout, products: list[Future], rule: Future
    ) -> None:
        self.cluster = cluster
        self.layout = layout
        self.products = products
        self.rule = rule
        self.needed: dict[Strip, Indices] = {}
        self._whole: Future | None = None
        if layout.together:
            self._whole = cluster.task("products of all strips", all_rows, products)

    def choose(self, *, stand_ins: bool) -> tuple[Future, list[Future], list[Future]]:
        """Return promises of the neighbours of all nodes, and of scores given them and codes."""
        runs = self.layout.all_runs
        chosen = self.cluster.in_turn(runs, self._ask_first, "choosing neighbours")
        found = self._joined(chosen)
        if stand_ins:
            chosen = self.with_rows(runs, "ask stand-ins of", _weakened, chosen, found)
            found = self._joined(chosen)
        scores, codes = (
            [
                self.cluster.task(f"{field} of nodes {run[0]} to {run[1]}", part, one, field)
                for run, one in zip(runs, chosen)
            ]
            for field in ("scores", "codes")
        )
        return found, scores, codes

    def with_rows(
        self,
        runs: list[Strip],
        what: str,
        function: Callable[..., Any],
        own: list[Any],
        *shared: Any,
    ) -> list[Future]:
        """Return promises of a function of runs, of the rows that they need, and of more."""

        def begin(item: tuple[Strip, Any]) -> Future:
            run, value = item
            rows = [self._whole] if self._whole else self._rows(self.needed[run])
            name = f"{what} nodes {run[0]} to {run[1]}"
            return self.cluster.task(name, function, run, rows, self.rule, value, *shared)

        return self.cluster.in_turn(list(zip(runs, own)), begin)

    def _rows(self, index: Indices) -> list[Future]:
        return rows_from(self.cluster, self.layout.strips, self.products, index)

    def _ask_first(self, run: Strip) -> Any:
        if self._whole:
            return self._choose(run, [self._whole])
        known = np.arange(*run)
        return self._ask(run, known, known, self._rows(known))

    def _ask(self, run: Strip, open_nodes: Indices, known: Indices, rows: list[Future]) -> Any:
        first, last = run
        name = f"ask neighbours of nodes {first} to {last}"
        asked = self.cluster.task(name, _wanted, open_nodes, rows, self.rule)
        return asked, partial(self._fetch, run, open_nodes, known, rows)

    def _fetch(
        self, run: Strip, nodes: Indices, known: Indices, rows: list[Future], wanted: Indices
    ) -> Any:
        nodes = nodes[wanted >= 0]
        if not len(nodes):
            self.needed[run] = known
            return self._choose(run, rows)
        new = np.unique(wanted[wanted >= 0])
        return self._ask(run, nodes, np.union1d(known, new), rows + self._rows(new))

    def _choose(self, run: Strip, rows: list[Future]) -> Future:
        name = f"choose neighbours of nodes {run[0]} to {run[1]}"
        return self.cluster.task(name, _choose, run, rows, self.rule)

    def _joined(self, chosen: list[Future]) -> Future:
        found = [self.cluster.task("neighbours", part, one, "found") for one in chosen]
        return self.cluster.task("all neighbours", _join, found)


def _wanted(nodes: Indices, rows: list[Rows], rule: Rule) -> Indices:
    """Return the row that each node cannot go on without, or -1."""
    products = on_a_sheet(len(rule.per_scale), rows, np.float64)
    wanted = np.empty(len(nodes), dtype=np.intp)
    unknown_rows(nodes, products, rule.per_scale, rule.n_rows, rule.thresholds, rule.hubs, wanted)
    return wanted


def _choose(run: Strip, rows: list[Rows], rule: Rule) -> Chosen:
    per_scale, _, *rest = rule
    n_columns, (first, last) = len(per_scale), run
    products = on_a_sheet(n_columns, rows, np.float64)
    found = no_neighbours(n_columns, len(rule.thresholds))
    scores, codes = (on_a_sheet(n_columns, [], dtype) for dtype in (np.float32, np.int8))
    select_nodes(first, last, products, per_scale, *rest, found, scores, codes)
    own = _of_nodes(found, slice(first, last))
    return Chosen(own, scores[first:last].copy(), codes[first:last].copy())


def _join(parts: list[Neighbours]) -> Neighbours:
    fields: Any = (np.concatenate(field) for field in zip(*parts))
    return Neighbours(*fields)


def _weakened(
    run: Strip, rows: list[Rows], rule: Rule, chosen: Chosen, everyone: Neighbours
) -> Chosen:
    per_scale, squares, n_rows, thresholds, _, curves, _ = rule
    n_columns, (first, last) = len(per_scale), run
    products = on_a_sheet(n_columns, rows, np.float64)
    choosers = choosers_of(everyone)
    own = slice(first, last)
    asked = np.unique(np.r_[np.arange(first, last), _flat(everyone, np.arange(first, last))])
    others = np.unique(
        np.concatenate(
            [_flat(everyone, asked)]
            + [choosers.nodes[choosers.starts[j] : choosers.starts[j + 1]] for j in asked]
        )
    )
    # Those that could stand in are compared with rows that are known: the matrix is symmetric.
    others = np.setdiff1d(others, asked)
    if len(rows) > 1 or len(rows[0].nodes) < n_columns:
        products[np.ix_(others, asked)] = products[np.ix_(asked, others)].T
        products[others, others] = squares[others]
    found = _of_nodes(everyone, slice(None))
    scores = on_a_sheet(n_columns, [Rows(np.arange(first, last), chosen.scores)], np.float32)
    weaken(first, last, products, per_scale, n_rows, thresholds, curves, choosers, found, scores)
    return Chosen(_of_nodes(found, own), scores[own].copy(), chosen.codes)


def _of_nodes(found: Neighbours, nodes: slice) -> Neighbours:
    """Return what was found for some nodes, in memory of its own."""
    fields: Any = (field[nodes].copy() for field in found)
    return Neighbours(*fields)


def _flat(found: Neighbours, nodes: Indices) -> Indices:
    """Return all neighbours of some nodes."""
    some = found.chosen[nodes]
    return some[np.arange(some.shape[1]) < found.sizes[nodes, None]]


def scores_given_both(
    run: Strip, rows: list[Rows], rule: Rule, _: None, found: Neighbours
) -> Singles:
    """Return the scores of the debiased statistic, above the diagonal."""
    n_columns, (first, last) = len(rule.per_scale), run
    products = on_a_sheet(n_columns, rows, np.float64)
    scores = on_a_sheet(n_columns, [], np.float32)
    strips.scores_given_both(
        first, last, products, rule.per_scale, rule.n_rows, rule.curves, found, scores
    )
    return scores[first:last].copy()


def partial_correlations(
    run: Strip, rows: list[Rows], rule: Rule, pairs: tuple[Indices, Indices], found: Neighbours
) -> tuple[Array, Indices]:
    """Return partial correlations of nodes of a run with others, and how many were given."""
    products = on_a_sheet(len(rule.per_scale), rows, np.float64)
    values, number = strips.partial_correlations(*pairs, products, rule.per_scale, found)
    return values, number


def estimates(
    run: Strip, rows: list[Rows], rule: Rule, pairs: tuple[Indices, Indices], found: Neighbours
) -> tuple[Array, Indices]:
    """Return the debiased statistic of nodes of a run with others, and how many neighbours."""
    products = on_a_sheet(len(rule.per_scale), rows, np.float64)
    return strips.estimates(*pairs, products, rule.per_scale, found), found.sizes[pairs[0]]
