"""Is a variable of yes or no related to another, given some more? An almost exact answer.

Given the columns S, the log odds of a variable y are linear in them. Rows fall into *cells*, one
for each pattern of S that comes up, and the counts of rows in cells, and of those with y, are all
that the regression needs.

Whether x belongs in it as well is judged by the sum of y x, given the sums of y and of y times each
column of S. This conditional law does not depend on the unknown coefficients, so its tail is a
p-value even where rows are few. The double saddlepoint approximation gives that tail without
enumeration, from two fits; as the sum is a whole number, it is moved by one half towards what is
expected (docs/ising.md).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bits = NDArray[np.uint8]
Indices = NDArray[np.integer]

# Log odds have a normal prior with a standard deviation of ten. It shows only where rows alone
# would make a coefficient infinite, as where one variable determines another.
PRIOR = 0.01
# Log odds ratios beyond this come from no table of fewer than e^15 rows, halves of a count
# included: the sum could not have been otherwise.
LARGEST_COEFFICIENT = 30.0
CLOSE_TO_NULL = 1e-3  # the approximation divides by the root of a likelihood ratio
MOST_STEPS = 60  # of Newton's method; it takes five or so
LONGEST_STEP = 5.0
SHORTEST_SHARE = 1e-6
CONVERGED = 1e-10  # what a step still gains, in log-likelihood; tests need two digits


class Fit(NamedTuple):
    """Logistic regression on the columns of a design."""

    coefficients: Array
    value: float  # log-likelihood and prior
    factor: Array  # lower Cholesky factor of the information


def cells_of(rows: Bits, given: Indices) -> tuple[NDArray[np.intp], Array]:
    """Return the cell of each row, and the design: a one and the given columns, for each cell.

    Examples
    --------
    >>> rows = np.array([[0, 0], [1, 0], [1, 0], [0, 1]], dtype=np.uint8)
    >>> cell, design = cells_of(rows, np.array([0]))
    >>> cell, design
    (array([0, 1, 1, 0]), array([[1., 0.],
           [1., 1.]]))
    """
    patterns = np.ones((len(rows), len(given) + 1))
    patterns[:, 1:] = rows[:, given]
    design, cell = np.unique(patterns, axis=0, return_inverse=True)
    return cell.reshape(-1), design


def counts(cell: NDArray[np.intp], y: Bits, n_cells: int) -> Array:
    """Return the number of rows with y in each cell."""
    return np.bincount(cell[y > 0], minlength=n_cells).astype(np.float64)


def shares(design: Array, coefficients: Array) -> Array:
    """Return the probability of a one in each cell."""
    result: Array = 1.0 / (1.0 + np.exp(-(design @ coefficients)))
    return result


def log_likelihood(design: Array, size: Array, sums: Array, coefficients: Array) -> float:
    """Return the logarithm of likelihood times prior, up to a constant."""
    prior = 0.5 * PRIOR * coefficients @ coefficients
    return float(coefficients @ sums - size @ np.logaddexp(0.0, design @ coefficients) - prior)


def fit(design: Array, size: Array, sums: Array, start: Array | None = None) -> Fit:
    """Return the regression in which rows have these sums of y times each column of the design.

    Examples
    --------
    >>> design = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> result = fit(design, np.array([400.0, 400.0]), np.array([400.0, 300.0]))  # 1/4, then 3/4
    >>> result.coefficients.round(2)  # the logarithm of 1/3, and of 9
    array([-1.1,  2.2])
    """
    best = np.zeros(design.shape[1]) if start is None else start.copy()
    value = log_likelihood(design, size, sums, best)
    lower: Array = np.eye(len(best))
    for _ in range(MOST_STEPS):
        share = shares(design, best)
        gradient = sums - design.T @ (size * share) - PRIOR * best
        information = (design.T * (size * share * (1.0 - share))) @ design
        lower = np.asarray(np.linalg.cholesky(information + PRIOR * np.eye(len(best))), np.float64)
        step = np.linalg.solve(lower.T, np.linalg.solve(lower, gradient))
        if step @ gradient < CONVERGED:
            break
        part = min(1.0, LONGEST_STEP / np.abs(step).max())
        while part > SHORTEST_SHARE:
            higher = log_likelihood(design, size, sums, best + part * step)
            if higher >= value:
                best, value = best + part * step, higher
                break
            part *= 0.5
        if part <= SHORTEST_SHARE:
            break
    return Fit(best, value, lower)


def conditional_score(cell: NDArray[np.intp], design: Array, x: Bits, y: Bits) -> float:
    """Return the normal score of x in the regression of y, given the design.

    It is about standard normal where x does not belong there, and never farther from zero than an
    exact conditional test would have it, up to the error of the approximation.

    Examples
    --------
    >>> x = np.repeat(np.array([0, 1], dtype=np.uint8), 10)
    >>> y = x.copy()
    >>> y[[0, 10]] = 1 - y[[0, 10]]  # 9 of 10, 1 of 10: Fisher's exact test says 0.0011
    >>> cell, design = cells_of(np.column_stack([x, y]), np.empty(0, dtype=int))
    >>> from hedgerow.method.scores import two_sided
    >>> two_sided(np.array([conditional_score(cell, design, x, y)])).round(4)
    array([0.0011])
    """
    n_cells = len(design)
    size: Array = np.bincount(cell, minlength=n_cells).astype(np.float64)
    null = fit(design, size, design.T @ counts(cell, y, n_cells))
    finer = np.column_stack([np.repeat(design, 2, axis=0), np.tile([0.0, 1.0], n_cells)])
    size = np.bincount(2 * cell + x, minlength=2 * n_cells).astype(np.float64)
    sums = finer.T @ counts(2 * cell + x, y, 2 * n_cells)
    surplus = sums[-1] - size[1::2] @ shares(design, null.coefficients)
    if abs(surplus) <= 0.5:
        return 0.0
    side = np.sign(surplus)
    sums[-1] -= 0.5 * side
    full = fit(finer, size, sums, np.append(null.coefficients, 0.0))
    coefficient = side * full.coefficients[-1]
    root = np.sqrt(max(2.0 * (full.value - null.value), 0.0))
    if not 0.0 < coefficient < LARGEST_COEFFICIENT or root < CLOSE_TO_NULL:
        return 0.0
    volume = np.log(np.diag(full.factor)).sum() - np.log(np.diag(null.factor)).sum()
    wald = 2.0 * np.sinh(0.5 * coefficient) * np.exp(volume)
    return float(side * max(root + np.log(wald / root) / root, 0.0))
