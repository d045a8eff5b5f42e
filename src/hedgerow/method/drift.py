"""Levels that drift: rows are compared with those shortly before them.

A trend, a jump or a slow wave that many columns have relates all of them to each other, whatever
the number of rows, and hides in no residual: one column's trend explains another's. So each row
becomes its contrast with the level of its columns just before it, in units that leave the variance
of independent rows as it is,

    sqrt(n / (n + 1)) (row - level),

the level being the mean of the first `WINDOW` rows, and from then on a mean that forgets at that
rate; n is how many rows it amounts to. The first rows lose their mean. All columns go through the
same filter, which changes no graph of rows that are related in time alike, and takes next to
nothing from independent ones (docs/theory.md, section 27).

Where that is not enough (`adrift`), rows are compared with the one before, and become steps,

    (row - row before) / sqrt(2),

which leave nothing of what is slow, and cost a third of the rows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.residuals import LAGS

Array = NDArray[np.float64]

# Autocorrelations are measured up to `LAGS` rows apart: what is slower is taken out.
WINDOW = LAGS
LARGEST_CONTRAST = 2.0  # times the largest number
MOSTLY_SLOW = 0.5  # share of a column's variance, of one that goes where it will, as walks do
MUCH_SLOW = 0.1  # share of a column's variance; of so much, chance is no part


class Level(NamedTuple):
    """Where columns are."""

    mean: Array  # (p,)
    amounts: float  # to how many independent rows
    start: Array  # (p,); the mean of the first rows
    total: Array  # (2, p); sums over all rows of their deviations from it, and of squares of these
    left: Array  # (p,); sums of squares of contrasts
    before: Array  # (p,); the last row, if rows become steps; else empty


def first_contrasts(
    rows: Array, later: Callable[[Array, Level], tuple[Array, Level]]
) -> tuple[Array, Level]:
    """Return the first rows without their level, and the level after them.

    ``later`` is `without_level`, or what does the same.
    """
    earliest, level = first_level(rows[:WINDOW])
    others, level = later(rows[WINDOW:], level)
    return np.concatenate([earliest, others]), level


def first_steps(rows: Array, level: Level) -> tuple[Array, Level]:
    """Return steps of the first rows, whose level this is, and what there is to know after them.

    Examples
    --------
    >>> rows = np.array([[1.0], [3.0], [0.0]])
    >>> steps, level = first_steps(rows, first_contrasts(rows, without_level)[1])
    >>> print(steps.ravel().round(2), level.before)
    [ 0.    1.41 -2.12] [0.]
    """
    steps = np.diff(rows, axis=0, prepend=rows[:1]) * np.sqrt(0.5)
    return steps, level._replace(left=np.square(steps).sum(axis=0), before=rows[-1].copy())


def first_level(rows: Array) -> tuple[Array, Level]:
    """Return deviations of the first rows from their mean, and the level after them.

    Examples
    --------
    >>> deviations, level = first_level(np.array([[1.0], [3.0]]))
    >>> deviations.ravel().round(3), level.mean, level.amounts
    (array([-1.414,  1.414]), array([2.]), 2.0)
    """
    number, n_columns = rows.shape
    mean = rows.mean(axis=0)
    contrasts = (rows - mean) * np.sqrt(number / max(number - 1.0, 1.0))
    total = np.stack([np.zeros(n_columns), np.square(rows - mean).sum(axis=0)])
    left = np.square(contrasts).sum(axis=0)
    return contrasts, Level(mean, float(number), mean, total, left, np.empty(0))


def without_level(rows: Array, level: Level) -> tuple[Array, Level]:
    """Return contrasts of rows with the level before each, or steps; and the level after them.

    Examples
    --------
    >>> _, level = first_level(np.zeros((32, 1)))
    >>> steady, _ = without_level(np.arange(200.0)[:, None], level)
    >>> print(steady[[0, 1, -2, -1]].ravel().round(2))
    [ 0.    0.99 31.69 31.69]
    """
    mean, amounts, start, total, left, before = level
    share = 1.0 / WINDOW
    mean, total, left, result = mean.copy(), total.copy(), left.copy(), np.empty_like(rows)
    for t, row in enumerate(rows):
        gap = row - mean
        if before.size:
            result[t] = (row - before) * np.sqrt(0.5)
            before = row.copy()
        else:
            result[t] = gap * np.sqrt(amounts / (amounts + 1.0))
        mean += share * gap
        amounts = amounts / ((1.0 - share) ** 2 + share**2 * amounts)
        total += np.stack([row - start, np.square(row - start)])
        left += np.square(result[t])
    return result, Level(mean, amounts, start, total, left, before)


def slow_shares(level: Level, n_rows: int) -> Array:
    """Return the share of each column's variance that was slow, and was taken out.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((500, 2))
    >>> rows[:, 1] += np.linspace(-2, 2, 500)
    >>> print(slow_shares(first_contrasts(rows, without_level)[1], 500).round(1))
    [0.  0.5]
    """
    squares = level.total[1] - np.square(level.total[0]) / n_rows
    share: Array = 1.0 - np.divide(
        level.left, squares, out=np.ones_like(squares), where=squares > 0
    )
    return share.clip(0.0, 1.0)
