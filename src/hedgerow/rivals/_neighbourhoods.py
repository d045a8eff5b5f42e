"""Neighbourhood selection: a lasso of every variable on all others."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from hedgerow.base.checks import in_open_interval, one_of
from hedgerow.rivals._base import Array, Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._lasso import descend
from hedgerow.rivals._penalty import EBIC_GAMMA, Penalised

RULES = {"or": np.maximum, "and": np.minimum}
_TINY = np.finfo(np.float64).eps


class NeighbourhoodSelection(Penalised):
    """Neighbourhood selection of Meinshausen and Bühlmann: a lasso of each variable on all others.

    Parameters
    ----------
    penalty : float or {"theory", "ebic", "stars", "cv"}, default="theory"
        Weight of the l1 norm beside half the mean squared error, for columns of variance one; the
        same for all nodes. A number, or how to choose it:

        - ``"theory"``: Φ⁻¹(1 - level / (2p²)) / √m, with which the probability of joining two
          components of the graph is at most ``level``, asymptotically (their Theorem 3).
          It is cautious: edges appear late.
        - ``"ebic"``, ``"stars"``, ``"cv"``: as in `GraphicalLasso`, with the sum of the nodes'
          log-likelihoods in the place of the likelihood. EBIC refits each node by least squares
          on its neighbours.
    rule : {"or", "and"}, default="or"
        Whether an edge needs one of its ends to choose the other, or both.
    level : float, default=0.05
        In (0, 1); used by ``"theory"`` only.
    random_state : int or None, default=0
        Draws subsamples and folds; None draws others every time.
    time_limit : float, optional
        Seconds; looked at before every node.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        The larger (rule "or") or smaller (rule "and") of two nodes' weights on each other.
    weights_ : ndarray of shape (n_features, n_features)
        Row i predicts column i, for standard columns.
    penalty_ : float
        The penalty used.

    Notes
    -----
    Finds the graph if every node's neighbours predict no other variable too well, as the lasso
    asks (irrepresentability: for the neighbours N of i, ``|Σ_jN Σ_NN⁻¹ sign(w_N)| < 1`` for all j
    outside), and m is of order d log p. A star never breaks this; a diamond, four nodes with all
    edges but one, does from correlations of 1/2 on, where `GraphicalLasso` fails from 0.23 on.
    Cost: p lasso problems, each O(p) a sweep and non-zero weight, for each penalty and resample.

    References
    ----------
    Meinshausen and Bühlmann (2006), High-dimensional graphs and variable selection with the lasso,
    Annals of Statistics 34.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import NeighbourhoodSelection
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> NeighbourhoodSelection().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    _criteria = ("theory", "ebic", "stars", "cv")

    def __init__(
        self,
        penalty: float | str = "theory",
        rule: str = "or",
        *,
        level: float = 0.05,
        random_state: int | None = 0,
        time_limit: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.rule = rule
        self.level = level
        self.random_state = random_state
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        one_of("rule", self.rule, tuple(RULES))
        in_open_interval("level", self.level, 0, 1)
        return super()._learn(rows, clock)

    def _theory(self, n_rows: int, n_columns: int) -> float:
        return float(stats.norm.isf(self.level / (2 * n_columns**2)) / np.sqrt(n_rows))

    def _solve(self, corr: Array, penalty: float, start: Array | None, clock: Clock) -> Array:
        weights = np.zeros_like(corr) if start is None else start.copy()
        for node in clock.each(range(len(corr))):
            descend(corr, node, penalty, weights[node])
        return weights

    def _loss(self, estimate: Array, moments: Array) -> float:
        toward = np.eye(len(estimate)) - estimate
        unexplained = np.einsum("ij,jk,ik->i", toward, moments, toward, optimize=True)
        return 0.5 * float(np.log(np.maximum(unexplained, _TINY)).sum())

    def _ebic(self, estimate: Array, corr: Array, n_rows: int) -> float:
        """Return the sum of the nodes' criteria, with least squares on the chosen neighbours."""
        each = np.log(n_rows) + 2 * EBIC_GAMMA * np.log(len(corr))
        refitted = np.zeros_like(estimate)
        for node, row in enumerate(estimate):
            near = np.flatnonzero(row)
            refitted[node, near] = np.linalg.lstsq(corr[np.ix_(near, near)], corr[near, node])[0]
        return float(2 * n_rows * self._loss(refitted, corr) + np.count_nonzero(estimate) * each)

    def _graph(self, estimate: Array) -> NDArray[np.bool_]:
        return self._scores(estimate) > 0

    def _scores(self, estimate: Array) -> Array:
        size = np.abs(estimate)
        return RULES[self.rule](size, size.T)

    def _found(self, estimate: Array, penalty: float) -> Found:
        attributes = {"weights_": estimate, "penalty_": penalty}
        return Found(self._scores(estimate), self._graph(estimate), None, attributes)
