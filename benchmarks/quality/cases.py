"""The models that methods are judged on: every family, and variants that are harder.

A case makes a model and rows from a seed; the same case, size and seed give the same rows.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator
from scipy.sparse import csc_array, eye_array

from hedgerow import datasets
from hedgerow.datasets import FAMILIES, Model

COLUMNS = 64
RATIOS = (0.5, 1.0, 2.0, 4.0, 10.0, 40.0)  # rows for each column
UNITS = 6.0  # decades by which changed units differ from the old ones, either way
SHIFT = 1e3  # mean of a column in changed units, in standard deviations of the old ones

# Where signs change more than the signs of correlations: graphs with loops.
LOOPY = (
    "grid",
    "random_regular",
    "erdos_renyi",
    "barabasi_albert",
    "watts_strogatz",
    "band",
    "cluster",
    "cliques",
    "free_field",
)


class Case(NamedTuple):
    """One kind of model; ``stream`` names the random numbers, so that two cases can share them."""

    make: Callable[[int, Generator], Model]
    stream: str


def rows_of(name: str, p: int, m: int, seed: int) -> tuple[Model, np.ndarray]:
    """Return a model of the case and ``m`` rows drawn from it."""
    case = CASES[name]
    rng = np.random.default_rng([crc32(case.stream.encode()), m, seed])
    model = case.make(p, rng)
    return model, model.sample(m, rng)


def _family(name: str, signs: str) -> Callable[[int, Generator], Model]:
    return lambda p, rng: datasets.make(name, p, signs=signs, seed=rng)


def _empty(p: int, rng: Generator) -> Model:
    return Model("empty", csc_array(eye_array(p)))


def _strong_star(p: int, rng: Generator) -> Model:
    strength = 0.99 * datasets.max_strength("star", p)
    return datasets.make("star", p, strength=strength)


def _common_factor(p: int, rng: Generator) -> Model:
    """Node 0 is a factor that drives all others, which have unit noise and loadings of 1 to 3."""
    loading = rng.choice([-1.0, 1.0], p - 1) * rng.uniform(1.0, 3.0, p - 1)
    precision = np.eye(p)
    precision[0, 0] += loading @ loading
    precision[0, 1:] = precision[1:, 0] = -loading
    return Model("common factor", csc_array(precision))


def two_hubs(columns: int, share: float) -> Model:
    """Return two stars side by side, with this share of the strength at which they are singular."""
    half = columns // 2
    precision = np.eye(columns)
    for hub in (0, half):
        leaves = slice(hub + 1, hub + half)
        precision[hub, leaves] = precision[leaves, hub] = -share / np.sqrt(half - 1)
    return Model("two hubs", csc_array(precision))


def _other_units(family: str, p: int, rng: Generator) -> Model:
    scale = datasets.random_scales(p, UNITS, seed=0)  # its own numbers: the rows stay the same
    model = datasets.make(family, p, seed=rng)
    return datasets.rescale(model, scale, mean=SHIFT * scale)


CASES: dict[str, Case] = {
    **{name: Case(_family(name, "attractive"), name) for name in FAMILIES},
    **{f"{name}, mixed": Case(_family(name, "mixed"), f"{name}, mixed") for name in LOOPY},
    "star, nearly singular": Case(_strong_star, "star, nearly singular"),
    "common factor": Case(_common_factor, "common factor"),
    "erdos_renyi, other units": Case(partial(_other_units, "erdos_renyi"), "erdos_renyi"),
    "empty": Case(_empty, "empty"),
}
