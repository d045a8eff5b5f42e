"""Which of a node's chosen variables to keep: the last step of the greedy and exhaustive rivals."""

from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array

Chosen = Sequence[NDArray[np.intp]]


def least_strength(n_rows: int, n_columns: int) -> float:
    """Return the partial correlation below which an edge is not worth its price.

    The price is that of the extended Bayesian information criterion with γ = 1/2 (Foygel and
    Drton, 2010): an edge must raise twice the log-likelihood by log m + 2 log p.

    Examples
    --------
    >>> round(least_strength(n_rows=500, n_columns=64), 3)
    0.169
    """
    price = (log(n_rows) + 2.0 * log(n_columns)) / n_rows
    return sqrt(1.0 - exp(-price))


def strengths(corr: Array, chosen: Chosen) -> Array:
    """Return, in row i, how strongly i is correlated with each chosen variable given the others.

    Absolute partial correlations; zero for variables that were not chosen.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])
    >>> strengths(corr, [np.array([1, 2]), np.array([0]), np.array([1])]).round(3)
    array([[0.   , 0.514, 0.   ],
           [0.6  , 0.   , 0.   ],
           [0.   , 0.6  , 0.   ]])
    """
    result = np.zeros_like(corr)
    for node, members in enumerate(chosen):
        inverse = np.linalg.inv(corr[np.ix_(members, members)])
        weights = inverse @ corr[members, node]
        residual = max(1.0 - float(weights @ corr[members, node]), COLLINEAR)
        noise = np.diag(inverse) * residual
        result[node, members] = np.abs(weights) / np.sqrt(weights**2 + noise)
    return result
