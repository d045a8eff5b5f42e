"""Random graphs from a posterior, by births and deaths of edges (Mohammadi and others)."""

from math import log
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.base.checks import in_open_interval, integer_at_least
from hedgerow.rivals._base import Array, Found, Rival, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._compiled import COMPILED
from hedgerow.rivals._evidence import evidence, gain_by_size

_AT_ONCE = 1_000  # births and deaths between two looks at the clock
_SLOWEST = 1e-200  # of rates that would underflow: the total must not be zero


class BirthDeath(Rival):
    """Posterior probability of every edge, from a random walk among graphs.

    The birth-death process with marginal pseudo-likelihood (BD-MPL): edges are born and die in
    continuous time, at rates whose equilibrium is the posterior of the graph, where regression
    weights and variances of each node given its neighbours are integrated out in closed form. It
    is the variant for many variables of Mohammadi and Wit's BDMCMC, which walks among graphs and
    G-Wishart precision matrices; no precision matrix is drawn here.

    Parameters
    ----------
    edge_prior : float, default=0.2
        Prior probability of every edge, in (0, 1); 0.2 is the default of the authors' package
        BDgraph.
    n_iterations : int, optional
        Number of births and deaths, of which the first half is forgotten. By default 5 p², but at
        least 5000, the default of BDgraph.
    random_state : int, optional, default=0
        Seed of the walk; None for another walk each time.
    time_limit : float, optional
        Seconds after which `fit` gives up with `OutOfTime`.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`; edges have a probability above 1/2.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Posterior probability of every edge: the mean over the walk, weighted by the time that
        each graph lasts, of the edge's probability given the rest of the graph.
    n_edges_ : ndarray of shape (n_iterations,)
        Number of edges of each graph of the walk. If it still drifts in its second half, the
        walk was too short.

    Notes
    -----
    Likelihoods are those of `PseudoLikelihood`; the prior on graphs is another. Pseudo-likelihood
    counts what a pair says about its edge at both of its ends, so that probabilities are nearer
    to 0 and 1 than in the exact posterior. Cost O(m p²) and O(p k²) for each birth or death at a
    node with k neighbours.

    References
    ----------
    A. Mohammadi and E. C. Wit (2015), Bayesian structure learning in sparse Gaussian graphical
    models, Bayesian Analysis 10.
    R. Mohammadi, M. Schoonhoven, L. Vogels and S. I. Birbil (2023), Large-scale Bayesian structure
    learning for Gaussian graphical models using marginal pseudo-likelihood, arXiv 2307.00127.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import BirthDeath
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> BirthDeath().fit(X).score_matrix_[0].round(1)
    array([0., 1., 0., 0.])
    """

    def __init__(
        self,
        edge_prior: float = 0.2,
        n_iterations: int | None = None,
        random_state: int | None = 0,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.edge_prior = edge_prior
        self.n_iterations = n_iterations
        self.random_state = random_state
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        m, p = rows.shape
        prior = in_open_interval("edge_prior", self.edge_prior, 0, 1)
        iterations = max(5_000, 5 * p**2)
        if self.n_iterations is not None:
            iterations = integer_at_least("n_iterations", self.n_iterations, 2)
        rng = np.random.default_rng(self.random_state)
        walk = init(correlation(rows), m, log(prior / (1.0 - prior)))
        half = iterations // 2
        sizes = []
        for stage, moves in (("settling", half), ("births and deaths", iterations - half)):
            forget(walk)
            for start in clock.over(range(0, moves, _AT_ONCE), stage):
                sizes.append(_move(walk, rng.random((min(_AT_ONCE, moves - start), 2))))
        probability = probabilities(walk)
        return Found(probability, probability > 0.5, None, {"n_edges_": np.concatenate(sizes)})


class Walk(NamedTuple):
    """A graph on its walk, what drives it, and what was seen so far; all (p, p) are symmetric."""

    corr: Array
    gains: Array
    n_rows: int
    prior: float  # log odds of an edge
    graph: NDArray[np.bool_]
    evidence: Array  # row i: log odds of i's neighbours from i's likelihood; not symmetric
    rate: Array  # at which each edge is born, or dies if it lives
    row_rate: Array  # sums of rates over rows
    probability: Array  # of each edge given the rest of the graph
    seen: Array  # integral of that over time
    since: Array  # time up to which ``seen`` is known
    time: Array  # one number


def init(corr: Array, n_rows: int, prior: float) -> Walk:
    """Return the walk at its start, the graph without edges."""
    p = len(corr)
    walk = Walk(
        corr=corr,
        gains=gain_by_size(n_rows, p),
        n_rows=n_rows,
        prior=prior,
        graph=np.zeros((p, p), dtype=np.bool_),
        evidence=np.zeros((p, p)),
        rate=np.zeros((p, p)),
        row_rate=np.zeros(p),
        probability=np.zeros((p, p)),
        seen=np.zeros((p, p)),
        since=np.zeros((p, p)),
        time=np.zeros(1),
    )
    alone = np.array([], dtype=np.intp)
    for node in range(p):
        evidence(corr, node, alone, walk.gains, n_rows, walk.evidence[node])
    for node in range(p):
        _renew(walk, node)
    return walk


def forget(walk: Walk) -> None:
    """Begin to look at the walk only now."""
    for array in (walk.seen, walk.since, walk.time):
        array[...] = 0.0


def probabilities(walk: Walk) -> Array:
    """Return the mean probability of every edge since `forget`."""
    return (walk.seen + walk.probability * (walk.time - walk.since)) / walk.time


@njit(**COMPILED)
def _move(walk, uniform):
    """Make one birth or death for each row of ``uniform``; return the numbers of edges."""
    sizes = np.empty(len(uniform), dtype=np.int64)
    edges = walk.graph.sum() // 2
    # Sums that are only ever corrected would drift.
    for i in range(len(walk.rate)):
        walk.row_rate[i] = walk.rate[i].sum()
    for step in range(len(uniform)):
        total = walk.row_rate.sum()
        walk.time[0] += 1.0 / total
        i = _draw(walk.row_rate, uniform[step, 0] * total)
        j = _draw(walk.rate[i], uniform[step, 1] * walk.row_rate[i])
        lives = not walk.graph[i, j]
        walk.graph[i, j] = walk.graph[j, i] = lives
        edges += 1 if lives else -1
        sizes[step] = edges
        for node in (i, j):
            members = np.flatnonzero(walk.graph[node])
            evidence(walk.corr, node, members, walk.gains, walk.n_rows, walk.evidence[node])
        _renew(walk, i)
        _renew(walk, j)
    return sizes


@njit(**COMPILED)
def _draw(weights, target):
    """Return the index at which the running sum of weights passes ``target``."""
    total, last = 0.0, 0
    for index in range(weights.size):
        if weights[index] > 0.0:
            total += weights[index]
            last = index
            if total > target:
                break
    return last


@njit(**COMPILED)
def _renew(walk, node):
    """Account for the time gone by, and renew rates and probabilities of a node's edges."""
    now = walk.time[0]
    for k in range(len(walk.corr)):
        if k != node:
            odds = walk.evidence[node, k] + walk.evidence[k, node] + walk.prior
            seen = walk.seen[node, k] + walk.probability[node, k] * (now - walk.since[node, k])
            # Equilibrium needs only the ratio of birth to death to be right.
            rate = np.exp(min(0.0, -odds if walk.graph[node, k] else odds))
            _set_rate(walk, node, k, max(rate, _SLOWEST) if odds > -np.inf else 0.0)
            walk.probability[node, k] = walk.probability[k, node] = 1.0 / (1.0 + np.exp(-odds))
            walk.seen[node, k] = walk.seen[k, node] = seen
            walk.since[node, k] = walk.since[k, node] = now
    walk.row_rate[node] = walk.rate[node].sum()


@njit(**COMPILED)
def _set_rate(walk, node, k, rate):
    """Write the rate of a pair, and correct the sum over row k."""
    before, change = walk.row_rate[k], rate - walk.rate[k, node]
    walk.rate[node, k] = walk.rate[k, node] = rate
    # Of a sum that falls by more than half, the rounding of what has gone would be left over.
    walk.row_rate[k] = before + change if 2.0 * change > -before else walk.rate[k].sum()
