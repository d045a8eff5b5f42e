"""Iterative proportional scaling: fill in a correlation matrix that is known on a graph.

A node's correlations with everything else follow from those with its neighbours by regression.
Shapes: ``target`` and ``filled`` (p, p), correlation matrices; the graph is given by ``starts``
(p + 1,) and ``neighbours``, as the index arrays of a sparse matrix, symmetric, without a diagonal.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.integer]


class Scaling(Protocol):
    """The functions of this module; `hedgerow.engines.scaling_cpu` has them compiled."""

    def search_order(self, starts: Indices, neighbours: Indices) -> Indices:
        """Return the nodes in the order of `search_order`."""

    def fill_in_order(
        self,
        target: Array,
        starts: Indices,
        neighbours: Indices,
        order: Indices,
        least_variance: float,
    ) -> tuple[Array, bool]:
        """Return what `fill_in_order` returns."""

    def sweep(
        self,
        target: Array,
        filled: Array,
        starts: Indices,
        neighbours: Indices,
        relaxation: float,
        coefficients: Array,
        variance: Array,
    ) -> float:
        """Do and return what `sweep` does."""


def search_order(starts: Indices, neighbours: Indices) -> Indices:
    """Visit the node with most visited neighbours next; ties go to the first.

    In a chordal graph the neighbours that were visited before a node are then all joined.

    Examples
    --------
    >>> search_order(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]))  # 0 - 1 - 2
    array([0, 1, 2])
    """
    p = len(starts) - 1
    visited_neighbours = np.zeros(p, dtype=np.int64)
    order = np.empty(p, dtype=np.int64)
    for step in range(p):
        node = int(np.argmax(visited_neighbours))
        order[step] = node
        visited_neighbours[node] = -p - 1
        visited_neighbours[neighbours[starts[node] : starts[node + 1]]] += 1
    return order


def fill_in_order(
    target: Array, starts: Indices, neighbours: Indices, order: Indices, least_variance: float
) -> tuple[Array, bool]:
    """Add nodes one by one, each regressed on those of its neighbours that were added before.

    Exact for a chordal graph in `search_order`, a start for others. Returns the filled matrix and
    whether every regression left more than ``least_variance`` over.

    Examples
    --------
    >>> target = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> chain = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])  # 0 - 1 - 2
    >>> filled, positive = fill_in_order(target, *chain, np.arange(3), 1e-9)
    >>> filled[0].tolist(), positive
    ([1.0, 0.5, 0.25], True)
    """
    p = len(target)
    filled, added = np.eye(p), np.zeros(p, dtype=np.bool_)
    for node in order:
        around = neighbours[starts[node] : starts[node + 1]]
        chosen = around[added[around]]
        coefficients, variance = _regress(target, filled, node, chosen)
        if not variance > least_variance:
            return filled, False
        row = _implied(target, filled, node, chosen, coefficients)
        filled[node, added] = filled[added, node] = row[added]
        added[node] = True
    return filled, True


def sweep(
    target: Array,
    filled: Array,
    starts: Indices,
    neighbours: Indices,
    relaxation: float,
    coefficients: Array,
    variance: Array,
) -> float:
    """Regress every node once on all its neighbours and move ``filled`` toward the outcome.

    A ``relaxation`` of 1 moves just there, one between 1 and 2 beyond. Writes the coefficients, in
    the order of ``neighbours``, and the variances left over. Returns the largest distance between
    a correlation and what regression implies for it, in units of the node's variance left over.
    """
    largest = 0.0
    for node in range(len(target)):
        own = slice(starts[node], starts[node + 1])
        chosen = neighbours[own]
        coefficients[own], variance[node] = _regress(target, filled, node, chosen)
        step = _implied(target, filled, node, chosen, coefficients[own]) - filled[node]
        filled[node] += relaxation * step
        filled[:, node] = filled[node]
        with np.errstate(divide="ignore"):  # without variance there is no scale: an infinite move
            largest = max(largest, float(np.abs(step).max() / variance[node]))
    return largest


def _regress(target: Array, filled: Array, node: int, chosen: Indices) -> tuple[Array, float]:
    """Return coefficients of ``node`` on ``chosen`` nodes, and the variance they leave over."""
    known = target[chosen, node]
    coefficients = np.linalg.solve(filled[np.ix_(chosen, chosen)], known)
    return coefficients, 1.0 - float(coefficients @ known)


def _implied(
    target: Array, filled: Array, node: int, chosen: Indices, coefficients: Array
) -> Array:
    """Return the correlations of ``node`` with all others that its regression implies."""
    row = coefficients @ filled[chosen]
    row[chosen] = target[node, chosen]  # known exactly; rounding must not drift away from them
    row[node] = 1.0
    return row
