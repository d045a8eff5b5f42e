"""What all rivals share: the scikit-learn contract, standard columns, a deadline."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from hedgerow.base.checks import positive
from hedgerow.estimators.input import column_labels, read_rows, refuse_constant
from hedgerow.rivals._clock import Clock

Array = NDArray[np.float64]

# A column whose spread is less than this share of its mean varies by rounding alone.
_ROUNDING = 1e-13


class Found(NamedTuple):
    """What a rival's `_learn` returns, for standard columns."""

    scores: Array  # (p, p), larger is surer; made symmetric by the larger of the two entries
    adjacency: NDArray[np.bool_]  # (p, p), symmetric
    precision: Array | None = None  # (p, p), of the standard columns
    attributes: Mapping[str, Any] = {}  # further results, by name, each ending in "_"


class Rival(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all rivals: a subclass stores its parameters and learns from standard columns.

    Parameters
    ----------
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`, which says how far it got.

    Attributes
    ----------
    adjacency_ : csr_array of bool, of shape (n_features, n_features)
        The graph: symmetric, zero diagonal.
    score_matrix_ : ndarray of shape (n_features, n_features)
        How sure the method is of every edge, in its own units, larger is surer; symmetric, zero
        diagonal.
    precision_ : ndarray of shape (n_features, n_features)
        Only of methods that estimate it; in the units of the columns.
    location_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the columns have names.
    """

    time_limit: float | None
    _min_rows: ClassVar[int] = 3

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn the graph from the rows of ``X``.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
            Finite numbers; columns that never vary are refused by name.
        y : ignored
        """
        limit = None if self.time_limit is None else positive("time_limit", self.time_limit)
        clock = Clock(limit)
        rows = read_rows(self, X, reset=True, min_rows=self._min_rows, dtypes=(np.float64,))
        self.location_, self.scale_ = location_and_scale(rows)
        high = rows.max(axis=0)
        varies = self.scale_ > _ROUNDING * np.abs(self.location_)
        low = np.where(varies, rows.min(axis=0), high)
        refuse_constant(low, high, column_labels(self))
        self._store(self._learn((rows - self.location_) / self.scale_, clock))
        return self

    @abstractmethod
    def _learn(self, rows: Array, clock: Clock) -> Found:
        """Check the parameters and learn from columns of mean 0 and mean square 1."""

    def _store(self, found: Found) -> None:
        self.score_matrix_ = symmetric(found.scores, np.maximum)
        self.adjacency_ = csr_array(symmetric(found.adjacency, np.logical_or))
        if found.precision is not None:
            self.precision_ = found.precision / self.scale_ / self.scale_[:, None]
        for name, value in found.attributes.items():
            setattr(self, name, value)


def symmetric(matrix: NDArray[Any], join: np.ufunc) -> NDArray[Any]:
    """Join every entry with its mirror image, and clear the diagonal.

    Examples
    --------
    >>> symmetric(np.array([[1.0, 2.0], [3.0, 4.0]]), np.maximum)
    array([[0., 3.],
           [3., 0.]])
    """
    result: NDArray[Any] = join(matrix, matrix.T)
    np.fill_diagonal(result, 0)
    return result


def location_and_scale(rows: NDArray[np.floating]) -> tuple[Array, Array]:
    """Return mean and standard deviation of each column, also where squares would overflow."""
    peak = np.abs(rows).max(axis=0)
    peak[peak == 0] = 1.0
    scaled = rows / peak
    return peak * scaled.mean(axis=0), peak * scaled.std(axis=0)


def correlation(rows: Array) -> Array:
    """Return the correlation matrix of standard columns, with ones on its diagonal."""
    result = rows.T @ rows / len(rows)
    np.fill_diagonal(result, 1.0)
    return result


def absolute_partial_corr(precision: Array) -> Array:
    """Return the sizes of the partial correlations of a precision matrix, the usual score."""
    scale = np.sqrt(np.diag(precision))
    return np.abs(precision) / scale / scale[:, None]
