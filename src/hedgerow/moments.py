"""Running mean, spread and covariance of a stream of rows; stable, and mergeable.

Sums are kept about the running mean, never about zero, so a column with mean 1e8 and variance 1
loses nothing. Two states of disjoint rows merge into the state of all the rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


_ROUNDING = 1e-13  # relative error that sums of many rows may gather


class Columns(NamedTuple):
    """Number of rows, mean and sum of squared deviations of each column."""

    rows: int
    mean: Array
    squares: Array

    @property
    def scale(self) -> Array:
        """Standard deviation of each column; zero where a column has not varied."""
        return np.sqrt(self.squares / max(self.rows, 1))


class Moments(NamedTuple):
    """Number of rows, mean and matrix of summed products of deviations."""

    rows: int
    mean: Array
    products: Array

    @property
    def covariance(self) -> Array:
        """Covariance matrix of the rows seen, divided by their number."""
        return self.products / max(self.rows, 1)


def init_columns(n_columns: int) -> Columns:
    """Return the state of no rows."""
    return Columns(0, np.zeros(n_columns), np.zeros(n_columns))


def init_moments(n_columns: int) -> Moments:
    """Return the state of no rows."""
    return Moments(0, np.zeros(n_columns), np.zeros((n_columns, n_columns)))


def columns_of(rows: NDArray[np.floating]) -> Columns:
    """Return the column moments of some rows."""
    mean = rows.mean(axis=0, dtype=np.float64)
    return Columns(len(rows), mean, np.square(rows - mean).sum(axis=0))


def moments_of(rows: NDArray[np.floating]) -> Moments:
    """Return the moments of some rows.

    Examples
    --------
    >>> moments_of(np.array([[1.0, 2.0], [3.0, 6.0]])).products
    array([[2., 4.],
           [4., 8.]])
    """
    mean = rows.mean(axis=0, dtype=np.float64)
    centred = rows - mean
    return Moments(len(rows), mean, centred.T @ centred)


def merge_columns(a: Columns, b: Columns) -> Columns:
    """Return the column moments of the rows of both."""
    rows = a.rows + b.rows
    if rows == 0:
        return a
    shift = b.mean - a.mean
    mean = a.mean + shift * (b.rows / rows)
    squares = a.squares + b.squares + shift**2 * (a.rows * b.rows / rows)
    return Columns(rows, mean, squares)


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Return the moments of the rows of both."""
    rows = a.rows + b.rows
    if rows == 0:
        return a
    shift = b.mean - a.mean
    mean = a.mean + shift * (b.rows / rows)
    between = np.outer(shift, shift) * (a.rows * b.rows / rows)
    return Moments(rows, mean, a.products + b.products + between)


def varies(moments: Moments) -> NDArray[np.bool_]:
    """Return which columns vary by more than the rounding error of their values."""
    spread = np.sqrt(np.diag(moments.products) / max(moments.rows, 1))
    return spread > _ROUNDING * np.abs(moments.mean)


def per_scale(moments: Moments) -> Array:
    """Return one over the root of each column's sum of squares; zero where it never varied."""
    squares = np.where(varies(moments), np.diag(moments.products), np.inf)
    return 1.0 / np.sqrt(squares)


def correlation(moments: Moments) -> Array:
    """Return the correlation matrix; columns that never varied have zeros and a one."""
    factor = per_scale(moments)
    result = moments.products * np.outer(factor, factor)
    np.fill_diagonal(result, 1.0)
    return result
