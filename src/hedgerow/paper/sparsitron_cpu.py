"""Compiled Sparsitron: every node at once, many rows a call.

Each function changes its state arrays in place, so a stream can be fed in pieces of any size.
Nodes run in parallel and share nothing that is written: one node is always the work of one thread,
row after row, so neither the number of threads nor the cut into pieces changes a single bit.
For the same reason no loop that sums also stores: the compiler guards such a loop with a test of
where the arrays lie in memory, and the order of the sum would depend on its outcome.

Shapes: ``rows`` (m, n), of which the first p columns are nodes; ``gradient``, ``weights``,
``total`` and ``best_weights`` (p, n), where row i belongs to node i and entry (i, i) stays zero.
For Gaussian variables n = p, rows are normalised, and ``held`` is the held-out rows' Gram matrix.
With ``logistic``, for Ising models, entries are -1 and 1, the last column is the constant 1, a
node's prediction is the chance that it is 1, and ``held`` has the held-out rows themselves.
"""

from math import inf, sqrt
from typing import Any

import numpy as np
from numba import njit, prange

from hedgerow.paper.exponential import exp

# Sums may be reordered, which vector instructions need; NaN and infinity keep their meaning.
# NumPy's rule for x / 0 spares each division a test that would stop vectorisation.
_FAST: dict[str, Any] = {
    "cache": True,
    "fastmath": {"reassoc", "contract", "nsz"},
    "error_model": "numpy",
}
_SAFE_EXPONENT = 300.0  # e**±300, and sums of billions of them, are far from overflow


@njit(forceinline=True, **_FAST)
def _node_weights(gradient, rate, l1_bound, weights, scratch):
    """Write the closed form of one node (``sparsitron.closed_form``) into ``weights``."""
    top = 0.0
    for j in range(gradient.size):
        top = max(top, abs(gradient[j]))
    shift = max(0.0, rate * top - _SAFE_EXPONENT)
    for j in range(gradient.size):
        up = exp(rate * gradient[j] - shift)
        down = 1.0 / up if shift == 0.0 else exp(-rate * gradient[j] - shift)
        weights[j] = down - up
        scratch[j] = up + down
    # The node's own entry adds cosh(0) = 1 to the sum, where only the zero expert's ½ is due.
    total = -exp(-shift)
    for j in range(gradient.size):
        total += scratch[j]
    factor = l1_bound / total
    for j in range(gradient.size):
        weights[j] *= factor


@njit(forceinline=True, **_FAST)
def _node_residual(weights, row, node, logistic):
    """Prediction of a node less what it is; its own weight is zero."""
    residual = 0.0 if logistic else -row[node]
    for j in range(row.size):
        residual += weights[j] * row[j]
    if logistic:
        residual = 1.0 / (1.0 + exp(-residual)) - 0.5 * (1.0 + row[node])
    return residual


@njit(forceinline=True, **_FAST)
def _node_update(gradient, weights, row, node, logistic):
    """Add one row's loss to the node's gradient; its own entry stays zero."""
    residual = _node_residual(weights, row, node, logistic)
    for j in range(row.size):
        gradient[j] += residual * row[j]
    gradient[node] = 0.0


@njit(forceinline=True, **_FAST)
def _node_risk(weights, held, node, logistic):
    """Sum of squared errors on held-out rows; with S, a'Sa for a = weights - e_node."""
    if logistic:
        risk = 0.0
        for t in range(held.shape[0]):
            risk += _node_residual(weights, held[t], node, logistic) ** 2
        return risk
    risk = held[node, node]
    for j in range(weights.size):
        dot = -2.0 * held[node, j]
        for k in range(weights.size):
            dot += weights[k] * held[j, k]
        risk += weights[j] * dot
    return risk


@njit(parallel=True, **_FAST)
def learn_sum(rows, gradient, total, step, ends, total_at, l1_bound, rate, logistic):
    """Learn from ``rows``; add every candidate, formed before its row is seen, to ``total``.

    ``step`` is the number of rows learned before these. When it reaches ``ends[k]``, the sum so
    far is copied to ``total_at[k]``.
    """
    n = rows.shape[1]
    for node in prange(gradient.shape[0]):
        g, summed = gradient[node].copy(), total[node].copy()
        weights, scratch = np.empty(n), np.empty(n)
        k = np.searchsorted(ends, step, side="right")
        for t in range(rows.shape[0]):
            _node_weights(g, rate, l1_bound, weights, scratch)
            for j in range(n):
                summed[j] += weights[j]
            if k < ends.size and step + t + 1 == ends[k]:
                total_at[k, node] = summed
                k += 1
            _node_update(g, weights, rows[t], node, logistic)
        gradient[node], total[node] = g, summed


@njit(parallel=True, **_FAST)
def learn_best(
    rows, gradient, held, step, best_risk, best_step, best_weights, l1_bound, rate, logistic
):
    """Learn from ``rows``; keep for each node the candidate of least risk on ``held``.

    ``step`` is the number of rows learned before these.
    """
    n = rows.shape[1]
    for node in prange(gradient.shape[0]):
        g, weights, scratch = gradient[node].copy(), np.empty(n), np.empty(n)
        for t in range(rows.shape[0]):
            _node_weights(g, rate, l1_bound, weights, scratch)
            risk = _node_risk(weights, held, node, logistic)
            if risk < best_risk[node]:
                best_risk[node], best_step[node] = risk, step + t + 1
                best_weights[node] = weights
            _node_update(g, weights, rows[t], node, logistic)
        gradient[node] = g


@njit(parallel=True, **_FAST)
def best_window(total_at, ends, first, last, held, weights, logistic):
    """Write each node's average of least risk on ``held`` to ``weights``; return which it is.

    Window k averages the candidates after step ``ends[first[k]]`` up to ``ends[last[k]]``, whose
    sums are in ``total_at``.
    """
    chosen = np.zeros(weights.shape[0], dtype=np.int64)
    for node in prange(weights.shape[0]):
        least = inf
        for k in range(first.size):
            summed = total_at[last[k], node] - total_at[first[k], node]
            average = summed / (ends[last[k]] - ends[first[k]])
            risk = _node_risk(average, held, node, logistic)
            if risk < least:
                least, chosen[node] = risk, k
                weights[node] = average
    return chosen


@njit(cache=True, parallel=True, fastmath={"contract"})
def add_gram(rows, gram):
    """Add the products of ``rows`` to ``gram``."""
    for i in prange(gram.shape[0]):
        for t in range(rows.shape[0]):
            for j in range(gram.shape[0]):
                gram[i, j] += rows[t, i] * rows[t, j]


@njit(cache=True)
def centre(rows, mean, seen):
    """Replace ``rows`` by their contrasts with all earlier rows (``sparsitron.centre_rows``).

    ``mean`` is that of the ``seen`` earlier rows and is brought up to date. The very first row has
    nothing to be compared with and becomes zero.
    """
    for t in range(rows.shape[0]):
        before = seen + t
        shrink = sqrt(before / (before + 1.0))
        for j in range(rows.shape[1]):
            gap = rows[t, j] - mean[j]
            mean[j] += gap / (before + 1.0)
            rows[t, j] = gap * shrink
