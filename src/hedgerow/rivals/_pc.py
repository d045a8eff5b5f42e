"""Edges without a separating set among the neighbours: the skeleton of the PC algorithm."""

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from hedgerow.base.checks import in_open_interval, integer_at_least
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._subsets import advance, begin

_AT_ONCE = 10_000_000  # tests between two looks at the clock


class PC(Rival):
    """Remove an edge when some set of neighbours makes its ends independent.

    The skeleton of the PC algorithm in the variant that does not depend on the order of the
    columns, with Fisher's z test of partial correlation. All pairs that are correlated are joined;
    those whose correlation vanishes given one neighbour of either are parted, then given two of
    the neighbours that are left, and so on.

    Parameters
    ----------
    alpha : float, default=0.01
        Level of each single test, in (0, 1); 0.01 is usual for PC. It is not an error rate of
        the graph.
    max_condition : int, optional
        Largest number of variables conditioned on. By default as many as there are neighbours
        left, which a hub makes hopeless: see Notes.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        -log10 of the largest p-value over the tests of a pair.
    depth_ : int
        Size of the largest sets that were tried.

    Notes
    -----
    Assumes faithfulness, and strongly so: no edge may be hidden by paths that cancel it, given any
    set that is tried. Cost O(m p²), and 2^q tests for each edge at a node with q neighbours: little
    in graphs of small degree, endless at a hub with thirty neighbours.

    The graph is that of ``skeleton_discovery(..., stable=True)`` of the package causal-learn, to
    which it is compared in the tests. Here all tests that share a condition are made together and
    compiled, and scores are not rounded to zero beyond p = 1e-16.

    References
    ----------
    P. Spirtes, C. Glymour and R. Scheines (2000), Causation, prediction, and search, MIT Press.
    D. Colombo and M. H. Maathuis (2014), Order-independent constraint-based causal structure
    learning, Journal of Machine Learning Research 15.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import PC
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> PC().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    _min_rows = 5

    def __init__(
        self,
        alpha: float = 0.01,
        max_condition: int | None = None,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.max_condition = max_condition
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        limit = float(stats.norm.isf(in_open_interval("alpha", self.alpha, 0, 1) / 2))
        # Fisher's z has m - depth - 3 degrees of freedom, of which one must be left.
        deepest = len(rows) - 4
        if self.max_condition is not None:
            deepest = min(deepest, integer_at_least("max_condition", self.max_condition, 0))
        least, depth = smallest_z(correlation(rows), len(rows), limit, deepest, clock)
        scores = -(stats.norm.logsf(least) + log(2)) / log(10)
        return Found(scores, least >= limit, None, {"depth_": depth})


def smallest_z(
    corr: Array, n_rows: int, limit: float, deepest: int, clock: Clock
) -> tuple[Array, int]:
    """Return the smallest z of every pair over all tests, and the size of the largest condition.

    Pairs below ``limit`` are no edges, and not tested with larger conditions; no condition has
    more than ``deepest`` variables.
    """
    p, depth = len(corr), 0
    least = _z(np.square(corr), n_rows - 3)
    clock.check(_stage(depth), 1.0)
    while True:
        joined = least >= limit
        np.fill_diagonal(joined, False)
        degree = joined.sum(axis=1)
        if depth >= min(degree.max() - 1, deepest):
            return least, depth
        depth += 1
        smallest = np.ones_like(corr)
        for node in clock.over(range(p), _stage(depth)):
            if degree[node] > depth:
                others = np.flatnonzero(joined[node])
                smallest[node, others] = _over_conditions(corr, node, others, depth, clock)
        z = np.where(joined, _z(smallest, n_rows - depth - 3), np.inf)
        least = np.minimum(least, np.minimum(z, z.T))


def _stage(depth: int) -> str:
    return f"testing pairs given {depth}"


def _z(squared: Array, freedom: int) -> Array:
    """Return Fisher's z statistic of squared partial correlations, as an absolute value."""
    largest = 1.0 - np.finfo(np.float64).eps
    result: Array = np.sqrt(freedom) * np.arctanh(np.sqrt(np.minimum(squared, largest)))
    return result


def _over_conditions(
    corr: Array, node: int, others: NDArray[np.intp], depth: int, clock: Clock
) -> Array:
    """Return the node's smallest squared partial correlation with each of its neighbours."""
    block = np.append(others, node)
    smallest = np.ones(len(others))
    stem = np.arange(depth - 1)
    stack = begin(corr[np.ix_(block, block)], stem)
    chunk = max(1, _AT_ONCE // len(block) ** 2)
    while _lower(stack, stem, chunk, smallest):
        clock.tick()
    return smallest


@njit(**COMPILED)
def _lower(stack, stem, stems, smallest):
    """Test the last variable with all others given the next stems and one more of the others."""
    n = smallest.size
    given = stack[stem.size]
    for _ in range(stems):
        for last in range(stem[-1] + 1 if stem.size else 0, n):
            if given[last, last] > COLLINEAR:
                _lower_given(given, last, smallest)
        if not advance(stack, stem, n):
            return False
    return True


@njit(**COMPILED)
def _lower_given(given, last, smallest):
    n = smallest.size
    row, own, inverse = given[last], given[n], 1.0 / given[last, last]
    left = own[n] - row[n] * row[n] * inverse
    if left <= COLLINEAR:
        return
    for y in range(n):
        covariance = own[y] - row[n] * row[y] * inverse
        variance = given[y, y] - row[y] * row[y] * inverse
        # A variable of the condition itself, or determined by it, has no correlation to test.
        if variance > COLLINEAR and y != last:
            smallest[y] = min(smallest[y], covariance * covariance / (left * variance))
