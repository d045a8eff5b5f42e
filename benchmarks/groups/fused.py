"""The fused graphical lasso beside our differences: what it calls different, and its time.

It estimates two precision matrices together and penalises their differences; where these are not
zero, it says that the groups differ. Both penalties are chosen by the extended criterion of the
package gglasso, with its own default.
"""

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from time import process_time
from typing import NamedTuple

import numpy as np
from gglasso.problem import glasso_problem
from numpy.typing import NDArray

from benchmarks import document, kept
from benchmarks.groups.pairs_of_groups import COLUMNS, FAMILIES, Groups, groups_of
from hedgerow import HedgeGraph, difference

ROWS = (100, 400)
SHARE = 0.1
_PENALTIES = {
    "lambda1_range": np.geomspace(0.4, 0.02, 5),
    "lambda2_range": np.geomspace(0.2, 0.005, 4),
}
_ZERO = 1e-4  # beyond what its iterations leave of a difference that is none


class Said(NamedTuple):
    """What one method says of two groups."""

    said: float  # pairs that differ
    false: float  # share of these that do not
    right: float  # share found of those that do
    seconds: float  # of processor time


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups fused --sets {sets}")
    one(groups_of("alike", FAMILIES[0], ROWS[0], 0, SHARE))  # compiles
    lines = []
    for share, name in ((0.0, "nothing differs"), (SHARE, "a tenth of the edges")):
        cells = []
        for n_rows in ROWS:
            both = [
                one(groups_of("alike", family, n_rows, seed, share))
                for family in FAMILIES[:-1]
                for seed in range(sets)
            ]
            cells += [cell([pair[k] for pair in both]) for k in (0, 1)]
        lines.append([name, *cells])
        print(*lines[-1], sep=" | ", flush=True)
    header = ["said, false, found, seconds"]
    header += [f"{who}, {n} rows" for n in ROWS for who in ("ours", "fused lasso")]
    said = (
        f"{COLUMNS} columns, {len(FAMILIES) - 1} families, {sets} pairs of groups of each: number "
        f"of pairs that are said to differ, share of these that do not, share found of those that "
        f"do, and seconds of processor time."
    )
    document.publish("groups", made, {"fused": f"{said}\n\n{document.table(header, lines)}"})


def one(groups: Groups) -> tuple[Said, Said]:
    """Return what both say."""
    begun = process_time()
    found = difference(HedgeGraph().fit(groups.first), HedgeGraph().fit(groups.second))
    ours = np.zeros(len(groups.differ), dtype=bool)
    place = np.zeros((COLUMNS, COLUMNS), dtype=int)
    place[np.triu_indices(COLUMNS, 1)] = np.arange(len(ours))
    ours[[place[edge.source, edge.target] for edge in found.edges_]] = True
    seconds = process_time() - begun
    begun = process_time()
    theirs = fused(groups)
    return (
        _judged(ours, groups.differ, seconds),
        _judged(theirs, groups.differ, process_time() - begun),
    )


def fused(groups: Groups) -> NDArray[np.bool_]:
    """Return which pairs the fused graphical lasso calls different."""
    tables = groups.first, groups.second
    corr = np.array([np.corrcoef(rows.T) for rows in tables])
    problem = glasso_problem(corr, np.array([len(rows) for rows in tables]), reg="FGL")
    with redirect_stdout(StringIO()):  # it prints how every solution ended
        problem.model_selection(_PENALTIES, tol=1e-5, rtol=1e-5)
    first, second = problem.solution.precision_
    result: NDArray[np.bool_] = np.abs(second - first)[np.triu_indices(COLUMNS, 1)] > _ZERO
    return result


def _judged(said: NDArray[np.bool_], true: NDArray[np.bool_], seconds: float) -> Said:
    false = (said & ~true).sum() / max(said.sum(), 1)
    right = (said & true).sum() / true.sum() if true.any() else np.nan
    return Said(float(said.sum()), float(false), float(right), seconds)


def cell(found: Sequence[Said]) -> str:
    """Return what a table says of some pairs of groups."""
    said, false, right, seconds = np.array(found).mean(axis=0)
    told = "–" if np.isnan(right) else f"{right:.2f}"
    return f"{said:.1f}, {false:.2f}, {told}, {seconds:.2g}"
