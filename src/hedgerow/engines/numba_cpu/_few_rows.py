"""Hedge's covariances of residuals where rows are few: products of thin matrices.

The correlations C of m rows have a rank below m. With C = F Fᵀ the residuals' covariances A C Aᵀ
are the products of the rows of A F (`_witness` has A): sums of m numbers instead of one for each
column. F is made by Cholesky's method from columns that are chosen among every eighth: always the
one of which most is left that those before do not explain.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._nodes import copy_rows, weight_rows
from hedgerow.engines.numba_cpu._products import (
    IN_ORDER,
    dot_products,
    padded,
    with_room,
)
from hedgerow.engines.numba_cpu._witness import AT_A_TIME, TINY, add_related

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_EVERY = 8  # columns, of which one is tried
_PER_CHOSEN = 2  # columns tried for each one that may be chosen
# Variances left that are smaller are rounding: sums of products are right to thirteen digits.
_LEAST_LEFT = 1e-12
# The largest variance that F may leave out of a column: that of rounding C to single precision.
ROUNDING = float(np.finfo(np.float32).eps)


class Basis(NamedTuple):
    """Columns that explain all others, and the inverse of their Cholesky factor."""

    chosen: Indices
    inverse: Array


def tried(n_columns: int, n_rows: float) -> Indices:
    """Return the columns among which to look for a basis; none unless rows are few."""
    columns = np.arange(0, n_columns, _EVERY)
    return columns if _PER_CHOSEN * n_rows <= len(columns) else columns[:0]


def basis_of(columns: Indices, corr: Array) -> Basis | None:
    """Return a basis from the correlations among some columns, or None if half of them are too few.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((4, 20))
    >>> rows /= np.sqrt(np.square(rows).sum(axis=0))
    >>> chosen, inverse = basis_of(np.arange(20), rows.T @ rows)
    >>> factor = (rows.T @ rows)[:, chosen] @ inverse.T
    >>> factor.shape, bool(np.allclose(factor @ factor.T, rows.T @ rows))
    ((20, 4), True)
    """
    most = len(columns) // _PER_CHOSEN
    lower, inverse = np.zeros((len(columns), most)), np.zeros((most, most))
    left, chosen = corr.diagonal().copy(), np.zeros(most, dtype=np.intp)
    for k in range(most):
        new = int(np.argmax(left))
        if left[new] <= _LEAST_LEFT:
            return Basis(columns[chosen[:k]], inverse[:k, :k].copy())
        root, own = sqrt(left[new]), lower[new, :k].copy()
        # Not by BLAS, whose sums may depend on the number of its threads.
        explained = np.einsum("ij,j->i", lower[:, :k], own)
        lower[:, k] = (corr[:, new] - explained) / root
        left -= np.square(lower[:, k])
        left[new] = 0.0
        inverse[k, :k] = -np.einsum("i,ij->j", own, inverse[:k, :k]) / root
        inverse[k, k] = 1.0 / root
        chosen[k] = new
    return None


@njit(**IN_ORDER)
def factor_rows(products, own_scale, per_scale, chosen, inverse, factor):
    """Write rows of F; return the largest variance that they leave out.

    ``products`` and ``own_scale`` are those of some nodes, ``per_scale`` is of all columns.
    """
    count, size = products.shape[0], chosen.size
    by = np.zeros((padded(size), with_room(size, 8)))
    for k in range(size):
        for m in range(k + 1):
            by[k, m] = inverse[k, m]
    corr = np.zeros((padded(count), with_room(size, 8)))
    for i in range(count):
        for m in range(size):
            j = chosen[m]
            corr[i, m] = products[i, j] * (own_scale[i] * per_scale[j])
    values = np.empty((corr.shape[0], by.shape[0]))
    dot_products(corr, by, size, values)
    most = 0.0
    for i in range(count):
        left = 1.0
        for k in range(size):
            left -= values[i, k] ** 2
            factor[i, k] = values[i, k]
        most = max(most, left)
    return most


@njit(**IN_ORDER)
def residual_rows(first, last, factor, share, state, result):
    """Write rows ``first`` to ``last`` of A F, times -1."""
    count, p = last - first, factor.shape[0]
    weights = np.zeros((padded(count), with_room(p)), np.float32)
    weight_rows(first, last, share, state, weights)
    left = np.zeros((weights.shape[0], with_room(factor.shape[1])), np.float32)
    for i in range(count):
        for k in range(factor.shape[1]):
            left[i, k] = -factor[first + i, k]
    add_related(weights, 0, factor, left)
    copy_rows(left[:count], result[first:last])


@njit(**IN_ORDER)
def residual_products(first, last, left, others, before, size, result, variance):
    """Write the covariances of the residuals of nodes ``first`` to ``last`` with earlier ones.

    ``left`` are the nodes' rows of A F, ``others`` those of earlier nodes, ``before`` which there
    are others; the first ``size`` columns of both are used. ``result`` has a row for each node, and
    a column for each of these; ``variance`` has the nodes' own.
    """
    some = np.zeros((AT_A_TIME, left.shape[1]), np.float32)
    covariances = np.empty((left.shape[0], AT_A_TIME), np.float32)
    for start in range(before, min(before + others.shape[0], last), AT_A_TIME):
        stop = min(start + AT_A_TIME, before + others.shape[0], last)
        copy_rows(others[start - before : stop - before], some)
        dot_products(left, some, size, covariances)
        for i in range(first, last):
            for j in range(start, min(stop, i)):
                result[i - first, j - before] = covariances[i - first, j - start]
            if start <= i < stop:
                own = covariances[i - first, i - start]
                variance[i - first] = max(np.float64(own), TINY)
