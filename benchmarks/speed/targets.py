"""Learning and fitting beside np.cov of the same rows, on one core and on all."""

import argparse
import warnings

import numpy as np

from benchmarks.speed import clock
from hedgerow import HedgeGraph

SIZES = ((300, 5000), (1000, 5000), (2000, 4000))
AIMS = {"learning": 4.0, "fit": 6.0}  # times np.cov
GAIN = 1.6  # of two cores over one


def run(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    figures = []
    print("columns  rows  cores  np.cov s  learning s  fit s   learning/cov  fit/cov")
    for n_columns, n_rows in SIZES:
        rows, _ = clock.sample(n_columns, n_rows)
        jobs = {
            "cov": lambda rows=rows: np.cov(rows, rowvar=False),
            "learning": lambda rows=rows: HedgeGraph().partial_fit(rows),
            "fit": lambda rows=rows: HedgeGraph().fit(rows),
        }
        for count in range(1, clock.cores() + 1):
            with clock.threads(count):
                times = clock.least_times(jobs, options.rounds)
            figures.append({"columns": n_columns, "rows": n_rows, "cores": count} | times)
            cov, learning, fit = times.values()
            print(
                f"{n_columns:7,} {n_rows:5,} {count:6} {cov:9.4f} {learning:11.4f} {fit:6.3f} "
                f"{learning / cov:13.2f} {fit / cov:8.2f}",
                flush=True,
            )
    clock.keep("targets", figures)
    for one, all_ in zip(figures[:: clock.cores()], figures[clock.cores() - 1 :: clock.cores()]):
        gain = one["fit"] / all_["fit"]
        print(
            f"{one['columns']} columns: {clock.cores()} cores are {gain:.2f} times as fast as one"
        )
