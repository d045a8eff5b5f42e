"""Linear algebra on the few variables chosen for a node."""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import INNER


@njit(**INNER)
def correlations(products, per_scale, chosen):
    """Return the correlation matrix of the chosen variables."""
    result = np.empty((chosen.size, chosen.size))
    for a in range(chosen.size):
        for b in range(chosen.size):
            i, j = chosen[a], chosen[b]
            result[a, b] = products[i, j] * (per_scale[i] * per_scale[j])
    return result


@njit(**INNER)
def inverse(matrix):
    """Return the inverse of a positive definite matrix, by Cholesky's factors."""
    n = matrix.shape[0]
    factor = np.zeros((n, n))  # becomes the inverse of the lower factor
    for i in range(n):
        row = np.zeros(n)
        for j in range(i):
            dot = 0.0
            for k in range(j + 1):
                dot += factor[j, k] * matrix[i, k]
            row[j] = dot
        pivot = matrix[i, i]
        for j in range(i):
            pivot -= row[j] * row[j]
        scale = 1.0 / sqrt(pivot)
        for k in range(i):
            dot = 0.0
            for j in range(k, i):
                dot += row[j] * factor[j, k]
            factor[i, k] = -dot * scale
        factor[i, i] = scale
    result = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            dot = 0.0
            for k in range(i, n):
                dot += factor[k, i] * factor[k, j]
            result[i, j] = result[j, i] = dot
    return result


@njit(**INNER)
def solve(matrix, right):
    """Turn the first rows of ``right`` into the solution, by elimination with pivots.

    There are as many of these as the matrix has, which is overwritten, and need not be positive
    definite.
    """
    size = matrix.shape[0]
    for k in range(size):
        pivot = k
        for a in range(k + 1, size):
            if abs(matrix[a, k]) > abs(matrix[pivot, k]):
                pivot = a
        if matrix[pivot, k] == 0.0:
            raise np.linalg.LinAlgError("Singular matrix")
        if pivot != k:
            for b in range(k, size):
                matrix[k, b], matrix[pivot, b] = matrix[pivot, b], matrix[k, b]
            for j in range(right.shape[1]):
                right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
        for a in range(k + 1, size):
            factor = matrix[a, k] / matrix[k, k]
            for b in range(k + 1, size):
                matrix[a, b] -= factor * matrix[k, b]
            for j in range(right.shape[1]):
                right[a, j] -= factor * right[k, j]
    for k in range(size - 1, -1, -1):
        for b in range(k + 1, size):
            for j in range(right.shape[1]):
                right[k, j] -= matrix[k, b] * right[b, j]
        for j in range(right.shape[1]):
            right[k, j] /= matrix[k, k]
