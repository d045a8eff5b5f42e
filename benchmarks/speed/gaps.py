"""What missing cells cost: tables with one cell in twenty gone, beside the same with all cells."""

import argparse
import warnings

import numpy as np

from benchmarks.speed import clock
from hedgerow import HedgeGraph

SIZES = ((64, 500), (64, 20_000), (300, 2000), (1000, 600), (2000, 600))
SHARE = 0.05
_ROUNDS = 3  # at most: large tables take seconds


def run(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    figures = []
    print("columns   rows  whole s  with gaps s  times")
    for n_columns, n_rows in SIZES:
        rows, _ = clock.sample(n_columns, n_rows)
        gone = np.random.default_rng(2).random(rows.shape) < SHARE
        tables = {"whole": rows, "gaps": np.where(gone, np.nan, rows)}
        jobs = {name: lambda table=table: HedgeGraph().fit(table) for name, table in tables.items()}
        seconds = clock.least_times(jobs, min(options.rounds, _ROUNDS))
        figures.append({"columns": n_columns, "rows": n_rows, "seconds": seconds})
        print(
            f"{n_columns:7,} {n_rows:6,} {seconds['whole']:8.4f} {seconds['gaps']:12.4f} "
            f"{times(seconds):6.2f}",
            flush=True,
        )
    clock.keep("gaps", figures)


def times(seconds: dict[str, float]) -> float:
    """Return how many times as long it takes if cells are missing."""
    return seconds["gaps"] / seconds["whole"]
