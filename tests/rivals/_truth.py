"""The graph of a covariance matrix, and the conditions under which the lasso can find it."""

import numpy as np


def graph_of(covariance):
    """Return the graph of the inverse."""
    graph = np.abs(np.linalg.inv(covariance)) > 1e-9
    np.fill_diagonal(graph, False)
    return graph


def likelihood_incoherence(covariance):
    """Return how well a pair without an edge mimics the edges: below 1, graphical lasso succeeds.

    Of ``|Γ_eS Γ_SS⁻¹ sign(Θ_S)|``, the largest over pairs e without an edge, where Γ = Σ ⊗ Σ is
    the Hessian of the likelihood, S are the entries that are not zero, and the diagonal is not
    penalised.
    """
    precision = np.linalg.inv(covariance)
    on = (graph_of(covariance) | np.eye(len(covariance), dtype=bool)).ravel()
    sign = (np.sign(precision) * ~np.eye(len(precision), dtype=bool)).ravel()
    hessian = np.kron(covariance, covariance)
    pull = hessian[np.ix_(~on, on)] @ np.linalg.solve(hessian[np.ix_(on, on)], sign[on])
    return np.abs(pull).max()


def lasso_incoherence(covariance):
    """Return the same for the lasso of each node: ``|Σ_jN Σ_NN⁻¹ sign(w_N)|`` at its largest."""
    graph, weights = graph_of(covariance), -np.linalg.inv(covariance)
    largest = 0.0
    for node, near in enumerate(graph):
        far = ~near
        far[node] = False
        within = covariance[np.ix_(near, near)]
        pull = covariance[np.ix_(far, near)] @ np.linalg.solve(within, np.sign(weights[node, near]))
        largest = max(largest, np.abs(pull).max(initial=0.0))
    return largest
