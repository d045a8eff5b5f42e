"""What most columns share and none of them is: how often it is warned of, where it is and is not.

Independent normal rows of all cases, and of some families with a cause added that is no column. For
each number of rows: how often there is a warning, and the share of false edges at a false discovery
rate of 0.05, in tables with a warning and in the others.
"""

import warnings
from itertools import product
from multiprocessing import get_context
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks import document, kept
from benchmarks.quality.cases import CASES
from benchmarks.quality.kinds import FAMILIES
from hedgerow import HedgeGraph
from hedgerow.datasets import rescale
from hedgerow.estimators import GuaranteeWarning

Array = NDArray[np.float64]

COLUMNS = 64
RATIOS = (1.0, 2.0, 4.0, 10.0, 40.0)
_SAID = "most columns share something"


def nothing(rng: Generator, shape: tuple[int, int]) -> Array:
    """Return that nothing is shared."""
    return np.zeros(shape)


def batches(size: float, rng: Generator, shape: tuple[int, int]) -> Array:
    """Return the levels of eight batches, each column's own, of rows in no order."""
    m, p = shape
    return size * rng.standard_normal((8, p))[rng.integers(8, size=m)]


def other_rows(rng: Generator, shape: tuple[int, int]) -> Array:
    """Return levels of their own for one row in twenty, the same for all of these."""
    m, p = shape
    return np.outer(rng.random(m) < 0.05, 2.0 * rng.standard_normal(p))


def shocks(rng: Generator, shape: tuple[int, int]) -> Array:
    """Return that one row in fifty is off in all columns alike, by six standard deviations."""
    m, p = shape
    return np.outer((rng.random(m) < 0.02) * rng.normal(0.0, 6.0, m), np.ones(p))


CAUSES = {
    "nothing": nothing,
    "eight batches, 0.3": lambda rng, shape: batches(0.3, rng, shape),
    "eight batches, 0.7": lambda rng, shape: batches(0.7, rng, shape),
    "one row in twenty": other_rows,
    "shocks": shocks,
}


def measure(place: tuple[str, str, float, int]) -> tuple[bool, float]:
    """Return whether there is a warning, and the share of false edges."""
    cause, case, ratio, seed = place
    rng = np.random.default_rng([crc32(case.encode()), crc32(cause.encode()), seed])
    model = CASES[case].make(COLUMNS, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    rows = model.sample(round(ratio * COLUMNS), rng)
    rows = rows + CAUSES[cause](rng, rows.shape)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", GuaranteeWarning)
        found = HedgeGraph().fit(rows).adjacency_.toarray()
    true = model.adjacency.toarray() != 0
    warned = any(str(each.message).startswith(_SAID) for each in told)
    return warned, (found & ~true).sum() / max(found.sum(), 1)


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality shared --seeds {seeds}")
    lines = []
    with get_context("spawn").Pool(processes) as pool:
        for cause in CAUSES:
            cases = list(CASES) if cause == "nothing" else FAMILIES
            for ratio in RATIOS:
                places = list(product([cause], cases, [ratio], range(seeds)))
                results = pool.map(measure, places, chunksize=4)
                lines.append([cause, f"{ratio:g}", *_told(results)])
                print(*lines[-1], sep="  ", flush=True)
    head = ["shared", "m/p", "tables", "warned", "false, warned", "false, others"]
    document.publish("quality", made, {"shared": document.table(head, lines)})


def _told(results: list[tuple[bool, float]]) -> list[str]:
    warned, false = (np.array(each) for each in zip(*results))
    shares = [f"{false[some].mean():.3f}" if some.any() else "" for some in (warned, ~warned)]
    return [f"{len(warned):,}", f"{warned.mean():.3f}", *shares]
