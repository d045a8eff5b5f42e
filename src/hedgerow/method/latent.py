"""Correlations of the normal variables behind columns of steps, from those of their scores.

The correlation of two columns' scores is g(rho) = sum_k c_k d_k rho^k, with the coefficients of
`hedgerow.method.steps` and rho the correlation of the variables behind them. Newton's method finds
rho for all pairs at once. How precise it then is, is known too: the variance of the product of two
scores is another such series. docs/theory.md, section 22.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.steps import Curves

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]
Series = Callable[[Array, Array, Array], tuple[Array, Array]]

LARGEST = 0.995  # latent correlations end here
_STEPS = 30
_CLOSE = 1e-10
# So many terms are enough up to this correlation: what is left out is below 1e-4.
FEW_TERMS, MODERATE = 64, 0.86
_AT_ONCE = 4096  # pairs
_LEAST = 1e-3  # of slopes, and of variances relative to those of normal columns


class Latent(NamedTuple):
    """What lies behind columns of scores."""

    scores: Array  # (p, p); correlations of the scores
    corr: Array  # (p, p); correlations of the variables behind them
    looseness: Array  # (p, p); standard error of these, over that of a correlation like `scores`
    noise: Array  # (p,); variance that scores have beside, in units of these variables
    doubt: Array  # (p,); as in `Curves`
    skew: Array  # (p,); mean third power of the scores


def series(rho: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Return the sum of first_k second_k rho^k for all pairs, and its derivative in rho."""
    value, slope = np.zeros_like(rho), np.zeros_like(rho)
    for one, other in zip(first.T[FEW_TERMS - 1 :: -1], second.T[FEW_TERMS - 1 :: -1], strict=True):
        slope *= rho
        slope += value
        value *= rho
        value += one[:, None] * other
    above, below = np.nonzero(np.abs(rho) > MODERATE)
    for start in range(0, len(above), _AT_ONCE):
        some = above[start : start + _AT_ONCE], below[start : start + _AT_ONCE]
        value[some], slope[some] = _long_series(rho[some], first[some[0]] * second[some[1]])
    return value, slope


def _long_series(rho: Array, products: Array) -> tuple[Array, Array]:
    """Return the sum of products_k rho^k over all terms, and its derivative, for each row."""
    powers = rho[:, None] ** np.arange(products.shape[1])
    value = (products * powers).sum(axis=1)
    slope = (products[:, 1:] * np.arange(1, products.shape[1]) * powers[:, :-1]).sum(axis=1)
    return value, slope


def latent_of(scores: Array, curves: Curves, sums: Series = series) -> Latent:
    """Return what lies behind scores that are correlated like this.

    ``sums`` is who computes series.

    Examples
    --------
    >>> from hedgerow.method.steps import curves_of_steps
    >>> low, high, score = np.tile([[0.0, 0.5], [0.5, 1.0], [-1.0, 1.0]], 2)
    >>> curves = curves_of_steps(low, high, score, np.array([0, 0, 1, 1]), 2)
    >>> seen = 2 / np.pi * np.arcsin(0.6)
    >>> latent_of(np.array([[1.0, seen], [seen, 1.0]]), curves).corr.round(4)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    noisy = np.flatnonzero(curves.noise > 0.0)
    first = curves.coefficients[:, 1]
    corr = scores / np.outer(first, first)
    some = np.ix_(noisy, noisy)
    corr[some] = _solved(scores[some], curves.coefficients[noisy], corr[some], sums)
    away = ~np.eye(len(corr), dtype=np.bool_) & (curves.noise > 0.0)
    corr = np.where(away | away.T, np.clip(corr, -LARGEST, LARGEST), scores)
    off = corr - np.diag(np.diag(corr))  # the diagonal is not asked for, and would be slow
    _, slope = sums(off, curves.coefficients, curves.coefficients)
    looseness = np.sqrt(_variance(scores, off, curves, sums)) / np.maximum(slope, _LEAST)
    looseness = np.where(away | away.T, looseness, 1.0)
    skew = curves.powers[2][:, 0]
    return Latent(scores, corr, looseness, curves.noise, curves.doubt, skew)


def at_their_bound(latent: Latent, room: float = 0.0) -> tuple[Indices, Indices]:
    """Return the pairs whose correlation is as large as it can be, or so many standard errors less.

    ``room`` is in those of a single row.
    """
    error = (1.0 - latent.scores**2) * latent.looseness
    close = (np.abs(latent.corr) + room * error > LARGEST - 1e-6) & (latent.looseness != 1.0)
    first, second = np.nonzero(np.triu(close, 1))
    return first, second


def correlations_of_scores(
    corr: Array, curves: Curves, sums: Series = series
) -> tuple[Array, Array]:
    """Return the correlations that scores have if these lie behind, and their errors in one row.

    Off the diagonal; on it are zeros.

    Examples
    --------
    >>> from hedgerow.method.steps import straight
    >>> corr = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> [x.round(2).tolist() for x in correlations_of_scores(corr, straight(2))]
    [[[0.0, 0.6], [0.6, 0.0]], [[1.0, 0.64], [0.64, 1.0]]]
    """
    off = corr * ~np.eye(len(corr), dtype=np.bool_)
    scores, _ = sums(off, curves.coefficients, curves.coefficients)
    np.fill_diagonal(scores, 0.0)
    errors: Array = (1.0 - scores**2) * np.sqrt(_variance(scores, off, curves, sums))
    return scores, errors


def _variance(scores: Array, rho: Array, curves: Curves, sums: Series) -> Array:
    """Return the variance of a correlation of scores, over what normal columns would have.

    The influence of a row on the correlation g is s t - g (s² + t²) / 2.
    """
    score, square, cube = curves.powers
    of_squares, _ = sums(rho, square, square)
    of_cubes, _ = sums(rho, cube, score)
    fourth = curves.fourth[:, None] + curves.fourth
    variance = (
        of_squares * (1.0 + scores**2 / 2)
        + scores**2 * fourth / 4
        - scores * (of_cubes + of_cubes.T)
    )
    result: Array = np.maximum(variance / np.maximum((1.0 - scores**2) ** 2, 1e-12), _LEAST)
    return result


def _solved(scores: Array, coefficients: Array, start: Array, sums: Series) -> Array:
    """Return the correlations whose series give those of ``scores``, within bounds."""
    low, high = np.full_like(scores, -LARGEST), np.full_like(scores, LARGEST)
    rho = np.clip(start, -LARGEST, LARGEST)
    np.fill_diagonal(rho, 0.0)
    for _ in range(_STEPS):
        value, slope = sums(rho, coefficients, coefficients)
        missing = scores - value
        np.fill_diagonal(missing, 0.0)
        low, high = np.where(missing > 0, rho, low), np.where(missing > 0, high, rho)
        newer = rho + missing / np.maximum(slope, _LEAST)
        # Newton's step, unless it leaves the interval that is known to hold the solution.
        newer = np.where((newer >= low) & (newer <= high), newer, (low + high) / 2)
        moved = np.abs(newer - rho).max(initial=0.0)
        rho = newer
        if moved < _CLOSE:
            break
    return rho
