"""What is left of most columns together (`hedgerow.method.shared`), from a triangle of scores."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.shared import CLEAR, TIMES, relative, start, unit


def strength_of(scores: NDArray[np.float32], n_rows: float) -> float:
    """Return how strongly most columns share something; below the diagonal is something else."""
    direction = start(len(scores))
    for _ in range(TIMES):
        direction = unit(_product(scores, direction))
    return relative(float(np.linalg.norm(_product(scores, direction))), direction, n_rows)


@njit(**IN_ORDER)
def _product(scores, direction):
    """Return the product of a symmetric matrix of unclear scores with a vector."""
    result = np.zeros_like(direction)
    for i in range(direction.size):
        own, here = 0.0, direction[i]
        for j in range(i + 1, direction.size):
            score = scores[i, j] if abs(scores[i, j]) <= CLEAR else 0.0
            own += score * direction[j]
            result[j] += score * here
        result[i] += own
    return result
