"""The graphical lasso by QUIC: Newton steps on the entries that can change."""

from contextlib import suppress

import numpy as np
from numba import njit
from numpy.linalg import LinAlgError
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky

from hedgerow.rivals._base import Array
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._likelihood import PenalisedLikelihood

Indices = NDArray[np.intp]

TOLERANCE = 1e-6  # of the optimality conditions, in units of correlation
_STILL = 1e-7  # change of entries at which a direction is good enough
_MAX_STEPS = 100
_ENOUGH_DECREASE = 1e-3  # share of the decrease foreseen that a step must bring
_SHORTEST_STEP = 2.0**-30
_ROUNDING = 1e-12


class Quic(PenalisedLikelihood):
    """Graphical lasso by QUIC: second-order steps on the entries that can change.

    The problem and its solution are those of `GraphicalLasso`; the way there is shorter. We
    found no package of QUIC that installs, so it is written here.

    Parameters
    ----------
    penalty : float or {"ebic", "stars", "cv"}, default="ebic"
        As in `GraphicalLasso`.
    random_state : int or None, default=0
        Draws subsamples and folds; None draws others every time.
    time_limit : float, optional
        Seconds; looked at before every Newton step.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the partial correlations of ``precision_``.
    precision_ : ndarray of shape (n_features, n_features)
    penalty_ : float
        The penalty used.

    Notes
    -----
    Assumes what `GraphicalLasso` assumes. The likelihood is approximated to second order around
    the current matrix; coordinate descent minimises that approximation plus the penalty over the
    active entries, those that are not zero or whose gradient is above the penalty; a line search
    keeps the matrix positive definite. Convergence is superlinear. Cost: O(p³) for each
    Newton step, plus O(p) for each active entry and sweep, in each connected
    component of the correlations above the penalty.

    References
    ----------
    Hsieh, Sustik, Dhillon and Ravikumar (2014), QUIC: quadratic approximation for sparse inverse
    covariance estimation, JMLR 15.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import Quic
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> Quic().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        penalty: float | str = "ebic",
        *,
        random_state: int | None = 0,
        time_limit: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.random_state = random_state
        self.time_limit = time_limit

    def _solve_component(
        self, corr: Array, penalty: float, start: Array | None, clock: Clock
    ) -> Array:
        return quic(corr, penalty, start, clock)


def quic(corr: Array, penalty: float, start: Array | None, clock: Clock) -> Array:
    """Return the minimiser, to `TOLERANCE`; ``start`` must be positive definite."""
    precision = np.diag(1.0 / np.diag(corr)) if start is None else start.copy()
    factor = cholesky(precision, lower=True)
    for step in range(_MAX_STEPS):
        clock.tick()
        covariance = np.ascontiguousarray(cho_solve((factor, True), np.eye(len(corr))))
        gradient = corr - covariance
        if violation(precision, gradient, penalty) <= TOLERANCE:
            return precision
        first, second = _active(precision, gradient, penalty)
        sweeps = 1 + step**2  # the closer to the end, the more a better direction is worth
        target = _target(corr, precision, covariance, penalty, first, second, sweeps)
        precision, factor = _line_search(corr, precision, gradient, factor, target, penalty)
    raise FloatingPointError(f"QUIC did not converge in {_MAX_STEPS} steps at penalty {penalty:g}")


def violation(precision: Array, gradient: Array, penalty: float) -> float:
    """Return by how much the conditions of optimality fail: the least subgradient's largest entry.

    ``gradient`` is S minus the inverse of the precision matrix. It must be zero on the diagonal,
    minus the penalty times the entry's sign where an entry is not zero, and no larger than the
    penalty elsewhere.
    """
    at_zero = np.maximum(np.abs(gradient) - penalty, 0.0)
    off = np.where(precision != 0, np.abs(gradient + penalty * np.sign(precision)), at_zero)
    np.fill_diagonal(off, np.abs(np.diag(gradient)))
    return float(off.max())


def _active(precision: Array, gradient: Array, penalty: float) -> tuple[Indices, Indices]:
    """Return the entries on and above the diagonal that a Newton step may change."""
    first, second = np.nonzero(np.triu((np.abs(gradient) > penalty) | (precision != 0)))
    return first, second


@njit(cache=True)
def _target(corr, precision, covariance, penalty, first, second, sweeps):
    """Return where coordinate descent on the quadratic approximation leads.

    ``product`` is kept equal to covariance @ (target - precision), so that a coordinate costs O(p).
    """
    p = len(corr)
    target = precision.copy()
    product = np.zeros((p, p))
    for _ in range(sweeps):
        largest = 0.0
        for k in range(len(first)):
            i, j = first[k], second[k]
            slope = corr[i, j] - covariance[i, j] + product[i] @ covariance[j]
            old = target[i, j]
            if i == j:
                new = old - slope / covariance[i, i] ** 2
            else:
                curvature = covariance[i, j] ** 2 + covariance[i, i] * covariance[j, j]
                free = old - slope / curvature
                new = np.sign(free) * max(abs(free) - penalty / curvature, 0.0)
            if new == old:
                continue
            target[i, j] = target[j, i] = new
            largest = max(largest, abs(new - old))
            for row in range(p):
                product[row, j] += (new - old) * covariance[row, i]
                if i != j:
                    product[row, i] += (new - old) * covariance[row, j]
        if largest <= _STILL:
            break
    return target


def _line_search(
    corr: Array, precision: Array, gradient: Array, factor: Array, target: Array, penalty: float
) -> tuple[Array, Array]:
    """Return the next matrix and its Cholesky factor: half as far until the objective falls."""
    now = _objective(corr, precision, factor, penalty)
    direction = target - precision
    penalty_gain = penalty * (_off_l1(target) - _off_l1(precision))
    foreseen = float(np.sum(gradient * direction)) + penalty_gain
    length, new = 1.0, target
    while length >= _SHORTEST_STEP:
        with suppress(LinAlgError):
            new_factor = cholesky(new, lower=True)
            bound = now + length * _ENOUGH_DECREASE * foreseen
            # Near the optimum the decrease is below what rounding lets us see.
            if _objective(corr, new, new_factor, penalty) <= bound + _ROUNDING * abs(now):
                return new, new_factor
        length /= 2
        new = precision + length * direction
    raise FloatingPointError(f"QUIC found no step that helps at penalty {penalty:g}")


def _objective(corr: Array, precision: Array, factor: Array, penalty: float) -> float:
    log_determinant = 2 * np.log(np.diag(factor)).sum()
    return float(np.sum(corr * precision) - log_determinant + penalty * _off_l1(precision))


def _off_l1(matrix: Array) -> float:
    return float(np.abs(matrix).sum() - np.abs(np.diag(matrix)).sum())
