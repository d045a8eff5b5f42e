"""A Gaussian model with a known graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from scipy.sparse import coo_array, csc_array, csr_array, triu

from hedgerow.base.checks import integer_at_least, positive
from hedgerow.datasets._sampling import Factor


@dataclass(frozen=True, eq=False)
class Model:
    """A Gaussian distribution given by its sparse precision matrix.

    Attributes
    ----------
    name : str
        What the model is, for tables and plots.
    precision : csc_array of shape (p, p)
        Inverse covariance Θ, symmetric and positive definite; two variables are connected where
        it is not zero.
    mean : float or ndarray of shape (p,), default 0

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> model = make("chain", 5, strength=0.4)
    >>> model.edges.tolist()
    [[0, 1], [1, 2], [2, 3], [3, 4]]
    >>> model.sample(100, seed=0).shape
    (100, 5)
    """

    name: str
    precision: csc_array
    mean: np.ndarray | float = 0.0

    @property
    def size(self) -> int:
        """Number of variables."""
        return int(self.precision.shape[0])

    @property
    def names(self) -> list[str]:
        """Names of the variables: x0, x1, …"""
        return [f"x{i}" for i in range(self.size)]

    @cached_property
    def adjacency(self) -> csr_array:
        """Symmetric matrix of bool with a zero diagonal: the true graph."""
        graph = csr_array(self.precision != 0)
        graph.setdiag(False)
        graph.eliminate_zeros()
        return graph

    @cached_property
    def _upper(self) -> coo_array:
        upper = triu(self.precision, k=1, format="csr")
        upper.sort_indices()
        upper.eliminate_zeros()
        return upper.tocoo()

    @property
    def edges(self) -> np.ndarray:
        """Edges ``i < j`` as an integer array of shape (number of edges, 2), in order."""
        return np.column_stack([self._upper.row, self._upper.col])

    @property
    def partial_corr(self) -> np.ndarray:
        """Partial correlation -θ_ij / √(θ_ii θ_jj) of each edge, in the order of `edges`."""
        scale = np.sqrt(self.precision.diagonal())
        result: np.ndarray = -self._upper.data / (scale[self._upper.row] * scale[self._upper.col])
        return result

    @property
    def strength(self) -> float:
        """Smallest absolute partial correlation over the edges, κ; NaN without edges."""
        return float(np.abs(self.partial_corr).min()) if self._upper.nnz else float("nan")

    @cached_property
    def _factor(self) -> Factor:
        return Factor(self.precision)

    def sample(self, n: int, seed: int | Generator | None = None) -> np.ndarray:
        """Draw ``n`` independent rows; a `Generator` continues where it stands."""
        n = integer_at_least("n", n, 1)
        white = np.random.default_rng(seed).standard_normal((n, self.size))
        return self._factor.colour(white) + self.mean

    def covariance(self) -> np.ndarray:
        """Dense covariance matrix; takes p² numbers, so it is for small models."""
        root = self._factor.colour(np.eye(self.size))
        result: np.ndarray = root.T @ root
        return result


def rescale(model: Model, scale: np.ndarray, mean: np.ndarray | float = 0.0) -> Model:
    """Give the variables other scales and means; graph and partial correlations stay.

    Parameters
    ----------
    model : Model
    scale : array of shape (p,)
        Positive factor of each variable.
    mean : float or array of shape (p,), default 0
        New mean of each variable.

    Examples
    --------
    >>> from hedgerow.datasets import make, random_scales, rescale
    >>> model = make("cycle", 6)
    >>> wild = rescale(model, random_scales(6, seed=0), mean=1e3)
    >>> (wild.adjacency != model.adjacency).nnz
    0
    """
    scale = np.asarray(scale, dtype=float)
    if scale.shape != (model.size,) or not (np.isfinite(scale) & (scale > 0)).all():
        raise ValueError(f"scale must be {model.size} finite numbers > 0, got {scale!r}")
    mean = np.asarray(mean, dtype=float)
    if mean.shape not in ((), (model.size,)) or not np.isfinite(mean).all():
        raise ValueError(f"mean must be one or {model.size} finite numbers, got {mean!r}")
    old = model.precision.tocoo()
    new = old.data / (scale[old.row] * scale[old.col])
    precision = csc_array((new, (old.row, old.col)), shape=old.shape)
    return replace(model, precision=precision, mean=mean)


def random_scales(p: int, decades: float = 6.0, seed: int | Generator | None = None) -> np.ndarray:
    """Scales between ``10**-decades`` and ``10**decades``, uniform in the logarithm.

    Examples
    --------
    >>> from hedgerow.datasets import random_scales
    >>> random_scales(3, decades=1, seed=0).round(2).tolist()
    [1.88, 0.35, 0.12]
    """
    decades = positive("decades", decades)
    return 10 ** np.random.default_rng(seed).uniform(-decades, decades, integer_at_least("p", p, 1))
