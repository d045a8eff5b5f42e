"""Neighbours and scores of one yes-or-no column, compiled."""

from math import copysign, exp, sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._ising_logistic import (
    cells,
    conditional_score,
    margin,
    null_fit,
    solve,
)
from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.ising_logistic import PRIOR
from hedgerow.method.ising_neighbours import LEAST_VARIANCE, LOOKS, STANDS_IN, WORTH_A_LOOK

_PANEL = 1024  # columns counted at a time
_BYTE = 255


@njit(**IN_ORDER)
def regress(columns, node, given):
    """Return the coefficients of a node on the given columns, that of the constant first."""
    cell, design = cells(columns, given)
    return null_fit(cell, design, columns[node])[1]


@njit(**INNER)
def _score(columns, node, other, given):
    cell, design = cells(columns, given)
    _, best, value, lower = null_fit(cell, design, columns[node])
    return conditional_score(cell, design, columns[other], columns[node], best, value, lower)


@njit(**IN_ORDER)
def choose(rows, columns, node, proposals, limit, most):
    """Return a node's neighbours, each significant at ``limit`` given the others.

    The second result are scores of all variables given these, or none if they are not known.
    """
    chosen = np.empty(0, np.int64)
    scores = np.empty(0)
    for other in proposals[:most]:
        if abs(_score(columns, node, other, chosen)) <= limit:
            break
        chosen = np.append(chosen, other)
    while chosen.size < most:
        found, scores = _next(rows, columns, node, chosen, limit)
        if found < 0:
            break
        chosen, scores = np.append(chosen, found), np.empty(0)
    while chosen.size:
        weakest, least = 0, np.inf
        for a in range(chosen.size):
            score = abs(_score(columns, node, chosen[a], np.delete(chosen, a)))
            if score < least:
                weakest, least = a, score
        if least > limit:
            break
        chosen, scores = np.delete(chosen, weakest), np.empty(0)
    return np.sort(chosen), scores


@njit(**INNER)
def _next(rows, columns, node, chosen, limit):
    cell, design = cells(columns, chosen)
    _, best, value, lower = null_fit(cell, design, columns[node])
    signed = _scores(rows, columns[node], cell, design, best, lower)
    scores = np.abs(signed)
    scores[node] = 0.0
    for other in chosen:
        scores[other] = 0.0
    for _ in range(LOOKS):
        other = np.argmax(scores)
        if scores[other] <= WORTH_A_LOOK * limit:
            break
        score = conditional_score(cell, design, columns[other], columns[node], best, value, lower)
        if abs(score) > limit:
            return other, signed
        scores[other] = 0.0
    return -1, signed


@njit(**IN_ORDER)
def scores_of_all(rows, columns, node, given):
    """Return the score of every variable in a node's regression on the given ones."""
    cell, design = cells(columns, given)
    _, best, _, lower = null_fit(cell, design, columns[node])
    return _scores(rows, columns[node], cell, design, best, lower)


@njit(**INNER)
def _scores(rows, y, cell, design, best, lower):
    """Return the scores of all columns, some at a time: ones are counted in each cell."""
    n_columns = rows.shape[1]
    n_cells, n = design.shape
    result = np.zeros(n_columns)
    share = np.empty(n_cells)
    for c in range(n_cells):
        share[c] = 1.0 / (1.0 + exp(-margin(design, c, best)))
    for start in range(0, n_columns, _PANEL):
        stop = min(start + _PANEL, n_columns)
        ones = _count_ones(rows[:, start:stop], cell, y, n_cells)
        for j in range(stop - start):
            surplus, variance = 0.0, 0.0
            with_design = np.zeros(n)
            for c in range(n_cells):
                count = ones[2 * c, j] + ones[2 * c + 1, j]
                weight = share[c] * (1.0 - share[c]) * count
                surplus += ones[2 * c + 1, j] - share[c] * count
                variance += weight
                for a in range(n):
                    with_design[a] += weight * design[c, a]
            known = solve(lower, with_design)
            for a in range(n):
                variance -= known[a] * with_design[a]
            if variance > LEAST_VARIANCE and abs(surplus) > 0.5:
                result[start + j] = copysign(abs(surplus) - 0.5, surplus) / sqrt(variance)
    return result


@njit(**INNER)
def _count_ones(rows, cell, y, n_cells):
    """Return how many rows of each cell, without y and with it, have a one in each column.

    Rows are added up as bytes, which is many at a time, and never more than a byte can hold.
    """
    n_columns = rows.shape[1]
    bytes_ = np.zeros((2 * n_cells, n_columns), np.uint8)
    added = np.zeros(2 * n_cells, np.int32)
    result = np.zeros((2 * n_cells, n_columns), np.int32)
    for t in range(rows.shape[0]):
        c = 2 * cell[t] + y[t]
        row, some = rows[t], bytes_[c]
        for j in range(n_columns):
            some[j] += row[j]
        added[c] += 1
        if added[c] == _BYTE:
            for j in range(n_columns):
                result[c, j] += some[j]
                some[j] = 0
            added[c] = 0
    for c in range(2 * n_cells):
        for j in range(n_columns):
            result[c, j] += bytes_[c, j]
    return result


@njit(**IN_ORDER)
def score_given(columns, node, other, given, doubtful):
    """Return the score of one variable given some others, and given any that stand in for it."""
    cell, design = cells(columns, given)
    y, x = columns[node], columns[other]
    _, best, value, lower = null_fit(cell, design, y)
    score = conditional_score(cell, design, x, y, best, value, lower)
    careful = score
    for third in doubtful:
        if _shared(cell, design, best, lower, x, columns[third]) > STANDS_IN:
            again = _score(columns, node, other, np.append(given, third))
            if abs(again) < abs(careful):
                careful = again
    return score, careful


@njit(**INNER)
def _shared(cell, design, best, lower, x, third):
    """Return the squared correlation of two variables given the design, weighed by information."""
    n_cells, n = design.shape
    ones = np.zeros((n_cells, 3))
    for t in range(cell.size):
        ones[cell[t], 0] += x[t]
        ones[cell[t], 1] += third[t]
        ones[cell[t], 2] += x[t] * third[t]
    first, second, together = 0.0, 0.0, 0.0
    with_design = np.zeros((2, n))
    for c in range(n_cells):
        share = 1.0 / (1.0 + exp(-margin(design, c, best)))
        weight = share * (1.0 - share)
        first += weight * ones[c, 0]
        second += weight * ones[c, 1]
        together += weight * ones[c, 2]
        for a in range(n):
            with_design[0, a] += weight * ones[c, 0] * design[c, a]
            with_design[1, a] += weight * ones[c, 1] * design[c, a]
    known = solve(lower, with_design[0])
    others = solve(lower, with_design[1])
    for a in range(n):
        first -= known[a] * with_design[0, a]
        second -= others[a] * with_design[1, a]
        together -= known[a] * with_design[1, a]
    return together * together / max(first * second, PRIOR * PRIOR)
