"""Sums over residuals (`hedgerow.method.residuals`), compiled: a thread takes some columns.

Residuals come as a row for each column, times the roots of their rows' weights, in single
precision, with the ``LAGS`` residuals before them in front. Sums over a batch are made in single
precision, those over batches in double: batches are the same however the rows are cut.
"""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.engines.numba_cpu._nodes import weight_rows
from hedgerow.engines.numba_cpu._products import (
    DOT_TILE,
    FAST,
    IN_ORDER,
    SUM_TILE,
    WHOLE_TILES,
    dot_products,
    single_product,
    zeros,
)
from hedgerow.engines.numba_cpu._threads import Run, blocks, job_size, team
from hedgerow.method.directions import partners
from hedgerow.method.forgetting import NEVER, decline, row_weights
from hedgerow.method.hedge import standardise
from hedgerow.method.learned import Learned
from hedgerow.method.moments import columns_of
from hedgerow.method.residuals import (
    LAGS,
    LEAST_SCALE,
    Residuals,
    related,
    scaled_residuals,
    together,
)
from hedgerow.method.swings import swings_of

Singles = NDArray[np.float32]

_NODES = 2 * WHOLE_TILES  # at a time, where weights are needed
_MOST_NODES = 256
_LAGS_AT_ONCE = 4
_ROWS = 256  # of the first rows that are summed in single precision
_MOST_ROWS = 1024  # whose sizes are added up by a job


def look_back(
    state: Learned, rows: NDArray[np.floating], coefficients: csr_array | None = None
) -> Learned:
    """Return the state with sums over the residuals of all ``rows``, the first and only ones."""
    counts = row_weights(0, len(rows), state.half_life)
    standard = standard_of(rows, state.half_life)
    if coefficients is None:
        left = np.empty(rows.shape[::-1], dtype=np.float32)
        leave_errors(state, standard, left, (0, len(left)))
    else:
        left = standard.T - coefficients @ standard.T
    sums = sums_of_first(_after_lags(left, counts), counts)
    passed = decline(0, state.hedge.rows, state.half_life)
    return state._replace(residuals=scaled_residuals(sums, passed))


def lagged(
    unit: NDArray[np.float64], counts: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return sums of products of the first rows that are 0, 1, ... `LAGS` apart.

    Rows count as ``counts`` say, or once.
    """
    n_rows, n_columns = unit.shape
    counts = np.ones(n_rows) if counts is None else counts
    values = _after_lags(unit.T, counts)
    lags, sizes = np.zeros((LAGS + 1, n_columns)), np.zeros(n_rows, dtype=np.float32)
    with team(_LAGS_AT_ONCE * unit.size) as run:
        scale = np.ones(n_columns)
        _add(values, counts, _ends(n_rows), sizes, scale, lags, np.zeros(n_columns), run)
    return lags


def standard_of(rows: NDArray[np.floating], half_life: float) -> NDArray[np.float64]:
    """Return the first rows, standardised by all of them."""
    alike = half_life == NEVER
    counts = row_weights(0, len(rows), half_life)
    return standardise(rows, columns_of(rows, None if alike else counts))


def sums_of_first(errors: Singles, counts: NDArray[np.float64]) -> Residuals:
    """Return the sums over the first rows' residuals, which come after `LAGS` zeros."""
    n_columns, n_rows = len(errors), len(counts)
    with team(n_rows * n_columns * len(partners(n_columns))) as run:
        rooted = errors[:, LAGS:].astype(np.float64)
        weight = float(counts.sum())
        scale = np.square(rooted).sum(axis=1) / weight
        scale = np.where(scale > LEAST_SCALE, scale, np.inf)
        unit = rooted / np.sqrt(scale * weight)[:, None]
        squares = _squared_correlations(unit, run)
        sums = Residuals(
            lags=np.zeros((LAGS + 1, n_columns)),
            recent=np.zeros((LAGS, n_columns)),
            scale=scale,
            related=related(squares, n_rows),
            beside=np.zeros(n_columns),
            swings=swings_of(unit.T),
            together=together(unit.T, squares, _products_apart),
            weight=0.0,
        )
        return with_more(sums, errors, counts, _ends(n_rows), run)


def _after_lags(left: NDArray[np.floating], counts: NDArray[np.float64]) -> Singles:
    """Return residuals, times the roots of their rows' weights, after `LAGS` zeros."""
    errors = np.zeros((len(left), LAGS + len(counts)), dtype=np.float32)
    errors[:, LAGS:] = left
    errors[:, LAGS:] *= np.sqrt(counts).astype(np.float32)
    return errors


def _ends(n_rows: int) -> NDArray[np.intp]:
    """Return where the first rows are cut that are summed in single precision."""
    return np.append(np.arange(_ROWS, n_rows, _ROWS), n_rows)


def with_more(
    sums: Residuals,
    errors: Singles,
    counts: NDArray[np.float64],
    ends: NDArray[np.intp],
    run: Run,
) -> Residuals:
    """Return the sums with more rows, in place: ``errors`` after `LAGS` earlier ones.

    ``errors`` may have room for more. A part of it would be another kind of array, for which other
    loops are compiled, with sums in another order.
    """
    sizes = np.zeros(len(counts), dtype=np.float32)
    add_sizes(errors, sums.scale, sizes, run)
    return with_columns(sums, errors, counts, ends, sizes, run)


def add_sizes(errors: Singles, scale: NDArray[np.float64], sizes: Singles, run: Run) -> None:
    """Add the squared errors of some columns, in units of their scales, to the ``sizes`` of rows.

    One column after the other: sizes that were begun can be gone on with.
    """
    per_scale = (1.0 / scale).astype(np.float32)
    run(
        partial(_row_sizes, *some, errors, per_scale, sizes)
        for some in blocks(len(sizes), job_size(len(sizes), _ROWS, _MOST_ROWS))
    )


def with_columns(
    sums: Residuals,
    errors: Singles,
    counts: NDArray[np.float64],
    ends: NDArray[np.intp],
    sizes: Singles,
    run: Run,
) -> Residuals:
    """Return the sums of some columns with more rows, in place, given the sizes of the rows."""
    _add(errors, counts, ends, sizes, sums.scale, sums.lags, sums.beside, run)
    # One after the other, so that no cut of the rows changes a bit.
    weight = float(np.cumsum(np.concatenate([[sums.weight], counts]))[-1])
    recent = errors[:, len(counts) : len(counts) + LAGS].T.astype(np.float64)
    return sums._replace(recent=recent, weight=weight)


def _add(
    errors: Singles,
    counts: NDArray[np.float64],
    ends: NDArray[np.intp],
    sizes: Singles,
    scale: NDArray[np.float64],
    lags: NDArray[np.float64],
    beside: NDArray[np.float64],
    run: Run,
) -> None:
    """Add what rows have to sums of products, and of squares."""
    n_columns = len(scale)
    per_scale = (1.0 / scale).astype(np.float32)
    per_count = (1.0 / counts).astype(np.float32)
    rows = (errors, per_count, ends, sizes, per_scale)
    run(
        partial(_add_columns, *some, *rows, lags, beside)
        for some in blocks(n_columns, job_size(n_columns, _NODES, _MOST_NODES))
    )


def leave_errors(
    state: Learned, standard: NDArray[np.float64], result: Singles, strip: tuple[int, int]
) -> None:
    """Write what the average weights leave of standardised rows, a row for each node of a strip."""
    n_rows, n_columns = standard.shape
    rows = zeros(-(-n_rows // DOT_TILE) * DOT_TILE, n_columns, np.float32)
    rows[:n_rows, :n_columns] = standard
    first, last = strip
    with team(n_columns * standard.size) as run:
        run(
            partial(_errors_of_nodes, *some, rows, n_columns, state.hedge, result)
            for some in blocks(last, _NODES, first)
        )


@njit(**IN_ORDER)
def _errors_of_nodes(first, last, rows, n_columns, learner, result):
    weights = np.zeros((_NODES, rows.shape[1]), np.float32)
    weight_rows(first, last, np.float32(0.0), learner, weights)
    predicted = np.empty((rows.shape[0], _NODES), np.float32)
    dot_products(rows, weights, n_columns, predicted)
    for i in range(first, last):
        for t in range(result.shape[1]):
            result[i, t] = rows[t, i] - predicted[t, i - first]


def _squared_correlations(unit: NDArray[np.float64], run: Run) -> NDArray[np.float64]:
    """Return the sum of each column's squared correlations with some others."""
    n_columns, n_rows = unit.shape
    some = partners(n_columns)
    columns = zeros(-(-n_columns // _NODES) * _NODES, n_rows, np.float32)
    columns[:n_columns, :n_rows] = unit
    others = zeros(-(-len(some) // SUM_TILE) * SUM_TILE, n_rows, np.float32)
    others[: len(some), :n_rows] = unit[some]
    squares = np.empty(n_columns)
    run(
        partial(_squared_products, *nodes, columns, others, n_rows, some, squares)
        for nodes in blocks(n_columns, _NODES)
    )
    return squares


def _products_apart(unit: NDArray[np.float64], farthest: int) -> NDArray[np.float64]:
    """Return sums of products of products of pairs (`hedgerow.method.residuals`)."""
    result = np.zeros(farthest + 1)
    _add_products_apart(np.ascontiguousarray(unit, dtype=np.float32), result)
    return result


@njit(**IN_ORDER)
def _add_products_apart(rows, result):
    squares = rows * rows
    for t in range(rows.shape[0]):
        for lag in range(min(t + 1, result.size)):
            product = single_product(rows[t], rows[t - lag])
            result[lag] += product * product - single_product(squares[t], squares[t - lag])


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
    """Add the squared errors, in units of their scales, of some rows."""
    for i in range(errors.shape[0]):
        scale = per_scale[i]
        for t in range(first, last):
            sizes[t] += errors[i, LAGS + t] * errors[i, LAGS + t] * scale


@njit(**IN_ORDER)
def _add_columns(first, last, errors, per_count, ends, sizes, per_scale, lags, beside):
    for i in range(first, last):
        start = 0
        for end in ends:
            own = errors[i, LAGS + start : LAGS + end]
            for lag in range(0, LAGS, _LAGS_AT_ONCE):
                # From the farthest of these lags on; the nearest ends one row later for each.
                near = errors[i, LAGS + start - lag - _LAGS_AT_ONCE : LAGS + end - lag - 1]
                products = _four_products(own, near)
                for k in range(_LAGS_AT_ONCE):
                    lags[lag + _LAGS_AT_ONCE - k, i] += products[k]
            square, others = _squares(own, sizes[start:end], per_count[start:end], per_scale[i])
            lags[0, i] += square
            beside[i] += others
            start = end


@njit(**FAST)
def _four_products(own, near):
    """Return the sums of products with numbers at the same place, and up to three later."""
    s0 = s1 = s2 = s3 = np.float32(0.0)
    for t in range(own.size):
        x = own[t]
        s0 += x * near[t]
        s1 += x * near[t + 1]
        s2 += x * near[t + 2]
        s3 += x * near[t + 3]
    return s0, s1, s2, s3


@njit(**FAST)
def _squares(own, sizes, per_count, per_scale):
    """Return the sum of squares, and that of squares times the other columns' squares."""
    total, others = np.float32(0.0), np.float32(0.0)
    for t in range(own.size):
        square = own[t] * own[t]
        unit = square * per_scale
        total += square
        others += unit * (sizes[t] - unit) * per_count[t]
    return total, others
