"""Peak memory of a fit, in a process of its own, beside that of the matrices it must hold."""

import argparse
import ctypes
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import clock
from hedgerow.engines.numba_cpu._learn import BYTES_PER_COLUMN
from hedgerow.progress import Listener, watching

SIZES = ((1000, 5000), (2000, 4000), (4000, 1000), (10_000, 1000))
AIM = 5.25  # matrices of single precision, beside the rows and as much again
AIM_LARGE = 4.0  # GiB in all, for the last size
STATUS = Path("/proc/self/status")
THP_DISABLE = 41  # PR_SET_THP_DISABLE of linux/prctl.h


def run(options: argparse.Namespace) -> None:
    figures = []
    print("columns  rows  seconds  peak GiB  matrices (and chunk)")
    for n_columns, n_rows in SIZES:
        found = in_a_process(n_columns, n_rows)
        figures.append({"columns": n_columns, "rows": n_rows} | found)
        print(
            f"{n_columns:7,} {n_rows:5,} {found['seconds']:8.1f} {found['peak'] / 2**30:9.2f} "
            f"{found['matrices']:9.2f} ({found['chunk']:.2f})",
            flush=True,
        )
    clock.keep("memory", figures)


def in_a_process(n_columns: int, n_rows: int) -> dict[str, Any]:
    """Return seconds, peak bytes, and growth and size of the rows in p×p float32 matrices."""
    command = [sys.executable, "-m", "benchmarks.speed.memory", str(n_columns), str(n_rows)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def _small_pages() -> None:
    # A huge page counts whole, however little of it is used; and there are not always some to have.
    # A kernel that refuses leaves them on: the peak is then too high, never too low.
    ctypes.CDLL(None).prctl(THP_DISABLE, 1, 0, 0, 0)


def _peak() -> int:
    # Linux tells it elsewhere too, but there a process inherits the peak of its parent.
    lines = STATUS.read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _teller() -> Listener:
    """Return a listener that prints a line for every quarter of a stage that takes its time."""
    told, begun = set(), time.perf_counter()

    def tell(stage: str, done: float) -> None:
        quarter = (stage, int(4 * done))
        if quarter not in told and time.perf_counter() > begun + 2.0:
            print(f"  {stage} {done:.0%}", file=sys.stderr, flush=True)
        told.add(quarter)

    return tell


def _measure(n_columns: int, n_rows: int) -> None:
    from hedgerow import HedgeGraph

    _small_pages()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    HedgeGraph().fit(rng.standard_normal((600, 100)))  # compiles
    rows = rng.standard_normal((n_rows, n_columns))
    for j in range(1, n_columns, 2):  # a copy of all rows would raise the peak before the fit
        rows[:, j] += 0.6 * rows[:, j - 1]
    before, begun = _peak(), time.perf_counter()
    with watching(_teller()):
        HedgeGraph().fit(rows)
    seconds, matrix = time.perf_counter() - begun, 4 * n_columns**2
    figures = {"seconds": seconds, "peak": _peak(), "matrices": (_peak() - before) / matrix}
    per_column = BYTES_PER_COLUMN * n_columns / matrix
    print(json.dumps(figures | {"chunk": rows.nbytes / matrix, "columns": per_column}))


if __name__ == "__main__":
    _measure(*map(int, sys.argv[1:3]))
