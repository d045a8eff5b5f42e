"""An Ising model with a known graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.sparse import coo_array, csr_array, issparse, triu

from hedgerow.base.checks import integer_at_least
from hedgerow.datasets._ising_sampling import MOST_STATES, Chains, Sampling, log_weights, rows_of


@dataclass(frozen=True, eq=False)
class IsingModel:
    """Variables of -1 and +1 with P(x) ∝ exp(Σ_{i<j} J_ij x_i x_j + Σ_i h_i x_i).

    Attributes
    ----------
    couplings : csr_array of shape (p, p)
        J, symmetric with a zero diagonal; any array may be given. Two variables are connected
        where it is not zero. Given all others, the log odds ratio of two variables is 4 J_ij.
    fields : ndarray of shape (p,), default 0
        h; one number stands for all variables.
    name : str, default "ising"
        What the model is, for tables and plots.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.datasets import IsingModel
    >>> model = IsingModel(np.array([[0.0, 0.5], [0.5, 0.0]]), fields=[0.0, 0.2])
    >>> model.edges.tolist(), model.sampling.method
    ([[0, 1]], 'enumeration')
    >>> model.probabilities().round(3)  # of (-1, -1), (1, -1), (-1, 1) and (1, 1)
    array([0.293, 0.108, 0.161, 0.438])
    >>> model.sample(3, seed=0)
    array([[ 1.,  1.],
           [-1., -1.],
           [-1., -1.]])
    """

    couplings: csr_array
    fields: np.ndarray = 0.0  # type: ignore[assignment]
    name: str = "ising"

    def __post_init__(self) -> None:
        object.__setattr__(self, "couplings", _checked_couplings(self.couplings))
        object.__setattr__(self, "fields", _checked_fields(self.fields, self.size))

    @property
    def size(self) -> int:
        """Number of variables."""
        return int(self.couplings.shape[0])

    @property
    def names(self) -> list[str]:
        """Names of the variables: x0, x1, …"""
        return [f"x{i}" for i in range(self.size)]

    @cached_property
    def adjacency(self) -> csr_array:
        """Symmetric matrix of bool with a zero diagonal: the true graph."""
        return csr_array(self.couplings != 0)

    @cached_property
    def _upper(self) -> coo_array:
        return triu(self.couplings, k=1, format="csr").tocoo()

    @property
    def edges(self) -> np.ndarray:
        """Edges ``i < j`` as an integer array of shape (number of edges, 2), in order."""
        return np.column_stack([self._upper.row, self._upper.col])

    @property
    def edge_couplings(self) -> np.ndarray:
        """J_ij of each edge, in the order of `edges`."""
        result: np.ndarray = self._upper.data
        return result

    @property
    def min_coupling(self) -> float:
        """Smallest absolute coupling over the edges, η; NaN without edges."""
        return float(np.abs(self.edge_couplings).min()) if self._upper.nnz else float("nan")

    @property
    def width(self) -> float:
        """Largest ``Σ_j |J_ij| + |h_i|`` over the variables, λ: learning takes e^O(λ) rows."""
        return float((np.abs(self.couplings).sum(axis=1) + np.abs(self.fields)).max())

    def probabilities(self) -> np.ndarray:
        """Return the probability of every state; variable i is +1 where bit i of its number is set.

        For models of up to 16 variables.
        """
        if 2**self.size > MOST_STATES:
            most = MOST_STATES.bit_length() - 1
            raise ValueError(f"probabilities are for at most {most} variables, got {self.size}")
        logs = log_weights(self.couplings.toarray(), self.fields)
        weights = np.exp(logs - logs.max())
        result: np.ndarray = weights / weights.sum()
        return result

    @cached_property
    def sampling(self) -> Sampling:
        """How rows are drawn: exactly, or nearly and then with a burn-in and why it is enough."""
        if 2**self.size <= MOST_STATES:
            return Sampling("enumeration", 0, float("nan"))
        return self._chains.plan()

    @cached_property
    def _chains(self) -> Chains:
        return Chains(self.couplings, self.fields)

    @cached_property
    def _cumulated(self) -> np.ndarray:
        return np.cumsum(self.probabilities())

    def sample(self, n: int, seed: int | Generator | None = None) -> np.ndarray:
        """Draw ``n`` independent rows as `sampling` says; a `Generator` continues where it stands.

        A `SamplingWarning` says if rows may not follow the model.
        """
        n = integer_at_least("n", n, 1)
        rng = np.random.default_rng(seed)
        if self.sampling.method != "enumeration":
            return self._chains.draw(self.sampling, n, rng)
        # The largest number below the sum, should rounding take a product up to the sum itself.
        below = np.minimum(
            rng.random(n) * self._cumulated[-1], np.nextafter(self._cumulated[-1], 0)
        )
        return rows_of(np.searchsorted(self._cumulated, below, side="right"), self.size)


def _checked_couplings(given: Any) -> csr_array:
    couplings = csr_array(given if issparse(given) else np.asarray(given, dtype=float))
    couplings = couplings.astype(np.float64)
    if couplings.ndim != 2 or couplings.shape[0] != couplings.shape[1]:
        raise ValueError(f"couplings must be a square matrix, got shape {couplings.shape}")
    if not np.isfinite(couplings.data).all():
        raise ValueError("couplings must be finite")
    if (couplings != couplings.T).nnz or couplings.diagonal().any():
        raise ValueError("couplings must be symmetric with a zero diagonal")
    couplings.eliminate_zeros()
    couplings.sort_indices()
    return couplings


def _checked_fields(given: Any, size: int) -> np.ndarray:
    fields = np.asarray(given, dtype=float)
    if fields.shape not in ((), (size,)) or not np.isfinite(fields).all():
        raise ValueError(f"fields must be one or {size} finite numbers, got {given!r}")
    return np.broadcast_to(fields, (size,)).copy()
