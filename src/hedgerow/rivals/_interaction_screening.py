"""Interaction screening: RISE and logRISE (Vuffray, Misra, Lokhov and Chertkov)."""

import numpy as np

from hedgerow.base.checks import one_of, positive
from hedgerow.rivals._base import Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._ising_base import IsingRival, Signs, found
from hedgerow.rivals._ising_descent import LOSSES, descend, features_of, odds_of
from hedgerow.rivals._ising_neighbourhoods import published_rate, split

_STAGE = "learning nodes"
_PUBLISHED = {"rise": 0.4, "logrise": 0.8}  # multiples of sqrt(log(p² / 0.05) / m)


class InteractionScreening(IsingRival):
    """RISE: a convex loss whose mean is least where a node's interactions are screened off.

    Parameters
    ----------
    loss : {"rise", "logrise"}, default="rise"
        The mean of e^(-z) over rows, z = x_i (h_i + Σ_j J_ij x_j), or its logarithm.
    penalty : "theory" or float, default="theory"
        Of the couplings' l1 norm. "theory": the authors' 0.4, or 0.8 with "logrise", times
        sqrt(log(p² / 0.05) / m).
    min_coupling : float, optional
        Smallest absolute coupling of an edge: as published, pairs are kept whose mean coupling is
        at least half of it. By default pairs are kept of which both couplings are not zero.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Mean size of the two nodes' couplings with each other.
    couplings_ : ndarray of shape (n_features, n_features)
        Mean of the two nodes' couplings, for columns of -1 and 1.
    fields_ : ndarray of shape (n_features,)
    penalty_ : float

    Notes
    -----
    No condition on how variables predict each other; the number of rows grows exponentially with
    the couplings of a node. Where a variable is determined by others couplings end at 30. Cost
    O(m p²) for each sweep.

    References
    ----------
    Vuffray, Misra, Lokhov and Chertkov (2016), Interaction screening: efficient and sample-optimal
    learning of Ising models, NIPS. Lokhov, Vuffray, Misra and Chertkov (2018), Optimal structure
    and parameter learning of Ising models, Science Advances 4.

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import InteractionScreening
    >>> X = make_ising("chain", 4, strength=0.8).sample(500, seed=0)
    >>> InteractionScreening("logrise", min_coupling=0.8).fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        loss: str = "rise",
        penalty: float | str = "theory",
        *,
        min_coupling: float | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.min_coupling = min_coupling
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        kind = LOSSES[one_of("loss", self.loss, tuple(_PUBLISHED))]
        m, p = signs.shape
        if self.penalty == "theory":
            penalty = _PUBLISHED[self.loss] * published_rate(m, p)
        else:
            penalty = positive("penalty", self.penalty)
        weights = np.zeros((p, p))
        for node in clock.over(range(p), _STAGE):
            features = features_of(signs, node)
            penalties = np.full(p, penalty)
            penalties[node] = 0.0
            odds = odds_of(features, weights[node], kind)
            descend(features, kind, penalties, weights[node], odds)
        clock.check(_STAGE, 1.0)
        return found(split(weights), self.min_coupling, "and", {"penalty_": penalty})
