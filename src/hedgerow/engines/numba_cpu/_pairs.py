"""From two scores of a pair to one, and exact values for the pairs that may be edges."""

from math import sqrt

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._company import with_joined
from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._scores import score
from hedgerow.engines.numba_cpu._small import correlations, inverse
from hedgerow.method.neighbours import COLLINEAR


@njit(**IN_ORDER)
def keep_given_fewer(first, last, sizes, scores, codes):
    """Keep above the diagonal the score given the neighbours of the node that has fewer.

    Rows ``first`` to ``last``; of equally many, the weaker (``edges.given_fewer``). Codes likewise.
    """
    for start in range(first, sizes.size, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, sizes.size)):
                other = scores[j, i]
                weaker = abs(other) <= abs(scores[i, j])
                if sizes[j] < sizes[i] or (sizes[j] == sizes[i] and weaker):
                    scores[i, j] = other
                    codes[i, j], codes[j, i] = codes[j, i], codes[i, j]
                codes[i, j] = with_joined(codes[i, j], codes[j, i])


@njit(**IN_ORDER)
def scores_given_both(first, last, products, per_scale, n_rows, curves, found, scores):
    """Write above the diagonal the scores of the debiased statistic that the refit gives."""
    p = per_scale.size
    residual = np.empty(p)
    for i in range(first, last):
        _residual_covariances(i, products, per_scale, found, residual)
        for j in range(i + 1, p):
            value = residual[j]
            for k in range(found.sizes[j]):
                value -= found.coefficients[j, k] * residual[found.chosen[j, k]]
            used = max(found.sizes[i], found.sizes[j])
            r = _with_own_coefficient(value, i, j, found)
            scores[i, j] = score(r, max(n_rows - 2.0 - used, 1.0), curves[used])


@njit(**INNER)
def _residual_covariances(i, products, per_scale, found, result):
    """Write the covariance of node i's residual with every variable, less its own variance."""
    for j in range(per_scale.size):
        result[j] = products[i, j] * (per_scale[i] * per_scale[j])
    for k in range(found.sizes[i]):
        l = found.chosen[i, k]
        factor = found.coefficients[i, k] * per_scale[l]
        for j in range(per_scale.size):
            result[j] -= products[l, j] * (factor * per_scale[j])
    result[i] -= found.variance[i]


@njit(inline="always", **INNER)
def _with_own_coefficient(value, i, j, found):
    """Return the statistic of a pair from the part that does not know i's weight for j."""
    for k in range(found.sizes[i]):
        if found.chosen[i, k] == j:
            value += found.coefficients[i, k] * found.variance[j]
    return min(max(value / sqrt(found.variance[i] * found.variance[j]), -1.0), 1.0)


@njit(**IN_ORDER)
def estimates(sources, targets, products, per_scale, found):
    """Return the debiased statistic (``edges.debiased``) of some pairs."""
    result = np.empty(sources.size)
    for n in range(sources.size):
        i, j = sources[n], targets[n]
        value = _left_of(i, j, products, per_scale, found)
        for k in range(found.sizes[j]):
            l = found.chosen[j, k]
            left = _left_of(i, l, products, per_scale, found)
            if l == i:
                left -= found.variance[i]
            value -= found.coefficients[j, k] * left
        result[n] = _with_own_coefficient(value, i, j, found)
    return result


@njit(**INNER)
def _left_of(i, j, products, per_scale, found):
    """Return the covariance of node i's residual with variable j."""
    value = products[i, j] * (per_scale[i] * per_scale[j])
    for k in range(found.sizes[i]):
        l = found.chosen[i, k]
        value -= found.coefficients[i, k] * (products[l, j] * (per_scale[l] * per_scale[j]))
    return value


@njit(**IN_ORDER)
def partial_correlations(nodes, others, products, per_scale, found):
    """Return each node's partial correlation with another given its neighbours but that one.

    The second result is the number of variables that were given.
    """
    values, given = np.empty(nodes.size), np.empty(nodes.size, np.int64)
    for n in range(nodes.size):
        node, other = nodes[n], others[n]
        chosen = found.chosen[node, : found.sizes[node]]
        at = 0
        while at < chosen.size and chosen[at] != other:
            at += 1
        given[n] = chosen.size
        if at < chosen.size:
            values[n] = found.partial[node, at]
            given[n] -= 1 - found.stands_in[node, at]
        else:
            values[n] = _not_among(node, other, chosen, products, per_scale, found)
    return values, given


@njit(inline="always", **INNER)
def _not_among(node, other, chosen, products, per_scale, found):
    inverted = inverse(correlations(products, per_scale, chosen))
    related = np.empty(chosen.size)
    for a in range(chosen.size):
        related[a] = products[chosen[a], other] * (per_scale[chosen[a]] * per_scale[other])
    covariance = products[node, other] * (per_scale[node] * per_scale[other])
    variance = 1.0
    for a in range(chosen.size):
        covariance -= found.coefficients[node, a] * related[a]
        for b in range(chosen.size):
            variance -= related[a] * inverted[a, b] * related[b]
    if variance <= COLLINEAR:
        return 0.0
    return min(max(covariance / sqrt(variance * found.residual[node]), -1.0), 1.0)
