"""How many neighbours a variable has at least, even where not one of them can be named.

A hub is seen in the sum of its many weak relations before any of them is clear. If a variable had
fewer than k neighbours, all its scores but k - 1 would be those of pairs without an edge, and the
squares of the others would not add up to more than chance allows. The largest k for which they do,
and for all below it, is a bound that holds for all variables at once, with a probability of
1 - level (docs/theory.md, section 31).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from hedgerow.method import noisy
from hedgerow.method.edges import given_fewer, scores_given_fewer
from hedgerow.method.inflation import calming
from hedgerow.method.latent_edges import skews, unskewed
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.one_pair import Known

Array = NDArray[np.float64]
Counts = NDArray[np.intp]
Scores = Callable[[Array, float], Array]

_FEWEST_OF_A_HUB = 3
_TIMES_TYPICAL = 2
_ALL_AT_ONCE = 50  # columns up to which all eigenvalues are computed to know the largest


def fewest_neighbours(known: Known, level: float, scores: Scores = scores_given_fewer) -> Counts:
    """Return for each variable a number of neighbours that it has at least.

    With a probability of 1 - level, none of these numbers is too large. ``scores`` is who computes
    `edges.scores_given_fewer`.

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> corr = np.full((40, 40), 0.04)  # of leaves: a hub joins them
    >>> corr[0] = corr[:, 0] = 0.2
    >>> np.fill_diagonal(corr, 1.0)
    >>> fewest_neighbours(Known(corr, None, 150, no_inflation(40)), level=0.05)[:3]
    array([26,  0,  0])
    """
    n_columns, n_rows = len(known.corr), known.effective_rows
    if n_columns < 2 or known.n_rows < MIN_ROWS:
        return np.zeros(n_columns, dtype=np.intp)
    return bounds(_scores(known, n_rows, scores), *_noise(known.corr, n_rows), level)


def bounds(z: Array, squared: float, largest: float, level: float) -> Counts:
    """Return the numbers of neighbours from a matrix of scores, with zeros on the diagonal.

    Scores of pairs without an edge, of one variable, are normal; the eigenvalues of their
    correlations are at most ``largest``, and their squares add up to ``squared`` at most.
    """
    n_others = len(z) - 1
    rarity = np.log(len(z) / level)
    summed = np.cumsum(np.sort(z**2, axis=1)[:, 1:], axis=1)[:, ::-1]  # but the k - 1 largest
    left = n_others - np.arange(n_others)
    chance = left + 2.0 * np.sqrt(rarity * squared) + 2.0 * largest * rarity
    result: Counts = np.minimum.accumulate(summed > chance, axis=1).sum(axis=1)
    return result


def hubs(at_least: Counts, degrees: Counts) -> Counts:
    """Return the variables with many more neighbours than others, the largest bound first.

    That is at least three, and twice what is known of a typical variable by its bound or edges.

    Examples
    --------
    >>> hubs(np.array([0, 9, 1, 4, 1]), np.array([2, 3, 1, 2, 2]))
    array([1, 3])
    """
    typical = np.median(np.maximum(at_least, degrees))
    enough = max(_FEWEST_OF_A_HUB, _TIMES_TYPICAL * typical)
    found = np.flatnonzero(at_least >= enough)
    return found[np.argsort(-at_least[found], kind="stable")]


def missed(at_least: Counts, degrees: Counts, chosen_by: Counts) -> Counts:
    """Return hubs that some of their neighbours were not given, the largest bound first.

    Examples
    --------
    >>> missed(np.array([0, 9, 1, 4, 1]), np.array([2, 3, 1, 2, 2]), np.array([2, 5, 1, 7, 2]))
    array([1])
    """
    found = hubs(at_least, degrees)
    return found[at_least[found] > chosen_by[found]]


def _scores(known: Known, n_rows: float, scores: Scores) -> Array:
    """Return z of every pair as a symmetric matrix, by what the rows amount to."""
    upper = np.triu_indices(len(known.corr), 1)
    if known.latent is None:
        of_pairs = scores(known.corr, n_rows)
    else:
        sure = noisy.refit(known.latent, n_rows)
        of_pairs = unskewed(given_fewer(sure.fitted, n_rows, upper), skews(sure, n_rows, upper))
    z = np.zeros_like(known.corr)
    z[upper] = calming(known.inflation, *upper) * of_pairs
    return z + z.T


def _noise(corr: Array, n_rows: float) -> tuple[float, float]:
    """Return the sum of the squares of the eigenvalues of the correlations, and the largest.

    Both without what chance adds to them in so many rows: one over their number to the square of
    each correlation, and to the largest eigenvalue what random matrices say.
    """
    n_columns = len(corr)
    by_chance = n_columns * (n_columns - 1) / (n_rows - 1)
    squared = max(float((corr**2).sum()) - by_chance, float(n_columns))
    ratio = n_columns / (n_rows - 1)
    seen, edge = _largest_eigenvalue(corr), (1.0 + np.sqrt(ratio)) ** 2
    if seen <= edge:
        return squared, 1.0 + float(np.sqrt(ratio))
    half = (seen + 1.0 - ratio) / 2
    return squared, float(half + np.sqrt(half**2 - seen))


def _largest_eigenvalue(corr: Array) -> float:
    if len(corr) <= _ALL_AT_ONCE:
        return float(np.linalg.eigvalsh(corr)[-1])
    start = np.ones(len(corr))  # the same each time
    return float(eigsh(corr, 1, which="LA", v0=start, return_eigenvectors=False)[0])
