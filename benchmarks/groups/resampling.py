"""How long halves of the rows take: as many times as long as one fit, in processor time."""

from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks import document, kept
from hedgerow import HedgeGraph
from hedgerow.datasets import make

COLUMNS, ROWS, HALVES = 100, 1000, 100
CUTS = (-1.2, -0.4, 0.4, 1.2)


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups resampling --sets {sets}")
    lines = []
    for kind in ("normal", "five steps"):
        measured(table(kind, 0), 2)  # compiles
        found = np.array([measured(table(kind, seed), HALVES) for seed in range(sets)])
        fit, halves, ratio = np.median(np.c_[found, found[:, 1] / found[:, 0]], axis=0)
        lines.append([kind, f"{fit:.2f} s", f"{halves:.1f} s", f"{ratio:.1f}"])
        print(*lines[-1], sep=" | ", flush=True)
    said = (
        f"{COLUMNS} columns (watts_strogatz), {ROWS:,} rows, one thread, processor time; medians "
        f"of {sets} tables. The fit, its graph included, and {HALVES} halves are measured one "
        f"after the other."
    )
    header = ["", "one fit", f"{HALVES} halves", "fits that these take"]
    document.publish("groups", made, {"halves": f"{said}\n\n{document.table(header, lines)}"})


def table(kind: str, seed: int) -> NDArray[np.float64]:
    """Return rows."""
    rows = make("watts_strogatz", COLUMNS, seed=seed).sample(ROWS, seed=seed)
    if kind == "normal":
        return rows
    return np.digitize(rows / rows.std(axis=0), CUTS).astype(np.float64)


def measured(rows: NDArray[np.float64], halves: int) -> tuple[float, float]:
    """Return the seconds of a fit, and of halves."""
    begun = process_time()
    graph = HedgeGraph().fit(rows)
    _ = graph.adjacency_
    between = process_time()
    graph.resample(rows, halves)
    return between - begun, process_time() - between
