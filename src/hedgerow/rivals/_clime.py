"""CLIME: the sparsest columns that nearly invert the covariance matrix."""

from math import log, sqrt

import numpy as np

from hedgerow.base.checks import in_open_interval
from hedgerow.rivals._base import Array, Found, absolute_partial_corr
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._linear_program import least_l1
from hedgerow.rivals._penalty import Penalised


class Clime(Penalised):
    """CLIME: columns of least l1 norm that invert the covariance up to a tolerance.

    Column j solves: least ``sum_i |b_i|`` such that no entry of ``S b - e_j`` exceeds the penalty.

    Parameters
    ----------
    penalty : float or {"theory", "cv", "stars"}, default="theory"
        The tolerance, for columns of variance one: a number, or how to choose it:

        - ``"theory"``: √(log p / m). The theory fixes this order; its constant grows with the
          largest column sum of the precision matrix, which is unknown.
        - ``"cv"``: least D-trace loss, tr(ΘSΘ)/2 - tr(Θ), of rows left out, in five folds of
          twenty penalties; 100 times the cost.
        - ``"stars"``: as in `GraphicalLasso`, from 20 subsamples; up to 400 times the cost.
    threshold : float, optional
        Partial correlations of at most this size are no edges. By default half the penalty; the
        theory asks for a multiple of it that depends on the unknown column sum.
    random_state : int or None, default=0
        Draws subsamples and folds; None draws others every time.
    time_limit : float, optional
        Seconds; looked at in every linear program.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the partial correlations of ``precision_``.
    precision_ : ndarray of shape (n_features, n_features)
        Of two columns' estimates of an entry the smaller in size, zero where there is no edge;
        need not be positive definite.
    penalty_ : float
        The penalty used.

    Notes
    -----
    Finds the graph without any irrepresentability, if m is of order M⁴ log p / κ², where M is the
    largest column sum of the precision matrix and κ its smallest entry. It is weak where M is
    large: hubs, and strongly correlated columns. To the diagonal of the covariance is added
    penalty² / log p, which is 1/m at the penalty of theory, so that the programs have solutions
    when m < p. Cost: p linear programs of p rows and 2p columns, by HiGHS.

    References
    ----------
    Cai, Liu and Luo (2011), A constrained l1 minimization approach to sparse precision matrix
    estimation, JASA 106.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import Clime
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> Clime().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    _criteria = ("theory", "cv", "stars")

    def __init__(
        self,
        penalty: float | str = "theory",
        threshold: float | None = None,
        *,
        random_state: int | None = 0,
        time_limit: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.threshold = threshold
        self.random_state = random_state
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        if self.threshold is not None and self.threshold != 0:
            in_open_interval("threshold", self.threshold, 0, 1)
        return super()._learn(rows, clock)

    def _theory(self, n_rows: int, n_columns: int) -> float:
        return sqrt(log(n_columns) / n_rows)

    def _solve(self, corr: Array, penalty: float, start: Array | None, clock: Clock) -> Array:
        ridge = penalty**2 / log(len(corr))
        columns = self._columns(corr + ridge * np.eye(len(corr)), penalty, clock)
        precision = np.where(np.abs(columns) <= np.abs(columns.T), columns, columns.T)
        empty = np.diag(precision) <= 0  # the penalty is so large that nothing need be inverted
        precision[empty] = precision[:, empty] = 0.0
        precision[empty, empty] = 1.0
        threshold = penalty / 2 if self.threshold is None else self.threshold
        kept = absolute_partial_corr(precision) > threshold
        np.fill_diagonal(kept, True)
        return np.where(kept, precision, 0.0)

    def _columns(self, covariance: Array, penalty: float, clock: Clock) -> Array:
        """Return, one below the other, the columns that invert ``covariance`` to the penalty."""
        units = list(np.eye(len(covariance)))
        return np.array(
            [least_l1(covariance, e - penalty, e + penalty, clock) for e in clock.each(units)]
        )

    def _loss(self, estimate: Array, moments: Array) -> float:
        return float(np.sum(estimate @ moments * estimate) / 2 - np.trace(estimate))
