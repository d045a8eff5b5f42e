"""The lasso of a variable on all others, from the correlation matrix alone.

scikit-learn's lasso takes one response at a time and wants the rows, or a copy of the Gram matrix
without the response; here all nodes share one matrix, and nothing is copied.
"""

import numpy as np
from numba import njit

SWEEPS = 1000
TOLERANCE = 1e-6


@njit(cache=True)
def descend(corr: np.ndarray, node: int, penalty: float, weights: np.ndarray) -> None:
    """Minimise half the squared error of a node plus penalty times the l1 norm, in place.

    Coordinate descent from the weights given; ``gradient`` is kept up to date with every step.
    """
    gradient = corr @ weights - corr[node]
    for _ in range(SWEEPS):
        largest = 0.0
        for j in range(len(corr)):
            if j == node:
                continue
            target = weights[j] - gradient[j]
            new = np.sign(target) * max(abs(target) - penalty, 0.0)
            step = new - weights[j]
            if step != 0.0:
                weights[j] = new
                gradient += step * corr[j]
                largest = max(largest, abs(step))
        if largest < TOLERANCE:
            return
