"""A permutation test of two networks, with the statistics of NCT (van Borkulo and others, 2022).

Networks are the partial correlations of the inverse of the correlation matrix; NCT takes any
estimator, and by default a graphical lasso, which takes hundreds of times as long. Rows change
groups at random. The largest difference of all pairs tells whether anything differs (NCT's M); a
pair differs if its own difference exceeds the largest of nearly all permutations, which keeps the
familywise error rate (Westfall and Young).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PERMUTATIONS = 99


class Permuted(NamedTuple):
    """What the permutations say."""

    any: float  # p-value of no difference anywhere
    p_value: Array  # of each pair i < j, adjusted for all of them


def permutation_test(first: Array, second: Array, seed: int) -> Permuted:
    """Compare two tables."""
    rng = np.random.default_rng(seed)
    together, size = np.concatenate([first, second]), len(first)
    seen = np.abs(_network(second) - _network(first))
    largest = np.empty(PERMUTATIONS)
    for k in range(PERMUTATIONS):
        order = rng.permutation(len(together))
        one, other = together[order[:size]], together[order[size:]]
        largest[k] = np.abs(_network(other) - _network(one)).max()
    beyond = (largest[:, None] >= seen).sum(axis=0)
    adjusted = (1.0 + beyond) / (1.0 + PERMUTATIONS)
    return Permuted(float(adjusted.min()), adjusted)


def _network(rows: Array) -> Array:
    theta = np.linalg.inv(np.corrcoef(rows.T))
    scale = np.sqrt(np.diag(theta))
    result: Array = (-theta / np.outer(scale, scale))[np.triu_indices(len(theta), 1)]
    return result
