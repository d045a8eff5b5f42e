"""One greedy step, then the lasso on what it leaves (Kelner, Koehler, Meka and Moitra)."""

import warnings
from collections.abc import Callable
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram

from hedgerow._validate import in_open_interval, positive
from hedgerow.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._prune import least_strength, strengths

# How far a point of the lasso's path, (penalty, weights, unexplained share), is past the one
# wanted: negative before it.
Excess = Callable[[float, Array, float], float]


class HybridMB(Rival):
    """Neighbourhood selection after each node's most correlated variable was projected away.

    The variable most correlated with a node is taken free of charge. All others are replaced by
    their residuals given it, of unit variance, and enter a lasso. A long chain of strong
    correlations thus no longer makes the weights to be found large in sum.

    Parameters
    ----------
    radius : float, optional
        Bound on the sum of absolute weights, over the node's residual standard deviation, γ. By
        default the lasso's penalty is sqrt(2 log p / m) residual standard deviations, which needs
        no knowledge of the model (the scaled lasso of Sun and Zhang, 2012).
    min_edge_strength : float, optional
        Smallest absolute partial correlation of an edge, κ: pairs above κ / 2 are kept, as in the
        source. By default nodes are regressed on the variables that the lasso left, and a pair is
        kept if its edge passes the extended BIC with γ = 1/2 there.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Estimate of the absolute partial correlation, the smaller over the two nodes: from the
        regression on the variables left, or, with ``min_edge_strength``, from the lasso.

    Notes
    -----
    Assumes a walk-summable model; its proof asks for O(λ² log p / κ⁴) rows, where λ bounds the
    sums of weights once the first variable is projected away. Cost O(m p²) and a lasso path for
    each node.

    References
    ----------
    J. Kelner, F. Koehler, R. Meka and A. Moitra (2020), Learning some popular Gaussian graphical
    models without condition number bounds, Advances in Neural Information Processing Systems 33
    (arXiv, 2019). The two default rules are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import HybridMB
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> HybridMB().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        radius: float | None = None,
        min_edge_strength: float | None = None,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.radius = radius
        self.min_edge_strength = min_edge_strength
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        excess = self._stopping_rule(m, p)
        corr = correlation(rows)
        weights, residual = np.zeros_like(corr), np.empty(p)
        for node in clock.over(range(p), "projecting and selecting"):
            weights[node], residual[node] = hybrid_weights(corr, node, excess)
        if self.min_edge_strength is None:
            least = least_strength(m, p)
            towards = strengths(corr, [np.flatnonzero(row) for row in weights])
        else:
            least = in_open_interval("min_edge_strength", self.min_edge_strength, 0, 1) / 2
            scale = np.sqrt(residual)
            towards = np.abs(weights) * scale / scale[:, None]
        scores = np.minimum(towards, towards.T)
        return Found(scores, scores > least)

    def _stopping_rule(self, m: int, p: int) -> Excess:
        if self.radius is not None:
            radius = positive("radius", self.radius)
            return lambda _, weights, share: float(np.abs(weights).sum()) - radius * sqrt(share)
        level = sqrt(2.0 * log(p) / m)
        return lambda penalty, _, share: level * sqrt(share) - penalty


def hybrid_weights(corr: Array, node: int, excess: Excess) -> tuple[Array, float]:
    """Return a node's weights on all others, and the share of its variance that they leave."""
    others = np.abs(corr[node])
    others[node] = 0.0
    first = int(others.argmax())
    given = corr - np.outer(corr[first], corr[first])
    variance = np.diag(given)
    weights = np.zeros(len(corr))
    rest = np.flatnonzero(variance > COLLINEAR)
    rest = rest[rest != node]
    left = max(variance[node], COLLINEAR)
    if len(rest):
        scale = np.sqrt(variance[rest])
        gram = given[np.ix_(rest, rest)] / scale / scale[:, None]
        towards = given[rest, node] / scale / sqrt(left)
        standard, share = lasso_at(gram, towards, excess)
        weights[rest] = standard * sqrt(left) / scale
        left *= share
    weights[first] = corr[first, node] - weights @ corr[first]
    return weights, left


def lasso_at(gram: Array, towards: Array, excess: Excess) -> tuple[Array, float]:
    """Return the point of the lasso's path where ``excess`` becomes zero, and its residual share.

    Examples
    --------
    >>> gram, towards = np.eye(2), np.array([0.5, 0.1])
    >>> lasso_at(gram, towards, lambda penalty, weights, share: 0.2 - penalty)[0].round(3)
    array([0.3, 0. ])
    """

    def share_of(weights: Array) -> float:
        share = 1.0 - 2.0 * float(weights @ towards) + float(weights @ gram @ weights)
        return max(share, COLLINEAR)

    def past(weights: Array, penalty: float) -> float:
        return excess(penalty, weights, share_of(weights))

    def between(penalty: float) -> Array:
        k = int(np.searchsorted(-penalties, -penalty, side="right"))
        k = min(max(k, 1), len(penalties) - 1)
        t = (penalties[k - 1] - penalty) / (penalties[k - 1] - penalties[k])
        return path[k - 1] + t * (path[k] - path[k - 1])

    penalties, path = _path_until(gram, towards, lambda w, penalty: past(w, penalty) >= 0)
    if past(path[0], penalties[0]) >= 0:
        weights = path[0]
    elif past(path[-1], penalties[-1]) < 0:
        weights = path[-1]
    else:
        root = brentq(lambda penalty: past(between(penalty), penalty), penalties[-1], penalties[0])
        weights = between(root)
    return weights, share_of(weights)


def _path_until(
    gram: Array, towards: Array, reached: Callable[[Array, float], bool]
) -> tuple[Array, Array]:
    """Return penalties and weights at the knots of the lasso's path, up to the end wanted."""
    most = 16
    while True:
        most *= 2
        with warnings.catch_warnings():
            # The path of a degenerate Gram matrix ends early, which is no harm here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            penalties, _, path = lars_path_gram(
                towards, gram, n_samples=1, max_iter=most, method="lasso"
            )
        # Variables that enter together make equal knots.
        distinct = np.append(np.diff(penalties) < 0, True)
        penalties, knots = penalties[distinct], path.T[distinct]
        if reached(knots[-1], penalties[-1]) or path.shape[1] <= most:
            return penalties, knots
