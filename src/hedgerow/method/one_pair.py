"""One pair of variables, edge or not: its partial correlation given the neighbours of both.

For an edge it is the number that the table of edges has, and its standard error is the same. The
neighbours of the two are chosen again, and those of no other variable (docs/theory.md, section 25).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import noisy
from hedgerow.method.edges import debiased
from hedgerow.method.inflation import Inflation
from hedgerow.method.intervals import standard_errors
from hedgerow.method.latent import Latent
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.looseness import of_residuals
from hedgerow.method.neighbours import NO_HUBS, regression, step_thresholds

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class Known(NamedTuple):
    """What partial correlations come from, of columns that vary and repeat no other."""

    corr: Array  # of what lies behind columns, where something does
    latent: Latent | None  # ... and how sure that is
    n_rows: float
    inflation: Inflation
    chosen: dict[int, tuple[Indices, Array]] | None = None  # by `neighbours`, to ask many pairs
    hubs: Indices = NO_HUBS  # that all variables are given as neighbours

    @property
    def effective_rows(self) -> float:
        """Number of rows that the tests count with."""
        return max(self.n_rows / self.inflation.per_effective, MIN_ROWS)


class OfPair(NamedTuple):
    """A partial correlation."""

    partial_corr: float
    spread: float  # standard error of atanh(partial_corr)
    given: Indices  # neighbours of one of the two or both


def neighbours(known: Known, node: int) -> tuple[Indices, Array]:
    """Return the chosen neighbours of a node, and its coefficients on them."""
    if known.chosen is not None and node in known.chosen:
        return known.chosen[node]
    n_rows = known.effective_rows
    thresholds = step_thresholds(len(known.corr), n_rows)
    if known.latent is None:
        found = regression(known.corr, node, n_rows, thresholds, known.hubs)
    else:
        found = noisy.regression(known.latent, node, n_rows, thresholds, known.hubs)
    if known.chosen is not None:
        known.chosen[node] = found
    return found


def of_pair(known: Known, i: int, j: int) -> OfPair:
    """Return the partial correlation of two variables given both their neighbours.

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> known = Known(corr, None, 200, no_inflation(3))
    >>> found = of_pair(known, 0, 2)
    >>> abs(round(found.partial_corr, 6)), found.given
    (0.0, array([1]))
    """
    chosen, coefficients = zip(*(neighbours(known, node) for node in (i, j)))
    columns = np.union1d([i, j], np.concatenate(chosen)).astype(np.intp)
    at_i, at_j = np.searchsorted(columns, [i, j])
    weights = np.zeros((len(columns), len(columns)))
    for at, some, values in zip((at_i, at_j), chosen, coefficients):
        weights[at, np.searchsorted(columns, some)] = values
    estimate = -debiased(known.corr[np.ix_(columns, columns)], weights)[at_i, at_j]
    given, loose = np.setdiff1d(columns, [i, j]), 1.0
    if known.latent is not None:
        one, other = (np.eye(len(columns)) - weights)[[at_i, at_j]]
        loose = of_residuals(known.latent, columns, one, other)
        if abs(estimate) >= 1.0 and known.latent.noise[[i, j]].max() > 0.0:
            left, loose = noisy.partial_given(known.corr, i, j, given), np.inf
            estimate = estimate if np.isnan(left) else left
    used = np.array([max(map(len, chosen))])
    pair = np.array([i]), np.array([j])
    spread = standard_errors(known.n_rows, known.inflation, *pair, used, loose)
    return OfPair(float(estimate), float(spread[0]), given)
