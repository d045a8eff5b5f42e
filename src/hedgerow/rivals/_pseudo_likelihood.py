"""The graph of largest fractional marginal pseudo-likelihood (Leppä-aho and others)."""

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import betaln

from hedgerow.base.checks import one_of
from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array, Found, Rival, correlation, symmetric
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._evidence import evidence, gain_by_size

# Rules for making one graph, and how the evidence of the two nodes of a pair is joined.
_JOIN: dict[str, np.ufunc] = {"hc": np.add, "and": np.minimum, "or": np.maximum}


class PseudoLikelihood(Rival):
    """Climb to the graph that makes every variable most probable given its neighbours.

    Parameters
    ----------
    rule : {"hc", "and", "or"}, default="hc"
        How the nodes' separate neighbourhoods become one graph: edges that both nodes want
        ("and"), or one of them ("or"), or a second hill climb over the latter edges for the graph
        of largest pseudo-likelihood ("hc").
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Log posterior odds of an edge given the rest of the graph: with "hc" the two nodes' odds
        added up, with "and" the smaller, with "or" the larger. Edges are above zero.

    Notes
    -----
    There is nothing to tune. Parameters are integrated out under a reference prior, of which one
    row's worth of likelihood makes a proper one, and the number of a node's neighbours has the
    beta-binomial prior with both parameters 1/2, which charges for the choice among many
    variables. Consistent for any fixed graph as rows grow; assumes neighbourhoods small beside
    the rows, and that single additions and removals find them. Pseudo-likelihood counts what a
    pair of variables says about its edge at both of its ends. Cost O(m p²) and O(p k²) for each
    step at a node with k neighbours.

    References
    ----------
    J. Leppä-aho, J. Pensar, T. Roos and J. Corander (2017), Learning Gaussian graphical models
    with fractional marginal pseudo-likelihood, International Journal of Approximate Reasoning 83.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import PseudoLikelihood
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> PseudoLikelihood().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(self, rule: str = "hc", *, time_limit: float | None = None) -> None:
        self.rule = rule
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        rule = one_of("rule", self.rule, tuple(_JOIN))
        corr, gains = correlation(rows), gains_with_prior(m, p)
        wanted, odds = np.zeros((p, p), dtype=np.bool_), np.empty((p, p))
        for node in clock.over(range(p), "climbing at each node"):
            _climb(corr, node, gains, m, wanted[node], odds[node])
        if rule == "hc":
            graph, odds = climb_together(corr, wanted | wanted.T, gains, m, clock)
        else:
            graph = wanted & wanted.T if rule == "and" else wanted | wanted.T
        # Neighbours that are ruled out get less than any evidence can be, but a number.
        return Found(np.maximum(symmetric(odds, _JOIN[rule]), m * log(COLLINEAR)), graph)


def gains_with_prior(n_rows: int, n_columns: int) -> Array:
    """Return what the k-th neighbour adds apart from the variance, with the prior on k."""
    k = np.arange(n_columns)
    prior = np.diff(betaln(0.5 + k, 0.5 + n_columns - 1 - k))
    # All others are neighbours at most; the last entry is never used.
    result: Array = gain_by_size(n_rows, n_columns) + np.append(prior, 0.0)
    return result


@njit(**COMPILED)
def _climb(corr, node, gains, n_rows, wanted, odds):
    """Add the best neighbour, or drop the worst, until neither improves the node's likelihood."""
    wanted[:] = False
    while True:
        evidence(corr, node, np.flatnonzero(wanted), gains, n_rows, odds)
        best, gain = node, 0.0
        for j in range(wanted.size):
            here = -odds[j] if wanted[j] else odds[j]
            if here > gain:
                best, gain = j, here
        if best == node:
            return
        wanted[best] = not wanted[best]


def climb_together(
    corr: Array, candidates: NDArray[np.bool_], gains: Array, n_rows: int, clock: Clock
) -> tuple[NDArray[np.bool_], Array]:
    """Toggle the candidate edge that gains most, from the empty graph on, while any gains.

    Returns the graph, and the evidence of each node for each neighbour in it.
    """
    stage, steps, expected = "climbing together", 0, int(candidates.sum()) // 2
    graph, odds = np.zeros_like(candidates), np.empty_like(corr)
    for node in range(len(corr)):
        evidence(corr, node, np.flatnonzero(graph[node]), gains, n_rows, odds[node])
    while True:
        clock.check(stage, min(steps, expected) / (expected + 1))
        total = odds + odds.T
        gain = np.where(candidates, np.where(graph, -total, total), -np.inf)
        i, j = divmod(int(gain.argmax()), len(corr))
        if gain[i, j] <= 0:
            clock.check(stage, 1.0)
            return graph, odds
        graph[i, j] = graph[j, i] = not graph[i, j]
        steps += 1
        for node in (i, j):
            evidence(corr, node, np.flatnonzero(graph[node]), gains, n_rows, odds[node])
