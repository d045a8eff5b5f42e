"""Coordinate descent on three losses of a node's margin, with l1 penalties.

A node's margin in a row is z = x_i (h + Σ_j J_j x_j). The losses are the logistic one,
mean log(1 + e^(-2z)), and those of interaction screening, mean e^(-z) and its logarithm. Features
x_i x_j are -1 or 1, so a step of one coupling multiplies e^(-z) by one of two numbers, and no
exponential is taken of a row. For the same reason the best step of interaction screening has a
closed form.
"""

import numpy as np
from numba import njit

from hedgerow.rivals._compiled import COMPILED

LOGISTIC, RISE, LOG_RISE = 0, 1, 2
LOSSES = {"logistic": LOGISTIC, "rise": RISE, "logrise": LOG_RISE}
TOLERANCE = 1e-6  # of couplings
_SWEEPS = 1000
_LARGEST = (
    30.0  # of couplings and fields, where a variable is determined and they would be infinite
)
_LONGEST_STEP = 0.25  # of a sweep on the logistic loss; each is at most twice the last one's


@njit(**COMPILED)
def features_of(signs, node):
    """Return x_i x_j of every row (p, m); of the node itself x_i, whose weight is the field."""
    m, p = signs.shape
    features = np.empty((p, m), dtype=np.int8)
    for j in range(p):
        for k in range(m):
            features[j, k] = signs[k, node] if j == node else signs[k, node] * signs[k, j]
    return features


@njit(**COMPILED)
def odds_of(features, weights, loss):
    """Return e^(-2z), for interaction screening e^(-z), of every row."""
    odds = np.zeros(features.shape[1])
    for j in range(weights.size):
        if weights[j] != 0.0:
            for k in range(odds.size):
                odds[k] -= weights[j] * features[j, k]
    return np.exp(odds * (2.0 if loss == LOGISTIC else 1.0))


@njit(**COMPILED)
def logistic_loss(odds):
    """Return the sum of log(1 + e^(-2z))."""
    return np.log1p(odds).sum()


@njit(**COMPILED)
def _turned(feature, pull):
    """Sum of feature times pull, by four sums side by side, which the processor adds at once."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = pull.size - pull.size % 4
    for k in range(0, whole, 4):
        a += feature[k] * pull[k]
        b += feature[k + 1] * pull[k + 1]
        c += feature[k + 2] * pull[k + 2]
        d += feature[k + 3] * pull[k + 3]
    for k in range(whole, pull.size):
        a += feature[k] * pull[k]
    return (a + b) + (c + d)


@njit(**COMPILED)
def _refresh(odds, loss, pull):
    """Write what pulls at the weights in each row; return the sum that all weights share.

    Of the logistic loss e^(-2z) / (1 + e^(-2z)) and the curvature, which is the same for all
    weights as features are -1 and 1; of interaction screening e^(-z) and its sum.
    """
    total = 0.0
    if loss == LOGISTIC:
        for k in range(odds.size):
            pull[k] = odds[k] / (1.0 + odds[k])
            total += pull[k] * (1.0 - pull[k])
        return 4.0 * total / odds.size
    for k in range(odds.size):
        pull[k] = odds[k]
        total += odds[k]
    return total


@njit(**COMPILED)
def slopes(features, odds):
    """Return the slope of the mean logistic loss in each weight."""
    pull, result = np.empty(odds.size), np.empty(features.shape[0])
    _refresh(odds, LOGISTIC, pull)
    for j in range(result.size):
        result[j] = -2.0 * _turned(features[j], pull) / pull.size
    return result


@njit(**COMPILED)
def _logistic(turned, curvature, rows, weight, penalty, longest):
    """A better weight, no further than ``longest``, on the way to which curvature may grow."""
    slope = -2.0 * turned / rows
    # log σ' has slopes of at most 1: curvature grows by e^(2 longest) at most. It is below 1, too.
    curvature = max(min(curvature * np.exp(2.0 * longest), 1.0), 1e-12)
    target = weight - slope / curvature
    new = np.sign(target) * max(abs(target) - penalty / curvature, 0.0)
    return min(max(new, weight - longest), weight + longest)


@njit(**COMPILED)
def _screened(turned, total, scale, weight, penalty, logarithm):
    """The best weight: of A e^(-d) + B e^d + penalty |weight + d|, or with a logarithm."""
    with_it = max(total + turned, 0.0) / (2.0 * scale)
    against = max(total - turned, 0.0) / (2.0 * scale)
    if logarithm:
        if penalty >= 1.0:
            return 0.0
        middle = 0.5 * np.log(with_it / against)
        above = weight + middle - np.arctanh(penalty)
        below = weight + middle + np.arctanh(penalty)
    else:
        root = np.sqrt(penalty * penalty + 4.0 * with_it * against)
        above = weight + np.log(2.0 * with_it / (penalty + root))
        below = weight + np.log((penalty + root) / (2.0 * against))
    return above if above > 0.0 else below if below < 0.0 else 0.0


@njit(**COMPILED)
def _better(feature, loss, pull, total, weight, penalty, longest):
    """The next value of a weight."""
    turned = _turned(feature, pull)
    if loss == LOGISTIC:
        new = _logistic(turned, total, pull.size, weight, penalty, longest)
    else:
        scale = total if loss == LOG_RISE else float(pull.size)
        new = _screened(turned, total, scale, weight, penalty, loss == LOG_RISE)
    return min(max(new, -_LARGEST), _LARGEST)


@njit(**COMPILED)
def descend(features, loss, penalties, weights, odds):
    """Minimise a loss plus Σ penalties |weights|, from the weights given; in place.

    ``odds`` belong to the weights, as `odds_of` returns them, and follow them. After a sweep over
    all weights, only those that are not zero are swept until they stand still.
    """
    few, longest = False, _LONGEST_STEP
    pull = np.empty(odds.size)
    total = _refresh(odds, loss, pull)
    for _ in range(_SWEEPS):
        largest = 0.0
        for j in range(weights.size):
            if few and weights[j] == 0.0 and penalties[j] > 0.0:
                continue
            new = _better(features[j], loss, pull, total, weights[j], penalties[j], longest)
            step = new - weights[j]
            if step != 0.0:
                weights[j] = new
                largest = max(largest, abs(step))
                size = 2.0 * step if loss == LOGISTIC else step
                less, more = np.exp(-size), np.exp(size)
                for k in range(odds.size):
                    odds[k] *= less if features[j, k] > 0 else more
                total = _refresh(odds, loss, pull)
        longest = min(max(2.0 * largest, 2.0 * TOLERANCE), _LONGEST_STEP)
        if largest >= TOLERANCE:
            few = True
        elif few:
            few, longest = False, _LONGEST_STEP
        else:
            return
