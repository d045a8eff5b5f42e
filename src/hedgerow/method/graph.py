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

from hedgerow.method.balance import LOOSEST_LEVEL, balanced_level, stands_out
from hedgerow.method.engine import Edges, Engine, Repeats
from hedgerow.method.hubs import fewest_neighbours, missed
from hedgerow.method.intervals import LEVEL_OF_BALANCED
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.neighbours import NO_HUBS, step_thresholds
from hedgerow.method.one_pair import Known
from hedgerow.method.promises import BALANCED
from hedgerow.method.shadows import counted, shadows
from hedgerow.method.shortage import (
    Refusal,
    contradiction,
    mostly_shadows,
    too_few_to_stand_out,
)

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

OF_EDGES = 7  # fields of a graph, in front, that have a value for each edge
COPY = 1.0 - 1e-10  # a larger correlation than this is rounding away from one
_DETERMINED = 1e-6  # share of a column's variance below which nothing is left unexplained


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
    shared: float = 0.0  # strength of what most columns share, in units of the largest by chance
    hubs: Indices = NO_HUBS  # columns that all others were given as neighbours ...
    missed: Indices = NO_HUBS  # ... and that should have been, and were too many
    at_least: Indices | None = None  # neighbours of each column, where hubs were looked for
    refused: Refusal | None = None  # why a balanced graph was left without edges

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
    to all columns, and pairs are tested again (docs/theory.md, section 31). Its q-values count what
    may be shadows of third columns, and it can be refused (section 15). It has edges up to 0.5.
    """
    enough = n_rows >= MIN_ROWS
    repeats = engine.repeats(evidence, COPY)
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
    alike, per_clear, shared = np.empty((0, 2), dtype=np.intp), 1.0, 0.0
    balanced: dict[str, Any] = {}
    if enough and len(tested) > 1:
        if len(tested) < len(every):
            evidence = engine.part(evidence, tested, repeats)
        found = engine.find_edges(evidence, error, loosest)
        if error == BALANCED:
            sought = None if known is None else known(tested)
            found, balanced = _balanced(engine, evidence, found, n_rows, sought)
        edges = np.array([tested[found.source], tested[found.target], *found[2:OF_EDGES]])
        determined = tested[found.unexplained < _DETERMINED]
        unexplained = float(np.median(found.unexplained))
        alike, per_clear, shared = tested[found.alike], found.per_clear, found.shared
    edges = np.concatenate([_copy_edges(copies, repeats), edges], axis=1)
    order = np.lexsort((-np.abs(edges[3]), edges[5]))
    source, target, partial_corr, z, p_value, q_value, spread = edges[:, order]
    if "at_least" in balanced:
        of_all = np.zeros(len(every), dtype=np.intp)
        of_all[tested] = balanced["at_least"]
        hubs, missing = (tested[balanced[name]] for name in ("hubs", "missed"))
        balanced |= {"hubs": hubs, "missed": missing, "at_least": of_all}
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
        shared=shared,
        **balanced,
    )


def _balanced(
    engine: Engine,
    evidence: Any,
    found: Edges,
    n_rows: float,
    known: Known | None,
) -> tuple[Edges, dict[str, Any]]:
    """Return the edges that a balanced graph can have, and what is to be known of it."""
    about: dict[str, Any] = {}
    if known is not None:
        at_least = fewest_neighbours(known, LEVEL_OF_BALANCED, engine.scores_given_fewer)
        hubs, missing = _missed_hubs(found, at_least, known.effective_rows)
        if len(hubs):
            found = engine.find_edges(evidence, BALANCED, LOOSEST_LEVEL, hubs)
            known = known._replace(hubs=hubs)
        about = {"hubs": hubs, "missed": missing, "at_least": at_least}
    n_columns = len(found.unexplained)
    if not stands_out(found.p_value, comb(n_columns, 2)):
        return _only(found, found.q_value < 0.0), about
    within = found.q_value <= balanced_level(found.q_value, LOOSEST_LEVEL)
    ends = found.source[within], found.target[within]
    refused = too_few_to_stand_out(n_rows, n_columns) or contradiction(*ends, n_rows)
    if known is not None and not refused:
        found = _with_shadows(found, known, within)
        if within.any() and found.q_value.min() > LOOSEST_LEVEL:
            refused = mostly_shadows()
    if refused:
        return _only(found, found.q_value < 0.0), about | {"refused": refused}
    return _only(found, found.q_value <= LOOSEST_LEVEL), about


def _with_shadows(found: Edges, known: Known, within: NDArray[np.bool_]) -> Edges:
    """Return edges with q-values that count those that may be shadows of a third variable."""
    n_edges = float(within.sum() * (1.0 - found.q_value[within].max(initial=0.0)))
    shares = shadows(known, found.per_clear, found.source, found.target, n_edges)
    return found._replace(q_value=counted(found.q_value, shares))


def _only(found: Edges, keep: NDArray[np.bool_]) -> Edges:
    return found._replace(**{name: getattr(found, name)[keep] for name in found._fields[:OF_EDGES]})


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


def _copy_edges(copies: Indices, repeats: Repeats) -> Array:
    beyond_doubt = np.full(len(copies), -special.ndtri(np.finfo(np.float64).tiny))
    zero = np.zeros(len(copies))
    strength = repeats.sign[copies]
    ends = repeats.original[copies], copies
    return np.array([*ends, strength, strength * beyond_doubt, zero, zero, zero])


def _no_edges() -> Array:
    return np.empty((OF_EDGES, 0))
