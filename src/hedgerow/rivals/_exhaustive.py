"""Every set of neighbours is tried: SLICE, by enumeration (Misra, Vuffray and Lokhov)."""

from math import comb, inf
from time import perf_counter

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.base.checks import in_open_interval, integer_at_least
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._prune import least_strength
from hedgerow.rivals._subsets import advance, begin, count

_STAGE = "trying sets of neighbours"
_AT_ONCE = 100_000_000  # sets and nodes looked at between two looks at the clock
_PATIENCE = 600.0  # seconds that a search without a time limit may be expected to take


class Exhaustive(Rival):
    """Predict every variable from each set of others; the best set has its neighbours.

    Parameters
    ----------
    max_degree : int, default=3
        Number of neighbours of a node that are looked for, d: at least the largest degree of the
        graph, or edges are lost.
    min_edge_strength : float, optional
        Smallest absolute partial correlation of an edge, κ: the source keeps pairs above κ / 2.
        By default pairs are kept that pass the extended BIC with γ = 1/2.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`. If the search is expected to take
        longer, it is refused at once; without a limit, if it is expected to take 10 minutes.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Geometric mean of the two nodes' weights on each other, which estimates the absolute
        partial correlation; zero unless each is in the other's best set.
    neighbours_ : ndarray of shape (n_features, max_degree)
        Each variable's best set.

    Raises
    ------
    ValueError
        If the search would take too long; the message has the time, from a measured unit cost.

    Notes
    -----
    The source's least squares under a bound on the number of weights, solved by going through all
    sets instead of by mixed-integer programming. Of all rivals it assumes least: only that nodes
    have at most d neighbours, of strength κ or more; conditioning does not matter, and the number
    of rows needed is near what is possible. The price is O(m p² + p^(d + 1)) time.

    References
    ----------
    S. Misra, M. Vuffray and A. Y. Lokhov (2020), Information theoretic optimal learning of
    Gaussian graphical models, Conference on Learning Theory.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import Exhaustive
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> Exhaustive(max_degree=2).fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        max_degree: int = 3,
        min_edge_strength: float | None = None,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.max_degree = max_degree
        self.min_edge_strength = min_edge_strength
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        degree = min(integer_at_least("max_degree", self.max_degree, 1), p - 1)
        if self.min_edge_strength is None:
            threshold = least_strength(m, p)
        else:
            threshold = in_open_interval("min_edge_strength", self.min_edge_strength, 0, 1) / 2
        corr = correlation(rows)
        best = best_sets(corr, degree, clock)
        weights = np.zeros_like(corr)
        for node, members in enumerate(best):
            weights[node, members] = np.linalg.lstsq(
                corr[np.ix_(members, members)], corr[members, node]
            )[0]
        scores = np.sqrt(np.abs(weights * weights.T))
        return Found(scores, scores > threshold, None, {"neighbours_": best})


def best_sets(corr: Array, size: int, clock: Clock) -> NDArray[np.intp]:
    """Return, for every node, the ``size`` others that leave least of its variance."""
    p = len(corr)
    stems, chunk = count(p, size - 1), max(1, _AT_ONCE // p**2)
    clock.check(_STAGE, 0.0)
    if stems > 20 * chunk:
        _refuse_beyond(min(clock.left, _PATIENCE), expected_seconds(corr, size), p, size)
    stem = np.arange(size - 1)
    stack = begin(corr, stem)
    least, best = np.full(p, inf), np.zeros((p, size), dtype=np.intp)
    for done in clock.over(range(0, stems, chunk), _STAGE):
        _improve(stack, stem, min(chunk, stems - done), least, best)
    return np.sort(best, axis=1)


def expected_seconds(corr: Array, size: int) -> float:
    """Return how long all sets will take, from the time of some."""
    p = len(corr)
    sample = max(1, _AT_ONCE // p**2)
    least, best = np.full(p, inf), np.zeros((p, size), dtype=np.intp)
    for _ in range(2):  # once to compile, and once to time
        stem = np.arange(1, size) * p // (size + 1)  # neither the dearest nor the cheapest
        stack = begin(corr, stem)
        start = perf_counter()
        _improve(stack, stem, sample, least, best)
    return (perf_counter() - start) / sample * count(p, size - 1)


def _refuse_beyond(allowed: float, seconds: float, p: int, size: int) -> None:
    if seconds > allowed:
        raise ValueError(
            f"max_degree must be smaller for p = {p}, got {size}: {comb(p, size):.2g} sets would "
            f"take about {_in_words(seconds)}, and {_in_words(allowed)} are allowed"
        )


def _in_words(seconds: float) -> str:
    for unit, name in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.3g} seconds"


@njit(**COMPILED)
def _improve(stack, stem, stems, least, best):
    """Try the next ``stems`` stems, each with every variable above it, for all nodes."""
    p, size = stack.shape[1], stem.size
    given = stack[size]
    variance, found = np.empty(p), np.empty(p, dtype=np.int64)
    for _ in range(stems):
        found[:] = -1
        for i in range(p):
            variance[i] = given[i, i]
        for member in stem:
            variance[member] = np.inf  # no node is its own neighbour
        for last in range(stem[-1] + 1 if size else 0, p):
            _try(given[last], last, variance, least, found)
        for i in range(p):
            if found[i] >= 0:
                best[i, :size] = stem
                best[i, size] = found[i]
        advance(stack, stem, p)


@njit(**COMPILED)
def _try(row, last, variance, least, found):
    """Add ``last`` to the stem, and keep it for the nodes that it suits best so far."""
    inverse = 1.0 / row[last] if row[last] > COLLINEAR else 0.0
    own, own_found = least[last], found[last]
    for i in range(row.size):
        left = variance[i] - row[i] * row[i] * inverse
        better = left < least[i]
        least[i] = left if better else least[i]
        found[i] = last if better else found[i]
    least[last], found[last] = own, own_found
