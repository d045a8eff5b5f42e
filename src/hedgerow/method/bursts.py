"""Bursts: a few rows on end in which some columns are off together.

A valve that sticks, a crash, a person who moves in the scanner: for a few rows some columns have
something in common that they have at no other time. Products of two such columns are large in these
rows and nowhere else, so that few rows decide about an edge that has the certainty of many.

Rows that have nothing to do with each other point in any direction, and the length of the sum of a
few rows on end, each made as long as any other, is much the same everywhere. Where the same columns
are off for some rows it is longer. Rows that remember, all of them alike, make all sums longer: so
each is compared with the others (docs/theory.md, section 30).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.directions import common, pointing, standard, without_common

Array = NDArray[np.float64]

WINDOW = 8  # rows on end that are looked at together
LEAST_COLUMNS = 8  # with fewer, rows point the same way by chance
MOST_COLUMNS = 4000  # as many as first rows are compared of elsewhere
_CHANCE = 1e-3  # of a burst in rows that have none, and of a column that is named for nothing
_ROUNDING = WINDOW**2 * float(np.finfo(np.float32).eps)  # of sums of so many products
_SPREAD = float(special.ndtri(0.75))  # median distance from the median, in standard deviations


class Bursts(NamedTuple):
    """Rows on end that are too much alike; the first is row 0."""

    number: int  # of such stretches
    first: int  # row of the clearest
    last: int
    columns: NDArray[np.intp]  # that are off together in it, most of all first


NONE = Bursts(0, -1, -1, np.empty(0, dtype=np.intp))


def bursts_of(rows: Array) -> Bursts:
    """Return where rows on end are more alike than rows on end are elsewhere.

    Beyond `MOST_COLUMNS` nothing is looked at.

    Parameters
    ----------
    rows : in their order, NaN for missing cells; columns may have any unit

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((300, 40))
    >>> bursts_of(rows).number
    0
    >>> rows[120:130, 5:12] += 3.0
    >>> found = bursts_of(rows)
    >>> found.number, 115 < found.first < found.last < 135, sorted(found.columns.tolist())
    (1, True, [5, 6, 7, 8, 9, 10, 11])
    """
    n_rows, n_columns = rows.shape
    if n_rows < 4 * WINDOW or not LEAST_COLUMNS <= n_columns <= MOST_COLUMNS:
        return NONE
    rows = standard(rows)
    score = _likeness(rows)
    if score is None:
        return NONE
    # The spread of scores is known from as many stretches as do not overlap.
    clear = score > -special.stdtrit(n_rows / WINDOW, _CHANCE / len(score))
    if not clear.any():
        return NONE
    number = int(clear[0]) + int((clear[1:] & ~clear[:-1]).sum())
    best = int(score.argmax())
    off = np.abs(rows[best : best + WINDOW].mean(axis=0)) * np.sqrt(WINDOW)
    named = np.flatnonzero(off > -special.ndtri(_CHANCE / (2 * n_columns)))
    columns = named[np.argsort(-off[named], kind="stable")]
    return Bursts(number, best, best + WINDOW - 1, columns)


def _likeness(rows: Array) -> Array | None:
    """Return a score of each stretch of `WINDOW` rows, standard normal where there is no burst.

    The squared length of a sum of random directions is nearly a chi-square, the third root of
    which is nearly normal (Wilson and Hilferty, 1931). Median and spread are those of all
    stretches; None if these are all the same.
    """
    root = np.cbrt(_squared_sums(pointing(rows.astype(np.float32))))
    middle = np.median(root)
    spread = float(np.median(np.abs(root - middle))) / _SPREAD
    return (root - middle) / spread if spread > _ROUNDING * middle else None


def _squared_sums(unit: NDArray[np.float32]) -> Array:
    """Return squared lengths of sums of `WINDOW` rows, no direction far more common than others.

    A direction counts as if it were as common as one can be by chance (`directions.common`).
    """
    rows = without_common(unit, common(unit))
    length = len(rows) - WINDOW + 1
    sums = rows[:length].copy()
    for start in range(1, WINDOW):
        sums += rows[start : start + length]
    squares: Array = np.einsum("tj,tj->t", sums, sums).astype(np.float64)
    return squares
