"""Seconds against columns and against rows."""

from time import process_time

from benchmarks.ising.models import Case, fitted, rows_of
from benchmarks.ising.quality import methods

CASE = Case("random_regular", 0.3, "mixed", options=(("degree", 3),))
AXES = {
    "p": [(p, 1000) for p in (16, 32, 64, 128, 256)],
    "m": [(32, m) for m in (1000, 4000, 16000)],
}
LIMIT = 5.0  # seconds, after which larger tables are left out


def cells() -> list[tuple]:
    return [(axis, method) for axis in AXES for method in methods()]


def work(axis: str, method: str) -> list[dict]:
    """One method on tables that grow."""
    records = []
    for p, m in AXES[axis]:
        rows = rows_of(CASE, p, m, 0)
        fitted(method, rows[:60, :5])  # compiles
        begun = process_time()
        fitted(method, rows)
        seconds = process_time() - begun
        records.append({"axis": axis, "p": p, "m": m, "method": method, "seconds": seconds})
        if seconds > LIMIT:
            break
    return records
