"""From a precision matrix, dense or sparse, to the constants that the bounds depend on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from hedgerow.paper.bounds import Problem

_COLUMNS_PER_SOLVE = 256

Solver = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class ModelConstants:
    """What the sample-size bounds need to know of a precision matrix.

    Attributes
    ----------
    p : int
        Number of variables.
    kappa : float or None
        Smallest absolute partial correlation over the edges; None for a graph without edges,
        where the minimum is over nothing.
    lambdas : ndarray of shape (p,)
        The l1 norms of the nodes' neighbourhood weights, ``sum_j |theta_ij| / theta_ii``.
    lambda_max : float
        Largest of ``lambdas``.
    nu_max : float
        Largest marginal variance.
    theta_max : float
        Largest diagonal entry, hence largest entry, of the precision matrix.
    degree : int
        Largest number of neighbours of a node.
    row_norm : float
        Largest l1 norm of a row, diagonal included: the constant of ACLIME and HybridMB.
    condition : float
        Ratio of the largest to the smallest eigenvalue, to a relative error of about 1e-6.
    """

    p: int
    kappa: float | None
    lambdas: np.ndarray = field(repr=False)
    lambda_max: float
    nu_max: float
    theta_max: float
    degree: int
    row_norm: float
    condition: float

    def problem(self, delta: float = 0.05) -> Problem:
        """Return the problem of learning this model's graph at error probability ``delta``.

        Examples
        --------
        >>> constants([[1, 0.5], [0.5, 1]]).problem(delta=0.1).kappa
        0.5
        """
        if self.kappa is None:
            raise ValueError("precision must have at least one edge to plan for, got none")
        return Problem(
            p=self.p,
            kappa=self.kappa,
            lambda_max=self.lambda_max,
            nu_max=self.nu_max,
            theta_max=self.theta_max,
            degree=self.degree,
            delta=delta,
            row_norm=self.row_norm,
        )


def constants(precision: Any, *, zero_below: float = 0.0) -> ModelConstants:
    """Compute the constants of the Gaussian model with the given precision matrix.

    Parameters
    ----------
    precision : array-like or scipy.sparse array of shape (p, p)
        Symmetric positive definite. A sparse matrix stays sparse: the cost is one sparse
        factorisation and p solves with it.
    zero_below : float
        Partial correlations of absolute value up to this count as zero. Of use for a matrix that
        was inverted numerically, where absent edges are tiny instead of zero.

    Returns
    -------
    ModelConstants

    Examples
    --------
    >>> chain = [[1, 0.4, 0], [0.4, 1, 0.3], [0, 0.3, 1]]
    >>> model = constants(chain)
    >>> model.kappa, model.lambda_max, model.degree
    (0.3, 0.7, 2)
    """
    if not 0 <= zero_below < 1:
        raise ValueError(f"zero_below must be a number in [0, 1), got {zero_below!r}")
    theta = _without_negligible(_symmetric(_square(precision)), zero_below)
    p = theta.shape[0]
    diagonal = theta.diagonal()
    solve = _solver(theta)

    row, column, size = _entries(theta)
    edge = row != column
    strength = size[edge] / np.sqrt(diagonal[row[edge]] * diagonal[column[edge]])
    off_diagonal = np.bincount(row[edge], weights=size[edge], minlength=p)
    lambdas = off_diagonal / diagonal
    lambdas.flags.writeable = False
    inverse = LinearOperator(theta.shape, matvec=solve, dtype=np.float64)
    return ModelConstants(
        p=p,
        kappa=float(strength.min()) if strength.size else None,
        lambdas=lambdas,
        lambda_max=float(lambdas.max()),
        nu_max=float(_inverse_diagonal(solve, p).max()),
        theta_max=float(diagonal.max()),
        degree=int(np.bincount(row[edge], minlength=p).max()),
        row_norm=float((off_diagonal + diagonal).max()),
        condition=_largest_eigenvalue(theta) * _largest_eigenvalue(inverse),
    )


def _square(precision: Any) -> Any:
    """Return a finite square float64 matrix with a positive diagonal, sparse if it came sparse."""
    theta = sparse.csr_array(precision) if sparse.issparse(precision) else np.asarray(precision)
    if theta.dtype.kind not in "biuf":
        raise ValueError(f"precision must hold real numbers, got dtype {theta.dtype}")
    theta = theta.astype(np.float64)
    values = theta.data if sparse.issparse(theta) else theta
    if theta.ndim != 2 or theta.shape[0] != theta.shape[1] or theta.shape[0] < 2:
        raise ValueError(f"precision must be square, at least 2 x 2, got shape {theta.shape}")
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise ValueError(f"precision must be finite, got {bad} NaN or infinite entries")
    smallest = theta.diagonal().min()
    if smallest <= 0:
        raise ValueError(f"precision must have a positive diagonal, got an entry {smallest:g}")
    return theta


def _symmetric(theta: Any) -> Any:
    """Return the symmetric part, once the rest is known to be rounding.

    Differences are measured with the diagonal scaled to 1, where units do not matter.
    """
    scale = np.sqrt(theta.diagonal())
    row, column, gap = _entries(theta - theta.T)
    largest = float((gap / (scale[row] * scale[column])).max(initial=0.0))
    if largest > 1e-8:
        raise ValueError(
            "precision must be symmetric, got entries (i, j) and (j, i) that differ by "
            f"{largest:.3g} once the diagonal is scaled to 1"
        )
    return (theta + theta.T) / 2


def _without_negligible(theta: Any, zero_below: float) -> Any:
    scale = np.sqrt(theta.diagonal())
    row, column, size = _entries(theta)
    drop = (size <= zero_below * scale[row] * scale[column]) & (row != column)
    theta = theta.copy()
    theta[row[drop], column[drop]] = 0.0
    if sparse.issparse(theta):
        theta.eliminate_zeros()
    return theta


def _entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and absolute value of every stored non-zero, whatever the storage."""
    entries = sparse.coo_array(matrix)
    row, column = entries.coords
    return row, column, np.abs(entries.data)


def _solver(theta: Any) -> Solver:
    """Factor ``theta`` once; return the function that solves with it for one or more columns.

    The diagonal is scaled to 1 first, so that variables in very different units do no harm.
    """
    scale = np.sqrt(theta.diagonal())
    if sparse.issparse(theta):
        inverse_scale = sparse.diags_array(1 / scale)
        scaled = (inverse_scale @ theta @ inverse_scale).tocsc()
        factor = _factor_sparse
    else:
        scaled = theta / np.outer(scale, scale)
        factor = _factor_dense
    try:
        solve_scaled = factor(scaled)
    except LinAlgError as breakdown:
        raise ValueError(
            "precision must be positive definite, got a smallest eigenvalue of at most "
            f"{_smallest_eigenvalue(scaled):.3g} once the diagonal is scaled to 1"
        ) from breakdown

    def solve(columns: np.ndarray) -> np.ndarray:
        unit = scale.reshape((-1,) + (1,) * (columns.ndim - 1))
        result: np.ndarray = solve_scaled(columns / unit) / unit
        return result

    return solve


def _factor_dense(scaled: np.ndarray) -> Solver:
    factor = cho_factor(scaled, lower=True)
    _require_positive(np.diag(factor[0]) ** 2)
    return lambda columns: cho_solve(factor, columns)


def _factor_sparse(scaled: Any) -> Solver:
    # Elimination down the diagonal, in a symmetric order, needs no row exchange when the matrix
    # is positive definite: an exchange is a sign that it is not.
    try:
        factor = splu(
            scaled,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError as singular:
        raise LinAlgError("singular") from singular
    if not np.array_equal(factor.perm_r, factor.perm_c):
        raise LinAlgError("row exchange")
    _require_positive(factor.U.diagonal())
    result: Solver = factor.solve
    return result


def _require_positive(pivots: np.ndarray) -> None:
    """Refuse pivots of a matrix with unit diagonal that rounding alone could have produced."""
    if pivots.min() <= pivots.size * np.finfo(np.float64).eps:
        raise LinAlgError("pivot")


def _inverse_diagonal(solve: Solver, p: int) -> np.ndarray:
    """Diagonal of the inverse, a block of columns at a time: never p x p numbers at once."""
    diagonal = np.empty(p)
    for start in range(0, p, _COLUMNS_PER_SOLVE):
        nodes = np.arange(start, min(start + _COLUMNS_PER_SOLVE, p))
        unit = np.zeros((p, nodes.size))
        unit[nodes, nodes - start] = 1.0
        diagonal[nodes] = solve(unit)[nodes, nodes - start]
    return diagonal


def _largest_eigenvalue(matrix: Any) -> float:
    size = matrix.shape[0]
    # A fixed start is reproducible; a generic one is not orthogonal to the answer, as the vector
    # of ones would be on many symmetric graphs.
    start = np.random.default_rng(0).standard_normal(size)
    found = eigsh(matrix, k=1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)
    return float(found[0])


def _smallest_eigenvalue(matrix: Any) -> float:
    """An upper bound, and a close one, also where the answer is zero.

    Lanczos stops on a relative error, which an eigenvalue of zero never meets; so the spectrum is
    turned round above its largest possible value.
    """
    ceiling = float(abs(matrix).sum(axis=0).max())
    turned = LinearOperator(
        matrix.shape, matvec=lambda x: ceiling * x - matrix @ x, dtype=np.float64
    )
    return ceiling - _largest_eigenvalue(turned)
