"""Chosen neighbours for which another variable could stand in.

Forward selection takes the strongest variable first, and with few rows the strongest need not be
the neighbour: it can be one behind it. The true neighbour then adds too little to be chosen, and
nothing is left to explain the relation with the wrong one away. So every chosen neighbour is asked:
would another variable have been chosen in your place, and what remains of you once it is
(docs/theory.md, section 10.3)?
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.neighbours import COLLINEAR, Refit, step_thresholds

Array = NDArray[np.float64]


def weaken(corr: Array, n_rows: float, fitted: Refit) -> Refit:
    """Return the refit with the weakest partial correlation of each node with its neighbours.

    A stand-in for neighbour j of node i is a variable that j chose, or that chose i or j, and that
    passes the threshold of forward selection given i's other neighbours.

    Examples
    --------
    >>> from hedgerow.method.neighbours import refit
    >>> corr = np.array([[1.0, 0.6, 0.58], [0.6, 1.0, 0.9], [0.58, 0.9, 1.0]])
    >>> fitted = refit(corr, n_rows=100)
    >>> fitted.partial[0, 1].round(2), weaken(corr, 100, fitted).partial[0, 1].round(2)
    (np.float64(0.6), np.float64(0.22))
    """
    thresholds = step_thresholds(len(corr), n_rows)
    chosen = fitted.coefficients.toarray() != 0
    partial, given = fitted.partial.copy(), fitted.given.copy()
    for i, j in zip(*np.nonzero(chosen)):
        rest = chosen[i].copy()
        rest[j] = False
        candidates = (chosen[j] | chosen[:, i] | chosen[:, j]) & ~rest
        candidates[[i, j]] = False
        others = np.flatnonzero(rest)
        left = _given(corr, np.r_[i, j, np.flatnonzero(candidates)], others)
        remains = _explained_away(left, thresholds[len(others)], n_rows - 3 - len(others))
        if abs(remains) < abs(partial[i, j]):
            partial[i, j] = remains
            given[i, j] += 1
    return fitted._replace(partial=partial, given=given)


def _given(corr: Array, variables: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
    """Return the partial correlations of some variables given others."""
    left = corr[np.ix_(variables, variables)]
    if len(others):
        across = corr[np.ix_(others, variables)]
        left = left - across.T @ np.linalg.solve(corr[np.ix_(others, others)], across)
    scale = np.sqrt(np.maximum(np.diag(left), COLLINEAR))
    return np.clip(left / scale / scale[:, None], -1.0, 1.0)


def _explained_away(partial: Array, threshold: float, freedom: float) -> float:
    """Return what the most telling stand-in leaves of the first two variables' correlation.

    The candidates follow them. One that would turn the sign leaves nothing.
    """
    own, first, second = partial[0, 1], partial[0, 2:], partial[1, 2:]
    passes = first**2 * freedom > threshold**2 * (1 - first**2)
    room = np.maximum((1 - first**2) * (1 - second**2), COLLINEAR**2)
    remains = np.sign(own) * (own - first * second) / np.sqrt(room)
    return float(np.sign(own) * np.clip(remains[passes].min(initial=1.0), 0.0, 1.0))
