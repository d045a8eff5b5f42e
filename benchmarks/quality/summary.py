"""From counted edges to figures: means and standard errors, by cell and by case."""

import warnings
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from benchmarks.quality import store
from benchmarks.quality.cases import CASES
from benchmarks.quality.methods import METHODS, OWN, PROMISES
from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.promises import BALANCED

OURS = "hedgerow"
TOLD = "neighbours"  # no rival: it knows the answer but for the tests
MAIN, LOOSE = "FDR 0.05", "FDR 0.2"
SLACK = 1.2  # the aim: share of false edges at most this times the level
DOUBT = 0.01  # one-sided; a cell is said to miss an aim when chance alone is less likely than this
# F1 has no meaning without edges, and rows in other units are the same rows again.
NOT_AVERAGED = ("empty", "erdos_renyi, other units")
SCORES = ("f1", "fdp", "any_false")


class Figure(NamedTuple):
    """A mean over data sets, its standard error, and the number of data sets."""

    mean: float
    error: float
    number: int

    def clearly_above(self, bound: float) -> bool:
        """Whether chance is a poor explanation of a mean of shares or scores above the bound."""
        return self.mean > bound + stats.t.isf(DOUBT, self.number - 1) * self.error

    def probably_above(self, probability: float) -> bool:
        """The same for a probability, by the binomial distribution."""
        events = round(self.mean * self.number)
        return bool(stats.binom.sf(events - 1, self.number, probability) < DOUBT)


def aim(promise: str) -> tuple[str, float]:
    """Return the score that a promise is about and what it should be at most."""
    error, level = PROMISES[promise]
    return ("fdp", round(SLACK * level, 10)) if error == "fdr" else ("any_false", level)


def broken(figure: Figure, promise: str) -> bool:
    """Whether a promise is clearly not kept."""
    score, most = aim(promise)
    return figure.clearly_above(most) if score == "fdp" else figure.probably_above(most)


def load() -> pl.DataFrame:
    """Return one row for each graph of the study, with its scores."""
    return scored(store.read(store.STUDY))


def scored(records: list[store.Record]) -> pl.DataFrame:
    """Return one row for each record, with its scores."""
    frame = pl.DataFrame(records, infer_schema_length=None)
    claimed = pl.col("found") + pl.col("false")
    wrong = pl.col("false") + pl.col("missed")
    return frame.with_columns(
        f1=pl.when(claimed + wrong > 0)
        .then(2 * pl.col("found") / (2 * pl.col("found") + wrong))
        .otherwise(1.0),
        fdp=pl.when(claimed > 0).then(pl.col("false") / claimed).otherwise(0.0),
        any_false=(pl.col("false") > 0).cast(pl.Float64),
    )


def figures(frame: pl.DataFrame, score: str, *by: str) -> dict[tuple, Figure]:
    """Return the figure of a score for each group of graphs."""
    groups = frame.group_by(*by).agg(
        mean=pl.col(score).mean(), spread=pl.col(score).std(ddof=1), number=pl.len()
    )
    return {
        tuple(row[name] for name in by): Figure(
            row["mean"], (row["spread"] or 0.0) / np.sqrt(row["number"]), row["number"]
        )
        for row in groups.iter_rows(named=True)
    }


def graphs(frame: pl.DataFrame, method: str, promise: str = MAIN) -> pl.DataFrame:
    """Return a method's graphs under a promise; a method without promises has its own graphs."""
    return frame.filter(pl.col("method") == method, pl.col("promise").is_in([promise, OWN]))


def averaged(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the graphs of the cases that averages are taken over."""
    return frame.filter(~pl.col("case").is_in(NOT_AVERAGED))


def against(frame: pl.DataFrame, rival: str, promise: str = MAIN) -> pl.DataFrame:
    """Return the data sets that a rival was given, with its scores, ours and our gain in F1.

    Ours are for the promise; a rival that makes promises keeps to the main one, or balances too.
    """
    keys = ["case", "ratio", "seed"]
    their_promise = BALANCED if promise == BALANCED else MAIN
    theirs = averaged(graphs(frame, rival, their_promise)).select(
        *keys, *(pl.col(score).alias(f"their_{score}") for score in SCORES)
    )
    ours = averaged(graphs(frame, OURS, promise)).select(*keys, *SCORES)
    return theirs.join(ours, on=keys).with_columns(gain=pl.col("f1") - pl.col("their_f1"))


def mean_of_cells(frame: pl.DataFrame, score: str) -> Figure:
    """Return the mean of the means of all cells, each cell counting the same."""
    cells = list(figures(frame, score, "case", "ratio").values())
    error = np.sqrt(sum(cell.error**2 for cell in cells)) / len(cells)
    mean = sum(cell.mean for cell in cells) / len(cells)
    return Figure(mean, float(error), sum(cell.number for cell in cells))


def cases_in(frame: pl.DataFrame) -> list[str]:
    """Return the cases that have results, in the order they are listed in."""
    present = set(frame["case"].unique())
    return [case for case in CASES if case in present]


def rivals_in(frame: pl.DataFrame) -> list[str]:
    """Return the methods that have results beside ours, and were not told the graph."""
    present = set(frame["method"].unique())
    return [method for method in METHODS if method in present and method not in (OURS, TOLD)]


def is_warned(rows: np.ndarray) -> bool:
    """Whether HedgeGraph says by itself that its promise does not cover the graph of such rows."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _ = HedgeGraph().fit(rows).edges_
    return any(issubclass(warning.category, GuaranteeWarning) for warning in told)
