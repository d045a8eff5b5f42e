"""The precision matrix of greatest likelihood on a given graph, and the likelihood of rows.

Among all positive definite matrices that are zero off the graph, the maximum-likelihood precision
is the one whose inverse agrees with the sample covariance on the diagonal and on the edges. It is
found one connected component at a time, on the scale of correlations, so that units do not
matter, by iterative proportional scaling: regress each node on its neighbours, fill in its other
correlations from the regression, and go round until nothing moves (docs/likelihood.md).
"""

from contextlib import suppress
from math import log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csc_array, csr_array, eye_array, get_index_dtype
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from hedgerow.base.checks import integer_at_least
from hedgerow.method import scaling
from hedgerow.method.scaling import Scaling

Array = NDArray[np.float64]
Indices = NDArray[np.integer]

TOLERANCE = 1e-6  # of the likelihood equations, in units of correlation
LEAST_VARIANCE = 1e-9  # share of a column's variance that its neighbours must leave over
# A column that varies less counts as constant: its precision could overflow.
_LEAST_SCALE = sqrt(np.finfo(np.float64).tiny / LEAST_VARIANCE)
STILL = 1e-10  # movement at which scaling stops,
_ROUNDING = 10 * np.finfo(np.float64).eps  # or a multiple of this: what rounding alone can move
_MAX_SWEEPS = 600
_MAX_RELAXED_SWEEPS = 300  # if it takes more, the graph may be of those where relaxation hinders
_WINDOW = 8  # sweeps from one relaxation to the next; more when it is near 2 and acts slowly
_MAX_RELAXATION = 1.98


class PrecisionFit(NamedTuple):
    """Result of `fit_precision`.

    Attributes
    ----------
    precision : csr_array of shape (p, p)
        Positive definite; only the diagonal and the edges are stored.
    covariance : ndarray of shape (p, p)
        Its inverse.
    shrinkage : float
        Largest share by which correlations were moved toward zero; 0 if they were taken as given.
    shrunk : ndarray of bool of shape (p,)
        Columns whose correlations were.
    """

    precision: csr_array
    covariance: Array
    shrinkage: float
    shrunk: NDArray[np.bool_]


class _Graph(NamedTuple):
    """The neighbours of node i, in order: ``neighbours[starts[i] : starts[i + 1]]``."""

    starts: Indices
    neighbours: Indices


class _Scaled(NamedTuple):
    """Precision of one component and its inverse, on the scale of correlations."""

    precision: csr_array
    inverse: Array


def fit_precision(
    covariance: Array,
    n_rows: int,
    adjacency: csr_array,
    sweeps: Scaling = scaling,
    still: float = STILL,
) -> PrecisionFit:
    """Return the maximum-likelihood precision matrix on a graph.

    Its inverse agrees with ``covariance`` on the diagonal and on every edge to `TOLERANCE` in
    units of correlation, and mostly to 1e-9 and better.

    Where columns are collinear, or ``n_rows`` too few for the graph, likelihood has no maximum.
    Correlations in that connected component are then moved toward zero as if one more row of
    unrelated columns, with the variances observed, had been seen: by the share 1 / (n_rows + 1),
    which is well below their sampling error of about 1 / √n_rows. Should this not be enough, it is
    4, 16, 64, ... rows. ``shrinkage`` says by how much.

    A column without variance has no scale of its own; it gets variance and precision 1.

    Parameters
    ----------
    covariance : ndarray of shape (p, p)
        Covariance of the rows, symmetric and positive semidefinite.
    n_rows : int
        Number of rows behind ``covariance``.
    adjacency : csr_array of bool of shape (p, p)
        The graph, symmetric; the diagonal is ignored.
    sweeps : Scaling
        Who computes: the readable functions, or an engine's copy of them.
    still : float
        Movement of a correlation, in units of the variance that neighbours leave, at which to stop.
        `TOLERANCE` is for that of `STILL`, and grows in proportion.

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
    n_rows = integer_at_least("n_rows", n_rows, 1)
    graph = _checked_graph(covariance, adjacency)
    p = len(covariance)
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > _LEAST_SCALE, scale, 1.0)

    alone = np.flatnonzero(np.diff(graph.starts) == 0)
    rows, columns, values = [alone], [alone], [np.ones(len(alone))]
    inverse, shrinkage = np.eye(p), np.zeros(p)
    for nodes, part in _components(graph):
        block = np.ix_(nodes, nodes)
        correlation = covariance[block] / np.outer(scale[nodes], scale[nodes])
        np.fill_diagonal(correlation, 1.0)
        scaled, shrinkage[nodes] = _fit(correlation, n_rows, part, sweeps, still)
        inverse[block] = scaled.inverse
        found = scaled.precision.tocoo()
        rows.append(nodes[found.row])
        columns.append(nodes[found.col])
        values.append(found.data)

    i, j = np.concatenate(rows), np.concatenate(columns)
    entries = np.concatenate(values) / (scale[i] * scale[j])
    inverse *= np.outer(scale, scale)
    precision = csr_array((entries, (i, j)), shape=(p, p))
    return PrecisionFit(precision, inverse, float(shrinkage.max(initial=0.0)), shrinkage > 0)


def needed_to_fit(adjacency: csr_array) -> int:
    """Return about how many bytes `fit_precision` takes, and the covariance that it is given.

    Three matrices of the size of the whole, and four of the size of the largest component.
    """
    _, label = connected_components(adjacency, directed=False)
    largest = int(np.bincount(label).max(initial=0))
    result: int = 24 * adjacency.shape[0] ** 2 + (32 * largest**2 if largest > 1 else 0)
    return result


def mean_log_likelihood(rows: NDArray[np.floating], location: Array, precision: csr_array) -> float:
    """Return the mean over ``rows`` of the logarithm of their Gaussian density.

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

    Examples
    --------
    >>> round(mean_log_likelihood(np.zeros((1, 2)), np.zeros(2), csr_array(np.eye(2))), 4)
    -1.8379
    """
    centred = rows - location
    quadratic = np.einsum("ij,ij->i", centred @ precision, centred).mean()
    log_determinant = np.log(_pivots(precision)).sum()
    return 0.5 * float(log_determinant - len(location) * log(2 * pi) - quadratic)


def _pivots(precision: csr_array) -> Array:
    """Return the pivots of symmetric elimination; their product is the determinant.

    They have the signs of the eigenvalues. An error if not all are positive.
    """
    options = {"SymmetricMode": True, "Equil": False}
    try:
        lu = splu(csc_array(precision), "MMD_AT_PLUS_A", diag_pivot_thresh=0, options=options)
    except RuntimeError as error:
        raise LinAlgError("precision must be positive definite, got a singular one") from error
    pivots: Array = lu.U.diagonal()
    # A zero on the diagonal makes the elimination leave it.
    if not np.array_equal(lu.perm_r, lu.perm_c) or not (pivots > 0).all():
        raise LinAlgError("precision must be positive definite, got an indefinite one")
    return pivots


def _checked_graph(covariance: Array, adjacency: csr_array) -> _Graph:
    """Return the graph without a diagonal if both arguments are sound."""
    p = len(covariance)
    if covariance.shape != (p, p) or not np.isfinite(covariance).all():
        raise ValueError("covariance must be a square matrix of finite numbers")
    if (np.diag(covariance) < 0).any():
        least = np.diag(covariance).min()
        raise ValueError(f"covariance must have a diagonal of numbers >= 0, got {least:g}")
    if adjacency.shape != (p, p):
        raise ValueError(f"adjacency must have shape {(p, p)}, got {adjacency.shape}")
    entries = coo_array(adjacency)
    joined = entries.data.astype(bool) & (entries.row != entries.col)
    pairs = np.unique(entries.row[joined].astype(np.int64) * p + entries.col[joined])
    i, j = np.divmod(pairs, p)
    if not np.array_equal(pairs, np.sort(j * p + i)):
        raise ValueError("adjacency must be symmetric")
    return _graph_of(np.bincount(i, minlength=p), j)


def _graph_of(degrees: Indices, neighbours: Indices) -> _Graph:
    """Return a graph with indices of the type that sparse matrices have."""
    dtype = get_index_dtype(maxval=max(len(degrees), len(neighbours)))
    starts = np.zeros(len(degrees) + 1, dtype=dtype)
    np.cumsum(degrees, out=starts[1:])
    return _Graph(starts, neighbours.astype(dtype))


def _components(graph: _Graph) -> list[tuple[NDArray[np.intp], _Graph]]:
    """Return the nodes of each connected component that has an edge, and the graph of these."""
    starts, neighbours = graph
    p = len(starts) - 1
    matrix = csr_array((np.ones(len(neighbours)), neighbours, starts), shape=(p, p))
    _, label = connected_components(matrix, directed=False)
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    place = np.empty(p, dtype=np.intp)
    for nodes in groups:
        place[nodes] = np.arange(len(nodes))
    return [(nodes, _part(graph, nodes, place)) for nodes in groups if len(nodes) > 1]


def _part(graph: _Graph, nodes: NDArray[np.intp], place: NDArray[np.intp]) -> _Graph:
    """Return the graph of a component, whose nodes have new numbers."""
    degrees = np.diff(graph.starts)[nodes]
    ends = np.cumsum(degrees)
    old = np.repeat(graph.starts[nodes] - (ends - degrees), degrees) + np.arange(ends[-1])
    return _graph_of(degrees, place[graph.neighbours[old]])


def _fit(
    correlation: Array, n_rows: int, graph: _Graph, sweeps: Scaling, still: float
) -> tuple[_Scaled, float]:
    """Fit one component, with the least shrinkage that lets likelihood have a maximum."""
    tolerance = TOLERANCE * still / STILL
    for extra in (0, *(4**k for k in range(n_rows.bit_length()))):
        share = extra / (n_rows + extra)
        target = (1.0 - share) * correlation
        np.fill_diagonal(target, 1.0)
        with suppress(LinAlgError):
            scaled = _scale(target, graph, sweeps, still)
            if _equations_hold(scaled, tolerance):
                return scaled, share
    # Out of reach unless the covariance is not one: every further step is nearer to the identity.
    return _Scaled(eye_array(len(correlation), format="csr"), np.eye(len(correlation))), 1.0


def _scale(target: Array, graph: _Graph, sweeps: Scaling, still: float) -> _Scaled:
    """Sweep over the nodes until nothing moves; an error where a node has no variance left."""
    starts, neighbours = graph
    coefficients, variance = np.empty(len(neighbours)), np.empty(len(target))
    filled = _start(target, starts, neighbours, sweeps)
    relaxation, moves = 1.0, []
    for count in range(_MAX_SWEEPS):
        move = sweeps.sweep(target, filled, starts, neighbours, relaxation, coefficients, variance)
        if not variance.min() > LEAST_VARIANCE:
            raise LinAlgError("a column is a linear combination of its neighbours")
        if move < max(still, _ROUNDING / variance.min()):
            break
        moves.append(move)
        if count > _MAX_RELAXED_SWEEPS:
            relaxation = 1.0
        elif len(moves) >= _WINDOW / (2 - relaxation):
            relaxation, moves = _next_relaxation(relaxation, moves), []
    return _Scaled(_assemble(graph, coefficients, variance), filled)


def _start(target: Array, starts: Indices, neighbours: Indices, sweeps: Scaling) -> Array:
    """Return a matrix with the wanted entries: the very answer, if the graph is chordal."""
    order = sweeps.search_order(starts, neighbours)
    filled, positive = sweeps.fill_in_order(target, starts, neighbours, order, LEAST_VARIANCE)
    return filled if positive else target.copy()


def _next_relaxation(relaxation: float, moves: list[float]) -> float:
    """Return the best relaxation, to judge by the latest moves (docs/likelihood.md, section 3)."""
    steps = len(moves) // 2
    rate = (moves[-1] / moves[-1 - steps]) ** (1 / steps)
    if not relaxation - 1 < rate < 1:
        return relaxation
    squared_radius = (rate + relaxation - 1) ** 2 / (rate * relaxation**2)
    return min(2 / (1 + sqrt(1 - squared_radius)), _MAX_RELAXATION)


def _assemble(graph: _Graph, coefficients: Array, variance: Array) -> csr_array:
    """Return the precision: θ_ii = 1 / variance, θ_ij = -coefficient / variance, of both ends."""
    starts, neighbours = graph
    nodes = np.arange(len(variance))
    own = 1.0 / variance
    source = np.repeat(nodes, np.diff(starts))
    one_sided = own[source] * -coefficients
    other_sided = one_sided[np.argsort(neighbours, kind="stable")]  # each pair's other way round
    values = np.concatenate([(one_sided + other_sided) / 2, own])
    places = np.concatenate([source, nodes]), np.concatenate([neighbours, nodes])
    return csr_array((values, places), shape=(len(nodes), len(nodes)))


def _equations_hold(scaled: _Scaled, tolerance: float) -> bool:
    """Whether the precision has this inverse, to a tolerance; an error if not positive definite.

    The inverse has the wanted entries by construction. Most often a sparse product is proof enough
    (docs/likelihood.md, section 4); among nearly collinear columns its bound is far too wide.
    """
    _pivots(scaled.precision)
    residual = scaled.precision @ scaled.inverse
    residual[np.diag_indices_from(residual)] -= 1.0
    if np.abs(residual).sum(axis=0).max() <= tolerance / (1 + tolerance):
        return True
    factor = cho_factor(scaled.precision.toarray())
    inverse = cho_solve(factor, np.eye(len(scaled.inverse)))
    return bool(np.abs(inverse - scaled.inverse).max() <= tolerance)
