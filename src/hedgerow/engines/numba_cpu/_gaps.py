"""Related variables and missing cells (`hedgerow.method.gaps`), compiled.

The missing cells of a row fall into groups that are not related, given the cells that are there.
Each group is a small matrix to invert.
"""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._select import Neighbours, choose_nodes, no_neighbours
from hedgerow.engines.numba_cpu._small import inverse
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.gaps import Expected
from hedgerow.method.neighbours import NO_HUBS
from hedgerow.method.outliers import Regressions

Array = NDArray[np.float64]

_PER_PAIR = 32  # multiplications that take as long as to choose by a correlation
_NODES, _MOST_NODES = 16, 256  # whose neighbours are chosen at a time


def related(corr: Array, n_rows: float, thresholds: Array) -> csr_array:
    """Return who chose whom, either way (`neighbours.related`)."""
    chosen = _entries(_neighbours(corr, n_rows, thresholds)) != 0
    return csr_array(chosen + chosen.T)


def regressions(corr: Array, n_rows: float, thresholds: Array) -> Regressions:
    """Return the regression of each column on its neighbours (`outliers.regressions`)."""
    found = _neighbours(corr, n_rows, thresholds)
    return Regressions(_entries(found), np.sqrt(found.residual))


def fill(rows: Array, expected: Expected, row_weights: Array, covariance: Array) -> Array:
    """Return rows with their missing cells, NaN, filled in (`gaps.fill`)."""
    filled = rows.copy()
    _fill_rows(filled, *expected, row_weights, covariance)
    return filled


def _neighbours(corr: Array, n_rows: float, thresholds: Array) -> Neighbours:
    n_columns = len(corr)
    found = no_neighbours(n_columns, len(thresholds))
    ones = np.ones(n_columns)
    with team(_PER_PAIR * corr.size) as run:
        run(
            partial(choose_nodes, *some, corr, ones, n_rows, thresholds, NO_HUBS, found)
            for some in blocks(n_columns, job_size(n_columns, _NODES, _MOST_NODES))
        )
    return found


def _entries(found: Neighbours) -> csr_array:
    n_columns, most = found.chosen.shape
    counts = np.arange(most) < found.sizes[:, None]
    starts = np.concatenate([[0], np.cumsum(found.sizes)])
    entries = (found.coefficients[counts], found.chosen[counts], starts)
    return csr_array(entries, shape=(n_columns, n_columns))


@njit(**IN_ORDER)
def _fill_rows(rows, centre, scale, starts, neighbours, precision, row_weights, covariance):
    p = centre.size
    group, place = np.empty(p, np.int64), np.empty(p, np.int64)
    unit, waits = np.empty(p), np.empty(p, np.bool_)
    for t in range(rows.shape[0]):
        missing = 0
        for j in range(p):
            waits[j] = np.isnan(rows[t, j])
            missing += waits[j]
            unit[j] = 0.0 if waits[j] else (rows[t, j] - centre[j]) / scale[j]
        if missing == 0:
            continue
        for first in range(p):
            if waits[first]:
                size = _grow(first, starts, neighbours, waits, group, place)
                some = group[:size]
                matrix, known = _conditions(
                    some, rows[t], starts, neighbours, precision, unit, place
                )
                left = inverse(matrix)
                _write(some, left, known, centre, scale, row_weights[t], rows[t], covariance)


@njit(inline="always", **INNER)
def _grow(first, starts, neighbours, waits, group, place):
    """Write all missing cells that are related to the first by missing ones; return how many."""
    size, done = 1, 0
    group[0], waits[first], place[first] = first, False, 0
    while done < size:
        node = group[done]
        done += 1
        for k in range(starts[node], starts[node + 1]):
            j = neighbours[k]
            if waits[j]:
                waits[j], place[j] = False, size
                group[size] = j
                size += 1
    return size


@njit(inline="always", **INNER)
def _conditions(some, row, starts, neighbours, precision, unit, place):
    """Return the precision among missing cells, and what the others add up to for each."""
    matrix, known = np.zeros((some.size, some.size)), np.zeros(some.size)
    for a in range(some.size):
        node = some[a]
        for k in range(starts[node], starts[node + 1]):
            j = neighbours[k]
            if np.isnan(row[j]):
                matrix[a, place[j]] = precision[k]
            else:
                known[a] -= precision[k] * unit[j]
    return matrix, known


@njit(inline="always", **INNER)
def _write(some, left, known, centre, scale, weight, row, covariance):
    for a in range(some.size):
        mean = 0.0
        for b in range(some.size):
            mean += left[a, b] * known[b]
            if covariance.size:
                both = scale[some[a]] * scale[some[b]]
                covariance[some[a], some[b]] += weight * left[a, b] * both
        row[some[a]] = centre[some[a]] + scale[some[a]] * mean
