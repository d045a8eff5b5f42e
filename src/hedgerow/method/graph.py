"""The graph that some rows support: edges with their tests, and what the user should know.

Two kinds of columns are set aside before testing. A column that never varies is an isolated node.
A column that is another one again (up to scale, shift and sign) is joined to that one alone, with
partial correlation 1 or -1, and the first of such copies stands for all of them.
"""

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.balance import balanced_level, other_neighbours, stands_out
from hedgerow.method.engine import Edges, Engine, Repeats
from hedgerow.method.hubs import fewest_neighbours, missed
from hedgerow.method.intervals import LEVEL_OF_BALANCED
from hedgerow.method.levels import (
    MIN_ROWS,
    STRONGLY_RELATED,
    most_bias,
    plausible_bias,
    rows_are_few,
)
from hedgerow.method.neighbours import NO_HUBS, most_by_rows, step_thresholds
from hedgerow.method.one_pair import Known
from hedgerow.method.promises import BALANCED

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# Edges up to this level are kept unless told otherwise, to be seen at a looser level later.
LOOSEST_LEVEL = 0.5
OF_EDGES = 7  # fields of a graph, in front, that have a value for each edge
_COPY = 1.0 - 1e-10  # a larger correlation than this is rounding away from one
_DETERMINED = 1e-6  # share of a column's variance below which nothing is left unexplained
_STRONG, _MODERATE = 0.9, 0.5  # partial correlations that the advice on rows speaks of


class Graph(NamedTuple):
    """Edges by column number, the surest first, and findings about the columns."""

    source: Indices
    target: Indices
    partial_corr: Array
    z: Array
    p_value: Array
    q_value: Array
    spread: Array  # standard error of atanh(partial_corr)
    constant: Indices  # columns that never varied
    copies: Indices  # columns that repeat an earlier one ...
    originals: Indices  # ... and that one
    determined: Indices  # columns that a few others determine exactly
    unexplained: float  # share of a typical column's variance that its neighbours leave
    too_small: Indices = np.empty(0, dtype=np.intp)  # constant, or too small to tell
    alike: Indices = np.empty((0, 2), dtype=np.intp)  # pairs that lie too close behind their steps
    per_clear: float = 1.0  # how many rows say as much as one without the noise of steps
    hubs: Indices = NO_HUBS  # columns that all others were given as neighbours ...
    missed: Indices = NO_HUBS  # ... and that should have been, and were too many
    at_least: Indices | None = None  # neighbours of each column, where hubs were looked for
    needed: float = 0.0  # neighbours that tests of a balanced graph should have been given, if ...
    could_be: int = 0  # ... they are more than could be, and it was left without edges

    def up_to(self, level: float) -> "Graph":
        """Return the graph at an error level."""
        keep = self.q_value <= level
        return self._replace(
            **{name: getattr(self, name)[keep] for name in self._fields[:OF_EDGES]}
        )

    def with_determined(self, columns: NDArray[np.bool_]) -> "Graph":
        """Return the graph with more columns that others determine, but for copies."""
        others = np.setdiff1d(np.flatnonzero(columns), np.r_[self.copies, self.originals])
        return self._replace(determined=np.union1d(self.determined, others))

    def without_pairs(self, first: Indices, second: Indices) -> "Graph":
        """Return the graph without any edge between these pairs of columns."""
        if not len(first):
            return self
        size = 1 + max(x.max(initial=0) for x in (first, second, self.source, self.target))
        ends = np.minimum(self.source, self.target) * size + np.maximum(self.source, self.target)
        keep = ~np.isin(ends, np.minimum(first, second) * size + np.maximum(first, second))
        return self._replace(
            **{name: getattr(self, name)[keep] for name in self._fields[:OF_EDGES]}
        )

    def balanced_level(self) -> float:
        """Return the level at which false and missed edges weigh the same."""
        return balanced_level(self.q_value, LOOSEST_LEVEL)


def graph_of(
    engine: Engine,
    evidence: Any,
    n_rows: float,
    error: str,
    loosest: float = LOOSEST_LEVEL,
    aside: NDArray[np.bool_] | None = None,
    known: Callable[[Indices], Known] | None = None,
) -> Graph:
    """Return all edges up to the level ``loosest``; the evidence on the rows is the engine's.

    Columns that are set ``aside`` are isolated nodes. A balanced graph is looked at for hubs that
    its edges miss, if correlations are ``known``, those of some columns; these hubs are then given
    to all columns, and pairs are tested again (docs/theory.md, section 31).
    """
    enough = n_rows >= MIN_ROWS
    repeats = engine.repeats(evidence, _COPY)
    every = np.arange(len(repeats.original))
    if not enough:  # of two rows, every column repeats the first
        repeats = repeats._replace(original=every)
    if aside is not None:
        repeats = repeats._replace(original=np.where(aside, every, repeats.original))
    tested = repeats.varies & (repeats.original == every)
    tested = np.flatnonzero(tested if aside is None else tested & ~aside)
    copies = np.flatnonzero(repeats.varies & (repeats.original != every))

    edges = _no_edges()
    determined, unexplained = np.empty(0, dtype=np.intp), 1.0
    alike, per_clear = np.empty((0, 2), dtype=np.intp), 1.0
    balanced: dict[str, Any] = {}
    if enough and len(tested) > 1:
        if len(tested) < len(every):
            evidence = engine.part(evidence, tested, repeats)
        found = engine.find_edges(evidence, error, loosest)
        shown = True
        if error == BALANCED:
            if known is not None:
                sought = known(tested)
                at_least = fewest_neighbours(sought, LEVEL_OF_BALANCED, engine.scores_given_fewer)
                hubs, missing = _missed_hubs(found, at_least, sought.effective_rows)
                if len(hubs):
                    found = engine.find_edges(evidence, error, loosest, hubs)
                of_all = np.zeros(len(every), dtype=np.intp)
                of_all[tested] = at_least
                balanced = {"hubs": tested[hubs], "missed": tested[missing], "at_least": of_all}
            shown = stands_out(found.p_value, comb(len(tested), 2))
            if shown and (contradiction := _contradiction(found, n_rows)):
                shown = False
                balanced |= contradiction
        if shown:
            edges = np.array([tested[found.source], tested[found.target], *found[2:OF_EDGES]])
        determined = tested[found.unexplained < _DETERMINED]
        unexplained = float(np.median(found.unexplained))
        alike, per_clear = tested[found.alike], found.per_clear
    edges = np.concatenate([_copy_edges(copies, repeats), edges], axis=1)
    order = np.lexsort((-np.abs(edges[3]), edges[5]))
    source, target, partial_corr, z, p_value, q_value, spread = edges[:, order]
    return Graph(
        source=source.astype(np.intp),
        target=target.astype(np.intp),
        partial_corr=partial_corr,
        z=z,
        p_value=p_value,
        q_value=q_value,
        spread=spread,
        constant=np.flatnonzero(~repeats.varies),
        too_small=np.flatnonzero(repeats.too_small),
        copies=copies,
        originals=repeats.original[copies],
        determined=determined,
        unexplained=unexplained,
        alike=alike,
        per_clear=per_clear,
        **balanced,
    )


def rows_to_detect(partial_corr: float, n_columns: int, level: float) -> int:
    """Return the rows with which a single edge of this strength would be significant.

    Examples
    --------
    >>> rows_to_detect(0.5, n_columns=50, level=0.05)
    59
    """
    pairs = n_columns * (n_columns - 1) / 2
    needed = -special.ndtri(level / pairs / 2) / np.arctanh(partial_corr)
    return int(np.ceil(needed**2)) + 3


def shortage_of_rows(
    n_rows: float, n_columns: int, level: float | None, unexplained: float, kind: str = "rows"
) -> str | None:
    """Return what to tell the user if the rows are too few to keep the promise, else None.

    Without a level, for a balanced graph, it is the estimated share of false edges that suffers.
    """
    bound = "its estimate" if level is None else f"the level {level}"
    level = level or LOOSEST_LEVEL
    if n_rows < max(rows_to_detect(_STRONG, n_columns, level), MIN_ROWS):
        return (
            f"{n_rows:.0f} {kind} are too few for any edge among {n_columns} columns to be "
            f"significant; {rows_to_detect(_MODERATE, n_columns, level)} rows would show partial "
            f"correlations of {_MODERATE}"
        )
    if rows_are_few(n_columns, n_rows, unexplained):
        so = " as strongly related as these" if unexplained < STRONGLY_RELATED else ""
        enough = int(np.ceil((plausible_bias(n_columns, 1) / most_bias(unexplained)) ** 2))
        return (
            f"{n_rows:.0f} {kind} are few for {n_columns} columns{so}: indirect relations can pass "
            f"for edges, and the share of false edges may exceed {bound}; from {enough} "
            f"rows on it was measured to hold"
        )
    return None


def _missed_hubs(found: Edges, at_least: Indices, n_rows: float) -> tuple[Indices, Indices]:
    """Return hubs that some of their neighbours were not given: those to be, and too many others.

    Half of the steps are left to choose.
    """
    clear = found.q_value <= LEVEL_OF_BALANCED
    ends = np.concatenate([found.source[clear], found.target[clear]])
    degrees = np.bincount(ends, minlength=len(at_least))
    wanted = missed(at_least, degrees, found.chosen_by)
    most = len(step_thresholds(len(at_least), n_rows)) // 2
    return wanted[:most], wanted[most:]


def _contradiction(found: Edges, n_rows: float) -> dict[str, Any]:
    """Return how many neighbours tests needed, and could be given, if these are fewer."""
    keep = found.q_value <= balanced_level(found.q_value, LOOSEST_LEVEL)
    needed = other_neighbours(found.source[keep], found.target[keep])
    could_be = most_by_rows(n_rows)
    return {"needed": needed, "could_be": could_be} if needed > could_be else {}


def _copy_edges(copies: Indices, repeats: Repeats) -> Array:
    beyond_doubt = np.full(len(copies), -special.ndtri(np.finfo(np.float64).tiny))
    zero = np.zeros(len(copies))
    strength = repeats.sign[copies]
    ends = repeats.original[copies], copies
    return np.array([*ends, strength, strength * beyond_doubt, zero, zero, zero])


def _no_edges() -> Array:
    return np.empty((OF_EDGES, 0))
