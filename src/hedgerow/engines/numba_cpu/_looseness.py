"""How much less sure partial correlations are for steps (`hedgerow.method.looseness`), compiled."""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.neighbours import COLLINEAR


@njit(**IN_ORDER)
def looseness_of_pairs(latent, starts, neighbours, values, first, second, result):
    """Write the looseness of pairs, by regressions with coefficients in a sparse matrix."""
    place = np.full(latent.noise.size, -1, np.int64)
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        most = 2 + starts[i + 1] - starts[i] + starts[j + 1] - starts[j]
        columns, vectors = np.empty(most, np.int64), np.zeros((2, most))
        n = _add(i, 0, 1.0, columns, vectors[0], place)
        n = _add(j, n, 1.0, columns, vectors[1], place)
        for k in range(starts[i], starts[i + 1]):
            n = _add(neighbours[k], n, -values[k], columns, vectors[0], place)
        for k in range(starts[j], starts[j + 1]):
            n = _add(neighbours[k], n, -values[k], columns, vectors[1], place)
        for a in range(n):
            place[columns[a]] = -1
        result[pair] = _of_residuals(latent, columns[:n], vectors[0], vectors[1])


@njit(**INNER)
def _add(column, n, value, columns, vector, place):
    """Add to a vector's entry for a column; return how many columns there are."""
    if place[column] < 0:
        place[column] = n
        columns[n] = column
        n += 1
    vector[place[column]] += value
    return n


@njit(**INNER)
def _product(corr, columns, one, other):
    """Return one' R other."""
    total = 0.0
    for a in range(columns.size):
        row = 0.0
        for b in range(columns.size):
            row += corr[columns[a], columns[b]] * other[b]
        total += one[a] * row
    return total


@njit(**INNER)
def _of_residuals(latent, columns, one, other):
    """Return what `looseness.of_residuals` returns; the vectors are scaled."""
    n, corr = columns.size, latent.corr
    rooms = _product(corr, columns, one, one), _product(corr, columns, other, other)
    if min(rooms) <= COLLINEAR:
        return np.inf
    for a in range(n):
        one[a] /= sqrt(rooms[0])
        other[a] /= sqrt(rooms[1])
    related = _product(corr, columns, one, other)
    left = 1.0 - related**2
    if left <= COLLINEAR:
        return 1.0
    counts, scores = np.empty((n, n)), np.empty((n, n))
    wobble = 0.0
    for a in range(n):
        i, unsure = columns[a], 0.0
        for b in range(n):
            j = columns[b]
            change = one[a] * other[b] + other[a] * one[b]
            change = (change - related * (one[a] * one[b] + other[a] * other[b])) / 2.0
            unsure += change * ((a == b) - corr[i, j])
            counts[a, b] = change * latent.looseness[i, j]
            scores[a, b] = latent.scores[i, j]
        wobble += unsure**2 * latent.doubt[i]
        counts[a, a] = 0.0
        for b in range(n):
            if b != a:
                counts[a, a] -= counts[a, b] * scores[a, b]
    return (2.0 * _squares(counts, scores) + 4.0 * wobble) / left**2


@njit(**INNER)
def _squares(counts, scores):
    """Return the trace of the square of a product."""
    n, total = len(counts), 0.0
    seen = np.zeros((n, n))
    for a in range(n):
        for c in range(n):
            for b in range(n):
                seen[a, b] += counts[a, c] * scores[c, b]
    for a in range(n):
        for b in range(n):
            total += seen[a, b] * seen[b, a]
    return total
