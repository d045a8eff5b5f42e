"""From records to figures."""

import numpy as np
import polars as pl

from benchmarks.peers.recovery import LAST, rows_at
from benchmarks.peers.solvers import SOLVERS

GOAL = 0.9
SIZES = 3  # that an exponent is fitted to
OVERHEAD = 0.005  # seconds; shorter times say little about growth
OURS = ("hedgerow", "hedgerow_balanced")


def methods_in(frame: pl.DataFrame) -> list[str]:
    """Return the methods that have results, in the order they are listed in."""
    present = set(frame["method"].unique()) if len(frame) else set()
    return [method for method in SOLVERS if method in present]


def rows_needed(curve: pl.DataFrame) -> str:
    """Return the first number of rows with which nine graphs in ten are right."""
    known = curve.drop_nulls("exact")
    enough = known.filter(pl.col("exact") >= GOAL)["m"]
    if len(enough):
        return f"{enough.min():,}"
    return f"> {rows_at(LAST):,}" if rows_at(LAST) in known["m"] else "?"


def slope(points: pl.DataFrame, axis: str) -> float | None:
    """Return the exponent of growth, by least squares on logarithms; None from too few points.

    Only the largest sizes count: at small ones other things take the time.
    """
    known = points.filter(pl.col("seconds") > OVERHEAD).sort(axis).tail(SIZES)
    if len(known) < SIZES:
        return None
    size, seconds = np.log(known[axis].to_numpy()), np.log(known["seconds"].to_numpy())
    return float(np.polyfit(size, seconds, 1)[0])


def frontier_means(frame: pl.DataFrame) -> pl.DataFrame:
    """Return means over families and seeds, by method and rows; a failure has no edges."""
    return (
        frame.with_columns(pl.col("f1").fill_null(0.0), pl.col("fdp").fill_null(0.0))
        .group_by("method", "family", "m")
        .agg(pl.col("f1", "fdp").mean(), pl.col("seconds").median(), seeds=pl.len())
        .group_by("method", "m")
        .agg(pl.col("f1", "fdp").mean(), pl.col("seconds").median(), pl.col("seeds").min())
    )


def on_the_frontier(seconds: list[float], score: list[float]) -> list[bool]:
    """Return which points no other is both faster and better than."""
    return [
        not any(t <= time and s >= f1 and (t, s) != (time, f1) for t, s in zip(seconds, score))
        for time, f1 in zip(seconds, score)
    ]


def margins(frame: pl.DataFrame, own: str) -> pl.DataFrame:
    """Return the means of each rival's F1 less that of one of ours on the same data sets."""
    keys = ["family", "m", "seed"]
    filled = frame.with_columns(pl.col("f1").fill_null(0.0))
    ours = filled.filter(pl.col("method") == own).select(*keys, own=pl.col("f1"))
    theirs = filled.filter(~pl.col("method").is_in(OURS)).join(ours, on=keys)
    return (
        theirs.with_columns(margin=pl.col("f1") - pl.col("own"))
        .group_by("method", "family", "m")
        .agg(pl.col("margin", "fdp").mean())
    )
