"""Rows as the learner wants them: centred for the covariance, standardised for Hedge.

Row t becomes its contrast with the earlier rows, sqrt(t / (t + 1)) (row - mean of earlier rows);
a row of weight w after rows of weight W, sqrt(w W / (W + w)) times that difference. The products of
the contrasts add up to the products of deviations from the final mean (docs/theory.md, sections 5
and 14), one row after another, so that no cut of the rows into chunks matters.

The moments of single columns are those of `hedgerow.method.moments.Columns`.
"""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.moments import SMALLEST_SPREAD

_LEAST_SQUARE = SMALLEST_SPREAD**2


@njit(**IN_ORDER)
def prepare_rows(rows, row_weights, totals, ends, columns, contrasts, standard):
    """Write contrasts and standardised rows, batch after batch.

    ``totals`` are the weights of all rows before each one, and in the end. Batches end at ``ends``.
    A batch is standardised by the moments of the rows up to its end, which ``columns``
    (``moments.Columns``) holds afterwards, but for their number and weight.
    """
    mean, squares = columns.mean, columns.squares
    first = 0
    for last in ends:
        for t in range(first, last):
            _contrast(rows[t], row_weights[t], totals[t], mean, squares, contrasts[t, : mean.size])
        per_scale = _per_scale(squares, totals[last])
        for t in range(first, last):
            _standardise(rows[t], mean, per_scale, standard[t, : mean.size])
        first = last


@njit(**IN_ORDER)
def contrast(rows, row_weights, totals, mean, contrasts):
    """Write the contrasts of ``rows`` with those before; bring their ``mean`` forward."""
    squares = np.empty_like(mean)
    for t in range(rows.shape[0]):
        _contrast(rows[t], row_weights[t], totals[t], mean, squares, contrasts[t, : mean.size])


@njit(inline="always", **INNER)
def _contrast(row, weight, total, mean, squares, result):
    share, shrink = weight / (total + weight), sqrt(weight * total / (total + weight))
    for j in range(row.size):
        gap = row[j] - mean[j]
        mean[j] += gap * share
        value = gap * shrink
        result[j] = value
        squares[j] += value * value


@njit(inline="always", **INNER)
def _per_scale(squares, total):
    """Return one over each column's spread; zero where nothing has varied."""
    result = np.zeros(squares.size)
    for j in range(squares.size):
        if squares[j] > _LEAST_SQUARE * total:
            result[j] = sqrt(total / squares[j])
    return result


@njit(inline="always", **INNER)
def _standardise(row, mean, per_scale, result):
    for j in range(row.size):
        result[j] = (row[j] - mean[j]) * per_scale[j]
