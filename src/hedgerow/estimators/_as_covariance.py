"""What users of `sklearn.covariance` expect of an estimator with a covariance matrix."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.checks import one_of
from hedgerow.base.locks import locked
from hedgerow.base.memory import check_memory
from hedgerow.base.words import listed
from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.estimators._given_cells import Read
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._warnings import DataWarning, warn
from hedgerow.estimators.input import column_labels
from hedgerow.method.likelihood import PrecisionFit, mean_log_likelihood, needed_to_fit

Array = NDArray[np.float64]

NORMS = ("frobenius", "spectral")


class _Fitted(Protocol):
    error: str
    level: float | str
    n_features_in_: int
    _stream: HedgeStream
    _results: dict[Any, Any]

    @property
    def adjacency_(self) -> csr_array: ...

    @property
    def covariance_(self) -> Array: ...

    @property
    def location_(self) -> Array: ...

    @property
    def precision_(self) -> Array: ...

    def _precision(self) -> PrecisionFit: ...

    def _read(self, X: Any, names: None, *, reset: bool) -> Read: ...

    def _beyond_given(self, X: Any) -> NDArray[np.floating]: ...


class AsCovariance:
    """What ``sklearn.covariance.EmpiricalCovariance`` has, with the same meaning."""

    @property
    @locked
    def location_(self: _Fitted) -> Array:
        """Mean of each column."""
        check_is_fitted(self)
        return self._stream.mean().copy()

    @property
    @locked
    def precision_(self: _Fitted) -> Array:
        """Maximum-likelihood precision matrix on the graph."""
        sparse = self._precision().precision
        check_memory(8 * self.n_features_in_**2, self.n_features_in_, "for precision_")
        result: Array = sparse.toarray()
        return result

    @property
    @locked
    def covariance_(self: _Fitted) -> Array:
        """Covariance matrix of the fitted model."""
        return self._precision().covariance

    @locked
    def score(self: _Fitted, X: Any, y: None = None) -> float:
        """Return the mean Gaussian log-likelihood of the rows of ``X`` under the fitted model.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
        y : ignored
        """
        check_is_fitted(self)
        rows = self._beyond_given(X)
        return mean_log_likelihood(rows, self.location_, self._precision().precision)

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
        >>> distances = HedgeGraph(rows="independent").fit(rows).mahalanobis(rows)
        >>> float(distances.mean().round(6))  # the number of columns, on the rows that were fitted
        3.0
        """
        check_is_fitted(self)
        centred = self._beyond_given(X) - self.location_
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

    def _beyond_given(self: _Fitted, X: Any) -> NDArray[np.floating]:
        """Return rows, without what columns held fixed explain of them."""
        rows, cells = self._read(X, None, reset=False)
        held = self._stream.held
        return rows if held is None or cells is None else held.residuals(rows, cells)

    def _precision(self: _Fitted) -> PrecisionFit:
        check_is_fitted(self)
        key = ("precision", self.error, self.level)
        if key not in self._results:
            adjacency = self.adjacency_
            needed = needed_to_fit(adjacency)
            check_memory(needed, self.n_features_in_, "for precision_, covariance_ and score")
            moments = self._stream.moments()
            n_rows = max(int(moments.effective_rows), 1)
            fit = fit_precision(moments.covariance, n_rows, adjacency)
            self._results = {**self._results, key: fit}
            if fit.shrinkage:
                columns = listed(map(repr, column_labels(self)[fit.shrunk]))
                warn(
                    DataWarning,
                    f"the likelihood has no maximum for {columns}; their correlations were "
                    f"shrunk by {fit.shrinkage:.2g} for precision_ and covariance_",
                )
        known: PrecisionFit = self._results[key]
        return known
