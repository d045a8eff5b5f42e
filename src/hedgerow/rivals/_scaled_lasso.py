"""The scaled lasso of every variable on all others, debiased and tested."""

import numpy as np
from scipy import stats

from hedgerow.method.edges import debiased
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._lasso import TOLERANCE, descend
from hedgerow.rivals._tests import accepted

_ROUNDS = 20  # of finding the residuals' size; it settles within a few
_SETTLED = 1e-4


class ScaledLasso(Rival):
    """Scaled lasso of every variable on all others, with tests of the debiased statistic.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of false edges (Benjamini and Hochberg) or
        the probability of any (Holm).
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same, as in `HedgeGraph`, the share of false ones being estimated from the p-values.
    time_limit : float, optional
        Seconds; looked at before every node.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the z scores.
    p_values_ : ndarray of shape (n_features, n_features)
        Two-sided, one on the diagonal.
    weights_ : ndarray of shape (n_features, n_features)
        Row i predicts column i, for standard columns.

    Notes
    -----
    The penalty of node i is √(2 log p / m) times the size of its residuals, which is found
    together with the weights: nothing is left to tune (Sun and Zhang 2012). The products of two
    nodes' residuals, corrected for the lasso's bias, are then normal where there is no edge, if
    degrees are small against √m / log p (Liu 2013; docs/theory.md, section 10). No incoherence is
    asked for. Beside a hub the bias that is left can exceed a standard error while rows are not
    many times the columns, and the promised error rate is then not kept. Cost: some rounds of
    `NeighbourhoodSelection`.

    References
    ----------
    Sun and Zhang (2012), Scaled sparse linear regression, Biometrika 99. Liu (2013), Gaussian
    graphical model estimation with false discovery rate control, Annals of Statistics 41.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import ScaledLasso
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> ScaledLasso(error="fwer").fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self, error: str = "fdr", level: float | str = 0.05, *, time_limit: float | None = None
    ) -> None:
        self.error = error
        self.level = level
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        corr = correlation(rows)
        weights = scaled_lasso(corr, np.sqrt(2 * np.log(p) / m), clock)
        z = np.sqrt(m) * np.abs(debiased(corr, weights))
        p_values = 2 * stats.norm.sf(z)
        graph = accepted(p_values, self.error, self.level)
        return Found(z, graph, None, {"weights_": weights, "p_values_": p_values})


def scaled_lasso(corr: Array, penalty: float, clock: Clock) -> Array:
    """Return the weights; row i predicts variable i from the others."""
    weights = np.zeros_like(corr)
    for node in clock.over(range(len(corr)), "scaled lasso"):
        row, size = weights[node], 1.0
        for _ in range(_ROUNDS):
            descend(corr, node, penalty * size, row)
            new = np.sqrt(max(1.0 - 2 * row @ corr[node] + row @ corr @ row, TOLERANCE))
            settled = abs(new - size) <= _SETTLED * size
            size = new
            if settled:
                break
    return weights
