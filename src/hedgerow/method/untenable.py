"""Columns of steps behind which no normal variables can lie, by what their scores say together.

Answers, codes and counts need not be normal variables that were cut. The levels of one category in
columns of their own, a column beside its own shape in steps, sums beside their parts, or relations
that bend may have correlations behind them that no variables have. What neighbours then leave of a
column is made of chance, or less than nothing, and partial correlations of one stand beside
others that have the wrong sign. Two things show it:

- *Out of reach.* Correlations behind steps are made those of variables, by changing them as little
  as may be. The correlations of scores that these would have are farther from some of those seen
  than the largest error by chance, by two standard errors; then any others that are farther than
  two standard errors, in the same columns, count as well.
- *Less than nothing.* Of two columns that one took for its neighbour, and all other neighbours of
  the two, some combination has a variance that is below zero by two standard errors.

Such columns are taken by their scores, as continuous ones are: correlations of scores are those of
variables in any case (docs/theory.md, section 22).
"""

from math import comb, log, sqrt

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import behind, noisy
from hedgerow.method.behind import Behind
from hedgerow.method.latent import Latent, correlations_of_scores, latent_of
from hedgerow.method.steps import Curves

Array = NDArray[np.float64]
Columns = NDArray[np.bool_]

_ROUNDS = 16  # of making correlations those of variables
_STILL = 1e-4  # a round that changes none by more is the last


def untenable(scores: Array, curves: Curves, n_rows: float, who: Behind = behind) -> Columns:
    """Return the columns that cannot be what their curves say.

    Parameters
    ----------
    scores : (p, p) correlations of scores; of columns that vary, and repeat no other
    curves : scores as functions of what lies behind them
    n_rows : number of independent rows that say as much
    who : who computes what takes long

    Examples
    --------
    >>> from hedgerow.method.steps import curves_of_steps
    >>> third = np.array([0.0, 2 / 3]), np.array([2 / 3, 1.0]), np.array([-0.6, 1.2])
    >>> low, high, score = np.tile(third, 3)
    >>> curves = curves_of_steps(low, high, score, np.repeat(range(3), 2), 3)
    >>> levels_of_one_category = np.where(np.eye(3), 1.0, -0.5)
    >>> untenable(levels_of_one_category, curves, 300)
    array([ True,  True,  True])
    """
    found = np.zeros(len(scores), dtype=np.bool_)
    while True:
        known = curves.straightened(found)
        latent = latent_of(scores, known, who.series)
        if not (latent.noise > 0.0).any():
            return found
        beyond = _out_of_reach(latent, known, n_rows, who) | _below_zero(latent, n_rows, who)
        if not (more := beyond & (latent.noise > 0.0)).any():
            return found
        found |= more


def _out_of_reach(latent: Latent, curves: Curves, n_rows: float, who: Behind) -> Columns:
    """Return the columns whose scores have correlations that those of no variables explain."""
    p = len(latent.corr)
    if n_rows <= p or np.linalg.eigvalsh(latent.corr)[0] >= 0.0:
        return np.zeros(p, dtype=np.bool_)
    reached, error = correlations_of_scores(nearest(latent.corr), curves, who.series)
    noise = latent.noise > 0.0
    off_by = np.abs(latent.scores - np.eye(p) - reached) / error * sqrt(n_rows)
    off_by *= noise | noise[:, None]
    found = np.zeros(p, dtype=np.bool_)
    found[np.nonzero(off_by > sqrt(2.0 * log(comb(p, 2) or 1)) + noisy.CLEAR)[0]] = True
    # With those that are clear, others that are not so far off with them.
    found[(off_by[found] > noisy.CLEAR).any(axis=0)] = True
    return found


def _below_zero(latent: Latent, n_rows: float, who: Behind) -> Columns:
    """Return the columns of combinations that have a variance below zero."""
    result = np.zeros(len(latent.corr), dtype=np.bool_)
    chosen = who.refit(latent, n_rows).fitted.coefficients.toarray() != 0.0
    for i, j in zip(*np.nonzero(np.triu(chosen | chosen.T, 1))):
        some = np.union1d([i, j], np.flatnonzero(chosen[i] | chosen[j]))
        least, combined = _least_variance(latent.corr[np.ix_(some, some)])
        if least >= 0.0:
            continue
        error = sqrt(noisy.spread_of(latent, some, combined) / n_rows)
        if least < -noisy.CLEAR * error:
            result[some[combined**2 * len(some) >= 1.0]] = True
    return result


def _least_variance(corr: Array) -> tuple[float, Array]:
    """Return the least variance that a combination of length one has, and which has it."""
    variances, combinations = np.linalg.eigh(corr)
    return float(variances[0]), combinations[:, 0]


def nearest(corr: Array) -> Array:
    """Return correlations of variables that are about as near to these as such can be.

    Alternating projections with Dykstra's correction (Higham 2002).

    Examples
    --------
    >>> nearest(np.where(np.eye(3), 1.0, -0.9)).round(2)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    result, correction = corr, np.zeros_like(corr)
    for _ in range(_ROUNDS):
        variances, combinations = np.linalg.eigh(result - correction)
        possible = (combinations * np.maximum(variances, 0.0)) @ combinations.T
        correction = possible - (result - correction)
        before, result = result, np.where(np.eye(len(corr)), 1.0, possible)
        if np.abs(result - before).max() < _STILL:
            break
    scale = np.sqrt(np.maximum(np.diag(possible), np.finfo(np.float64).tiny))
    of_variables: Array = possible / scale / scale[:, None]
    return of_variables
