"""The evidence for each neighbour of a node: fractional marginal pseudo-likelihood.

Node i's likelihood given its neighbours N is integrated over its regression weights and residual
variance, with the prior σ^(-2(k + 1)) for k neighbours made proper by one n-th of the likelihood:

    log L(k, v) = ln Γ((n + k) / 2) - ln Γ((k + 1) / 2) - (k + 1/2) ln n - (n - 1) / 2 ln v + const

where v is the share of the node's variance that its neighbours leave. Adding or dropping
neighbour j multiplies v by 1 - r² or divides it, with r the partial correlation of i and j
given the other neighbours: all the evidence about j is in r and k.
"""

import numpy as np
from numba import njit
from scipy.special import gammaln

from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array
from hedgerow.rivals._compiled import COMPILED


def gain_by_size(n_rows: int, n_columns: int) -> Array:
    """Return what the k-th neighbour adds to log L apart from the variance, for k = 1, …, p.

    More neighbours than half the rows are ruled out, since they could explain any node.

    Examples
    --------
    >>> gain_by_size(n_rows=100, n_columns=2).round(2)
    array([-2.08, -2.53])
    """
    k = np.arange(n_columns + 1)
    size = gammaln((n_rows + k) / 2) - gammaln((k + 1) / 2) - (k + 0.5) * np.log(n_rows)
    return np.where(k[1:] <= max(1, n_rows // 2), np.diff(size), -np.inf)


@njit(**COMPILED)
def evidence(corr, node, members, gains, n_rows, result):
    """Write the log odds of every variable to be a neighbour, given the other ``members``.

    ``gains[k - 1]`` is what the k-th neighbour adds apart from the variance. Variables that the
    members determine are ruled out: -inf.
    """
    size = members.size
    square = np.empty(len(corr))
    _squared_partial(corr, node, members, square)
    for j in range(len(corr)):
        price = gains[size] if square[j] >= 0.0 else -np.inf
        result[j] = price - 0.5 * (n_rows - 1) * np.log1p(-square[j])
    for j in members:
        result[j] = gains[size - 1] - 0.5 * (n_rows - 1) * np.log1p(-square[j])
    result[node] = 0.0


@njit(**COMPILED)
def _squared_partial(corr, node, members, square):
    """Write the node's squared partial correlations given the members other than the variable.

    Variables that the members determine have none, and get -1.
    """
    p, size = len(corr), members.size
    block, towards = np.empty((size, size)), np.empty(size)
    for a in range(size):
        towards[a] = corr[members[a], node]
        for b in range(size):
            block[a, b] = corr[members[a], members[b]]
    inverse = np.linalg.inv(block)
    weights = np.zeros(size)
    for a in range(size):
        for b in range(size):
            weights[a] += inverse[a, b] * towards[b]
    left = max(1.0 - np.sum(weights * towards), COLLINEAR)
    covariance, variance, partner = corr[node].copy(), np.ones(p), np.empty(p)
    for a in range(size):
        row = corr[members[a]]
        partner[:] = 0.0
        for b in range(size):
            factor, other = inverse[a, b], corr[members[b]]
            for j in range(p):
                partner[j] += factor * other[j]
        for j in range(p):
            covariance[j] -= weights[a] * row[j]
            variance[j] -= partner[j] * row[j]
    largest = 1.0 - COLLINEAR
    for j in range(p):
        usable = variance[j] > COLLINEAR
        square[j] = min(covariance[j] ** 2 / (variance[j] * left), largest) if usable else -1.0
    for a in range(size):
        share = weights[a] ** 2 / (weights[a] ** 2 + inverse[a, a] * left)
        square[members[a]] = min(share, largest)
