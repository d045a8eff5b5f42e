"""The linear programs of CLIME and ACLIME, by HiGHS."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from hedgerow.rivals._base import Array
from hedgerow.rivals._clock import Clock


def least_l1(matrix: Array, low: Array, high: Array, clock: Clock) -> Array:
    """Return the vector of least l1 norm whose product with ``matrix`` is within the limits.

    scipy's `milp` without integers is HiGHS's simplex method; unlike `linprog` it takes limits on
    both sides of a row as they are, which halves the rows.

    Examples
    --------
    >>> least_l1(np.eye(2), np.array([0.5, -1.0]), np.array([2.0, 1.0]), Clock(None))
    array([0.5, 0. ])
    """
    clock.tick()
    size = matrix.shape[1]
    result = milp(
        np.ones(2 * size),  # positive parts, then negative parts
        constraints=LinearConstraint(np.hstack([matrix, -matrix]), low, high),
        bounds=Bounds(0.0, np.inf),
        options={} if np.isinf(clock.left) else {"time_limit": max(clock.left, 0.0)},
    )
    if result.x is None:
        clock.tick()
        raise FloatingPointError(f"HiGHS found no solution: {result.message}")
    found: Array = result.x
    return found[:size] - found[size:]
