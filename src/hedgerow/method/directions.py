"""Rows as directions: where each points, and which are more common than chance makes them.

Whether rows are alike is asked of directions, so that large rows count no more than small ones.
What many columns share, all the time, would else decide about the answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from hedgerow.method.ordered import medians

Array = NDArray[np.float64]

_PARTNERS = 256


class Common(NamedTuple):
    """Directions that are more common than one can be by chance, if rows had none."""

    gram: NDArray[np.float32]  # products of rows if columns are as many, else of columns
    of_rows: bool  # which of the two it is
    vectors: NDArray[np.float32]  # (n or p, k) of these products, along such directions
    squares: NDArray[np.float32]  # (k,) of rows along these, and ...
    most: np.float32  # ... what they can be by chance


def standard(rows: Array) -> Array:
    """Return columns with median 0 and spread 1; zeros where cells are missing, or none varies.

    A mean is that of the largest rows, and small ones would all lie on the same side of it.
    """
    there = ~np.isnan(rows)
    away = rows - _medians(rows, there)
    if not there.all():
        away = np.where(there, away, 0.0)
    largest = np.abs(away).max(axis=0)
    away /= np.where(largest > 0, largest, np.inf)
    spread = np.sqrt(np.square(away).sum(axis=0) / np.maximum(there.sum(axis=0), 1))
    away /= np.where(spread > 0, spread, np.inf)
    return away


def about_means(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return columns with mean 0 and spread 1, zeros as above; and how many cells each has.

    Examples
    --------
    >>> about_means(np.array([[1.0, 2.0], [3.0, np.nan]]))
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([2, 1]))
    """
    gone = np.isnan(rows)
    there = len(rows) - gone.sum(axis=0)
    number = np.maximum(there, 1)
    if gone.any():
        away = np.where(gone, 0.0, rows)
        away = np.where(gone, 0.0, away - away.sum(axis=0) / number)
    else:
        away = rows - rows.sum(axis=0) / number
    spread = np.sqrt(np.square(away).sum(axis=0) / number)
    away /= np.where(spread > 0, spread, np.inf)
    return away, there


def pointing(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of length one; zeros stay."""
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    length[length == 0] = np.inf
    result: NDArray[np.float32] = rows / length
    return result


def common(unit: NDArray[np.float32]) -> Common:
    """Return the directions of rows that are more common than chance makes the commonest.

    That is the largest eigenvalue of Marchenko and Pastur (1967). Six digits are enough to compare
    rows.
    """
    n_rows, n_columns = unit.shape
    most = n_rows / n_columns * (1.0 + np.sqrt(n_columns / n_rows)) ** 2
    of_rows = n_rows <= n_columns
    gram = unit @ unit.T if of_rows else unit.T @ unit
    values, vectors = linalg.eigh(gram, subset_by_value=(most, np.inf), check_finite=False)
    return Common(gram, of_rows, vectors, values, np.float32(most))


def without_common(unit: NDArray[np.float32], found: Common) -> NDArray[np.float32]:
    """Return rows in which a direction is as common as one can be by chance, and no more."""
    if not len(found.squares):
        return unit
    less = found.vectors * (np.float32(1.0) - np.sqrt(found.most / found.squares))
    of_them = less @ (found.vectors.T @ unit) if found.of_rows else (unit @ less) @ found.vectors.T
    rest: NDArray[np.float32] = np.subtract(unit, of_them, out=of_them)
    return rest


def products_without_common(unit: NDArray[np.float32], found: Common) -> NDArray[np.float32]:
    """Return the products of such rows with each other."""
    if not found.of_rows:
        rows = without_common(unit, found)
        return rows @ rows.T
    less = (found.vectors * (found.squares - found.most)) @ found.vectors.T
    return np.subtract(found.gram, less, out=less)


def partners(n_columns: int) -> NDArray[np.intp]:
    """Return the columns that all are compared with: not too many, evenly spaced."""
    return np.arange(0, n_columns, -(-n_columns // _PARTNERS))


def _medians(rows: Array, there: NDArray[np.bool_]) -> Array:
    """Return the median of each column's cells that are there; zero if none is."""
    if there.all():
        return medians(np.ascontiguousarray(rows.T))
    seen, result = there.any(axis=0), np.zeros(rows.shape[1])
    result[seen] = np.nanmedian(rows[:, seen], axis=0)
    return result
