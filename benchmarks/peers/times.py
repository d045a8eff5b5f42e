"""How time grows with columns and with rows, on random graphs of degree three."""

from statistics import median

from benchmarks.peers.objective import Record, fit, rows_of, warm_up
from benchmarks.peers.solvers import SOLVERS

FAMILY = "random_regular"
# The axis that grows, its values, and the other one's.
AXES: dict[str, tuple[tuple[int, ...], int]] = {
    "p": ((16, 32, 64, 128, 256, 512, 1024), 1000),
    "m": ((250, 500, 1000, 2000, 4000, 8000, 16000, 32000), 64),
}
LIMIT = 60.0  # seconds
LONG = 2.0  # processor seconds; a method that takes longer is not tried at the next size
REPETITIONS = 3


def cells() -> list[tuple]:
    return [(method, axis) for method in SOLVERS for axis in AXES]


def work(method: str, axis: str) -> list[Record]:
    """Time a method at growing sizes, until it takes too long."""
    warm_up(method)
    sizes, other = AXES[axis]
    records: list[Record] = []
    for size in sizes:
        p, m = (size, other) if axis == "p" else (other, size)
        fits = []
        for seed in range(REPETITIONS):
            fits.append(fit(method, rows_of(FAMILY, p, m, seed)[1], {}, LIMIT))
            if fits[-1].failure or fits[-1].seconds > LONG / REPETITIONS:
                break
        failure = fits[-1].failure
        seconds = None if failure else median(each.seconds for each in fits)
        row: Record = {"method": method, "axis": axis, "p": p, "m": m, "seconds": seconds}
        records.append(row | {"repetitions": len(fits), "failure": failure})
        if failure.startswith(("OutOfTime", "ValueError")) or fits[-1].seconds > LONG:
            break
    return records
