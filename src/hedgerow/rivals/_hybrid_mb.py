"""One greedy step, then the lasso on what it leaves (Kelner, Koehler, Meka and Moitra)."""

from collections.abc import Callable
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq

from hedgerow.base.checks import in_open_interval, positive
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._lasso import descend
from hedgerow.rivals._prune import least_strength, strengths

# How much too small a penalty is, given the weights that it leads to and the share of variance
# that they leave.
Excess = Callable[[float, Array, float], float]
_LEAST_PENALTY = 1e-4  # of the penalty that leaves no weights


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
    sums of weights once the first variable is projected away. Cost O(m p²) and some ten lassos for
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
    # The first variable, and what it determines, become zero and take no part in the lasso.
    scale = np.sqrt(np.where(variance > COLLINEAR, variance, np.inf))
    standard, share = lasso_at(given / scale / scale[:, None], node, excess)
    left = max(variance[node], COLLINEAR)
    weights = standard * sqrt(left) / scale
    weights[first] = corr[first, node] - weights @ corr[first]
    return weights, left * share


def lasso_at(corr: Array, node: int, excess: Excess) -> tuple[Array, float]:
    """Return the lasso of a node where ``excess`` becomes zero, and the share that it leaves.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 1.0]])
    >>> lasso_at(corr, 0, lambda penalty, weights, share: 0.2 - penalty)[0].round(3)
    array([0. , 0.3, 0. ])
    """
    weights = np.zeros(len(corr))

    def share() -> float:
        left = 1.0 - 2.0 * float(weights @ corr[node]) + float(weights @ corr @ weights)
        return max(left, COLLINEAR)

    def past(penalty: float) -> float:
        descend(corr, node, penalty, weights)
        return excess(penalty, weights, share())

    penalty = largest = float(np.abs(np.delete(corr[node], node)).max())
    while past(penalty) < 0:
        penalty /= 2.0
        if penalty <= _LEAST_PENALTY * largest:
            return weights, share()
    if penalty < largest:
        past(brentq(past, penalty, 2.0 * penalty, rtol=1e-6))
    return weights, share()
