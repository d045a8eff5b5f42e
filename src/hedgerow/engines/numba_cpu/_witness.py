"""Hedge's score of every pair: the debiased statistic with its weights (`edges.debiased`).

With A = I - W and the correlation matrix C, the residuals have covariance A C Aᵀ. A thread makes
the rows of A C for a few nodes and multiplies them with all earlier rows of A; only the result is
kept. Weights are read a few rows at a time, because those after an unfinished batch exist nowhere
else (`_nodes.weight_rows`), from a ``state`` that is a `hedgerow.method.hedge.HedgeState` and the
``share`` of the unfinished batch.
"""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._nodes import copy_rows, weight_rows
from hedgerow.engines.numba_cpu._products import (
    IN_ORDER,
    INNER,
    add_products,
    dot_products,
    padded,
    with_room,
)
from hedgerow.engines.numba_cpu._scores import score

AT_A_TIME = 48  # rows of correlations or weights; a multiple of both tiles
TINY = float(np.finfo(np.float64).eps)


@njit(**IN_ORDER)
def residual_covariances(first, last, products, per_scale, share, state, result, variance):
    """Write the covariances of the residuals of nodes ``first`` to ``last`` with earlier ones.

    They go below the diagonal of ``result``, those of nodes with themselves to ``variance``.
    """
    p, count = per_scale.size, last - first
    room = with_room(p)
    left = np.zeros((padded(count), room), np.float32)  # rows of A C, times -1
    _negative_correlations(first, last, products, per_scale, left)
    weights = np.zeros((padded(count), room), np.float32)
    weight_rows(first, last, share, state, weights)
    some = np.zeros((AT_A_TIME, room), np.float32)
    for start in range(0, p, AT_A_TIME):
        stop = min(start + AT_A_TIME, p)
        _correlations(start, stop, products, per_scale, some)
        add_products(weights[:, start:stop].T.copy(), some[: stop - start], left, p)
    covariances = np.empty((padded(count), AT_A_TIME), np.float32)
    for start in range(0, last, AT_A_TIME):
        stop = min(start + AT_A_TIME, last)
        weight_rows(start, stop, share, state, some)
        dot_products(left, some, p, covariances)
        for i in range(first, last):
            for j in range(start, min(stop, i)):
                result[i, j] = covariances[i - first, j - start] - left[i - first, j]
            if start <= i < stop:
                own = covariances[i - first, i - start] - left[i - first, i]
                variance[i] = max(np.float64(own), TINY)


@njit(**IN_ORDER)
def add_related(weights, before, corr, left):
    """Add weights times some rows of correlations, ``before`` of which there are others."""
    p = corr.shape[1]
    for start in range(0, corr.shape[0], AT_A_TIME):
        stop = min(start + AT_A_TIME, corr.shape[0])
        add_products(weights[:, before + start : before + stop].T.copy(), corr[start:stop], left, p)


@njit(**IN_ORDER)
def covariances_with(first, last, left, others, before, result, variance):
    """Write what `residual_covariances` does, of some nodes with some earlier ones.

    Nodes ``first`` to ``last``.

    ``left`` are the nodes' rows of A C, times -1; ``others`` the weights of these earlier nodes,
    ``before`` which there are others. ``result`` has a row for each node, and a column for each of
    these.
    """
    p = others.shape[1]
    some = np.zeros((AT_A_TIME, left.shape[1]), np.float32)
    covariances = np.empty((padded(last - first), AT_A_TIME), np.float32)
    for start in range(before, min(before + others.shape[0], last), AT_A_TIME):
        stop = min(start + AT_A_TIME, before + others.shape[0], last)
        copy_rows(others[start - before : stop - before], some)
        dot_products(left, some, p, covariances)
        for i in range(first, last):
            for j in range(start, min(stop, i)):
                value = covariances[i - first, j - start] - left[i - first, j]
                result[i - first, j - before] = value
            if start <= i < stop:
                own = covariances[i - first, i - start] - left[i - first, i]
                variance[i - first] = max(np.float64(own), TINY)


@njit(inline="always", **INNER)
def _correlations(first, last, products, per_scale, result):
    for i in range(first, last):
        for j in range(per_scale.size):
            result[i - first, j] = products[i, j] * (per_scale[i] * per_scale[j])


@njit(inline="always", **INNER)
def _negative_correlations(first, last, products, per_scale, result):
    for i in range(first, last):
        for j in range(per_scale.size):
            result[i - first, j] = -(products[i, j] * (per_scale[i] * per_scale[j]))


@njit(**IN_ORDER)
def witness_scores(first, last, variance, freedom, curve, share, state, result):
    """Replace covariances below the diagonal, rows ``first`` to ``last``, by Hedge's scores."""
    p, count = variance.size, last - first
    rows = np.zeros((count, p), np.float32)
    weight_rows(first, last, share, state, rows)
    some = np.zeros((AT_A_TIME, p), np.float32)
    for start in range(0, last, AT_A_TIME):
        stop = min(start + AT_A_TIME, last)
        weight_rows(start, stop, share, state, some)
        columns = some[:, first:last].T.copy()
        for i in range(first, last):
            end = min(stop, i)
            _scores(
                result[i, start:end],
                rows[i - first, start:end],
                columns[i - first],
                variance[start:end],
                variance[i],
                freedom,
                curve,
            )


@njit(inline="always", **INNER)
def _scores(values, forward, backward, variance, own_variance, freedom, curve):
    for j in range(values.size):
        direct = forward[j] * variance[j] + backward[j] * own_variance
        r = (values[j] + direct) / sqrt(variance[j] * own_variance)
        values[j] = score(min(max(r, -1.0), 1.0), freedom, curve)
