"""Fractional marginal pseudo-likelihood from determinants, for every graph of a few nodes."""

from itertools import combinations, product

import numpy as np
from scipy.special import betaln, gammaln


def log_likelihood(rows, node, neighbours):
    """Log of the node's fractional marginal likelihood, by the formula of Leppä-aho and others."""
    n, k = len(rows), len(neighbours)
    scatter = rows.T @ rows
    family = [node, *neighbours]
    inner = np.linalg.slogdet(scatter[np.ix_(neighbours, neighbours)])[1] if k else 0.0
    ratio = np.linalg.slogdet(scatter[np.ix_(family, family)])[1] - inner
    return (
        -(n - 1) / 2 * np.log(np.pi)
        + gammaln((n + k) / 2)
        - gammaln((k + 1) / 2)
        - (2 * k + 1) / 2 * np.log(n)
        - (n - 1) / 2 * ratio
    )


def log_beta_binomial(size, most):
    """Log prior of one set of ``size`` neighbours out of ``most``."""
    return betaln(0.5 + size, 0.5 + most - size) - betaln(0.5, 0.5)


def all_graphs(p):
    """Return every graph on p nodes, as a matrix."""
    pairs = list(combinations(range(p), 2))
    for present in product([False, True], repeat=len(pairs)):
        graph = np.zeros((p, p), dtype=bool)
        for (i, j), here in zip(pairs, present, strict=True):
            graph[i, j] = graph[j, i] = here
        yield graph


def log_pseudo_likelihood(rows, graph):
    """Return the sum over nodes, without a prior on graphs."""
    return sum(
        log_likelihood(rows, node, list(np.flatnonzero(near))) for node, near in enumerate(graph)
    )


def log_score(rows, graph):
    """Return the sum over nodes, with the beta-binomial prior on the numbers of neighbours."""
    p = len(graph)
    prior = sum(log_beta_binomial(int(near.sum()), p - 1) for near in graph)
    return log_pseudo_likelihood(rows, graph) + prior


def toggled(graph, i, j, present):
    """Return the graph with or without an edge."""
    result = graph.copy()
    result[i, j] = result[j, i] = present
    return result
