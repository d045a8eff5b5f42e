"""The l1-penalised Gaussian likelihood: what its solvers share.

Minimise ``-log det Θ + tr(SΘ) + penalty * sum_{i != j} |Θ_ij|`` over positive definite Θ, where S
is the correlation matrix. Nodes that correlations above the penalty do not connect, directly or by
way of others, are not connected in the solution either, so each connected component is solved by
itself (Witten, Friedman and Simon 2011; Mazumder and Hastie 2012).
"""

from abc import abstractmethod
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.rivals._base import Array
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._penalty import EBIC_GAMMA, Penalised


class PenalisedLikelihood(Penalised):
    """A solver of this problem; estimates are precision matrices."""

    _criteria = ("ebic", "stars", "cv")

    @abstractmethod
    def _solve_component(
        self, corr: Array, penalty: float, start: Array | None, clock: Clock
    ) -> Array:
        """Return the precision matrix of one connected component, of two nodes or more."""

    def _solve(self, corr: Array, penalty: float, start: Array | None, clock: Clock) -> Array:
        precision = np.diag(1.0 / np.diag(corr))
        for nodes in clock.each(components(corr, penalty)):
            block = np.ix_(nodes, nodes)
            first = None if start is None else start[block]
            precision[block] = self._solve_component(corr[block], penalty, first, clock)
        return precision

    def _loss(self, estimate: Array, moments: Array) -> float:
        sign, log_determinant = np.linalg.slogdet(estimate)
        if sign <= 0:
            return inf
        return 0.5 * float(np.sum(estimate * moments) - log_determinant)

    def _ebic(self, estimate: Array, corr: Array, n_rows: int) -> float:
        """Return the criterion with the likelihood at its greatest on the graph, unpenalised."""
        graph = csr_array(self._graph(estimate))
        refitted = fit_precision(corr, n_rows, graph).precision.toarray()
        each = np.log(n_rows) + 4 * EBIC_GAMMA * np.log(len(corr))
        return float(2 * n_rows * self._loss(refitted, corr) + graph.nnz / 2 * each)


def components(corr: Array, penalty: float) -> list[NDArray[np.intp]]:
    """Return the connected components of two nodes or more among correlations above the penalty.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.2, 0.6], [0.2, 1.0, 0.1], [0.6, 0.1, 1.0]])
    >>> components(corr, 0.5)
    [array([0, 2])]
    """
    _, label = connected_components(csr_array(np.abs(corr) > penalty), directed=False)
    by_label = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    return [nodes for nodes in by_label if len(nodes) > 1]
