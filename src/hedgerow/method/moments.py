"""Running mean, spread and covariance of a stream of rows; stable, and mergeable.

Sums are kept about the running mean, never about zero, so a column with mean 1e8 and variance 1
loses nothing. Two states of disjoint rows merge into the state of all the rows.

Rows may have weights; only their ratios matter. Without any, each row has the weight one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


_ROUNDING = 1e-13  # relative error that sums of many rows may gather
# The least standard deviation of a column that varies. Its square, 1e-290, and products of two are
# far from 2.2e-308, where numbers begin to lose digits; so is the precision, up to 1e9 times the
# inverse of it, from overflow.
SMALLEST_SPREAD = 1e-145


class Columns(NamedTuple):
    """Number of rows, mean and sum of squared deviations of each column."""

    rows: int
    mean: Array
    squares: Array
    weight: float  # of all rows together

    @property
    def scale(self) -> Array:
        """Standard deviation of each column; zero where a column has not varied."""
        scale = np.sqrt(self.squares / (self.weight or 1.0))
        return np.where(scale > SMALLEST_SPREAD, scale, 0.0)


class Moments(NamedTuple):
    """Number of rows, mean and matrix of summed products of deviations."""

    rows: int
    mean: Array
    products: Array
    weight: float  # of all rows together
    squared_weight: float  # sum of the rows' squared weights

    @property
    def covariance(self) -> Array:
        """Covariance matrix of the rows seen, divided by their weight."""
        return self.products / (self.weight or 1.0)

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight with which averages would be as precise."""
        return self.weight * (self.weight / (self.squared_weight or 1.0))


def init_columns(n_columns: int) -> Columns:
    """Return the state of no rows."""
    return Columns(0, np.zeros(n_columns), np.zeros(n_columns), weight=0.0)


def init_moments(n_columns: int) -> Moments:
    """Return the state of no rows."""
    products = np.zeros((n_columns, n_columns))
    return Moments(0, np.zeros(n_columns), products, weight=0.0, squared_weight=0.0)


def columns_of(rows: NDArray[np.floating], row_weights: Array | None = None) -> Columns:
    """Return the column moments of some rows."""
    mean, weight = _mean(rows, row_weights)
    squares = _times(np.square(rows - mean), row_weights).sum(axis=0)
    return Columns(len(rows), mean, squares, weight)


def moments_of(rows: NDArray[np.floating], row_weights: Array | None = None) -> Moments:
    """Return the moments of some rows.

    Examples
    --------
    >>> moments_of(np.array([[1.0, 2.0], [3.0, 6.0]])).products
    array([[2., 4.],
           [4., 8.]])
    """
    mean, weight = _mean(rows, row_weights)
    roots = None if row_weights is None else np.sqrt(row_weights)
    squared_weight = weight if row_weights is None else float(np.square(row_weights).sum())
    centred = _times(rows - mean, roots)
    return Moments(len(rows), mean, centred.T @ centred, weight, squared_weight)


def merge_columns(a: Columns, b: Columns) -> Columns:
    """Return the column moments of the rows of both."""
    weight = a.weight + b.weight
    if weight == 0:
        return a
    shift = b.mean - a.mean
    mean = a.mean + shift * (b.weight / weight)
    squares = a.squares + b.squares + shift**2 * (a.weight * b.weight / weight)
    return Columns(a.rows + b.rows, mean, squares, weight)


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Return the moments of the rows of both."""
    weight = a.weight + b.weight
    if weight == 0:
        return a
    shift = b.mean - a.mean
    mean = a.mean + shift * (b.weight / weight)
    between = np.outer(shift, shift) * (a.weight * b.weight / weight)
    squared_weight = a.squared_weight + b.squared_weight
    products = a.products + b.products + between
    return Moments(a.rows + b.rows, mean, products, weight, squared_weight)


def moments_after(moments: Moments, earlier: Moments) -> Moments:
    """Return the moments of the rows that came after ``earlier`` ones: `merge_moments` undone.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((50, 2))
    >>> later = moments_after(moments_of(rows), moments_of(rows[:30]))
    >>> np.allclose(later.products, moments_of(rows[30:]).products), later.rows
    (True, 20)
    """
    weight = moments.weight - earlier.weight
    mean = (moments.weight * moments.mean - earlier.weight * earlier.mean) / weight
    gap = (mean - earlier.mean)[:, None]
    between = earlier.weight * (weight / moments.weight) * (gap * gap.T)
    products = moments.products - earlier.products - between
    squared = moments.squared_weight - earlier.squared_weight
    return Moments(moments.rows - earlier.rows, mean, products, weight, squared)


def scaled_columns(columns: Columns, factor: float) -> Columns:
    """Return the state with all weights multiplied."""
    squares, weight = columns.squares * factor, columns.weight * factor
    return columns._replace(squares=squares, weight=weight)


def scaled_moments(moments: Moments, factor: float) -> Moments:
    """Return the state with all weights multiplied."""
    return moments._replace(
        products=moments.products * factor,
        weight=moments.weight * factor,
        squared_weight=moments.squared_weight * factor**2,
    )


def with_unknown(moments: Moments, unknown: Array | None) -> Moments:
    """Return the moments with what filling in missing cells has left out of the products."""
    if unknown is None:
        return moments
    return moments._replace(products=moments.products + unknown)


def varies(moments: Moments) -> NDArray[np.bool_]:
    """Return which columns vary by more than the rounding error of their values."""
    return beyond_rounding(moments.mean, _spread(moments))


def beyond_rounding(mean: Array, spread: Array) -> NDArray[np.bool_]:
    """Return the same, given the mean and the standard deviation of each column."""
    varied: NDArray[np.bool_] = spread > np.maximum(_ROUNDING * np.abs(mean), SMALLEST_SPREAD)
    return varied


def too_small(moments: Moments) -> NDArray[np.bool_]:
    """Return which columns have numbers so small that it cannot be told whether they vary.

    Not those that have been zero throughout.
    """
    return so_small(moments.mean, _spread(moments))


def so_small(mean: Array, spread: Array) -> NDArray[np.bool_]:
    """Return the same, given the mean and the standard deviation of each column."""
    tiny = (spread <= SMALLEST_SPREAD) & (np.abs(mean) <= SMALLEST_SPREAD / _ROUNDING)
    result: NDArray[np.bool_] = tiny & ((spread != 0) | (mean != 0))
    return result


def per_scale(moments: Moments) -> Array:
    """Return one over the root of each column's sum of squares; zero where it never varied."""
    return per_root(np.diag(moments.products), varies(moments))


def per_root(squares: Array, varied: NDArray[np.bool_]) -> Array:
    """Return the same, given the sums of squares and which columns vary."""
    result: Array = 1.0 / np.sqrt(np.where(varied, squares, np.inf))
    return result


def correlation(moments: Moments) -> Array:
    """Return the correlation matrix; columns that never varied have zeros and a one."""
    factor = per_scale(moments)
    result = moments.products * np.outer(factor, factor)
    np.fill_diagonal(result, 1.0)
    return result


def _spread(moments: Moments) -> Array:
    return np.sqrt(np.diag(moments.products) / (moments.weight or 1.0))


def _mean(rows: NDArray[np.floating], row_weights: Array | None) -> tuple[Array, float]:
    """Return the mean of each column, and the weight of all rows."""
    weight = float(len(rows) if row_weights is None else row_weights.sum())
    return _times(rows, row_weights).sum(axis=0) / weight, weight


def _times(rows: NDArray[np.floating], row_weights: Array | None) -> Array:
    doubles = np.asarray(rows, dtype=np.float64)
    return doubles if row_weights is None else doubles * row_weights[:, None]
