"""Tables with steps and gaps: rows with a known graph that were cut, counted, or not all seen.

Each kind is a function from a model, a number of rows and random numbers to the table that is seen
and to the whole one behind it: what was cut, or the cells before some were lost. Models and the
noise to begin with are those of `benchmarks.quality.kinds`: the same family, number of rows and
seed give the same.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.quality.cases import CASES
from benchmarks.quality.kinds import COLUMNS, FAMILIES, normal, student
from hedgerow.datasets import Model, rescale

__all__ = ["COLUMNS", "FAMILIES", "KINDS", "RATIOS", "Kind", "Rows", "rows_of"]

Array = NDArray[np.float64]

RATIOS = (4.0, 10.0, 40.0)  # rows for each column
EVEN = (0.2, 0.4, 0.6, 0.8)  # shares of rows below each threshold
SKEWED = (0.5, 0.75, 0.87, 0.95)
SEVEN = tuple(ndtr(np.linspace(-2.0, 2.0, 6)))
RATE, SPREAD = 3.0, 0.8  # median of a Poisson rate, standard deviation of its logarithm


class Rows(NamedTuple):
    """A table as it is seen, and the whole one."""

    seen: Array
    whole: Array


class Kind(NamedTuple):
    """How tables are made of a model in which every variable has variance one."""

    rows: Callable[[Model, int, Generator], Rows]
    gaps: bool = False


def rows_of(kind: str, family: str, p: int, m: int, seed: int) -> tuple[Model, Rows]:
    """Return a model of the family and ``m`` rows of the kind."""
    rng = np.random.default_rng([crc32(family.encode()), m, seed])
    model = CASES[family].make(p, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    return model, KINDS[kind].rows(model, m, rng)


def steps(below: tuple[float, ...], model: Model, m: int, rng: Generator) -> Rows:
    """Return normal rows cut into steps at the same thresholds, every other column mirrored."""
    whole = normal(model, m, rng)
    return Rows(cut(whole, below), whole)


def yes_no(low: float, high: float, model: Model, m: int, rng: Generator) -> Rows:
    """Return normal rows above or below a threshold, the share of yes from column to column."""
    whole = normal(model, m, rng)
    return Rows((whole > -ndtri(np.linspace(low, high, model.size))).astype(float), whole)


def zeros(model: Model, m: int, rng: Generator) -> Rows:
    """Return exponentials of normal rows, less one, where above zero: 30 to 70 % are zero."""
    whole = normal(model, m, rng)
    above = whole - ndtri(np.linspace(0.3, 0.7, model.size))
    return Rows(np.expm1(np.maximum(above, 0.0)), whole)


def counts(model: Model, m: int, rng: Generator) -> Rows:
    """Return Poisson counts; logarithms of rates are normal, around log 3, with spread 0.8."""
    whole = normal(model, m, rng)
    return Rows(counted(whole, rng), whole)


def mixed(model: Model, m: int, rng: Generator) -> Rows:
    """Return a quarter each of skewed columns, five steps, yes or no and counts."""
    whole = normal(model, m, rng)
    seen = np.exp(whole)
    seen[:, 1::4] = cut(whole[:, 1::4], EVEN)
    seen[:, 2::4] = whole[:, 2::4] > 0.5
    seen[:, 3::4] = counted(whole[:, 3::4], rng)
    return Rows(seen, whole)


def at_random(share: float, model: Model, m: int, rng: Generator) -> Rows:
    """Return normal rows in which so many cells are missing by pure chance."""
    whole = normal(model, m, rng)
    return Rows(without(whole, share, rng), whole)


def given_another(model: Model, m: int, rng: Generator) -> Rows:
    """Return normal rows; odd columns lack more cells the larger the column before: 10 % in all."""
    whole = normal(model, m, rng)
    seen = whole.copy()
    chance = 0.4 * ndtr(2.0 * whole[:, :-1:2])
    seen[:, 1::2][rng.random(chance.shape) < chance] = np.nan
    return Rows(seen, whole)


def student_gaps(model: Model, m: int, rng: Generator) -> Rows:
    """Return rows of a joint Student t, freedom 3, in which 10 % of cells are missing by chance."""
    whole = student(3, model, m, rng)
    return Rows(without(whole, 0.1, rng), whole)


def steps_gaps(model: Model, m: int, rng: Generator) -> Rows:
    """Return five even steps of which 10 % are missing by pure chance."""
    whole = cut(normal(model, m, rng), EVEN)
    return Rows(without(whole, 0.1, rng), whole)


def cut(rows: Array, below: tuple[float, ...]) -> Array:
    """Return steps from 1 up; in every other column the largest have the first step's share."""
    mirrored = np.where(np.arange(rows.shape[1]) % 2, -1.0, 1.0)
    found = np.digitize(rows * mirrored, ndtri(below)).astype(float)
    return np.where(mirrored > 0, found, len(below) - found) + 1.0


def counted(rows: Array, rng: Generator) -> Array:
    """Return Poisson counts with these deviations of the logarithms of rates."""
    return rng.poisson(RATE * np.exp(SPREAD * rows)).astype(float)


def without(rows: Array, share: float, rng: Generator) -> Array:
    """Return rows without some cells."""
    return np.where(rng.random(rows.shape) < share, np.nan, rows)


KINDS: dict[str, Kind] = {
    "five steps, even": Kind(partial(steps, EVEN)),
    "five steps, skewed": Kind(partial(steps, SKEWED)),
    "seven steps": Kind(partial(steps, SEVEN)),
    "yes or no, half": Kind(partial(yes_no, 0.5, 0.5)),
    "yes or no, shares 0.1 to 0.9": Kind(partial(yes_no, 0.1, 0.9)),
    "many zeros": Kind(zeros),
    "Poisson counts": Kind(counts),
    "mixed table": Kind(mixed),
    **{
        f"{share:.0%} missing".replace("%", " %"): Kind(partial(at_random, share), gaps=True)
        for share in (0.01, 0.1, 0.3)
    },
    "10 % missing, given another": Kind(given_another, gaps=True),
    "10 % missing, Student t": Kind(student_gaps, gaps=True),
    "10 % missing, five steps": Kind(steps_gaps, gaps=True),
}
