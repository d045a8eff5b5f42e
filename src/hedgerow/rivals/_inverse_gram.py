"""The baseline that needs no paper: invert the Gram matrix and test every entry."""

import numpy as np
from scipy import stats

from hedgerow.base.words import listed
from hedgerow.estimators.input import column_labels
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._tests import accepted

_DETERMINED = 1e-12  # share of its variance below which a column is a combination of others


class InverseGram(Rival):
    """Exact t tests of all partial correlations, from the inverse of the correlation matrix.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of false edges (Benjamini and Hochberg) or
        the probability of any (Holm).
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same, as in `HedgeGraph`, the share of false ones being estimated from the p-values.
    time_limit : float, optional
        Seconds; looked at before and after the inversion.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the t statistics.
    precision_ : ndarray of shape (n_features, n_features)
        Inverse of the sample covariance: dense.
    partial_corr_, p_values_ : ndarray of shape (n_features, n_features)
        Partial correlations given all other columns, and their two-sided p-values; the diagonals
        are 0 and 1.

    Notes
    -----
    Each test is exact for independent Gaussian rows, with m - p degrees of freedom, so it needs
    more rows than columns, and is weak until there are several times as many. No assumption on the
    graph at all. Cost O(m p² + p³).

    References
    ----------
    Drton and Perlman (2007), Multiple testing and error control in Gaussian graphical model
    selection, Statistical Science 22.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import InverseGram
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> InverseGram(error="fwer").fit(X).adjacency_.toarray()[0]
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
        if m <= p:
            raise ValueError(
                "X must have more rows than columns for its Gram matrix to be inverted and tested, "
                f"got {m} rows and {p} columns"
            )
        clock.check("inverting", 0.0)
        inverse = inverted(self, correlation(rows))
        clock.check("inverting", 1.0)
        partial = partial_correlations(inverse)
        t = np.abs(partial) * np.sqrt((m - p) / (1 - partial**2))
        p_values = 2 * stats.t.sf(t, m - p)
        graph = accepted(p_values, self.error, self.level)
        return Found(t, graph, inverse, {"partial_corr_": partial, "p_values_": p_values})


def inverted(rival: Rival, corr: Array) -> Array:
    """Return the inverse of a correlation matrix; refuse columns that others determine, by name."""
    values, vectors = np.linalg.eigh(corr)
    if values[0] <= _DETERMINED:
        involved = np.flatnonzero(np.abs(vectors[:, 0]) > 1e-3)
        names = listed(repr(name) for name in column_labels(rival)[involved])
        raise ValueError(f"X must not have columns that others determine, got {names}")
    result: Array = (vectors / values) @ vectors.T
    return result


def partial_correlations(precision: Array) -> Array:
    """Return all partial correlations of a precision matrix, zero on the diagonal.

    Examples
    --------
    >>> partial_correlations(np.array([[2.0, -1.0], [-1.0, 2.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    scale = np.sqrt(np.diag(precision))
    result = -precision / scale / scale[:, None]
    np.fill_diagonal(result, 0.0)
    return result
