"""Sums over residuals (`hedgerow.method.residuals`), compiled: a thread takes some columns.

Residuals come as rows times the roots of their weights, in single precision, with the ``LAGS`` rows
before them in front. Sums over a batch are made in single precision, those over batches in double:
batches are the same however the rows are cut.
"""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._nodes import weight_rows
from hedgerow.engines.numba_cpu._products import DOT_TILE, FAST, IN_ORDER, dot_products, zeros
from hedgerow.engines.numba_cpu._threads import Job, Run, blocks, job_size, team
from hedgerow.method.forgetting import decline, row_weights
from hedgerow.method.hedge import standardise
from hedgerow.method.learned import Learned
from hedgerow.method.moments import columns_of
from hedgerow.method.residuals import LAGS, Residuals, partners, scaled_residuals

Singles = NDArray[np.float32]

_COLUMNS = 16  # single precision numbers of a line of memory
_MOST_COLUMNS = 256
_NODES = 16
_ROWS = 256  # of the first rows that are summed in single precision


def look_back(state: Learned, rows: NDArray[np.floating]) -> Learned:
    """Return the state with sums over the residuals of all ``rows``, the first and only ones."""
    counts = row_weights(0, len(rows), state.half_life)
    standard = standardise(rows, columns_of(rows, counts))
    n_rows, n_columns = rows.shape
    errors = np.zeros((LAGS + n_rows, n_columns), dtype=np.float32)
    with team() as run:
        errors[LAGS:] = _errors(state, standard, run)
        rooted = errors[LAGS:].astype(np.float64) * np.sqrt(counts)[:, None]
        errors[LAGS:] = rooted
        weight = float(counts.sum())
        scale = np.square(rooted).sum(axis=0) / weight
        scale = np.where(scale > 0, scale, np.inf)
        sums = Residuals(
            lags=np.zeros((LAGS + 1, n_columns)),
            recent=np.zeros((LAGS, n_columns)),
            scale=scale,
            related=_related(rooted / np.sqrt(scale * weight), run),
            beside=np.zeros(n_columns),
            weight=0.0,
        )
        ends = np.append(np.arange(_ROWS, n_rows, _ROWS), n_rows)
        sums = with_more(sums, errors, counts, ends, run)
    return state._replace(residuals=scaled_residuals(sums, decline(0, state.hedge.rows, state.half_life)))


def with_more(
    sums: Residuals,
    errors: Singles,
    counts: NDArray[np.float64],
    ends: NDArray[np.intp],
    run: Run,
) -> Residuals:
    """Return the sums with more rows, in place: ``errors`` after `LAGS` earlier ones."""
    n_columns = len(sums.scale)
    per_scale = (1.0 / sums.scale).astype(np.float32)
    sizes = np.empty(len(errors) - LAGS)
    run(
        partial(_row_sizes, *some, errors, per_scale, sizes)
        for some in blocks(len(sizes), _ROWS)
    )
    size = job_size(n_columns, _COLUMNS, _MOST_COLUMNS)
    jobs: list[Job] = [
        partial(_add_columns, *some, errors, counts, ends, sizes, per_scale, sums.lags, sums.beside)
        for some in blocks(n_columns, size)
    ]
    run(jobs)
    weight = sums.weight
    for count in counts:
        weight += float(count)
    recent = errors[len(errors) - LAGS :, :n_columns].astype(np.float64)
    return sums._replace(recent=recent, weight=weight)


def _errors(state: Learned, standard: NDArray[np.float64], run: Run) -> Singles:
    """Return what the average weights leave of standardised rows."""
    n_rows, n_columns = standard.shape
    rows = zeros(-(-n_rows // DOT_TILE) * DOT_TILE, n_columns, np.float32)
    rows[:n_rows, :n_columns] = standard
    result = np.empty((n_columns, n_rows), dtype=np.float32)
    run(
        partial(_errors_of_nodes, *some, rows, n_columns, state.hedge, result)
        for some in blocks(n_columns, _NODES)
    )
    return result.T


@njit(**IN_ORDER)
def _errors_of_nodes(first, last, rows, n_columns, learner, result):
    weights = np.zeros((_NODES, rows.shape[1]), np.float32)
    weight_rows(first, last, np.float32(0.0), learner, weights)
    predicted = np.empty((rows.shape[0], _NODES), np.float32)
    dot_products(rows, weights, n_columns, predicted)
    for i in range(first, last):
        for t in range(result.shape[1]):
            result[i, t] = rows[t, i] - predicted[t, i - first]


def _related(unit: NDArray[np.float64], run: Run) -> NDArray[np.float64]:
    """Return each column's mean squared correlation with some others, beyond that of chance."""
    n_rows, n_columns = unit.shape
    some = partners(n_columns)
    columns = zeros(-(-n_columns // _NODES) * _NODES, n_rows, np.float32)
    columns[:n_columns, :n_rows] = unit.T
    others = zeros(-(-len(some) // DOT_TILE) * DOT_TILE, n_rows, np.float32)
    others[: len(some), :n_rows] = unit.T[some]
    squares = np.empty(n_columns)
    run(
        partial(_squared_products, *nodes, columns, others, n_rows, some, squares)
        for nodes in blocks(n_columns, _NODES)
    )
    compared = len(some) - np.isin(np.arange(n_columns), some)
    return np.maximum(squares / np.maximum(compared, 1) - 1.0 / n_rows, 0.0)


@njit(**IN_ORDER)
def _squared_products(first, last, columns, others, n_rows, some, squares):
    products = np.empty((_NODES, others.shape[0]), np.float32)
    dot_products(columns[first : first + _NODES], others, n_rows, products)
    for i in range(first, last):
        total = 0.0
        for k in range(some.size):
            if some[k] != i:
                total += products[i - first, k] ** 2
        squares[i] = total


@njit(**IN_ORDER)
def _row_sizes(first, last, errors, per_scale, sizes):
    for t in range(first, last):
        sizes[t] = _row_size(errors[LAGS + t], per_scale)


@njit(**FAST)
def _row_size(row, per_scale):
    total = np.float32(0.0)
    for j in range(per_scale.size):
        total += row[j] * row[j] * per_scale[j]
    return total


@njit(**IN_ORDER)
def _add_columns(first, last, errors, counts, ends, sizes, per_scale, lags, beside):
    sums = np.empty(_COLUMNS, np.float32)
    for left in range(first, last, _COLUMNS):
        right, start = min(left + _COLUMNS, last), 0
        for end in ends:
            for lag in range(LAGS + 1):
                _add_lag(errors[:, left:right], LAGS + start, LAGS + end, lag, sums)
                for j in range(right - left):
                    lags[lag, left + j] += sums[j]
            for t in range(start, end):
                for j in range(left, right):
                    square = errors[LAGS + t, j] ** 2 * per_scale[j]
                    beside[j] += square * (sizes[t] - square) / counts[t]
            start = end


@njit(**IN_ORDER)
def _add_lag(errors, start, end, lag, sums):
    for j in range(errors.shape[1]):
        sums[j] = np.float32(0.0)
    for t in range(start, end):
        for j in range(errors.shape[1]):
            sums[j] += errors[t, j] * errors[t - lag, j]
