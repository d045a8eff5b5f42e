"""Time and memory of IsingGraph, beside the Gram matrix of the same rows.

    python -m benchmarks.ising_speed

The Gram matrix is ``X.T @ X`` of the rows as -1 and 1, in double and in single precision. Seconds
are those of the processor, with one thread, the fewest of several runs that take turns. Memory is
the most that arrays take at a time while rows of bytes are learned, these not counted. Fills
docs/ising.md.
"""

import gc
import os
import tracemalloc
import warnings
from time import process_time

os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}

import numpy as np

from benchmarks import document, kept
from hedgerow import IsingGraph
from hedgerow.datasets import make_ising

ROWS, COLUMNS = 10_000, 1000
RUNS = 5
CASES = {
    "3-regular, ±0.3": {"family": "random_regular", "degree": 3},
    "grid, ±0.3": {"family": "grid"},
    "Erdős–Rényi, ±0.3": {"family": "erdos_renyi"},
}


def drawn(case):
    """Return rows of -1 and 1."""
    model = make_ising(p=COLUMNS, strength=0.3, signs="mixed", seed=0, **CASES[case])
    return model.sample(ROWS, seed=1).astype(np.int8)


def seconds(work):
    """Return how long something takes."""
    gc.collect()
    begun = process_time()
    work()
    return process_time() - begun


def measured(rows):
    """Return seconds of learning and of the Gram matrix, in double and single precision."""
    double, single = rows.astype(np.float64), rows.astype(np.float32)
    turns = [
        (
            seconds(lambda: IsingGraph().fit(rows).edges_),
            seconds(lambda: double.T @ double),
            seconds(lambda: single.T @ single),
        )
        for _ in range(RUNS)
    ]
    return np.min(turns, axis=0)


def peak(rows):
    """Return the bytes that learning takes."""
    tracemalloc.start()
    IsingGraph().fit(rows)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def main():
    warnings.simplefilter("ignore")
    made = kept.made("python -m benchmarks.ising_speed")
    lines = []
    for case in CASES:
        rows = drawn(case)
        IsingGraph().fit(rows[:300, :20]).edges_.to_dict()  # compiles
        learning, double, single = measured(rows)
        lines.append(
            [
                *(case, f"{learning:.2f}", f"{double:.3f}", f"{single:.3f}"),
                *(f"{learning / double:.1f}", f"{learning / single:.1f}"),
                f"{peak(rows) / 1e6:.0f}",
                f"{(4 * rows.size + 8 * COLUMNS**2) / 1e6:.0f}",
            ]
        )
        print(*lines[-1], sep=" | ", flush=True)
    header = ["rows", "IsingGraph, s", "Gram matrix, s", "in single precision, s"]
    header += ["ratio", "in single precision", "memory, MB", "four times the rows and p², MB"]
    document.publish("ising", made, {"speed": document.table(header, lines)})


if __name__ == "__main__":
    main()
