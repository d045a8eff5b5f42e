"""The functions of `hedgerow.method.scaling`, which says what they do, compiled."""

from typing import Any

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "fastmath": {"contract"}, "error_model": "numpy"}


@njit(**_OPTIONS)
def search_order(starts, neighbours):
    """Visit the node with most visited neighbours next; ties go to the first.

    In a chordal graph the neighbours that were visited before a node are then all joined.
    """
    p = starts.size - 1
    visited_neighbours = np.zeros(p, dtype=np.int64)
    order = np.empty(p, dtype=np.int64)
    for step in range(p):
        node = np.argmax(visited_neighbours)
        order[step] = node
        visited_neighbours[node] = -p - 1
        for j in neighbours[starts[node] : starts[node + 1]]:
            visited_neighbours[j] += 1
    return order


@njit(**_OPTIONS)
def _regress(target, filled, node, chosen):
    """Return coefficients of ``node`` on ``chosen`` nodes, and the variance they leave over."""
    gram = np.empty((chosen.size, chosen.size))
    known = np.empty(chosen.size)
    for a in range(chosen.size):
        known[a] = target[chosen[a], node]
        for b in range(chosen.size):
            gram[a, b] = filled[chosen[a], chosen[b]]
    coefficients = np.linalg.solve(gram, known)
    return coefficients, 1.0 - np.sum(coefficients * known)


@njit(**_OPTIONS)
def _implied(filled, node, chosen, coefficients, known, result):
    """Write the correlations of ``node`` with all others that its regression implies."""
    result[:] = 0.0
    for a in range(chosen.size):
        factor, row = coefficients[a], filled[chosen[a]]
        for j in range(result.size):
            result[j] += factor * row[j]
    # Known exactly; rounding must not drift away from them.
    for j in chosen:
        result[j] = known[j]
    result[node] = 1.0


@njit(**_OPTIONS)
def fill_in_order(target, starts, neighbours, order, least_variance):
    """Add nodes one by one, each regressed on those of its neighbours that were added before.

    Exact for a chordal graph in `search_order`, a start for others. Returns the filled matrix and
    whether every regression left more than ``least_variance`` over.
    """
    p = target.shape[0]
    filled, row, added = np.eye(p), np.empty(p), np.zeros(p, dtype=np.bool_)
    for node in order:
        around = neighbours[starts[node] : starts[node + 1]]
        chosen = around[added[around]]
        coefficients, variance = _regress(target, filled, node, chosen)
        if not variance > least_variance:
            return filled, False
        _implied(filled, node, chosen, coefficients, target[node], row)
        for j in range(p):
            if added[j]:
                filled[node, j] = filled[j, node] = row[j]
        added[node] = True
    return filled, True


@njit(**_OPTIONS)
def sweep(target, filled, starts, neighbours, relaxation, coefficients, variance):
    """Regress every node once on all its neighbours and move ``filled`` toward the outcome.

    A ``relaxation`` of 1 moves just there, one between 1 and 2 beyond. Writes the coefficients, in
    the order of ``neighbours``, and the variances left over. Returns the largest distance between
    a correlation and what regression implies for it, in units of the node's variance left over.
    """
    p = target.shape[0]
    row, largest = np.empty(p), 0.0
    for node in range(p):
        chosen = neighbours[starts[node] : starts[node + 1]]
        found, variance[node] = _regress(target, filled, node, chosen)
        coefficients[starts[node] : starts[node + 1]] = found
        _implied(filled, node, chosen, found, target[node], row)
        distance = 0.0
        for j in range(p):
            step = row[j] - filled[node, j]
            distance = max(distance, abs(step))
            filled[node, j] += relaxation * step
        for j in range(p):
            filled[j, node] = filled[node, j]
        largest = max(largest, distance / variance[node])
    return largest
