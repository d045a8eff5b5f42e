"""Every set of neighbours is tried, by logistic regression: for Ising models of few variables."""

from itertools import combinations
from math import comb

import numpy as np
from numba import njit

from hedgerow.base.checks import between, integer_at_least
from hedgerow.rivals._base import Array, Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._ising_base import Estimate, IsingRival, Signs, found

_STAGE = "trying sets of neighbours"
_MOST_FITS = 1_000_000
_STEPS = 50  # of Newton's method
_LARGEST = 30.0  # of weights, where a variable is determined and they would be infinite


class IsingExhaustive(IsingRival):
    """The set of neighbours of least extended BIC, among all sets, for each node.

    Parameters
    ----------
    max_degree : int, default=3
        Largest number of neighbours of a node, d: at least that of the graph, or edges are lost.
    gamma : float, default=0.25
        How much the number of possible sets counts in the extended BIC, from 0 to 1.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Mean size of the two nodes' couplings with each other.
    couplings_ : ndarray of shape (n_features, n_features)
        Mean of the two nodes' couplings, for columns of -1 and 1, not shrunk.
    fields_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        If there are more than a million sets.

    Notes
    -----
    Assumes only that nodes have at most d neighbours. Pairs are joined that choose each other. Cost
    O(p^(d + 1)) regressions on tables of 2^d cells, which take O(m) to fill.

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import IsingExhaustive
    >>> X = make_ising("chain", 4, strength=0.8).sample(500, seed=0)
    >>> IsingExhaustive(max_degree=2).fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self, max_degree: int = 3, *, gamma: float = 0.25, time_limit: float | None = None
    ) -> None:
        self.max_degree = max_degree
        self.gamma = gamma
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        m, p = signs.shape
        degree = min(integer_at_least("max_degree", self.max_degree, 1), p - 1)
        per_edge = np.log(m) + 2 * between("gamma", self.gamma, 0, 1) * np.log(max(p - 1, 1))
        fits = p * sum(comb(p - 1, k) for k in range(degree + 1))
        if fits > _MOST_FITS:
            raise ValueError(
                f"max_degree must be smaller for p = {p}, got {degree}: {fits:.2g} sets, and "
                f"{_MOST_FITS:.2g} are allowed"
            )
        states, counts = np.unique(signs, axis=0, return_counts=True)
        couplings, fields = np.zeros((p, p)), np.zeros(p)
        for node in clock.over(range(p), _STAGE):
            members, weights = self._best(states, counts, node, degree, per_edge, clock)
            couplings[node, members], fields[node] = weights[1:], weights[0]
        clock.check(_STAGE, 1.0)
        return found(Estimate(couplings, fields), None, "and", {})

    def _best(
        self,
        states: Signs,
        counts: np.ndarray,
        node: int,
        degree: int,
        per_edge: float,
        clock: Clock,
    ) -> tuple[list[int], Array]:
        others = [j for j in range(states.shape[1]) if j != node]
        least = np.inf
        best: tuple[list[int], Array] = ([], np.zeros(1))
        for size in range(degree + 1):
            clock.tick()
            for members in combinations(others, size):
                weights, loss = fit_set(states, counts, node, np.array(members, dtype=np.int64))
                value = 2 * loss + size * per_edge
                if value < least:
                    least, best = value, (list(members), weights)
        return best


@njit(**COMPILED)
def fit_set(states, counts, node, members):
    """Return field and couplings of largest likelihood, and minus the log-likelihood."""
    size = members.size
    cells = np.zeros((2**size, 2))
    for k in range(states.shape[0]):
        cell = 0
        for place in range(size):
            cell += (1 << place) if states[k, members[place]] > 0 else 0
        cells[cell, 1 if states[k, node] > 0 else 0] += counts[k]
    inputs = np.ones((2**size, size + 1))
    for cell in range(2**size):
        for place in range(size):
            inputs[cell, place + 1] = 1.0 if cell >> place & 1 else -1.0
    weights = np.zeros(size + 1)
    for _ in range(_STEPS):
        slope, curvature = np.zeros(size + 1), 1e-9 * np.eye(size + 1)
        for cell in range(2**size):
            total = cells[cell, 0] + cells[cell, 1]
            chance = 1.0 / (1.0 + np.exp(-2.0 * (inputs[cell] * weights).sum()))
            slope += 2.0 * (cells[cell, 1] - total * chance) * inputs[cell]
            weight = 4.0 * total * chance * (1.0 - chance)
            for a in range(size + 1):
                for b in range(size + 1):
                    curvature[a, b] += weight * inputs[cell, a] * inputs[cell, b]
        step = np.linalg.solve(curvature, slope)
        step *= min(1.0, 1.0 / np.abs(step).max()) if np.abs(step).max() > 0 else 1.0
        weights = np.minimum(np.maximum(weights + step, -_LARGEST), _LARGEST)
        if np.abs(step).max() < 1e-8:
            break
    loss = 0.0
    for cell in range(2**size):
        margin = 2.0 * (inputs[cell] * weights).sum()
        loss += cells[cell, 1] * np.logaddexp(0.0, -margin)
        loss += cells[cell, 0] * np.logaddexp(0.0, margin)
    return weights, loss
