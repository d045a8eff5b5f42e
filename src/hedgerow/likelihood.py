"""The precision matrix of greatest likelihood on a given graph, and the likelihood of rows.

Among all positive definite matrices that are zero off the graph, the maximum-likelihood precision
is the one whose inverse agrees with the sample covariance on the diagonal and on the edges. It is
found one connected component at a time, on the scale of correlations, so units do not matter.
"""

from math import log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, lapack
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from hedgerow._validate import integer_at_least
from hedgerow.engines import scaling_cpu

Array = NDArray[np.float64]

TOLERANCE = 1e-8  # of the likelihood equations, in units of correlation
LEAST_VARIANCE = 1e-10  # that a column's neighbours must leave over, as a share of its variance
_MAX_SWEEPS = 1000


class PrecisionFit(NamedTuple):
    """Result of `fit_precision`.

    Attributes
    ----------
    precision : csr_array of shape (p, p)
        Positive definite, and stored exactly on the diagonal and the edges.
    covariance : ndarray of shape (p, p)
        Its inverse.
    shrinkage : float
        Largest share by which correlations were moved toward zero; 0 if they were taken as given.
    shrunk : ndarray of bool of shape (p,)
        Columns in a component that had to be shrunk.
    """

    precision: csr_array
    covariance: Array
    shrinkage: float
    shrunk: NDArray[np.bool_]


def fit_precision(covariance: Array, n_rows: int, adjacency: csr_array) -> PrecisionFit:
    """Return the maximum-likelihood precision matrix on a graph.

    The inverse of the result agrees with ``covariance`` on the diagonal and on every edge to
    `TOLERANCE`, in units of correlation.

    Where columns are collinear, or ``n_rows`` too few for the graph, likelihood has no maximum.
    The correlations of that connected component are then moved toward zero as if one more
    row of independent columns, with the variances observed, had been seen: by the share
    1 / (n_rows + 1), well below their sampling error of about 1 / √n_rows. Should this not be
    enough, 4, 16, ... rows are added. ``shrinkage`` says by how much.

    A column without variance has no scale of its own; it gets variance and precision 1.

    Parameters
    ----------
    covariance : ndarray of shape (p, p)
        Covariance of the rows, symmetric and positive semidefinite.
    n_rows : int
        Number of rows behind ``covariance``.
    adjacency : csr_array of bool of shape (p, p)
        The graph: symmetric. Its diagonal is ignored.

    Returns
    -------
    PrecisionFit

    Examples
    --------
    >>> graph = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool))
    >>> covariance = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> fit = fit_precision(covariance, 100, graph)
    >>> fit.covariance.round(3).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    """
    p = len(covariance)
    n_rows = integer_at_least("n_rows", n_rows, 1)
    if adjacency.shape != (p, p):
        raise ValueError(f"adjacency must have shape {(p, p)}, got {adjacency.shape}")
    variance = np.diag(covariance)
    scale = np.where(variance > 0, np.sqrt(variance), 1.0)
    graph = csr_array(adjacency.astype(bool))
    graph.setdiag(False)
    graph.eliminate_zeros()
    graph.sort_indices()

    fitted = np.eye(p)
    precision = np.eye(p)
    shrinkage = np.zeros(p)
    for nodes in _components(graph):
        block = np.ix_(nodes, nodes)
        correlation = covariance[block] / scale[nodes] / scale[nodes, None]
        np.fill_diagonal(correlation, 1.0)
        part = graph[nodes][:, nodes]
        part.sort_indices()
        precision[block], fitted[block], shrinkage[nodes] = _fit(correlation, n_rows, part)

    rows, columns = graph.nonzero()
    rows, columns = np.append(rows, np.arange(p)), np.append(columns, np.arange(p))
    values = precision[rows, columns] / scale[rows] / scale[columns]
    sparse = csr_array((values, (rows, columns)), shape=(p, p))
    fitted *= scale
    fitted *= scale[:, None]
    return PrecisionFit(sparse, fitted, float(shrinkage.max(initial=0.0)), shrinkage > 0)


def mean_log_likelihood(rows: NDArray[np.floating], location: Array, precision: csr_array) -> float:
    """Return the mean Gaussian log-likelihood of ``rows``.

    Parameters
    ----------
    rows : ndarray of shape (m, p)
    location : ndarray of shape (p,)
        Mean of the distribution.
    precision : csr_array of shape (p, p)
        Its inverse covariance, positive definite.

    Returns
    -------
    float
        Mean over the rows of the logarithm of the density.

    Examples
    --------
    >>> round(mean_log_likelihood(np.zeros((1, 2)), np.zeros(2), csr_array(np.eye(2))), 4)
    -1.8379
    """
    centred = rows - location
    quadratic = np.mean(np.einsum("ij,ij->i", centred, centred @ precision))
    p = precision.shape[0]
    return 0.5 * (_log_determinant(precision) - p * log(2 * pi) - float(quadratic))


def _log_determinant(precision: csr_array) -> float:
    """Sum of the logarithms of the pivots, which a symmetric ordering keeps on the diagonal."""
    options = {"SymmetricMode": True, "Equil": False}
    lu = splu(csc_array(precision), "MMD_AT_PLUS_A", diag_pivot_thresh=0, options=options)
    return float(np.log(lu.U.diagonal()).sum())


def _components(graph: csr_array) -> list[NDArray[np.intp]]:
    """Nodes of each connected component with more than one of them."""
    _, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [nodes for nodes in groups if len(nodes) > 1]


def _fit(correlation: Array, n_rows: int, graph: csr_array) -> tuple[Array, Array, float]:
    """Fit one component with as little shrinkage as is needed."""
    identity = np.eye(len(correlation))
    for extra in (0, *(4**k for k in range(n_rows.bit_length()))):
        share = extra / (n_rows + extra)
        found = _solve((1 - share) * correlation + share * identity, graph)
        if found is not None:
            return (*found, share)
    return identity, identity, 1.0


def _solve(correlation: Array, graph: csr_array) -> tuple[Array, Array] | None:
    """Return precision and its inverse, or None where likelihood seems to have no maximum."""
    starts, neighbours = graph.indptr, graph.indices
    order = scaling_cpu.search_order(starts, neighbours)
    coefficients, variance = np.empty(graph.nnz), np.empty(len(correlation))
    try:
        filled, possible = scaling_cpu.fill_in_order(
            correlation, starts, neighbours, order, LEAST_VARIANCE
        )
        if not possible:
            filled = correlation.copy()
        for _ in range(_MAX_SWEEPS):
            change = scaling_cpu.sweep(
                correlation, filled, starts, neighbours, coefficients, variance
            )
            if not variance.min() > LEAST_VARIANCE:
                return None
            if change < TOLERANCE / 100:
                break
        precision = _assemble(graph, coefficients, variance)
        inverse = _inverse(precision)
    except LinAlgError:
        return None
    rows, columns = graph.nonzero()
    error = np.abs(inverse - correlation)
    worst = max(error[rows, columns].max(), np.diag(error).max())
    return (precision, inverse) if worst <= TOLERANCE else None


def _assemble(graph: csr_array, coefficients: Array, variance: Array) -> Array:
    """Precision from the regressions: θ_ii = 1 / variance, θ_ij = -coefficient / variance."""
    rows, columns = graph.nonzero()
    precision = np.diag(1.0 / variance)
    precision[rows, columns] = -coefficients / variance[rows]
    return (precision + precision.T) / 2


def _inverse(matrix: Array) -> Array:
    """Inverse of a positive definite matrix; an error if it is not."""
    factor = cholesky(matrix, lower=True)
    inverse, _ = lapack.dpotri(factor, lower=True)
    lower = np.tril(inverse)
    return lower + np.tril(lower, -1).T
