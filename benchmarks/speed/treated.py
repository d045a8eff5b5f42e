"""What it costs that rows and columns may be anything, where they are independent and normal."""

import argparse
import time
import warnings

from benchmarks.speed import clock
from hedgerow import HedgeGraph

SIZES = ((64, 500), (64, 20_000), (300, 5000), (1000, 1000))
AIM = 1.3  # times as long as if it were known
KNOWN = {"rows": "independent", "columns": "normal"}


def run(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    figures = []
    print("columns   rows  cores  known s  as it comes s  times  times, of the processor")
    for n_columns, n_rows in SIZES:
        rows, _ = clock.sample(n_columns, n_rows)
        jobs = {
            "known": lambda rows=rows: HedgeGraph(**KNOWN).fit(rows),
            "any": lambda rows=rows: HedgeGraph().fit(rows),
        }
        for count in range(1, clock.cores() + 1):
            with clock.threads(count):
                seconds = clock.least_times(jobs, options.rounds)
                processor = clock.least_times(jobs, options.rounds, time.process_time)
            size = {"columns": n_columns, "rows": n_rows, "cores": count}
            figures.append(size | {"seconds": seconds, "processor": processor})
            print(
                f"{n_columns:7,} {n_rows:6,} {count:6} {seconds['known']:8.4f} "
                f"{seconds['any']:14.4f} {times(seconds):6.2f} {times(processor):6.2f}",
                flush=True,
            )
    clock.keep("treated", figures)


def times(seconds: dict[str, float]) -> float:
    """Return how many times as long it takes if nothing is known."""
    return seconds["any"] / seconds["known"]
