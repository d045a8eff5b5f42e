"""Couplings of an Ising model from the inverse of its covariance: mean field and Bethe."""

import numpy as np
from scipy import stats

from hedgerow.base.checks import one_of, positive
from hedgerow.rivals._base import Array, Found, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._inverse_gram import inverted, partial_correlations
from hedgerow.rivals._ising_base import IsingRival, Signs
from hedgerow.rivals._tests import accepted

_STAGE = "inverting"


class IsingInversion(IsingRival):
    """Mean-field or Bethe couplings, in closed form from means and covariances.

    Parameters
    ----------
    approximation : {"bethe", "mean_field"}, default="bethe"
        Mean field takes minus the inverse covariance; Bethe is exact on trees.
    min_coupling : float, optional
        Smallest absolute coupling of an edge: pairs are kept whose coupling is at least half of it.
        By default pairs are kept whose entry of the inverse covariance is told from zero by a t
        test, at the error rate below; in both approximations there is no coupling where it is zero.
    error : {"fdr", "fwer"}, default="fdr"
    level : float or "balanced", default=0.05
        As in `InverseGram`.
    time_limit : float, optional
        Seconds; looked at before and after the inversion.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the couplings.
    couplings_ : ndarray of shape (n_features, n_features)
        For columns of -1 and 1; zero diagonal. Where Bethe has no solution, that of mean field.

    Notes
    -----
    The error rate is that of zeros in the inverse covariance, which of an Ising model are the
    missing edges on trees only. Needs more rows than columns. Cost O(m p² + p³).

    References
    ----------
    Ricci-Tersenghi (2012), The Bethe approximation for solving the inverse Ising problem, Journal
    of Statistical Mechanics. Nguyen, Zecchina and Berg (2017), Inverse statistical problems: from
    the inverse Ising problem to data science, Advances in Physics 66.

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import IsingInversion
    >>> X = make_ising("chain", 4, strength=0.8).sample(500, seed=0)
    >>> IsingInversion().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        approximation: str = "bethe",
        *,
        min_coupling: float | None = None,
        error: str = "fdr",
        level: float | str = 0.05,
        time_limit: float | None = None,
    ) -> None:
        self.approximation = approximation
        self.min_coupling = min_coupling
        self.error = error
        self.level = level
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        one_of("approximation", self.approximation, ("bethe", "mean_field"))
        m, p = signs.shape
        if m <= p:
            raise ValueError(
                f"X must have more rows than columns for its covariance to be inverted, got {m} "
                f"rows and {p} columns"
            )
        clock.check(_STAGE, 0.0)
        mean = signs.mean(axis=0)
        spread = np.sqrt(1 - mean**2)
        of_correlation = inverted(self, correlation((signs - mean) / spread))
        inverse = of_correlation / spread / spread[:, None]
        clock.check(_STAGE, 1.0)
        couplings = -inverse if self.approximation == "mean_field" else bethe(mean, inverse)
        np.fill_diagonal(couplings, 0.0)
        if self.min_coupling is None:
            partial = partial_correlations(of_correlation)
            t = np.abs(partial) * np.sqrt((m - p) / (1 - partial**2))
            graph = accepted(2 * stats.t.sf(t, m - p), self.error, self.level)
        else:
            graph = np.abs(couplings) >= positive("min_coupling", self.min_coupling) / 2
            np.fill_diagonal(graph, False)
        return Found(np.abs(couplings), graph, None, {"couplings_": couplings})


def bethe(mean: Array, inverse: Array) -> Array:
    """Return the couplings whose Bethe approximation has these means and this inverse covariance.

    The closed form of Ricci-Tersenghi; where it has no solution, the couplings of mean field.
    """
    left = np.outer(1 - mean**2, 1 - mean**2)
    product = np.outer(mean, mean)
    with np.errstate(all="ignore"):
        root = np.sqrt(1 + 4 * left * inverse**2)
        # As printed, x - √(x² - 4c²) over 2c, which loses all digits where c is small.
        x = root - 2 * product * inverse
        couplings = -np.arctanh(2 * inverse / (x + np.sqrt(x**2 - 4 * inverse**2)))
    return np.where(np.isfinite(couplings), couplings, -inverse)
