"""What a column looks like: how many rows have about which value, in its own units.

Bins are evenly spaced over about the middle 99 % of the rows; the first and the last one hold what
lies beyond, too. So one outlying cell does not press all others into one bin.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.marginals import Marginals

Array = NDArray[np.float64]

BINS = 24
MOST_BARS = 30  # for more values, evenly spaced bins do as well
_BEYOND = 0.005  # share of the rows on either side that may lie beyond the bins


class Histogram(NamedTuple):
    """Weights of rows in evenly spaced bins; they are numbers, where no row is forgotten."""

    start: float
    stop: float
    counts: Array


class Bars(NamedTuple):
    """Weights of rows that have each of a few values."""

    values: Array
    counts: Array


def histogram_of_values(values: NDArray[np.floating]) -> Histogram:
    """Return the histogram of a column that is there.

    Examples
    --------
    >>> start, stop, counts = histogram_of_values(np.array([1.0, 2.0, 2.0, 25.0]))
    >>> start, stop, counts[[0, 1, -1]]
    (1.0, 25.0, array([1., 2., 1.]))
    """
    values = np.asarray(values, dtype=np.float64)
    knots, numbers = np.unique(values[~np.isnan(values)], return_counts=True)
    if not len(knots):
        return Histogram(0.0, 0.0, np.zeros(1))
    return _histogram(knots, numbers.astype(np.float64), np.zeros(len(knots)))


def histograms_of_counts(marginals: Marginals) -> list[Histogram]:
    """Return the histograms of columns that were counted at and between knots.

    Rows between two knots are spread evenly; those beyond the outermost are put there.
    """
    return [_of_counts(*column) for column in zip(marginals.knots, marginals.at, marginals.between)]


def bars_of_values(values: NDArray[np.floating]) -> Bars | None:
    """Return how often each value of a column comes that is there; None if they are many.

    >>> bars_of_values(np.array([1.0, 2.0, np.nan, 2.0, 5.0]))
    Bars(values=array([1., 2., 5.]), counts=array([1., 2., 1.]))
    """
    values = np.asarray(values, dtype=np.float64)
    known, numbers = np.unique(values[~np.isnan(values)], return_counts=True)
    return Bars(known, numbers.astype(np.float64)) if 0 < len(known) <= MOST_BARS else None


def bars_of_counts(knots: Array, at: Array, between: Array) -> Bars | None:
    """Return the same of a column that was counted at and between knots.

    Values that only came later are no knots, and count as the one below; None if they are many.
    """
    there = np.flatnonzero(at > 0)
    loose = between.sum() > _BEYOND * (at.sum() + between.sum())
    if loose or not 0 < len(there) <= MOST_BARS:
        return None
    below = np.searchsorted(there, np.arange(len(between)), side="right") - 1
    late = np.bincount(np.maximum(below, 0), between, len(there))
    return Bars(knots[there], at[there] + late)


def _of_counts(knots: Array, at: Array, between: Array) -> Histogram:
    finite = np.flatnonzero(np.isfinite(knots))
    first, last = finite[0], finite[-1]
    at, between = at[first : last + 1].copy(), between[: last + 1].copy()
    at[0] += between[:first].sum()
    at[-1] += between[-1]
    return _histogram(knots[first : last + 1], at, np.r_[between[first:-1], 0.0])


def _histogram(knots: Array, at: Array, between: Array) -> Histogram:
    """Count what is at knots, all finite, and between each and the next."""
    up_to = np.cumsum(at + between) - between
    total = up_to[-1]
    if total == 0:
        return Histogram(0.0, 0.0, np.zeros(1))
    first = int(np.argmax(up_to > _BEYOND * total))
    last = int(np.flatnonzero(total - up_to + at > _BEYOND * total)[-1])
    start, stop = float(knots[first]), float(knots[last])
    if not start < stop:
        return Histogram(start, start, np.array([total]))
    inner = np.linspace(start, stop, BINS + 1)[1:-1]
    below = np.r_[0.0, _below(knots, at, between, inner), total]
    return Histogram(start, stop, np.maximum(np.diff(below), 0.0))


def _below(knots: Array, at: Array, between: Array, values: Array) -> Array:
    """Return how many rows are below each of some values that lie between the knots."""
    reached = np.searchsorted(knots, values, side="left")  # knots below
    exactly = np.r_[0.0, np.cumsum(at)][reached]
    spread = np.interp(values, knots, np.r_[0.0, np.cumsum(between)[:-1]])
    result: Array = exactly + spread
    return result
