"""ACLIME: CLIME with a tolerance of its own for each column, found from the rows."""

from math import inf

import numpy as np

from hedgerow.rivals._base import Array
from hedgerow.rivals._clime import Clime
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._linear_program import least_l1


class AdaptiveClime(Clime):
    """ACLIME: CLIME whose tolerances follow the noise of each entry, in two steps.

    The first step finds the diagonal of the precision matrix, by columns of least l1 norm with
    entries of ``S b - e_j`` up to the penalty times ``b_j``. The second is CLIME with the penalty
    times the root of that diagonal as the tolerance of column j.

    Parameters
    ----------
    penalty : float or {"theory", "cv", "stars"}, default="theory"
        As in `Clime`. The paper proposes twice the value of ``"theory"``, with no threshold, which
        keeps noise out of all entries at once and is very cautious with few rows.
    threshold : float, optional
        Partial correlations of at most this size are no edges. By default half the penalty.
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
    Attains the best possible rate of estimation over sparse precision matrices, in order, and asks
    for m of order M² log p / κ² where `Clime` asks for M⁴. Assumptions otherwise as of `Clime`.
    Cost: 2p linear programs, the first half of them with 2p rows, by HiGHS.

    References
    ----------
    Cai, Liu and Zhou (2016), Estimating sparse precision matrix: optimal rates of convergence and
    adaptive estimation, Annals of Statistics 44.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import AdaptiveClime
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> AdaptiveClime().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def _columns(self, covariance: Array, penalty: float, clock: Clock) -> Array:
        columns = []
        units = np.eye(len(covariance))
        for node in clock.each(range(len(covariance))):
            # The paper's floor, for columns of which the first step finds nothing.
            diagonal = max(_diagonal(covariance, penalty, node, clock), penalty)
            tolerance = penalty * np.sqrt(np.diag(covariance) * diagonal)
            low, high = units[node] - tolerance, units[node] + tolerance
            columns.append(least_l1(covariance, low, high, clock))
        return np.array(columns)


def _diagonal(covariance: Array, penalty: float, node: int, clock: Clock) -> float:
    """Return the first step's estimate of one diagonal entry of the precision matrix."""
    unit = np.eye(len(covariance))[node]
    variance = np.diag(covariance)
    room = np.outer(penalty * np.maximum(variance, variance[node]), unit)
    unbounded = np.full(len(covariance), inf)
    both_sides = np.vstack([covariance - room, covariance + room])
    low, high = np.r_[-unbounded, unit], np.r_[unit, unbounded]
    return float(least_l1(both_sides, low, high, clock)[node])
