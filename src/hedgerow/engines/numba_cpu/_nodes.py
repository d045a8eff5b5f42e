"""Hedge for a few nodes at a time, all batches of some rows in one go.

Nodes do not need each other: what node i learns depends on the rows and on its own state. A thread
takes a few nodes and keeps their state in its cache while the rows pass by. The arithmetic is that
of `hedgerow.method.hedge`, in single precision except for sums over batches.

Rows are filled up with zeros to a width of whole vectors. The weight of a column of zeros does not
matter to any prediction, and its gradient stays zero.

A ``state`` is a `hedgerow.method.hedge.HedgeState`, of which a thread changes its nodes' rows.
"""

from math import log, sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._bits import reinterpret
from hedgerow.engines.numba_cpu._powers import both_powers, size_as_bits, small_power
from hedgerow.engines.numba_cpu._products import (
    FAST,
    IN_ORDER,
    INNER,
    add_products,
    dot_products,
    padded,
)
from hedgerow.method.hedge import LARGEST_RADIUS, LEAST_SUM
from hedgerow.method.residuals import LAGS

_SAFE_EXPONENT = np.float32(60.0)  # 2**±60, and sums of billions of them, are far from overflow
_SAFE_LARGE = np.float32(2.0**60)
_LEAST_CURVATURE = 1e-70  # gradients and rates of a smaller one are beyond single precision
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_NO_BITS = np.int32(0)


@njit(**IN_ORDER)
def learn_nodes(first, last, rows, width, row_weights, ends, shares, state, residuals):
    """Learn nodes ``first`` to ``last`` from batches of ``rows`` that end at ``ends``.

    The first ``width`` columns of ``rows`` are used. ``row_weights`` count them, ``shares``
    those of batches in the average. The arrays of ``state`` (``hedge.HedgeState``) are changed in
    place. The prediction errors, times the roots of their rows' weights, are written to
    ``residuals``, a row for each node, after the `LAGS` before them; if there is any.
    """
    count, n_columns = last - first, state.curvature.size
    # One piece of memory: how the parts lie to each other is then the same in every run, and so
    # are the loops that the compiler chooses by looking at that.
    memory = np.zeros((4, padded(count), rows.shape[1]), np.float32)
    gradient, average, odds, slope = memory[0], memory[1], memory[2], memory[3]
    copy_rows(state.gradient[first:last], gradient)
    copy_rows(state.average[first:last], average)
    matched, squared = state.matched[first:last], state.squared[first:last]
    curvature, root = state.curvature[first:last], _root_of_experts(n_columns)
    scale, radius = np.empty(count, np.float32), np.empty(count, np.float32)
    largest = np.empty(count, np.float32)
    for i in range(count):
        largest[i] = largest_size(gradient[i])
    start = 0
    for k in range(ends.size):
        batch = rows[start : ends[k]]
        for i in range(count):
            radius[i] = _unit_radius(matched[i], squared[i])
            rate = _rate(root, curvature[i])
            scale[i] = _odds(gradient[i, :width], rate, largest[i], n_columns, odds[i, :width])
            _average(odds[i, :width], radius[i] * scale[i], shares[k], average[i, :width])
        errors = np.empty((batch.shape[0], odds.shape[0]), np.float32)
        dot_products(batch, odds, width, errors)
        values, counts = batch[:, first:last], row_weights[start : ends[k]]
        _errors_of_predictions(values, counts, scale, radius, errors, matched, squared)
        add_products(errors, batch, slope, width)
        if residuals.shape[0]:
            kept = residuals[first:last, LAGS + start : LAGS + ends[k]]
            _keep_errors(errors, counts, kept)
        for i in range(count):
            slope[i, first + i] = _ZERO
            steepest, largest[i] = _move_gradient(gradient[i, :width], slope[i, :width])
            curvature[i] += steepest**2
        start = ends[k]
    copy_rows(gradient[:count], state.gradient[first:last])
    copy_rows(average[:count], state.average[first:last])


@njit(**IN_ORDER)
def weight_rows(first, last, share, state, result):
    """Write the average weights of nodes ``first`` to ``last`` to the first rows of ``result``.

    The present weights enter with ``share``: that of an unfinished batch, or zero.
    """
    n_columns = state.curvature.size
    root, odds = _root_of_experts(n_columns), np.empty(n_columns, np.float32)
    copy_rows(state.average[first:last], result)
    for i in range(first, last):
        average = result[i - first, :n_columns]
        if share > _ZERO:
            rate = _rate(root, state.curvature[i])
            largest = largest_size(state.gradient[i])
            scale = _odds(state.gradient[i], rate, largest, n_columns, odds)
            radius = np.float32(_unit_radius(state.matched[i], state.squared[i]))
            _average(odds, radius * scale, share, average)


@njit(**INNER)
def copy_rows(source, target):
    """Copy the columns that both have. Loops compile much faster than assignment of slices."""
    for i in range(source.shape[0]):
        for j in range(min(source.shape[1], target.shape[1])):
            target[i, j] = source[i, j]


@njit(inline="always", **INNER)
def _unit_radius(matched, squared):
    """Return the radius of a node's l1 ball (``hedge.unit_radius``)."""
    return min(max(matched / max(squared, LEAST_SUM), 0.0), LARGEST_RADIUS)


@njit(inline="always", **INNER)
def _root_of_experts(n_columns):
    """Return the rate at curvature 1, for powers of two."""
    return sqrt(log(2.0 * n_columns - 1.0)) / log(2.0)


@njit(inline="always", **INNER)
def _rate(root_of_experts, curvature):
    return np.float32(root_of_experts / sqrt(curvature) if curvature > _LEAST_CURVATURE else 0.0)


@njit(**INNER)
def _odds(gradient, rate, largest, n_columns, odds):
    """Write a node's weights in the unit l1 ball (``hedge.unit_weights``), up to a factor.

    Returns the factor. ``largest`` is the largest size of an entry of the gradient.
    """
    shift = rate * largest - _SAFE_EXPONENT
    # The zero expert has weight 1. The node itself, and columns of zeros, count as pairs of
    # experts with weight 1 each, and are none.
    surplus = np.float32(2 * (gradient.size - n_columns) + 1)
    if shift <= _ZERO:
        return _ONE / (_experts(gradient, rate, odds) - surplus)
    total = _experts_in_range(gradient, rate, shift, odds)
    return _ONE / (total - surplus * small_power(-shift))


@njit(**FAST)
def _experts(gradient, rate, differences):
    """Write the difference of each pair of experts; return the sum of all."""
    total = _ZERO
    for j in range(gradient.size):
        minus, plus = both_powers(rate * gradient[j])
        differences[j] = plus - minus
        total += plus + minus
    return total


@njit(**FAST)
def _experts_in_range(gradient, rate, shift, differences):
    """Do the same, all divided by 2**shift, where powers could overflow."""
    total, lower = _ZERO, shift + _SAFE_EXPONENT
    for j in range(gradient.size):
        minus = small_power(rate * gradient[j] - lower) * _SAFE_LARGE
        plus = small_power(-rate * gradient[j] - lower) * _SAFE_LARGE
        differences[j] = plus - minus
        total += plus + minus
    return total


@njit(inline="always", **INNER)
def _average(odds, factor, share, average):
    """Move a node's average by ``share`` toward its weights: ``factor`` times ``odds``."""
    for j in range(odds.size):
        average[j] += share * (factor * odds[j] - average[j])


@njit(inline="always", **INNER)
def _errors_of_predictions(values, row_weights, scale, radius, predictions, matched, squared):
    """Replace predictions by weighted errors; add to the sums behind the radius.

    Predictions are those of the odds: times ``scale``, they are those in the unit ball.
    """
    for t in range(values.shape[0]):
        for i in range(values.shape[1]):
            value, prediction = values[t, i], scale[i] * predictions[t, i]
            matched[i] += row_weights[t] * (value * prediction)
            squared[i] += row_weights[t] * (prediction * prediction)
            predictions[t, i] = row_weights[t] * (radius[i] * prediction - value)


@njit(inline="always", **INNER)
def _keep_errors(errors, row_weights, residuals):
    """Write values less predictions, times the roots of weights; errors have the other sign."""
    for t in range(residuals.shape[1]):
        per_root = -_ONE / np.float32(sqrt(row_weights[t]))
        for i in range(residuals.shape[0]):
            residuals[i, t] = errors[t, i] * per_root


@njit(inline="always", **INNER)
def _move_gradient(gradient, slope):
    """Add the slope, and make it zero; return the largest sizes of slope and gradient."""
    steepest, largest = _NO_BITS, _NO_BITS
    for j in range(gradient.size):
        moved = gradient[j] + slope[j]
        steepest = max(steepest, size_as_bits(slope[j]))
        largest = max(largest, size_as_bits(moved))
        gradient[j] = moved
        slope[j] = _ZERO
    return reinterpret(np.int32(steepest)), reinterpret(np.int32(largest))


@njit(inline="always", **INNER)
def largest_size(values):
    """Return the largest absolute value."""
    largest = _NO_BITS
    for j in range(values.size):
        largest = max(largest, size_as_bits(values[j]))
    return reinterpret(np.int32(largest))
