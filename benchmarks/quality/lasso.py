"""The scaled lasso of every variable on all others, from the correlation matrix.

The penalty of node i is s_i times a common factor, where s_i, the size of the node's residuals, is
found together with the weights (Sun and Zhang 2012): nothing is left to tune.
"""

import numpy as np
from numba import njit

ROUNDS = 20  # of finding the residuals' size; it settles within a few
SWEEPS = 1000
TOLERANCE = 1e-6


def scaled_lasso(corr: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights; row i predicts variable i from the others."""
    weights = np.zeros_like(corr)
    for node, row in enumerate(weights):
        size = 1.0
        for _ in range(ROUNDS):
            descend(corr, node, penalty * size, row)
            new = np.sqrt(max(1.0 - 2 * row @ corr[node] + row @ corr @ row, TOLERANCE))
            settled = abs(new - size) <= 1e-4 * size
            size = new
            if settled:
                break
    return weights


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
