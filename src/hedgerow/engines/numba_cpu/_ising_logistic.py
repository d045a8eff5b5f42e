"""Compiled logistic regression of yes or no on a few columns of yes or no, from counts of cells."""

from math import copysign, exp, log, log1p, sinh, sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import INNER
from hedgerow.method.ising_logistic import (
    CLOSE_TO_NULL,
    CONVERGED,
    LARGEST_COEFFICIENT,
    LONGEST_STEP,
    MOST_STEPS,
    PRIOR,
    SHORTEST_SHARE,
)


@njit(**INNER)
def factor(matrix):
    """Return the lower Cholesky factor."""
    n = matrix.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            left = matrix[i, j]
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            lower[i, j] = sqrt(left) if i == j else left / lower[j, j]
    return lower


@njit(**INNER)
def solve(lower, right):
    """Return the solution of the linear system whose matrix has this Cholesky factor."""
    n = right.size
    x = right.copy()
    for i in range(n):
        for k in range(i):
            x[i] -= lower[i, k] * x[k]
        x[i] /= lower[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= lower[k, i] * x[k]
        x[i] /= lower[i, i]
    return x


@njit(**INNER)
def margin(design, c, coefficients):
    """Return the log odds in one cell."""
    total = 0.0
    for a in range(coefficients.size):
        total += design[c, a] * coefficients[a]
    return total


@njit(**INNER)
def log_likelihood(design, size, sums, coefficients):
    """Return the logarithm of likelihood times prior, up to a constant."""
    total = 0.0
    for a in range(sums.size):
        total += coefficients[a] * (sums[a] - 0.5 * PRIOR * coefficients[a])
    for c in range(size.size):
        odds = margin(design, c, coefficients)
        total -= size[c] * (max(odds, 0.0) + log1p(exp(-abs(odds))))
    return total


@njit(**INNER)
def fit(design, size, sums, start):
    """Return the best coefficients, log-likelihood, and the factor of the information there."""
    n = sums.size
    best = start.copy()
    value = log_likelihood(design, size, sums, best)
    lower = np.zeros((n, n))
    for _ in range(MOST_STEPS):
        gradient = sums - PRIOR * best
        information = np.zeros((n, n))
        for a in range(n):
            information[a, a] = PRIOR
        for c in range(size.size):
            share = 1.0 / (1.0 + exp(-margin(design, c, best)))
            weight = size[c] * share * (1.0 - share)
            for a in range(n):
                if design[c, a] != 0.0:
                    gradient[a] -= size[c] * share
                    for b in range(a + 1):
                        information[a, b] += weight * design[c, b]
        lower = factor(information)
        step = solve(lower, gradient)
        gain = 0.0
        for a in range(n):
            gain += step[a] * gradient[a]
        if gain < CONVERGED:
            break
        share = min(1.0, LONGEST_STEP / np.abs(step).max())
        while share > SHORTEST_SHARE:
            further = best + share * step
            higher = log_likelihood(design, size, sums, further)
            if higher >= value:
                best, value = further, higher
                break
            share *= 0.5
        if share <= SHORTEST_SHARE:
            break
    return best, value, lower


@njit(**INNER)
def null_fit(design, size, ones):
    """Return the fit of a variable on the design, from rows in cells and those with a one."""
    sums = np.zeros(design.shape[1])
    for c in range(size.size):
        for a in range(sums.size):
            sums[a] += ones[c] * design[c, a]
    return fit(design, size, sums, np.zeros(sums.size))


@njit(**INNER)
def log_volume(lower):
    """Return half the logarithm of the determinant."""
    total = 0.0
    for a in range(lower.shape[0]):
        total += log(lower[a, a])
    return total


@njit(**INNER)
def conditional_score(design, count, null_best, null_value, null_lower):
    """Return the normal score of x in the regression of y, given the design.

    ``count`` has the rows of each cell: all, those with x, with y, with both.
    """
    n_cells, n = design.shape
    size = np.empty(2 * n_cells)
    finer, sums = np.zeros((2 * n_cells, n + 1)), np.zeros(n + 1)
    expected = 0.0
    for c in range(n_cells):
        size[2 * c], size[2 * c + 1] = count[c, 0] - count[c, 1], count[c, 1]
        for a in range(n):
            finer[2 * c, a] = finer[2 * c + 1, a] = design[c, a]
            sums[a] += count[c, 2] * design[c, a]
        finer[2 * c + 1, n] = 1.0
        sums[n] += count[c, 3]
        expected += count[c, 1] / (1.0 + exp(-margin(design, c, null_best)))
    surplus = sums[n] - expected
    if abs(surplus) <= 0.5:
        return 0.0
    sums[n] -= copysign(0.5, surplus)
    start = np.zeros(n + 1)
    start[:n] = null_best
    best, value, lower = fit(finer, size, sums, start)
    coefficient = copysign(1.0, surplus) * best[n]
    root = sqrt(max(2.0 * (value - null_value), 0.0))
    if not 0.0 < coefficient < LARGEST_COEFFICIENT or root < CLOSE_TO_NULL:
        return 0.0
    wald = 2.0 * sinh(0.5 * coefficient) * exp(log_volume(lower) - log_volume(null_lower))
    return copysign(max(root + log(wald / root) / root, 0.0), surplus)
