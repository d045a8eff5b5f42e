"""Neighbours and scores of one yes-or-no column, compiled."""

from math import copysign, exp, sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._ising_cells import bit, cells, counted, designed
from hedgerow.engines.numba_cpu._ising_logistic import conditional_score, margin, null_fit, solve
from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.ising_logistic import PRIOR
from hedgerow.method.ising_neighbours import LEAST_VARIANCE, LOOKS, STANDS_IN, WORTH_A_LOOK

_BYTE = 255


@njit(**IN_ORDER)
def regress(words, n_rows, node, given):
    """Return the coefficients of a node on the given columns, that of the constant first."""
    design, count = counted(words, n_rows, given, node, node)
    return null_fit(design, count[:, 0], count[:, 2])[0]


@njit(**INNER)
def _score(words, n_rows, node, other, given):
    design, count = counted(words, n_rows, given, other, node)
    return conditional_score(design, count, *null_fit(design, count[:, 0], count[:, 2]))


@njit(**IN_ORDER)
def choose(rows, words, node, proposals, limit, most, scores):
    """Return a node's neighbours, each significant at ``limit`` given the others.

    The second result is whether ``scores`` now has those of all variables given these.
    """
    n_rows = rows.shape[0]
    chosen, known = np.empty(0, np.int64), False
    for other in proposals[:most]:
        if abs(_score(words, n_rows, node, other, chosen)) <= limit:
            break
        chosen = np.append(chosen, other)
    while chosen.size < most:
        found, known = _next(rows, words, node, chosen, limit, scores), True
        if found < 0:
            break
        chosen, known = np.append(chosen, found), False
    while chosen.size:
        weakest, least = 0, np.inf
        for a in range(chosen.size):
            score = abs(_score(words, n_rows, node, chosen[a], np.delete(chosen, a)))
            if score < least:
                weakest, least = a, score
        if least > limit:
            break
        chosen, known = np.delete(chosen, weakest), False
    return np.sort(chosen), known


@njit(**INNER)
def _next(rows, words, node, chosen, limit, scores):
    """Return the variable that is most related to a node given those chosen, or -1."""
    _scores_of_all(rows, words, node, chosen, scores)
    left = np.abs(scores)
    left[node] = 0.0
    for other in chosen:
        left[other] = 0.0
    for _ in range(LOOKS):
        other = np.argmax(left)
        if left[other] <= WORTH_A_LOOK * limit:
            break
        if abs(_score(words, rows.shape[0], node, other, chosen)) > limit:
            return other
        left[other] = 0.0
    return -1


@njit(**IN_ORDER)
def scores_of_all(rows, words, node, given, scores):
    """Write the score of every variable in a node's regression on the given ones."""
    _scores_of_all(rows, words, node, given, scores)


@njit(**INNER)
def _scores_of_all(rows, words, node, given, scores):
    n_rows, n_columns = rows.shape
    cell, patterns = cells(words, n_rows, given)
    design = designed(patterns, given.size)
    order, ends = _sorted(cell, words[node], patterns.size)
    size, ones = np.empty(patterns.size), np.empty(patterns.size)
    for c in range(patterns.size):
        start = ends[2 * c - 1] if c else 0
        size[c], ones[c] = ends[2 * c + 1] - start, ends[2 * c + 1] - ends[2 * c]
    best, _, lower = null_fit(design, size, ones)
    surplus, variance = np.zeros(n_columns), np.zeros(n_columns)
    with_design = np.zeros((design.shape[1], n_columns))
    count = np.empty((2, n_columns), np.int32)
    start = 0
    for c in range(patterns.size):
        share = 1.0 / (1.0 + exp(-margin(design, c, best)))
        for y in range(2):
            _count_ones(rows, order[start : ends[2 * c + y]], count[y])
            start = ends[2 * c + y]
        for j in range(n_columns):
            surplus[j] += count[1, j] - share * (count[0, j] + count[1, j])
        for a in range(design.shape[1]):
            weight = share * (1.0 - share) * design[c, a]
            if weight > 0.0:
                _add(count, weight, with_design[a])
    variance[:] = with_design[0]
    _subtract_known(lower, with_design, variance)
    for j in range(n_columns):
        scores[j] = 0.0
        if variance[j] > LEAST_VARIANCE and abs(surplus[j]) > 0.5:
            scores[j] = copysign(abs(surplus[j]) - 0.5, surplus[j]) / sqrt(variance[j])


@njit(**INNER)
def _sorted(cell, y, n_cells):
    """Return rows in the order of their cells, without y and then with it, and where these end."""
    ends = np.zeros(2 * n_cells + 1, np.int64)
    place = np.empty(cell.size, np.int32)
    for t in range(cell.size):
        place[t] = 2 * cell[t] + bit(y, t)
        ends[place[t] + 1] += 1
    for c in range(2 * n_cells):
        ends[c + 1] += ends[c]
    order = np.empty(cell.size, np.int64)
    for t in range(cell.size):
        order[ends[place[t]]] = t
        ends[place[t]] += 1
    return order, ends[:-1]


@njit(**INNER)
def _add(count, weight, total):
    for j in range(total.size):
        total[j] += weight * (count[0, j] + count[1, j])


@njit(**INNER)
def _subtract_known(lower, right, variance):
    """Subtract from each variance the square of the column, over the matrix of this factor."""
    for a in range(lower.shape[0]):
        for b in range(a):
            for j in range(variance.size):
                right[a, j] -= lower[a, b] * right[b, j]
        for j in range(variance.size):
            right[a, j] /= lower[a, a]
            variance[j] -= right[a, j] ** 2


@njit(**INNER)
def _count_ones(rows, some, result):
    """Write how many of some rows have a one in each column.

    Rows are added up as bytes, which is many at a time, and never more than a byte can hold.
    """
    n_columns = rows.shape[1]
    result[:] = 0
    bytes_ = np.zeros(n_columns, np.uint8)
    for start in range(0, some.size, _BYTE):
        stop = min(start + _BYTE, some.size)
        whole = stop - (stop - start) % 4
        for k in range(start, whole, 4):
            a, b, c, d = rows[some[k]], rows[some[k + 1]], rows[some[k + 2]], rows[some[k + 3]]
            for j in range(n_columns):
                bytes_[j] += a[j] + b[j] + c[j] + d[j]
        for k in range(whole, stop):
            row = rows[some[k]]
            for j in range(n_columns):
                bytes_[j] += row[j]
        for j in range(n_columns):
            result[j] += bytes_[j]
            bytes_[j] = 0


@njit(**IN_ORDER)
def score_given(words, n_rows, node, other, given, doubtful):
    """Return the score of one variable given some others, and given any that stand in for it."""
    design, count = counted(words, n_rows, given, other, node)
    best, value, lower = null_fit(design, count[:, 0], count[:, 2])
    score = conditional_score(design, count, best, value, lower)
    careful = score
    for third in doubtful:
        _, shared = counted(words, n_rows, given, other, third)
        if _shared(design, shared, best, lower) > STANDS_IN:
            again = _score(words, n_rows, node, other, np.append(given, third))
            if abs(again) < abs(careful):
                careful = again
    return score, careful


@njit(**INNER)
def _shared(design, count, best, lower):
    """Return the squared correlation of two variables given the design, weighed by information."""
    n_cells, n = design.shape
    total, with_design = np.zeros(3), np.zeros((2, n))
    for c in range(n_cells):
        share = 1.0 / (1.0 + exp(-margin(design, c, best)))
        weight = share * (1.0 - share)
        for k in range(3):
            total[k] += weight * count[c, k + 1]
        for k in range(2):
            for a in range(n):
                with_design[k, a] += weight * count[c, k + 1] * design[c, a]
    known, others = solve(lower, with_design[0]), solve(lower, with_design[1])
    for a in range(n):
        total[0] -= known[a] * with_design[0, a]
        total[1] -= others[a] * with_design[1, a]
        total[2] -= known[a] * with_design[1, a]
    return total[2] ** 2 / max(total[0] * total[1], PRIOR * PRIOR)
