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
    along: NDArray[np.float32]  # (n, k) places of rows along these directions
    excess: Array  # (k,) share of their squares that is too much


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


def pointing(rows: Array) -> Array:
    """Return rows of length one; zeros stay."""
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return rows / np.where(length > 0, length, np.inf)


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
    along = vectors * np.sqrt(values) if of_rows else unit @ vectors
    return Common(gram, of_rows, along, 1.0 - most / values)


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
