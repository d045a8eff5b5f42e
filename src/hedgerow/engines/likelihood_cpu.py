"""The fit of `hedgerow.method.likelihood` with its sweeps compiled."""

from scipy.sparse import csr_array

from hedgerow.engines import scaling_cpu
from hedgerow.method import likelihood
from hedgerow.method.likelihood import Array, PrecisionFit

__all__ = ["fit_precision"]


def fit_precision(covariance: Array, n_rows: int, adjacency: csr_array) -> PrecisionFit:
    """Return what `likelihood.fit_precision` returns.

    Examples
    --------
    >>> import numpy as np
    >>> graph = csr_array(np.array([[0, 1], [1, 0]], dtype=bool))
    >>> fit_precision(np.array([[1.0, 0.5], [0.5, 1.0]]), 100, graph).precision.toarray().round(3)
    array([[ 1.333, -0.667],
           [-0.667,  1.333]])
    """
    return likelihood.fit_precision(covariance, n_rows, adjacency, scaling_cpu)
