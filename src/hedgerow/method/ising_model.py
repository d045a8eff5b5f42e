"""The Ising model of a graph: couplings and fields from rows, and how well it predicts rows.

In {-1, +1} the log odds of x_i given all others are 2 (h_i + sum_j J_ij x_j). In {0, 1} they are
linear as well, with coefficients 4 J_ij: each is a log odds ratio.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.ising_logistic import CONVERGED, LONGEST_STEP, MOST_STEPS, PRIOR, Array, Bits

_CELLS_AT_A_TIME = 2**20


def couplings_of(
    coefficients: Sequence[Array], neighbours: Sequence[NDArray[np.intp]]
) -> csr_array:
    """Return J from each node's coefficients, that of the constant first, on its neighbours.

    An edge is in two regressions; its coupling is the mean of both.

    >>> both = [np.array([1]), np.array([0])]
    >>> couplings_of([np.array([0.0, 1.0]), np.array([0.0, 3.0])], both).toarray()
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    sizes = [len(others) for others in neighbours]
    first = np.repeat(np.arange(len(sizes)), sizes)
    second = np.concatenate([np.asarray(others, dtype=np.intp) for others in neighbours])
    values = np.concatenate([values[1:] for values in coefficients])
    one_way = csr_array((values / 8.0, (first, second)), shape=(len(sizes), len(sizes)))
    return csr_array(one_way + one_way.T)


def entries(matrix: csr_array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Return entries of a sparse matrix that are there.

    >>> entries(csr_array([[0.0, 0.5], [0.5, 0.0]]), np.array([1]), np.array([0]))
    array([0.5])
    """
    matrix.sort_indices()
    size = matrix.shape[1]
    places = np.repeat(np.arange(size), np.diff(matrix.indptr)) * size + matrix.indices
    result: Array = matrix.data[np.searchsorted(places, first * size + second)]
    return result


def fields_given(rows: Bits, couplings: csr_array) -> Array:
    """Return the fields of greatest likelihood, each node's given all other variables.

    >>> rows = np.array([[0, 0], [0, 1], [0, 0], [1, 1]], dtype=np.uint8)
    >>> fields_given(rows, csr_array((2, 2))).round(2)  # half the log odds of 1 : 3, and of 1 : 1
    array([-0.54,  0.  ])
    """
    odds = np.zeros(rows.shape[1])
    wanted = rows.sum(axis=0, dtype=np.int64)
    for _ in range(MOST_STEPS):
        expected, information = np.zeros_like(odds), np.full_like(odds, PRIOR)
        for some in _blocks(rows):
            share = 1.0 / (1.0 + np.exp(-(log_odds(some, couplings, odds / 2.0))))
            expected += share.sum(axis=0)
            information += (share * (1.0 - share)).sum(axis=0)
        gradient = wanted - expected - PRIOR * odds
        step = np.clip(gradient / information, -LONGEST_STEP, LONGEST_STEP)
        odds += step
        if np.abs(step * gradient).max(initial=0.0) < CONVERGED:
            break
    return odds / 2.0


def log_odds(rows: Bits, couplings: csr_array, fields: Array) -> Array:
    """Return the log odds of a one in each cell, given the rest of its row."""
    signs = 2.0 * rows - 1.0
    result: Array = 2.0 * (signs @ couplings + fields)
    return result


def pseudo_log_likelihood(rows: Bits, couplings: csr_array, fields: Array) -> float:
    """Return the mean over rows of the summed log probabilities of cells, each given its row.

    >>> pseudo_log_likelihood(np.array([[0, 1]], dtype=np.uint8), csr_array((2, 2)), np.zeros(2))
    -1.3862943611198906
    """
    total = 0.0
    for some in _blocks(rows):
        odds = log_odds(some, couplings, fields)
        total -= float(np.logaddexp(0.0, np.where(some, -odds, odds)).sum())
    return total / len(rows)


def _blocks(rows: Bits) -> Iterator[Bits]:
    size = max(1, _CELLS_AT_A_TIME // rows.shape[1])
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
