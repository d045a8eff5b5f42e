"""The compiled kernel of the layout: stress lowered by stochastic gradient steps."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@njit(cache=True)
def _pull(xy: Array, node: int, other: int, length: float, rate: float) -> None:
    """Move ``node`` on the line through ``other`` towards being ``length`` away from it."""
    dx, dy = xy[node, 0] - xy[other, 0], xy[node, 1] - xy[other, 1]
    distance = np.sqrt(dx * dx + dy * dy)
    if distance == 0.0:
        return
    step = 0.5 * min(1.0, rate / (length * length)) * (distance - length) / distance
    xy[node, 0] -= step * dx
    xy[node, 1] -= step * dy


@njit(cache=True, nogil=True)
def lower_stress(
    xy: Array,
    distances: Array,
    pivots: Indices,
    starts: Indices,
    neighbours: Indices,
    lengths: Array,
    rates: Array,
    row_orders: Indices,
    node_orders: Indices,
) -> None:
    """Move ``xy`` so that drawn distances approach the (pivot, node) ``distances``, in place.

    A pair pulls with weight distance⁻²; ``rates`` falls from the squared diameter to below one.
    Walking along the diagonals of the (pivot, node) matrix, its rows and columns shuffled anew
    for each rate, mixes the pairs without storing them. Edges pull once more, so that they count
    also where neither end is a pivot; node i has the ``neighbours[starts[i] : starts[i + 1]]``.
    """
    n = len(xy)
    for rate, rows, nodes in zip(rates, row_orders, node_orders):
        for shift in range(n):
            for position, row in enumerate(rows):
                node = nodes[(position + shift) % n]
                if pivots[row] != node:
                    _pull(xy, node, pivots[row], distances[row, node], rate)
        for node in nodes:
            for edge in range(starts[node], starts[node + 1]):
                _pull(xy, node, neighbours[edge], lengths[edge], rate)
