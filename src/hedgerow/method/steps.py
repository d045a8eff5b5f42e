"""Scores of steps as functions of a normal variable that lies behind them.

Behind a column of steps (answers from 1 to 5, yes or no, zero or more) stands a normal variable
that was cut at thresholds. The score of a row is then a function of that variable, constant between
two thresholds and rising with it where nothing was cut. Every function f of a standard normal
variable is a sum of Hermite polynomials, sum_k c_k h_k, and for two such variables with correlation
rho the covariance of f and g is sum_k c_k d_k rho^k (Mehler). So coefficients of columns are all
that is needed to tell what correlation lies behind one of scores (`hedgerow.method.latent`).

They are known in closed form at the thresholds, which are those of the counts of rows
(docs/theory.md, section 22).

Shapes: for columns (p,), for knots (p, k), coefficients (p, TERMS).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.marginals import Marginals

Array = NDArray[np.float64]

TERMS = 512  # enough for correlations up to 0.995
# A value that fewer than this share of the rows have is no step: a threshold on either side of it
# would be closer than anything that matters.
LEAST_STEP = 0.005


class Curves(NamedTuple):
    """Powers of each column's standardised score, given the normal variable behind it."""

    powers: Array  # (3, p, TERMS); coefficients of h_0, h_1, ... of the score, its square, its cube
    fourth: Array  # (p,); mean fourth power
    doubt: Array  # (p,); variance of log c_1, times the number of rows

    @property
    def coefficients(self) -> Array:
        """Coefficients of the score itself, from h_0 on."""
        result: Array = self.powers[0]
        return result

    @property
    def noise(self) -> Array:
        """Variance of the scores that is not the variable's, if they are scaled to its units."""
        result: Array = 1.0 / np.square(self.coefficients[:, 1]) - 1.0
        return result

    def part(self, columns: NDArray[np.intp]) -> "Curves":
        """Return the curves of some columns."""
        return Curves(self.powers[:, columns], self.fourth[columns], self.doubt[columns])

    def straightened(self, columns: NDArray[np.bool_]) -> "Curves":
        """Return the curves if some columns are normal variables themselves."""
        powers, fourth, doubt = straight(len(columns))
        return Curves(
            np.where(columns[:, None], powers, self.powers),
            np.where(columns, fourth, self.fourth),
            np.where(columns, doubt, self.doubt),
        )


def straight(n_columns: int) -> Curves:
    """Return the curves of columns that are normal variables themselves."""
    powers, fourth, doubt = _straight()
    return Curves(
        np.repeat(powers, n_columns, axis=1),
        np.repeat(fourth, n_columns),
        np.repeat(doubt, n_columns),
    )


def cut_curves(marginals: Marginals) -> Curves:
    """Return the curves of columns whose values are steps where many rows have the same one."""
    at, between = marginals.at, marginals.between
    total = np.maximum((at + between).sum(axis=1, keepdims=True), 1e-300)
    above = np.cumsum(at + between, axis=1) - between
    step = at > LEAST_STEP * total
    low, high = ((above - at) / total)[step], (above / total)[step]
    column = np.nonzero(step)[0]
    score = marginals.scores[step]
    return curves_of_steps(low, high, score, column, len(at))


def curves_of_steps(
    low: Array, high: Array, score: Array, column: NDArray[np.intp], n_columns: int
) -> Curves:
    """Return the curves of columns that have a score between two probabilities.

    Elsewhere the score is the normal quantile itself.

    Examples
    --------
    >>> yes_or_no = np.array([0.0, 0.5]), np.array([0.5, 1.0]), np.array([-1.0, 1.0])
    >>> curves = curves_of_steps(*yes_or_no, np.array([0, 0]), 1)
    >>> curves.coefficients[0, :4].round(3) + 0.0, round((2 / np.pi) ** 0.5, 3)
    (array([ 0.   ,  0.798,  0.   , -0.326]), 0.798)
    """
    ends = special.ndtri(np.clip([low, high], 0.0, 1.0))
    up_to = _antiderivatives(ends.ravel())
    of_step = up_to[:, len(low) :] - up_to[:, : len(low)]  # of h_k within the step
    everywhere = np.zeros((TERMS + 4, 1))
    everywhere[0] = 1.0
    within, powers = of_step, [everywhere[:, 0] * np.ones((n_columns, 1))]
    place = n_columns * np.arange(len(of_step))[:, None] + column
    for power in range(1, 5):  # of z, in whose place the score is put within a step
        within, everywhere = _times_z(within), _times_z(everywhere)
        put = score**power * of_step - within
        sums = np.bincount(place.ravel(), put.ravel(), len(put) * n_columns)
        powers.append(everywhere[:, 0] + sums.reshape(-1, n_columns).T)
    return standardised(np.array(powers)[:, :, :TERMS])


def standardised(powers: Array, doubt: Array | None = None) -> Curves:
    """Return the curves of scores, given coefficients of their powers from 0 to 4."""
    mean = powers[1][:, 0]
    spread = np.sqrt(np.maximum(powers[2][:, 0] - mean**2, 1e-12))
    centred = [
        sum(
            special.comb(power, k) * powers[k] * (-mean[:, None]) ** (power - k)
            for k in range(power + 1)
        )
        / spread[:, None] ** power
        for power in range(1, 5)
    ]
    nothing = np.zeros(len(mean))
    return Curves(np.array(centred[:3]), centred[3][:, 0], nothing if doubt is None else doubt)


def hermite(x: Array, n_terms: int) -> Array:
    """Return the first normalised Hermite polynomials h_0, h_1, ... at some points."""
    known = np.empty((n_terms, *x.shape))
    known[0], known[1] = 1.0, x
    roots = np.sqrt(np.arange(n_terms)).tolist()
    for k in range(2, n_terms):
        known[k] = (x * known[k - 1] - roots[k - 1] * known[k - 2]) / roots[k]
    return known


@cache
def _straight() -> Curves:
    nothing = np.empty(0)
    return curves_of_steps(nothing, nothing, nothing, np.empty(0, dtype=np.intp), 1)


def _antiderivatives(x: Array) -> Array:
    """Return the integrals up to x of h_0, h_1, ... times the normal density."""
    inside = np.isfinite(x)
    point = np.where(inside, x, 0.0)
    density = np.where(inside, np.exp(-0.5 * point**2) / np.sqrt(2.0 * np.pi), 0.0)
    roots = np.sqrt(np.arange(1, TERMS + 4))[:, None]
    return np.vstack([special.ndtr(x), -hermite(point, TERMS + 3) * density / roots])


def _times_z(of: Array) -> Array:
    """Return the coefficients, or integrals, of z h_k from those of h_k; the last is cut off.

    z h_k = sqrt(k + 1) h_(k+1) + sqrt(k) h_(k-1).
    """
    root = np.sqrt(np.arange(1, len(of)))[:, None]
    result = np.zeros_like(of)
    result[:-1] += root * of[1:]
    result[1:] += root * of[:-1]
    return result
