"""What users of `sklearn.covariance` expect of an estimator with a covariance matrix."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.checks import one_of
from hedgerow.base.locks import locked
from hedgerow.estimators.input import read_rows

Array = NDArray[np.float64]

NORMS = ("frobenius", "spectral")


class _Fitted(Protocol):
    @property
    def covariance_(self) -> Array: ...

    @property
    def location_(self) -> Array: ...

    @property
    def precision_(self) -> Array: ...


class AsCovariance:
    """The methods of ``sklearn.covariance.EmpiricalCovariance``, with the same meaning."""

    @locked
    def get_precision(self: _Fitted) -> Array:
        """Return ``precision_``, as estimators of scikit-learn do."""
        return self.precision_

    @locked
    def mahalanobis(self: _Fitted, X: Any) -> Array:
        """Return the squared Mahalanobis distances of rows from the mean under the fitted model.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Squared, as in scikit-learn.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> rows = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> distances = HedgeGraph().fit(rows).mahalanobis(rows)
        >>> float(distances.mean().round(6))  # the number of columns, on the rows that were fitted
        3.0
        """
        check_is_fitted(self)
        centred = read_rows(self, X, reset=False) - self.location_
        result: Array = np.einsum("ij,ij->i", centred @ self.precision_, centred)
        return result

    @locked
    def error_norm(
        self: _Fitted,
        comp_cov: Any,
        norm: str = "frobenius",
        scaling: bool = True,
        squared: bool = True,
    ) -> float:
        """Return how far another covariance matrix is from ``covariance_``.

        Parameters
        ----------
        comp_cov : array of shape (n_features, n_features)
            The covariance matrix to compare with.
        norm : {"frobenius", "spectral"}
            The root of the sum of squared differences, or the largest singular value.
        scaling : bool
            Whether the squared norm is divided by the number of columns.
        squared : bool
            Whether the squared norm is returned, or the norm.

        Returns
        -------
        float

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> rows = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> model = HedgeGraph().fit(rows)
        >>> round(model.error_norm(model.covariance_ + np.eye(3), scaling=False), 6)
        3.0
        """
        one_of("norm", norm, NORMS)
        covariance, other = self.covariance_, np.asarray(comp_cov, dtype=np.float64)
        if other.shape != covariance.shape:
            raise ValueError(f"comp_cov must have shape {covariance.shape}, got {other.shape}")
        size = np.linalg.norm(other - covariance, "fro" if norm == "frobenius" else 2)
        result = float(size) ** 2 / (len(covariance) if scaling else 1)
        return result if squared else float(np.sqrt(result))
