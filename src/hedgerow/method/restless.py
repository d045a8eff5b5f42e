"""Restless columns: larger in some stretches of rows, or hours, than in others, each on its own.

Where all columns are large in the same rows, rows are divided by it (`row_sizes`). Where a column
is larger after a sensor was changed, or by night, and others are not, the correlations of all rows
are those of none: two columns are less alike in all rows than in any stretch, by as much as their
sizes differ in time, and what a third one explains of both is explained in part only.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.directions import about_means
from hedgerow.method.echoes import echoing
from hedgerow.method.residuals import lagged
from hedgerow.method.spectra import evenly_spaced

Array = NDArray[np.float64]

STRETCH = 16  # rows
_LEAST_STRETCHES = 8
_LEAST_CYCLES = 8
_CUT = 6.0  # squares of normal numbers beyond this are one in seventy
_TYPICAL = 2.0  # columns of typical size that a row's own count beside
_TOGETHER = 64  # columns that are looked at at a time
_CHANCE = 1e-3  # of any column that is not
_WORTH_SAYING = 0.25  # variance of sizes' squares, over their mean square


def restless_of(rows: Array, products: Callable[[Array], Array] = lagged) -> Array:
    """Return the relative variance of squared sizes of columns; zero where they keep their size.

    Of very many columns some are looked at (`spectra.evenly_spaced`).

    Parameters
    ----------
    rows : in their order, without a season; NaN for missing cells
    products : `residuals.lagged`, or what does the same

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((400, 6))
    >>> rows[200:, 2] *= 3.0
    >>> rows[:150, 4] *= 3.0
    >>> restless_of(rows).round(1)
    array([0. , 0. , 0.5, 0. , 0.7, 0. ])
    """
    n_rows, n_columns = rows.shape
    result = np.zeros(n_columns)
    if n_rows // STRETCH >= _LEAST_STRETCHES and n_columns >= 2:
        some = evenly_spaced(n_columns)
        result[some] = _found(rows[:, some], products)
    return result


def _found(rows: Array, products: Callable[[Array], Array]) -> Array:
    """Return the same of columns that are all looked at."""
    n_rows, n_columns = rows.shape
    number = n_rows // STRETCH
    squares, memory = _own_squares(rows, products)
    cells = squares.var(axis=0)
    in_stretches = squares[: number * STRETCH].reshape(number, STRETCH, n_columns).mean(axis=1)
    found = _beyond_chance(in_stretches, cells * memory / STRETCH)
    period = echoing(squares, np.arange(2, n_rows // _LEAST_CYCLES + 1))
    if period > 1:
        phases = np.array([squares[phase::period].mean(axis=0) for phase in range(period)])
        found = np.maximum(found, _beyond_chance(phases, cells * period / n_rows))
    result: Array = np.where(found > _WORTH_SAYING, found, 0.0)
    return result


def _own_squares(rows: Array, products: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Return squares over what all columns have in common in their row, of mean one; and memory."""
    n_rows, n_columns = rows.shape
    own, memory = np.empty(rows.shape), np.empty(n_columns)
    for first in range(0, n_columns, _TOGETHER):
        some = slice(first, first + _TOGETHER)
        unit, _ = about_means(rows[:, some])
        memory[some] = _memory(products(unit), n_rows)
        cut = np.minimum(np.square(unit), _CUT)
        own[:, some] = cut / np.maximum(cut.mean(axis=0), 1.0 / n_rows)
    own /= ((own.sum(axis=1) + _TYPICAL) / (n_columns + _TYPICAL))[:, None]
    own /= np.maximum(own.mean(axis=0), 1.0 / n_rows)
    return own, memory


def _memory(products: Array, n_rows: int) -> Array:
    """Return by what memory makes means of squares less certain, of normal columns.

    Their squares have the squared autocorrelations.
    """
    squares = np.maximum(np.square(products[1:] / n_rows) - 1.0 / n_rows, 0.0)
    result: Array = 1.0 + 2.0 * squares.sum(axis=0)
    return result


def _beyond_chance(means: Array, noise: Array) -> Array:
    """Return the variance of means beyond their noise; zero where chance may make it."""
    free, n_columns = len(means) - 1, means.shape[1]
    variance = means.var(axis=0, ddof=1)
    ratio = np.divide(variance, noise, out=np.zeros_like(noise), where=noise > 0)
    clear = special.chdtrc(free, free * ratio) < _CHANCE / n_columns
    result: Array = np.where(clear, variance - noise, 0.0)
    return result
