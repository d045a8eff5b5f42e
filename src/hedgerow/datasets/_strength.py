"""Rules that turn a graph and a strength κ into couplings |θ_ij| and a diagonal θ_ii.

The strength κ is the smallest |θ_ij| / √(θ_ii θ_jj) over the edges. Each rule says how large it
may be while the matrix stays positive definite, a small margin away from singular.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.sparse import csr_array

from hedgerow.base.checks import in_open_interval, positive
from hedgerow.datasets._graphs import Graph, degrees

_MARGIN = 1e-4  # relative distance kept from the strength at which a matrix is singular
_STEPS = 1500  # of an iteration whose error must be within the margin
_LARGEST_RHO = 0.9999
_SMALLEST_MASS = 1e-6


class Weights(NamedTuple):
    """Absolute values of the off-diagonal entries, edge by edge, and the diagonal."""

    couplings: np.ndarray
    diagonal: np.ndarray


class Rule(ABC):
    """How a family turns a strength into weights.

    ``parameter`` names what decides the strength; a few families have one of their own.
    """

    parameter: ClassVar[str] = "strength"

    def strength(self, graph: Graph, value: float) -> float:
        """Strength at this value of ``parameter``."""
        return positive(self.parameter, value)

    @abstractmethod
    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        """Largest strength allowed."""

    @abstractmethod
    def default(self, graph: Graph, limit: float) -> float:
        """Strength used when none is asked for."""

    @abstractmethod
    def weigh(self, graph: Graph, strength: float) -> Weights:
        """Weights whose smallest normalised coupling is ``strength``."""


class Equal(Rule):
    """Unit diagonal and the same coupling κ on every edge: I - κS, with S the signed adjacency.

    Positive definite exactly when κ is below one over the largest eigenvalue of S.
    """

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        if not len(graph.edges):
            return 1 - _MARGIN
        return (1 - _MARGIN) / _largest_eigenvalue(graph, signs)

    def default(self, graph: Graph, limit: float) -> float:
        return min(0.3, 0.8 * limit)

    def weigh(self, graph: Graph, strength: float) -> Weights:
        return Weights(np.full(len(graph.edges), strength), np.ones(graph.size))


def _largest_eigenvalue(graph: Graph, signs: np.ndarray) -> float:
    i, j = graph.edges.T
    signed = csr_array(
        (np.r_[signs, signs], (np.r_[i, j], np.r_[j, i])), shape=(graph.size, graph.size)
    )
    if graph.size <= 200:
        return float(np.linalg.eigvalsh(signed.toarray())[-1])
    return _largest_ritz_value(signed)


def _largest_ritz_value(matrix: csr_array) -> float:
    """Return the largest eigenvalue, or less by a part within the margin, by Lanczos' method.

    Iterations that restart, as ARPACK's do, stop where *some* eigenvalue is near, and on a cycle
    that may be the second. This one has a fixed number of steps, after which the expected error is
    small whatever lies near the largest (Kuczyński and Woźniakowski 1992). A fixed start makes it
    reproducible. Rounding yields copies of eigenvalues, which do no harm.
    """
    size = matrix.shape[0]
    before, vector = np.zeros(size), np.random.default_rng(0).standard_normal(size)
    vector /= np.linalg.norm(vector)
    diagonal, beside = np.zeros(_STEPS), np.zeros(_STEPS)
    for step in range(_STEPS):
        following = matrix @ vector - beside[step - 1] * before
        diagonal[step] = following @ vector
        following -= diagonal[step] * vector
        beside[step] = np.linalg.norm(following)
        if beside[step] <= 1e-12 * beside.max():  # nothing is left to find
            break
        before, vector = vector, following / beside[step]
    top = eigvalsh_tridiagonal(
        diagonal[: step + 1], beside[:step], select="i", select_range=(step, step)
    )
    return float(top[0])


class AutoRegressive(Rule):
    """x_{t+1} = ρ x_t + noise: inner edges have strength ρ / (1 + ρ²), below one half."""

    parameter = "rho"

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        return _LARGEST_RHO / (1 + _LARGEST_RHO**2)

    def default(self, graph: Graph, limit: float) -> float:
        return self.strength(graph, 0.95)

    def strength(self, graph: Graph, value: float) -> float:
        rho = in_open_interval("rho", value, 0, _LARGEST_RHO)
        return rho / (1 + rho**2)

    def weigh(self, graph: Graph, strength: float) -> Weights:
        rho = 2 * strength / (1 + np.sqrt(1 - 4 * strength**2))
        diagonal = np.full(graph.size, 1 + rho**2)
        diagonal[[0, -1]] = 1
        return Weights(np.full(graph.size - 1, rho), diagonal)


class Brownian(Rule):
    """Brownian motion with starting variance ½, seen p times in (0, 1]: Σ_ij = ½ + min(t_i, t_j).

    Equal steps have strength ½, the largest there is. A smaller one comes from alternating
    short and long steps, which keeps the weights of each inner node summing to one.
    """

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        return 0.5

    def default(self, graph: Graph, limit: float) -> float:
        return limit

    def weigh(self, graph: Graph, strength: float) -> Weights:
        step = np.ones(graph.size)
        step[2::2] = (1 - strength) / strength
        return _random_walk(step / step.sum())


def _random_walk(step: np.ndarray) -> Weights:
    """Precision of a walk whose increments have variances ``step`` and whose start has ½."""
    coupling = 1 / step[1:]
    diagonal = np.r_[0, coupling] + np.r_[coupling, 0]
    diagonal[0] += 1 / (0.5 + step[0])
    return Weights(coupling, diagonal)


class FreeField(Rule):
    """Laplacian plus a mass: the smaller the mass, the stronger the edges, the longer the reach."""

    parameter = "mass"

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        return self._weakest(graph, _SMALLEST_MASS)

    def default(self, graph: Graph, limit: float) -> float:
        return self._weakest(graph, 0.01)

    def strength(self, graph: Graph, value: float) -> float:
        return self._weakest(graph, in_open_interval("mass", value, _SMALLEST_MASS, np.inf))

    def weigh(self, graph: Graph, strength: float) -> Weights:
        low, high = degrees(graph)[graph.edges].T
        # The mass at which an edge has this strength solves (low + mass)(high + mass) = 1/κ².
        mass = np.sqrt((high - low) ** 2 / 4 + strength**-2) - (low + high) / 2
        return Weights(np.ones(len(graph.edges)), degrees(graph) + mass.min())

    @staticmethod
    def _weakest(graph: Graph, mass: float) -> float:
        low, high = (degrees(graph)[graph.edges] + mass).T
        return float(1 / np.sqrt((low * high).max()))


class PathAndCliques(Rule):
    """A Brownian path of equal steps beside cliques I - (r/d) J of d nodes, r < 1.

    The cliques hold the weakest edges: (r/d) / (1 - r/d), below 1 / (d - 1).
    """

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        return min(0.5, self._in_clique(graph, 1 - _MARGIN))

    def default(self, graph: Graph, limit: float) -> float:
        return min(0.5, self._in_clique(graph, 0.95))

    def weigh(self, graph: Graph, strength: float) -> Weights:
        clique = graph.second_kind
        on_path = np.count_nonzero(~clique) + 1
        path = _random_walk(np.full(on_path, 1 / on_path))
        couplings = np.full(len(graph.edges), strength / (1 + strength))
        couplings[~clique] = path.couplings
        diagonal = np.full(graph.size, 1 / (1 + strength))
        diagonal[:on_path] = path.diagonal
        return Weights(couplings, diagonal)

    @staticmethod
    def _in_clique(graph: Graph, r: float) -> float:
        d = np.bincount(graph.edges[graph.second_kind, 0]).max() + 1
        return float(r / (d - r))


class NearCopies(Rule):
    """A chain of sources with coupling 0.45; a copy is its source plus noise of a given variance.

    The copies explain almost all of their source, so the chain's edges have strength
    0.45 σ² / (σ² + copies): the nearer the copies, the weaker.
    """

    parameter = "noise"
    _link = 0.45

    def limit(self, graph: Graph, signs: np.ndarray) -> float:
        # Beyond this, the edges to the copies, 1 / √(σ² + copies), would be the weaker ones.
        c = self._copies(graph).max() * self._link
        return float((np.sqrt(1 + 4 * c * self._link) - 1) / (2 * c))

    def default(self, graph: Graph, limit: float) -> float:
        return min(0.1, limit)

    def strength(self, graph: Graph, value: float) -> float:
        noise = positive("noise", value)
        return float(self._link * noise / (noise + self._copies(graph).max()))

    def weigh(self, graph: Graph, strength: float) -> Weights:
        copies = self._copies(graph)
        noise = copies.max() * strength / (self._link - strength)
        couplings = np.where(graph.second_kind, 1 / noise, self._link)
        is_copy = np.zeros(graph.size, bool)
        is_copy[graph.edges[graph.second_kind, 1]] = True
        return Weights(couplings, np.where(is_copy, 1 / noise, 1 + copies / noise))

    @staticmethod
    def _copies(graph: Graph) -> np.ndarray:
        return np.bincount(graph.edges[graph.second_kind, 0], minlength=graph.size)
