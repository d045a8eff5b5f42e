"""Slips: cells far off in their own column, as errors of typing, units, and sensors are.

What the rest of a row says finds a wrong cell only where it says much (`outliers`). Where the other
cells of a column are normal, its own values tell as well: one that is six standard deviations off
is none of them, and counts as missing before anything else is made of the rows.

Columns with heavy tails have such cells by their nature: those more than six standard deviations
off are then fewer than those between `SHOULDER` and six that chance does not put there, and what
remains is not normal either. In a row that is large as a whole (`row_sizes`) no single cell has
slipped. Nor has a sensor that jumps: of cells on end, only the first `MOST_ON_END` count.

A code (0 for what was not measured) need not be that far off: if the least or the largest value of
a column comes again and again, and is more than `SHOULDER` standard deviations off, it is one. In
columns of few values, those apart from the others are codes (`codes`), in whatever rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from hedgerow.method.codes import limits_of
from hedgerow.method.marginals import cannot_be_told_from_normal
from hedgerow.method.ordered import Ordered, in_order
from hedgerow.method.outliers import BEYOND_DOUBT, MEDIAN

Array = NDArray[np.float64]
Rows = NDArray[np.floating]
Cells = NDArray[np.bool_]

SHOULDER = 3.5  # standard deviations; of normal cells, one in 2,000 is farther off
# Neighbouring columns fill in what is missing for a row or two; a fault that lasts is no slip.
MOST_ON_END = 3
_FEWEST = 32  # cells of a column; quartiles of fewer do not tell what is six standard deviations
_DOUBT = 0.05
_MOST = 0.1  # of a column's cells; with more, what its other cells are is not known
_PART_OF_ROW = 0.25  # of a row's cells; of more, no slip: the row is large
_AGAIN = 4  # cells, at least, that have a code
NAMED = 8  # cells that are remembered by row and column


class Slips(NamedTuple):
    """What is a slip in each column, and how many there were."""

    centre: Array  # (p,)
    scale: Array  # (p,) of one standard deviation; infinite: the column is not judged
    codes: Array  # (2, p) values of cells that were not measured; infinite: there is none
    limits: Array  # (2, p) beyond which cells of columns of few values are codes
    on_end: NDArray[np.int64]  # (p,) cells that far off, up to the last row
    found: NDArray[np.int64]  # (p,) cells that count as missing
    cells: NDArray[np.int64]  # (k, 2) row and column of the first ones


def no_slips(n_columns: int) -> Slips:
    """Return that no column is judged."""
    none = np.zeros(n_columns, dtype=np.int64)
    unjudged = np.full(n_columns, np.inf)
    codes, limits = np.full((2, n_columns), np.inf), np.tile([[-np.inf], [np.inf]], n_columns)
    nowhere = np.empty((0, 2), dtype=np.int64)
    return Slips(np.zeros(n_columns), unjudged, codes, limits, none, none, nowhere)


def first_slips(first: Ordered, judged: Cells, few: Cells) -> tuple[Ordered, Slips]:
    """Return the first rows without slips, and what is one from there on.

    Columns that are ``judged`` may have cells far off, and ``few`` may have codes, if their values
    are few.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((200, 30))
    >>> rows[7, 3] = -90.0
    >>> judged = np.ones(30, dtype=np.bool_)
    >>> first, slips = first_slips(in_order(rows), judged, ~judged)
    >>> slips.cells.tolist(), np.isnan(first.rows).sum()
    ([[7, 3]], np.int64(1))
    """
    known = no_slips(len(first.there))._replace(limits=limits_of(first, few))
    known = _of_normal_columns(first, judged, known)
    rows, slips = without_slips(first.rows, known, 0)
    return (in_order(rows), slips) if slips.found.any() else (first, slips)


def _of_normal_columns(first: Ordered, judged: Cells, none: Slips) -> Slips:
    """Return what is a slip in columns that are normal but for these."""
    centre, scale = _middle(first, judged)
    ends = _ends(first)
    off_by = np.abs(ends - centre) / scale
    codes = np.where(_comes_again(first) & (off_by > SHOULDER), ends, np.inf)
    if not (off_by > BEYOND_DOUBT).any() and np.isinf(codes).all():
        return none
    coded = (first.rows == codes[0]) | (first.rows == codes[1])
    far = (np.abs(first.rows - centre) > BEYOND_DOUBT * scale) | coded
    often = far.sum(axis=0) > _MOST * first.there
    kept = in_order(np.where(far & ~often, np.nan, first.rows))
    normal = np.isfinite(scale) & ~often & cannot_be_told_from_normal(kept, judged)
    known = none._replace(centre=centre, codes=np.where(normal, codes, np.inf))
    values = np.where(coded, np.nan, first.rows)[:, normal]
    limits = BEYOND_DOUBT, SHOULDER
    beyond, off = (_far_off(values, centre[normal], scale[normal], each).sum() for each in limits)
    by_chance = stats.poisson.isf(_DOUBT, 2.0 * special.ndtr(-SHOULDER) * values.size)
    if beyond >= off - beyond - by_chance:
        known = known._replace(scale=np.where(normal, scale, np.inf))
    return known


def without_slips(rows: Rows, known: Slips, before: int) -> tuple[Rows, Slips]:
    """Return rows with slips missing, and what is known after them; ``before`` rows came earlier.

    However rows are cut, it is the same.
    """
    if not len(rows):
        return rows, known
    slipped, on_end = _far_for_a_while(rows, known)
    few = np.flatnonzero(np.isfinite(known.limits).any(axis=0))
    slipped[:, few] = (rows[:, few] < known.limits[0, few]) | (rows[:, few] > known.limits[1, few])
    if not slipped.any():
        return rows, known._replace(on_end=on_end)
    new = np.argwhere(slipped)[: NAMED - len(known.cells)] + np.array([before, 0])
    cells, found = np.concatenate([known.cells, new]), known.found + slipped.sum(axis=0)
    told = known._replace(on_end=on_end, found=found, cells=cells)
    return np.where(slipped, np.nan, rows), told


def _far_for_a_while(rows: Rows, known: Slips) -> tuple[Cells, NDArray[np.int64]]:
    """Return which cells of normal columns have slipped, and how many do on end at last."""
    slipped, on_end = np.zeros(rows.shape, dtype=np.bool_), known.on_end.copy()
    judged = np.flatnonzero(np.isfinite(known.scale) | np.isfinite(known.codes).any(axis=0))
    if not len(judged):
        return slipped, on_end
    some, codes = rows[:, judged], known.codes[:, judged]
    far = _far_off(some, known.centre[judged], known.scale[judged], BEYOND_DOUBT)
    far |= _but_in_large_rows((some == codes[0]) | (some == codes[1]), len(judged))
    position = np.arange(1, len(rows) + 1)[:, None]
    # A run that was there before the first row began so many rows earlier.
    since = np.maximum.accumulate(np.where(far, -on_end[judged], position), axis=0)
    length = np.where(far, position - since, 0)
    on_end[judged] = length[-1]
    slipped[:, judged] = far & (length <= MOST_ON_END)
    return slipped, on_end


def _middle(first: Ordered, judged: Cells) -> tuple[Array, Array]:
    """Return median and standard deviation of columns, as quartiles tell it; infinite if not."""
    p, last = np.arange(len(first.there)), np.maximum(first.there - 1, 0)
    quarter, half = (last + 2) // 4, last // 2
    scale = (first.values[p, last - quarter] - first.values[p, quarter]) / (2.0 * MEDIAN)
    centre = (first.values[p, half] + first.values[p, last - half]) / 2.0
    known = judged & (first.there >= _FEWEST) & (scale > 0)
    return np.where(known, centre, 0.0), np.where(known, scale, np.inf)


def _ends(first: Ordered) -> Array:
    """Return the least and the largest value of each column."""
    p, last = np.arange(len(first.there)), np.maximum(first.there - 1, 0)
    return np.vstack([first.values[:, 0], first.values[p, last]])


def _comes_again(first: Ordered) -> Cells:
    """Return whether the least and the largest value of each column come again and again."""
    p, last = np.arange(len(first.there)), first.there - 1
    some = first.there >= _AGAIN
    near = np.where(some, _AGAIN - 1, 0), np.where(some, last - (_AGAIN - 1), 0)
    inner = np.vstack([first.values[p, each] for each in near])
    again: Cells = (inner == _ends(first)) & some
    return again


def _far_off(rows: Rows, centre: Array, scale: Array, limit: float) -> Cells:
    """Return which cells are so many standard deviations off, but for rows that are as a whole."""
    far: Cells = np.abs(rows - centre) > limit * scale
    return _but_in_large_rows(far, int(np.isfinite(scale).sum()))


def _but_in_large_rows(far: Cells, n_judged: int) -> Cells:
    few = far.sum(axis=1) <= max(1.0, _PART_OF_ROW * n_judged)
    result: Cells = far & few[:, None]
    return result
