"""Rows as the learner wants them: centred for the covariance, standardised for Hedge.

Row t becomes its contrast with the earlier rows, sqrt(t / (t + 1)) (row - mean of earlier rows).
The products of the contrasts add up to the products of deviations from the final mean
(docs/theory.md, section 5), one row after another, so that no cut of the rows into chunks matters.
"""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER


@njit(**IN_ORDER)
def prepare_columns(start, stop, rows, ends, columns, contrasts, standard):
    """Write contrasts and standardised rows, columns ``start`` to ``stop``, batch after batch.

    Batches end at ``ends``. A batch is standardised by the moments of the rows up to its end,
    which ``columns`` (``moments.Columns``) holds afterwards.
    """
    mean, squares = columns.mean[start:stop], columns.squares[start:stop]
    first = 0
    for last in ends:
        seen = columns.rows + first
        contrast(rows[first:last], seen, mean, squares, contrasts[first:last], start)
        _standardise(
            rows[first:last, start:stop],
            mean,
            _per_scale(squares, columns.rows + last),
            standard[first:last, start:stop],
        )
        first = last


@njit(**IN_ORDER)
def contrast(rows, seen, mean, squares, contrasts, start):
    """Write the contrasts of ``rows``, columns from ``start`` on, with ``seen`` earlier rows.

    ``mean`` and sums of ``squares`` of these columns are brought up to date.
    """
    for t in range(rows.shape[0]):
        count = seen + t
        share, shrink = 1.0 / (count + 1.0), sqrt(count / (count + 1.0))
        for j in range(mean.size):
            gap = rows[t, start + j] - mean[j]
            mean[j] += gap * share
            value = gap * shrink
            contrasts[t, start + j] = value
            squares[j] += value * value


@njit(**IN_ORDER)
def _per_scale(squares, seen):
    """Return one over each column's spread; zero where nothing has varied."""
    result = np.zeros(squares.size)
    for j in range(squares.size):
        if squares[j] > 0.0:
            result[j] = sqrt(seen / squares[j])
    return result


@njit(**IN_ORDER)
def _standardise(rows, mean, per_scale, result):
    for t in range(rows.shape[0]):
        for j in range(mean.size):
            result[t, j] = (rows[t, j] - mean[j]) * per_scale[j]
