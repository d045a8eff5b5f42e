"""Two groups of rows whose partial correlations are the same, or the same but for a few.

A situation says what else differs: numbers of rows, units, tails, memory; or that both are cut into
steps. The second model is the first with some edges taken away from its precision matrix, whose
diagonal stays, so that no other partial correlation changes.
"""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csc_array

from benchmarks.groups.coverage import true_partial_corr
from benchmarks.quality.cases import CASES
from benchmarks.quality.kinds import remembered
from hedgerow.datasets import Model, rescale

Array = NDArray[np.float64]
Rows = Callable[[Array, Array, Generator], tuple[Array, Array]]

COLUMNS = 24
FAMILIES = ("watts_strogatz", "random_tree", "free_field", "path_cliques", "hubs", "empty")
STEPS = "both in five steps"
_SMALLEST = 1e-3  # of the least eigenvalue that must be left when an edge is taken away


class Situation(NamedTuple):
    """How rows of two groups are made of normal ones, and how many times as many the second has."""

    rows: Rows
    more: int = 1


class Groups(NamedTuple):
    """Two tables, and which pairs i < j differ."""

    first: Array
    second: Array
    differ: NDArray[np.bool_]


def _as_they_are(first: Array, second: Array, rng: Generator) -> tuple[Array, Array]:
    return first, second


def _other_units(first: Array, second: Array, rng: Generator) -> tuple[Array, Array]:
    return first, second * np.exp(rng.uniform(-3.0, 3.0, second.shape[1]))


def _heavy_tails(first: Array, second: Array, rng: Generator) -> tuple[Array, Array]:
    return first, second * np.sqrt(3.0 / rng.chisquare(3, (len(second), 1)))


def _a_series(first: Array, second: Array, rng: Generator) -> tuple[Array, Array]:
    return first, remembered(second, 0.8)


def _five_steps(first: Array, second: Array, rng: Generator) -> tuple[Array, Array]:
    cuts = [-1.2, -0.4, 0.4, 1.2]
    return np.digitize(first, cuts).astype(float), np.digitize(second, cuts).astype(float)


SITUATIONS = {
    "alike": Situation(_as_they_are),
    "five times the rows": Situation(_as_they_are, more=5),
    "other units": Situation(_other_units),
    "heavy tails (Student t, 3)": Situation(_heavy_tails),
    "a series (AR 0.8)": Situation(_a_series, more=4),
    STEPS: Situation(_five_steps),
}


def groups_of(situation: str, family: str, n_rows: int, seed: int, share: float) -> Groups:
    """Return two groups, of which a share of the edges differ."""
    rng = np.random.default_rng([crc32(family.encode()), n_rows, seed])
    model = CASES[family].make(COLUMNS, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    other = without_some(model, share, rng)
    made = SITUATIONS[situation]
    rows = model.sample(n_rows, rng), other.sample(made.more * n_rows, rng)
    upper = np.triu_indices(COLUMNS, 1)
    change = (true_partial_corr(model) - true_partial_corr(other))[upper]
    return Groups(*made.rows(*rows, rng), change != 0.0)


def without_some(model: Model, share: float, rng: Generator) -> Model:
    """Return the model without a share of its edges, where it stays one."""
    theta = model.precision.toarray()
    left = int(np.ceil(share * len(model.edges)))
    least = _SMALLEST * np.linalg.eigvalsh(theta)[0]
    for i, j in rng.permutation(model.edges):
        fewer = theta.copy()
        fewer[i, j] = fewer[j, i] = 0.0
        if left and np.linalg.eigvalsh(fewer)[0] > least:
            theta, left = fewer, left - 1
    return Model("without some", csc_array(theta))
