"""Tests of what lies behind columns (`hedgerow.method.behind`), compiled: nodes side by side.

Sums are added in another order than by the readable functions, so last bits differ.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.engines.numba_cpu._looseness import looseness_of_pairs
from hedgerow.engines.numba_cpu._noisy import Fits, both_of_pairs, refit_nodes, weaken_nodes
from hedgerow.engines.numba_cpu._series import sum_rows
from hedgerow.engines.numba_cpu._threads import blocks, team
from hedgerow.method.latent import FEW_TERMS, Latent
from hedgerow.method.neighbours import NO_HUBS, Refit, step_thresholds
from hedgerow.method.noisy import Sure, skew_left

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

_NODES = 16  # at a time
_PAIRS = 1024


def series(rho: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Return the sums of `latent.series`."""
    rho, first, second = (np.ascontiguousarray(each) for each in (rho, first, second))
    by_term = np.ascontiguousarray(second[:, :FEW_TERMS].T)
    value, slope = np.empty_like(rho), np.empty_like(rho)
    with team() as run:
        run(
            partial(sum_rows, *some, rho, first, second, by_term, value, slope)
            for some in blocks(len(rho), _NODES)
        )
    return value, slope


def refit(latent: Latent, n_rows: float, hubs: NDArray[np.intp] = NO_HUBS) -> Sure:
    """Choose the neighbours of every node and test it against all variables given them."""
    p = len(latent.corr)
    thresholds = step_thresholds(p, n_rows)
    found = Fits(
        np.zeros((p, len(thresholds)), dtype=np.int64),
        np.zeros((p, len(thresholds))),
        np.zeros(p, dtype=np.int64),
        np.empty(p),
        np.empty(p),
        np.array([np.zeros((p, p)), *np.ones((2, p, p))]),
    )
    latent = _in_rows(latent)
    with team() as run:
        run(
            partial(refit_nodes, *some, latent, float(n_rows), thresholds, hubs, found)
            for some in blocks(p, _NODES)
        )
    known = np.arange(len(thresholds)) < found.sizes[:, None]
    starts = np.concatenate([[0], np.cumsum(found.sizes)])
    entries = found.coefficients[known], found.chosen[known], starts
    coefficients = csr_array(entries, shape=(p, p))
    given = np.repeat(found.sizes[:, None], p, axis=1)
    given[coefficients.nonzero()] -= 1
    tested, factor, tight = found.tests
    fitted = Refit(coefficients, found.residual, found.sizes, tested, given)
    return Sure(fitted, factor, tight, skew_left(latent, found.spread))


def weaken(latent: Latent, n_rows: float, fitted: Refit) -> Refit:
    """Return the refit with the weakest result of each neighbour that has a stand-in."""
    p = len(latent.corr)
    thresholds = step_thresholds(p, n_rows)
    partials, given = fitted.partial.copy(), fitted.given.astype(np.int64)
    starts, neighbours = _neighbours(fitted.coefficients)
    latent = _in_rows(latent)
    rule = latent, float(n_rows), thresholds, starts, neighbours, partials, given
    with team() as run:
        run(partial(weaken_nodes, *some, *rule) for some in blocks(p, _NODES))
    return fitted._replace(partial=partials, given=given)


def given_both(
    latent: Latent,
    n_rows: float,
    fitted: Refit,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> tuple[Array, NDArray[np.intp]]:
    """Return the partial correlations of pairs given both nodes' neighbours, and how many."""
    pairs = np.array([first, second], dtype=np.int64)
    result, size = np.empty(len(first)), np.empty(len(first), dtype=np.intp)
    rule = _in_rows(latent), float(n_rows), *_neighbours(fitted.coefficients), pairs, result, size
    with team() as run:
        run(partial(both_of_pairs, *some, *rule) for some in blocks(len(first), _PAIRS))
    return result, size


def looseness(latent: Latent, coefficients: csr_array, first: Indices, second: Indices) -> Array:
    """Return the looseness of pairs of columns."""
    result = np.empty(len(first))
    starts, neighbours = _neighbours(coefficients)
    pairs = (np.asarray(each, dtype=np.int64) for each in (first, second))
    looseness_of_pairs(_in_rows(latent), starts, neighbours, coefficients.data, *pairs, result)
    return result


def _neighbours(coefficients: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the neighbours of each node begin in a list of all."""
    starts, neighbours = coefficients.indptr, coefficients.indices
    return np.asarray(starts, dtype=np.int64), np.asarray(neighbours, dtype=np.int64)


def _in_rows(latent: Latent) -> Latent:
    """Return the same numbers, as they are compiled for."""
    return Latent(*(np.ascontiguousarray(each, dtype=np.float64) for each in latent))
