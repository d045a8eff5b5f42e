"""An l1-penalised logistic regression of every variable on all others, for Ising models."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import between, integer_at_least, one_of, positive
from hedgerow.rivals._base import Array, Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._ising_base import Estimate, IsingRival, Signs, found
from hedgerow.rivals._ising_descent import (
    LOGISTIC,
    descend,
    features_of,
    logistic_loss,
    odds_of,
    slopes,
)

_STAGE = "learning nodes"
_GRID_SIZE = 40
_SMALLEST_SHARE = 0.01  # of the largest penalty, the smallest that is tried
_PATIENCE = 10  # penalties without improvement after which smaller ones are not tried
_FOLDS = 5


class LogisticNeighbourhoods(IsingRival):
    """A logistic lasso for each node of an Ising model.

    Parameters
    ----------
    penalty : {"ebic", "cv", "theory"} or float, default="ebic"
        "ebic": for each node the least extended BIC, which is R's IsingFit (eLasso); "cv": for each
        node the least deviance in five folds. Both penalise couplings in units of the columns'
        standard deviations, as IsingFit does. "theory": 0.2 sqrt(log(p² / 0.05) / m) for all, the
        constant that Lokhov and others give for this loss (RPLE); a number: that one for all.
    rule : {"and", "or"}, default="and"
        Whether both nodes of a pair must choose each other, or one is enough.
    gamma : float, default=0.25
        How much the number of possible graphs counts in "ebic", from 0 to 1; IsingFit's default.
    random_state : int, default=0
        Decides the folds.
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
    penalties_ : ndarray of shape (n_features,)
        The penalty of each node, for columns of standard deviation 1 if it was chosen by rows.

    Notes
    -----
    Assumes that neighbours do not predict others too well. Where a variable is determined by
    others couplings would be infinite without a penalty; they end at 30. Cost O(m p²) for each
    sweep and penalty.

    References
    ----------
    Ravikumar, Wainwright and Lafferty (2010), High-dimensional Ising model selection using
    l1-regularized logistic regression, Annals of Statistics 38. Van Borkulo and others (2014), A
    new method for constructing networks from binary data, Scientific Reports 4. Lokhov, Vuffray,
    Misra and Chertkov (2018), Optimal structure and parameter learning of Ising models, Science
    Advances 4.

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import LogisticNeighbourhoods
    >>> X = make_ising("chain", 4, strength=0.8).sample(500, seed=0)
    >>> LogisticNeighbourhoods().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        penalty: float | str = "ebic",
        rule: str = "and",
        *,
        gamma: float = 0.25,
        random_state: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.rule = rule
        self.gamma = gamma
        self.random_state = random_state
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        one_of("rule", self.rule, ("and", "or"))
        between("gamma", self.gamma, 0, 1)
        integer_at_least("random_state", self.random_state, 0)
        m, p = signs.shape
        choose = self._criterion(m, p)
        spread = np.sqrt(1 - signs.mean(axis=0) ** 2) if choose else np.ones(p)
        weights, penalties = np.zeros((p, p)), np.zeros(p)
        for node in clock.over(range(p), _STAGE):
            features, scale = features_of(signs, node), spread.copy()
            scale[node] = 0.0
            if choose:
                penalties[node], weights[node] = choose(features, scale)
            else:
                penalties[node] = self._fixed(m, p)
                fit_node(features, penalties[node] * scale, weights[node])
        clock.check(_STAGE, 1.0)
        return found(split(weights), None, self.rule, {"penalties_": penalties})

    def _fixed(self, m: int, p: int) -> float:
        if self.penalty == "theory":
            return 0.2 * published_rate(m, p)
        return positive("penalty", self.penalty)

    def _criterion(self, m: int, p: int) -> Callable[[Signs, Array], tuple[float, Array]] | None:
        """Return what chooses a node's penalty from its rows; None if it is fixed."""
        if not isinstance(self.penalty, str):
            return None
        criterion = one_of("penalty", self.penalty, ("ebic", "cv", "theory"))
        if criterion == "ebic":
            per_edge = np.log(m) + 2 * self.gamma * np.log(max(p - 1, 1))
            return lambda features, scale: by_ebic(features, scale, per_edge)
        if criterion == "cv":
            folds = np.random.default_rng(self.random_state).permutation(m) % _FOLDS
            return lambda features, scale: by_folds(features, scale, folds)
        return None


def published_rate(m: int, p: int) -> float:
    """Return sqrt(log(p² / δ) / m) with δ = 0.05, which published penalties are multiples of."""
    return float(np.sqrt(np.log(p**2 / 0.05) / m))


def split(weights: Array) -> Estimate:
    """Part the weights of all nodes, whose own entry is the field, into couplings and fields."""
    couplings = weights.copy()
    np.fill_diagonal(couplings, 0.0)
    return Estimate(couplings, np.diag(weights).copy())


def fit_node(features: Signs, penalties: Array, weights: Array) -> Array:
    """Minimise the penalised logistic loss in place; return what its value follows from."""
    odds = odds_of(features, weights, LOGISTIC)
    descend(features, LOGISTIC, penalties, weights, odds)
    result: Array = odds
    return result


def path(features: Signs, scale: Array) -> Array:
    """Return penalties from the smallest without any coupling down to a hundredth of it."""
    weights = np.zeros(len(features))
    odds = fit_node(features, 1e6 * scale, weights)
    free = scale > 0
    largest = np.abs(slopes(features, odds)[free] / scale[free]).max()
    largest = max(largest, np.finfo(np.float64).tiny)
    result: Array = np.geomspace(largest, _SMALLEST_SHARE * largest, _GRID_SIZE)
    return result


def by_ebic(features: Signs, scale: Array, per_edge: float) -> tuple[float, Array]:
    """Return the penalty of least extended BIC, and its weights."""
    best, since = (np.inf, 0.0, np.zeros(len(scale))), 0
    weights = np.zeros(len(scale))
    for penalty in path(features, scale):
        odds = fit_node(features, penalty * scale, weights)
        edges = np.count_nonzero(weights[scale > 0])
        value = 2 * logistic_loss(odds) + edges * per_edge
        since += 1
        if value < best[0]:
            best, since = (value, penalty, weights.copy()), 0
        if since > _PATIENCE:
            break
    return float(best[1]), best[2]


def by_folds(features: Signs, scale: Array, folds: NDArray[np.intp]) -> tuple[float, Array]:
    """Return the penalty of least deviance in rows left out, and the weights of all rows."""
    parts = [
        tuple(np.ascontiguousarray(features[:, kept]) for kept in (folds != fold, folds == fold))
        for fold in range(_FOLDS)
    ]
    of_fold = np.zeros((_FOLDS, len(scale)))
    best, since = (np.inf, 0.0), 0
    for penalty in path(features, scale):
        deviance = 0.0
        for weights, (inside, outside) in zip(of_fold, parts):
            fit_node(inside, penalty * scale, weights)
            deviance += logistic_loss(odds_of(outside, weights, LOGISTIC))
        since += 1
        if deviance < best[0]:
            best, since = (deviance, float(penalty)), 0
        if since > _PATIENCE:
            break
    chosen = np.zeros(len(scale))
    fit_node(features, best[1] * scale, chosen)
    return best[1], chosen
