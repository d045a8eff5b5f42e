"""Neighbours and tests from correlations behind scores (`hedgerow.method.noisy`), compiled.

The innermost loops are over the variables that a node is tested against, so that the compiler can
take several at a time.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._small import solve
from hedgerow.method.latent import Latent
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.method.noisy import CLEAR, TRIED

Array = NDArray[np.float64]

_AT_ONCE = 128  # variables that a node is tested against


class Fits(NamedTuple):
    """What is found for each node; row i of the first two has ``sizes[i]`` entries that count."""

    chosen: NDArray[np.int64]  # variables, in ascending order
    coefficients: Array  # of the node on them
    sizes: NDArray[np.int64]
    residual: Array  # share of the node's variance that is not explained
    spread: Array  # that and its noise
    tests: Array  # (3, p, p); the partial correlations of `Refit`, and how sure, as in `Sure`


class Left(NamedTuple):
    """What some variables leave of all, and room for more."""

    coefficients: Array  # (d, p); of every variable on those that are given
    variance: Array  # (p,); left, as is ...
    noise: Array  # (p,); ... that of noise
    usable: NDArray[np.bool_]  # (p,); whether something is left for sure
    strength: Array  # (p,); of a relation
    tried: NDArray[np.int64]


@njit(**IN_ORDER)
def refit_nodes(first, last, latent, n_rows, thresholds, hubs, found):
    """Choose the neighbours of some nodes, and test these against all variables given them."""
    p = latent.noise.size
    left, all_others = _room(p, thresholds.size), np.empty(p, np.int64)
    for node in range(first, last):
        size = _select(latent, node, n_rows, thresholds, hubs, found.chosen[node], left)
        found.sizes[node] = size
        chosen = found.chosen[node, :size]
        _sort(chosen)
        _leave(latent, chosen, n_rows, left)
        found.residual[node] = max(left.variance[node], COLLINEAR)
        found.spread[node] = found.residual[node] + left.noise[node]
        for a in range(size):
            found.coefficients[node, a] = left.coefficients[a, node]
        n_others = _others(node, chosen, all_others)
        for start in range(0, n_others, _AT_ONCE):
            others = all_others[start : min(start + _AT_ONCE, n_others)]
            _write(_tested(latent, left, node, others, chosen), node, others, found)
        for a in range(size):
            rest = _without(chosen, a)
            _leave(latent, rest, n_rows, left)
            one = chosen[a : a + 1]
            _write(_tested(latent, left, node, one, rest), node, one, found)


@njit(**INNER)
def _write(tested, node, others, found):
    for k in range(3):
        for t in range(others.size):
            found.tests[k, node, others[t]] = tested[k, t]


@njit(**IN_ORDER)
def weaken_nodes(first, last, latent, n_rows, thresholds, starts, neighbours, partial, given):
    """Overwrite results of neighbours for which another variable could stand in."""
    left = _room(latent.noise.size, thresholds.size)
    for i in range(first, last):
        chosen = neighbours[starts[i] : starts[i + 1]]
        for a in range(chosen.size):
            j, rest = chosen[a], _without(chosen, a)
            _leave(latent, rest, n_rows, left)
            tried = left.tried[: _strongest(latent, left, i, rest, chosen)]
            passes = _passes(latent, left, i, tried, rest, n_rows, thresholds)
            remains = _given_one_more(latent, left, i, j, tried, rest)
            own = partial[i, j]
            weakest = abs(own)
            for t in range(tried.size):
                if passes[t]:
                    weakest = min(weakest, max(np.sign(own) * remains[t], 0.0))
            if weakest < abs(own):
                partial[i, j] = np.sign(own) * weakest
                given[i, j] += 1


@njit(**IN_ORDER)
def both_of_pairs(first, last, latent, n_rows, starts, neighbours, pairs, partial, given):
    """Write results of some pairs given both nodes' neighbours: the weaker of two ways."""
    for t in range(first, last):
        columns = _with_theirs(pairs[:, t], starts, neighbours)
        few = _part(latent, columns)
        theirs = np.arange(2, columns.size)
        partial[t], given[t] = 0.0, theirs.size
        if _determined(few.corr[2:, 2:].copy()):
            continue
        left = _room(columns.size, theirs.size)
        _leave(few, theirs, n_rows, left)
        one = _tested(few, left, 0, np.array([1]), theirs)[0, 0]
        other = _tested(few, left, 1, np.array([0]), theirs)[0, 0]
        partial[t] = other if abs(other) < abs(one) else one


@njit(**INNER)
def _determined(left):
    """Return whether one of some variables is determined by those before it; overwrites."""
    for k in range(left.shape[0]):
        if abs(left[k, k]) <= COLLINEAR:
            return True
        for a in range(k + 1, left.shape[0]):
            factor = left[a, k] / left[k, k]
            for b in range(k + 1, left.shape[0]):
                left[a, b] -= factor * left[k, b]
    return False


@njit(**INNER)
def _with_theirs(pair, starts, neighbours):
    """Return two nodes, and then the neighbours of either in ascending order."""
    i, j = pair
    a, b = starts[i], starts[j]
    columns = np.empty(2 + starts[i + 1] - a + starts[j + 1] - b, np.int64)
    columns[0], columns[1] = i, j
    size = 2
    while a < starts[i + 1] or b < starts[j + 1]:
        if b == starts[j + 1] or (a < starts[i + 1] and neighbours[a] <= neighbours[b]):
            k = neighbours[a]
            b += b < starts[j + 1] and neighbours[b] == k
            a += 1
        else:
            k = neighbours[b]
            b += 1
        if k != i and k != j:
            columns[size] = k
            size += 1
    return columns[:size]


@njit(**INNER)
def _part(latent, columns):
    """Return what lies behind some columns."""
    n = columns.size
    scores, corr, looseness = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    for a in range(n):
        for b in range(n):
            i, j = columns[a], columns[b]
            scores[a, b], corr[a, b] = latent.scores[i, j], latent.corr[i, j]
            looseness[a, b] = latent.looseness[i, j]
    noise, doubt, skew = latent.noise[columns], latent.doubt[columns], latent.skew[columns]
    return Latent(scores, corr, looseness, noise, doubt, skew)


@njit(**INNER)
def _room(n_columns, most):
    """Return room for what up to so many variables leave."""
    return Left(
        np.empty((most, n_columns)),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns, np.bool_),
        np.empty(n_columns),
        np.empty(TRIED, np.int64),
    )


@njit(**INNER)
def _others(node, chosen, others):
    """Write all variables but the node and those chosen; return how many."""
    size, a = 0, 0
    for j in range(others.size):
        if a < chosen.size and chosen[a] == j:
            a += 1
        elif j != node:
            others[size] = j
            size += 1
    return size


@njit(**INNER)
def _without(chosen, a):
    """Return all but one."""
    rest = np.empty(chosen.size - 1, np.int64)
    for b in range(rest.size):
        rest[b] = chosen[b] if b < a else chosen[b + 1]
    return rest


@njit(**INNER)
def _sort(values):
    """Sort a few numbers by insertion."""
    for a in range(1, values.size):
        value, b = values[a], a
        while b > 0 and values[b - 1] > value:
            values[b] = values[b - 1]
            b -= 1
        values[b] = value


@njit(**INNER)
def _select(latent, node, n_rows, thresholds, hubs, chosen, left):
    """Write the variables chosen for a node, hubs and then others; return their number."""
    for step in range(thresholds.size):
        given = chosen[:step]
        _leave(latent, given, n_rows, left)
        if step and not left.usable[node]:
            return step
        hub = _waiting(node, hubs, given, left)
        if hub >= 0:
            chosen[step] = hub
            continue
        tried = left.tried[: _strongest(latent, left, node, given, given)]
        passes = _passes(latent, left, node, tried, given, n_rows, thresholds)
        most = -1.0
        for t in range(tried.size):
            covariance = _covariance(latent, left, node, tried[t], given)
            strength = covariance**2 / left.variance[tried[t]]
            if passes[t] and strength > most:
                chosen[step], most = tried[t], strength
        if most < 0.0:
            return step
    return thresholds.size


@njit(**INNER)
def _waiting(node, hubs, chosen, left):
    """Return the first hub that is not chosen yet and can be; -1 if there is none."""
    for j in hubs:
        if j != node and left.usable[j]:
            known = False
            for a in range(chosen.size):
                known |= chosen[a] == j
            if not known:
                return j
    return -1


@njit(**INNER)
def _passes(latent, left, node, tried, given, n_rows, thresholds):
    """Return which variables pass the threshold of forward selection."""
    squared = _tested(latent, left, node, tried, given)[0] ** 2
    freedom = n_rows - 3.0 - given.size
    return squared * freedom > thresholds[given.size] ** 2 * (1.0 - squared)


@njit(**INNER)
def _leave(latent, chosen, n_rows, left):
    """Write what the chosen variables leave of all."""
    corr, coefficients = latent.corr, left.coefficients
    variance, noise = left.variance, left.noise
    matrix = np.empty((chosen.size, chosen.size))
    for a in range(chosen.size):
        for b in range(chosen.size):
            matrix[a, b] = corr[chosen[a], chosen[b]]
        for j in range(noise.size):
            coefficients[a, j] = corr[chosen[a], j]
    solve(matrix, coefficients)
    for j in range(noise.size):
        variance[j], noise[j] = 1.0, latent.noise[j]
    for a in range(chosen.size):
        row, beside = corr[chosen[a]], latent.noise[chosen[a]]
        for j in range(noise.size):
            variance[j] -= row[j] * coefficients[a, j]
            noise[j] += beside * coefficients[a, j] ** 2
    unsure = CLEAR * sqrt(2.0 / n_rows)
    for j in range(noise.size):
        error = unsure * (max(variance[j], 0.0) + noise[j]) if noise[j] > 0.0 else 0.0
        left.usable[j] = variance[j] > max(error, COLLINEAR)


@njit(**INNER)
def _covariance(latent, left, i, j, given):
    """Return what is left of the correlation of two variables."""
    result = latent.corr[i, j]
    for a in range(given.size):
        result -= latent.corr[i, given[a]] * left.coefficients[a, j]
    return result


@njit(**INNER)
def _strongest(latent, left, node, given, but):
    """Write the variables that a node is most related to, the first guess first; return how many.

    None is the node itself, or one of some others.
    """
    strength, tried = left.strength, left.tried
    for j in range(strength.size):
        strength[j] = latent.corr[node, j]
    for a in range(given.size):
        own = latent.corr[node, given[a]]
        for j in range(strength.size):
            strength[j] -= own * left.coefficients[a, j]
    for j in range(strength.size):
        room = max(left.variance[j] + left.noise[j], COLLINEAR)
        strength[j] = strength[j] ** 2 / room if left.usable[j] else 0.0
    strength[node] = 0.0
    for a in range(but.size):
        strength[but[a]] = 0.0
    size = 0
    for j in range(strength.size):
        if strength[j] > 0.0 and (size < TRIED or strength[j] > strength[tried[size - 1]]):
            size = min(size + 1, TRIED)
            a = size - 1
            while a > 0 and strength[tried[a - 1]] < strength[j]:
                tried[a] = tried[a - 1]
                a -= 1
            tried[a] = j
    return size


@njit(**INNER)
def _tested(latent, left, node, others, given):
    """Return partial correlations of a node with others, and how much less sure they are."""
    n, size = 2 + given.size, others.size
    index, one, other = np.empty((n, size), np.int64), np.empty((n, size)), np.empty((n, size))
    covariance, by = np.empty(size), np.empty(size)
    for t in range(size):
        j = others[t]
        covariance[t] = _covariance(latent, left, node, j, given)
        variance = max(left.variance[j], COLLINEAR)
        slope = covariance[t] / variance if left.usable[j] else 0.0
        by[t] = slope * variance
        index[0, t], one[0, t], other[0, t] = node, 1.0, 0.0
        index[1, t], one[1, t], other[1, t] = j, -slope, 1.0
        for a in range(given.size):
            their = left.coefficients[a, j]
            index[2 + a, t], other[2 + a, t] = given[a], -their
            one[2 + a, t] = slope * their - left.coefficients[a, node]
    spread = _spread(latent, index, one, other, covariance, by)
    result = np.empty((3, size))
    for t in range(size):
        j = others[t]
        variance = max(left.variance[j], COLLINEAR)
        known = left.variance[node] + one[1, t] * covariance[t]
        own, shared = 0.0, 0.0
        for a in range(n):
            noise = latent.noise[index[a, t]]
            own += noise * one[a, t] ** 2
            shared += noise * one[a, t] * other[a, t]
        free = (max(known, 0.0) + own) * (variance + left.noise[j]) + shared**2
        result[0, t] = _partial(covariance[t], spread[t])
        result[1, t] = spread[t] / (max(known, COLLINEAR) * variance)
        result[2, t] = spread[t] / max(free, COLLINEAR**2)
    return result


@njit(**INNER)
def _partial(covariance, spread):
    strength = covariance / sqrt(spread)
    return strength / sqrt(1.0 + strength**2)


@njit(**INNER)
def _given_one_more(latent, left, i, j, more, given):
    """Return the partial correlation of i and j given one more variable, for each of some."""
    n, size = 3 + given.size, more.size
    index, one, other = np.empty((n, size), np.int64), np.empty((n, size)), np.empty((n, size))
    covariance, by = np.empty(size), np.empty(size)
    between = _covariance(latent, left, i, j, given)
    for t in range(size):
        first = _covariance(latent, left, i, more[t], given)
        second = _covariance(latent, left, j, more[t], given)
        room = max(left.variance[more[t]], COLLINEAR)
        of_i, of_j = first / room, second / room  # coefficients on the one more
        covariance[t] = between - of_i * second
        variance = left.variance[j] - of_j * second
        slope = covariance[t] / max(variance, COLLINEAR) if left.usable[j] else 0.0
        by[t] = slope * variance
        index[0, t], one[0, t], other[0, t] = i, 1.0, 0.0
        index[1, t], one[1, t], other[1, t] = j, -slope, 1.0
        index[2, t], one[2, t], other[2, t] = more[t], slope * of_j - of_i, -of_j
        for a in range(given.size):
            their = left.coefficients[a, more[t]]
            vector = of_j * their - left.coefficients[a, j]
            index[3 + a, t], other[3 + a, t] = given[a], vector
            one[3 + a, t] = of_i * their - left.coefficients[a, i] - slope * vector
    spread = _spread(latent, index, one, other, covariance, by)
    for t in range(size):
        covariance[t] = _partial(covariance[t], spread[t])
    return covariance


@njit(**INNER)
def _spread(latent, index, one, other, before, by):
    """Return the variances of one' R other, times the number of rows (`noisy._spread`)."""
    n, size = index.shape
    counts, scores = np.zeros((n, n, size)), np.empty((n, n, size))
    for a in range(n):
        for t in range(size):
            scores[a, a, t] = 1.0
        for b in range(a):
            for t in range(size):
                i, j = index[a, t], index[b, t]
                both = one[a, t] * other[b, t] + one[b, t] * other[a, t]
                counts[a, b, t] = counts[b, a, t] = both / 2.0 * latent.looseness[i, j]
                scores[a, b, t] = scores[b, a, t] = latent.scores[i, j]
                counts[a, a, t] -= counts[a, b, t] * scores[a, b, t]
                counts[b, b, t] -= counts[a, b, t] * scores[a, b, t]
    result, seen, across = np.zeros(size), np.empty(size), np.empty(size)
    for t in range(size):
        counts[0, 0, t] += before[t] / 2.0
        counts[1, 1, t] -= by[t] / 2.0
        for a in range(n):
            result[t] += 4.0 * (one[a, t] * other[a, t]) ** 2 * latent.doubt[index[a, t]]
    for a in range(n):
        for b in range(a + 1):
            _product(counts[a], scores[b], seen)
            _product(counts[b], scores[a], across)
            twice = 2.0 if a == b else 4.0
            for t in range(size):
                result[t] += twice * seen[t] * across[t]
    for t in range(size):
        result[t] = max(result[t], COLLINEAR**2)
    return result


@njit(**INNER)
def _product(rows, columns, total):
    """Write products of vectors, of which there are several side by side."""
    for t in range(total.size):
        total[t] = rows[0, t] * columns[0, t]
    for c in range(1, rows.shape[0]):
        for t in range(total.size):
            total[t] += rows[c, t] * columns[c, t]
