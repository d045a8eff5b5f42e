"""Greedy choice by conditional variance, then pruning (Kelner, Koehler, Meka and Moitra)."""

from math import log, sqrt

import numpy as np

from hedgerow.base.checks import integer_at_least, positive
from hedgerow.method.neighbours import select
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._prune import least_strength, strengths


class GreedyPrune(Rival):
    """Add the variable that explains most of what is left of a node, often; then drop the needless.

    Parameters
    ----------
    n_steps : int, optional
        Number of variables chosen for each node before pruning. The source proves recovery for a
        multiple of d log(1 / κ), with d the largest degree and κ the weakest edge. By default
        m / (8 log p): a step on mere noise explains about 2 log p / m of a node's variance, and
        all steps together should not explain a quarter of it by chance.
    threshold : float, optional
        A chosen variable is kept if the node's conditional variance grows by more than this share
        without it; the source proves recovery for a multiple of κ². By default what the
        extended BIC with γ = 1/2 asks of an edge.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Absolute partial correlation of a pair given the other variables chosen for a node, the
        smaller over the two nodes; zero unless each was chosen for the other.
    threshold_ : float
        The threshold used.

    Notes
    -----
    Assumes an attractive model (no negative partial correlation), or that signs can be flipped to
    make it so, for the proof; it does not need well-conditioned variables, and long chains of
    strong correlation do no harm. Where neighbours matter only together, greedy steps go
    elsewhere. Both nodes must keep each other. Cost O(m p² + p² k² + p k³) for k steps.

    References
    ----------
    J. Kelner, F. Koehler, R. Meka and A. Moitra (2020), Learning some popular Gaussian graphical
    models without condition number bounds, Advances in Neural Information Processing Systems 33
    (arXiv, 2019). The default values are ours; the authors' experiments use the best of a grid,
    with the truth known.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import GreedyPrune
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> GreedyPrune().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        n_steps: int | None = None,
        threshold: float | None = None,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.n_steps = n_steps
        self.threshold = threshold
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        if self.n_steps is None:
            steps = max(1, int(m / (8.0 * log(p))))
        else:
            steps = integer_at_least("n_steps", self.n_steps, 1)
        if self.threshold is None:
            least = least_strength(m, p)
        else:
            # The variance grows by a factor 1 / (1 - r²) without a partial correlation of r.
            share = positive("threshold", self.threshold)
            least = sqrt(share / (1.0 + share))
        corr = correlation(rows)
        # Every step is taken, whatever it gains.
        always = np.zeros(min(steps, p - 1, m - 3))
        chosen = [
            select(corr, node, m, always).chosen
            for node in clock.over(range(p), "choosing neighbours")
        ]
        towards = strengths(corr, chosen)
        scores = np.minimum(towards, towards.T)
        return Found(scores, scores > least, None, {"threshold_": least**2 / (1.0 - least**2)})
