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
_LONGEST_STEP = 0.25  # of the logistic loss, within which its curvature grows by e^(1/2) at most
_GROWTH = np.exp(2 * _LONGEST_STEP)


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
def slopes(features, odds):
    """Return the slope of the mean logistic loss in each weight."""
    pull = odds / (1.0 + odds)
    result = np.zeros(features.shape[0])
    for j in range(result.size):
        total = 0.0
        for k in range(pull.size):
            total += features[j, k] * pull[k]
        result[j] = -2.0 * total / pull.size
    return result


@njit(**COMPILED)
def _logistic(feature, odds, weight, penalty):
    """A weight that is better than the present one, by a bound on the curvature."""
    slope, curvature = 0.0, 0.0
    for k in range(odds.size):
        share = odds[k] / (1.0 + odds[k])
        slope -= feature[k] * share
        curvature += share * (1.0 - share)
    slope *= 2.0 / odds.size
    curvature = max(min(4.0 * curvature / odds.size * _GROWTH, 1.0), 1e-12)
    target = weight - slope / curvature
    new = np.sign(target) * max(abs(target) - penalty / curvature, 0.0)
    return min(max(new, weight - _LONGEST_STEP), weight + _LONGEST_STEP)


@njit(**COMPILED)
def _screened(feature, odds, weight, penalty, logarithm):
    """The best weight: of A e^(-d) + B e^d + penalty |weight + d|, or with a logarithm."""
    total, turned = 0.0, 0.0
    for k in range(odds.size):
        total += odds[k]
        turned += feature[k] * odds[k]
    scale = total if logarithm else float(odds.size)
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
def descend(features, loss, penalties, weights, odds):
    """Minimise a loss plus Σ penalties |weights|, from the weights given; in place.

    ``odds`` belong to the weights, as `odds_of` returns them, and follow them. After a sweep over
    all weights, only those that are not zero are swept until they stand still.
    """
    few = False
    for _ in range(_SWEEPS):
        largest = 0.0
        for j in range(weights.size):
            if few and weights[j] == 0.0 and penalties[j] > 0.0:
                continue
            if loss == LOGISTIC:
                new = _logistic(features[j], odds, weights[j], penalties[j])
            else:
                new = _screened(features[j], odds, weights[j], penalties[j], loss == LOG_RISE)
            new = min(max(new, -_LARGEST), _LARGEST)
            step = new - weights[j]
            if step != 0.0:
                weights[j] = new
                largest = max(largest, abs(step))
                size = 2.0 * step if loss == LOGISTIC else step
                less, more = np.exp(-size), np.exp(size)
                for k in range(odds.size):
                    odds[k] *= less if features[j, k] > 0 else more
        if largest >= TOLERANCE:
            few = True
        elif few:
            few = False
        else:
            return
