"""Conditional covariances small enough to be none (Anandkumar, Tan, Huang and Willsky)."""

from math import log, sqrt

import numpy as np
from numba import njit

from hedgerow.base.checks import integer_at_least, positive
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._subsets import advance, begin, count

_STAGE = "conditioning on separators"
_AT_ONCE = 100_000_000  # entries of covariance matrices looked at between two looks at the clock


class ConditionalCovariance(Rival):
    """Join two variables unless some small set of others makes their covariance small.

    Parameters
    ----------
    max_separator : int, default=2
        Largest set conditioned on, η of the source: trees and graphs without short cycles need
        1, sparse random graphs 2.
    threshold : float, optional
        Covariances of standardised variables up to this count as none. The source asks for a
        constant times sqrt(log p / m); by default the constant is 2, since the largest of p² / 2
        correlations of independent variables is near sqrt(2 log(p²) / m).
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        The smallest absolute conditional covariance over all separators.
    threshold_ : float
        The threshold used.

    Notes
    -----
    Assumes a walk-summable model, where correlation through long paths fades, whose non-neighbours
    have a separator of at most ``max_separator`` nodes on all short paths between them. A
    separator that is larger leaves false edges; a neighbour whose influence other paths cancel is
    lost, and so are neighbours along a chain of strong correlations, where covariances given
    others are small whatever the partial correlation. Cost O(m p² + p^(η + 2)).

    References
    ----------
    A. Anandkumar, V. Y. F. Tan, F. Huang and A. S. Willsky (2012), High-dimensional Gaussian
    graphical model selection: walk summability and local separation criterion, Journal of Machine
    Learning Research 13.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import ConditionalCovariance
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> ConditionalCovariance(max_separator=1).fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        max_separator: int = 2,
        threshold: float | None = None,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.max_separator = max_separator
        self.threshold = threshold
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        largest = integer_at_least("max_separator", self.max_separator, 0)
        if self.threshold is None:
            threshold = 2.0 * sqrt(log(p) / m)
        else:
            threshold = positive("threshold", self.threshold)
        smallest = smallest_covariances(correlation(rows), min(largest, p - 2), clock)
        return Found(smallest, smallest > threshold, None, {"threshold_": threshold})


def smallest_covariances(corr: Array, largest: int, clock: Clock) -> Array:
    """Return every pair's smallest absolute covariance given at most ``largest`` others."""
    p = len(corr)
    smallest = np.abs(corr)
    sizes = range(largest)
    stems = [count(p, size) for size in sizes]
    chunk = max(1, _AT_ONCE // p**3)
    done = 0
    clock.check(_STAGE, 0.0)
    for size in sizes:
        stem = np.arange(size)
        stack = begin(corr, stem)
        more = True
        while more:
            more = _lower(stack, stem, chunk, smallest)
            done = min(done + chunk, sum(stems[: size + 1]))
            clock.check(_STAGE, done / sum(stems))
    clock.check(_STAGE, 1.0)
    return np.maximum(np.triu(smallest, 1), np.triu(smallest, 1).T)


@njit(**COMPILED)
def _lower(stack, stem, stems, smallest):
    """Lower the covariances to those given the next ``stems`` stems and one more variable."""
    p = stack.shape[1]
    given = stack[stem.size]
    held = np.zeros(p, dtype=np.bool_)
    for _ in range(stems):
        held[:] = False
        for member in stem:
            held[member] = True
        first = stem[-1] + 1 if stem.size else 0
        for last in range(first, p):
            if given[last, last] > COLLINEAR:
                held[last] = True
                _lower_given(given, last, held, smallest)
                held[last] = False
        if not advance(stack, stem, p):
            return False
    return True


@njit(**COMPILED)
def _lower_given(given, last, held, smallest):
    p = len(given)
    row, inverse = given[last], 1.0 / given[last, last]
    for i in range(p):
        if not held[i]:
            factor = row[i] * inverse
            for j in range(i + 1, p):
                left = abs(given[i, j] - factor * row[j])
                # Variables of the set itself have no covariance left, and say nothing.
                smallest[i, j] = left if left < smallest[i, j] and not held[j] else smallest[i, j]
