"""Kinds of data as people have them: rows with a known graph that are not independent and normal.

Each kind is a function from a model, a number of rows and random numbers to rows. The same family,
number of rows and seed give the same model, and the same noise to begin with, for every kind.

The graph is that of the model's precision matrix throughout. Where a kind changes sizes of rows,
units of columns or memory in time, that is also the graph of the rows; where some cells or rows are
noise of their own, it is the graph of those that are not.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.signal import lfilter

from benchmarks.quality.cases import CASES
from hedgerow.datasets import Model, rescale

Array = NDArray[np.float64]

COLUMNS = 64
RATIOS = (2.0, 4.0, 10.0, 40.0)  # rows for each column
FAMILIES = ("watts_strogatz", "random_tree", "free_field", "path_cliques", "hubs", "empty")
LONGEST_MEMORY = 0.95
NEARLY = (0.75, 0.85)
GROUPS = 8  # of variables whose drivers share a volatility
SEASON, PERIOD = 12, 24  # rows
_LONGEST, _FRACTION = 1000, 0.4
_EACH = 20
_DAY = 96  # quarters of an hour
_WAVES, _SMOOTH = 120, 0.15  # of a map; how far, as a share of its side, points are alike


class Kind(NamedTuple):
    """How rows are made of a model, in which every variable has variance one.

    Attributes
    ----------
    rows : from a model, a number of rows and random numbers to rows
    in_time : whether the order of rows matters, so that methods for series are tried too
    refused : whether a warning is asked for, as no error rate can be promised
    """

    rows: Callable[[Model, int, Generator], Array]
    in_time: bool = False
    refused: bool = False


def rows_of(kind: str, family: str, p: int, m: int, seed: int) -> tuple[Model, Array]:
    """Return a model of the family and ``m`` rows of the kind."""
    rng = np.random.default_rng([crc32(family.encode()), m, seed])
    model = CASES[family].make(p, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    return model, KINDS[kind].rows(model, m, rng)


def normal(model: Model, m: int, rng: Generator) -> Array:
    """Return independent normal rows."""
    return model.sample(m, rng)


def student(freedom: int, model: Model, m: int, rng: Generator) -> Array:
    """Return rows of a joint Student t: a whole row is divided by one chi, of this freedom."""
    return normal(model, m, rng) * np.sqrt(freedom / rng.chisquare(freedom, (m, 1)))


def laplace(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of a joint Laplace: the variance of a row is exponential."""
    return normal(model, m, rng) * np.sqrt(rng.exponential(1.0, (m, 1)))


def exp(model: Model, m: int, rng: Generator) -> Array:
    """Return exponentials of normal rows: skewed columns."""
    return np.exp(normal(model, m, rng))


def cube(model: Model, m: int, rng: Generator) -> Array:
    """Return cubes of normal rows: columns with long tails on both sides."""
    return normal(model, m, rng) ** 3


def scales_mixed(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of which a tenth is four times as large."""
    return normal(model, m, rng) * rng.choice([1.0, 4.0], (m, 1), p=[0.9, 0.1])


def volatility(model: Model, m: int, rng: Generator) -> Array:
    """Return rows whose common size wanders in time."""
    rows = normal(model, m, rng)
    return rows * np.exp(0.8 * remembered(rng.standard_normal((m, 1)), 0.98))


def volatility_of_groups(model: Model, m: int, rng: Generator) -> Array:
    """Return rows driven by noise whose size wanders in time, in each group of drivers its own."""
    noise = rng.standard_normal((m, model.size))
    sizes = np.exp(0.7 * remembered(rng.standard_normal((m, GROUPS)), 0.95))
    return related(model, noise * sizes[:, rng.permutation(model.size) % GROUPS])


def sizes_of_groups(model: Model, m: int, rng: Generator) -> Array:
    """Return rows in which each column is times the size of its group, which wanders in time."""
    sizes = np.exp(0.7 * remembered(rng.standard_normal((m, GROUPS)), 0.95))
    return normal(model, m, rng) * sizes[:, rng.permutation(model.size) % GROUPS]


def outlying_cells(share: float, model: Model, m: int, rng: Generator) -> Array:
    """Return rows in which so many cells are off by ten standard deviations."""
    rows = normal(model, m, rng)
    hit = rng.random(rows.shape) < share
    return rows + 10.0 * hit * rng.choice([-1.0, 1.0], rows.shape)


def filled(share: float, model: Model, m: int, rng: Generator) -> Array:
    """Return rows in which so many cells were lost, and have the mean of their column."""
    rows = normal(model, m, rng)
    hit = rng.random(rows.shape) < share
    return np.where(hit, np.nanmean(np.where(hit, np.nan, rows), axis=0), rows)


def zeros_for_lost(share: float, model: Model, m: int, rng: Generator) -> Array:
    """Return exponentials of rows, in which so many cells were lost, and are zero."""
    rows = exp(model, m, rng)
    return np.where(rng.random(rows.shape) < share, 0.0, rows)


def outlying_rows(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of which 2 % have large noise of their own in every cell."""
    rows = normal(model, m, rng)
    hit = rng.random((m, 1)) < 0.02
    return rows + 8.0 * hit * rng.standard_normal(rows.shape)


def autoregressive(echo: float, model: Model, m: int, rng: Generator) -> Array:
    """Return rows each of which remembers the last one, with this autocorrelation."""
    return remembered(normal(model, m, rng), echo)


def own_memories(model: Model, m: int, rng: Generator) -> Array:
    """Return rows driven by series of which each has an autocorrelation of its own."""
    noise = rng.standard_normal((m, model.size))
    return related(model, remembered(noise, rng.uniform(0.0, LONGEST_MEMORY, model.size)))


def near_memories(model: Model, m: int, rng: Generator) -> Array:
    """Return rows driven by series whose autocorrelations are all between 0.75 and 0.85."""
    noise = rng.standard_normal((m, model.size))
    return related(model, remembered(noise, rng.uniform(*NEARLY, model.size)))


def moving_average(model: Model, m: int, rng: Generator) -> Array:
    """Return rows that are sums of eight shocks: their autocorrelation falls in a straight line."""
    rows = normal(model, m + 7, rng)
    return lfilter(np.full(8, 8**-0.5), 1.0, rows, axis=0)[7:]


def seasonal_memory(season: int, model: Model, m: int, rng: Generator) -> Array:
    """Return rows each of which remembers the one a season ago, and none between."""
    rows = normal(model, m, rng)
    for phase in range(min(season, m)):
        rows[phase::season] = remembered(rows[phase::season], 0.8)
    return rows


def autoregressive_student(model: Model, m: int, rng: Generator) -> Array:
    """Return rows that remember the last one, with shocks of a joint Student t."""
    return remembered(student(3, model, m, rng), 0.8)


def laplace_drivers(model: Model, m: int, rng: Generator) -> Array:
    """Return independent rows driven by Laplace noise, each driver's size its own."""
    return related(model, rng.laplace(scale=0.5**0.5, size=(m, model.size)))


def mixed_troubles(model: Model, m: int, rng: Generator) -> Array:
    """Return rows that remember and have heavy tails, a third of the columns skewed."""
    rows = remembered(student(5, model, m, rng), 0.5)
    rows[:, ::3] = np.exp(rows[:, ::3])
    return rows


def wave(model: Model, m: int, rng: Generator) -> Array:
    """Return rows whose drivers follow waves of one period, each with its own phase."""
    noise = rng.standard_normal((m, model.size))
    phase = rng.uniform(0.0, 2 * np.pi, model.size)
    return related(model, noise + np.cos(2 * np.pi * np.arange(m)[:, None] / PERIOD + phase))


def own_waves(model: Model, m: int, rng: Generator) -> Array:
    """Return rows whose columns have waves of one period added, of sizes 0.5 to 1.5, own phases."""
    phase = rng.uniform(0.0, 2 * np.pi, model.size)
    turns = 2 * np.pi * np.arange(m)[:, None] / PERIOD + phase
    return normal(model, m, rng) + rng.uniform(0.5, 1.5, model.size) * np.cos(turns)


def months(model: Model, m: int, rng: Generator) -> Array:
    """Return exponentials of rows with a level for each of twelve months and column, N(0, 1)."""
    levels = rng.standard_normal((12, model.size))[np.arange(m) % 12]
    return np.exp((normal(model, m, rng) + levels) / 2)


def weekdays(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of days, with a level of its own for each day of the week and column, N(0, 1)."""
    return normal(model, m, rng) + rng.standard_normal((7, model.size))[np.arange(m) % 7]


def week(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of hours, with a wave each day and another level at weekends, N(0, 1) apart."""
    days = np.arange(m)[:, None] // 24
    weekend = rng.standard_normal(model.size) * (days % 7 >= 5)
    return own_waves(model, m, rng) + weekend


def trend(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of which each column has a line added, of slope N(0, 1) over half of the rows."""
    slopes = rng.standard_normal(model.size)
    return normal(model, m, rng) + np.linspace(-1.0, 1.0, m)[:, None] * slopes


def jump(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of which the later half has other means, in each column N(0, 1) apart."""
    rows = normal(model, m, rng)
    rows[m // 2 :] += rng.standard_normal(model.size)
    return rows


def long_memory(model: Model, m: int, rng: Generator) -> Array:
    """Return fractional noise: shocks count as the power -0.6 of how long ago they were."""
    ago = np.arange(1, _LONGEST + 1)
    weights = np.append(1.0, np.cumprod((ago - 1 + _FRACTION) / ago))
    return lfilter(weights, 1.0, normal(model, m + _LONGEST, rng), axis=0)[_LONGEST:]


def persons(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of persons, twenty of each on end, whose means are two fifths of the variance."""
    means = np.repeat(normal(model, -(-m // _EACH), rng), _EACH, axis=0)[:m]
    return 0.4**0.5 * means + 0.6**0.5 * normal(model, m, rng)


def bursts(model: Model, m: int, rng: Generator) -> Array:
    """Return rows in which, once in 200, eight columns are off together for ten rows."""
    rows = normal(model, m, rng)
    for start in rng.choice(m, max(1, m // 200), replace=False):
        columns = rng.choice(model.size, 8, replace=False)
        rows[start : start + 10, columns] += 6.0 * rng.standard_normal()
    return rows


def random_walk(model: Model, m: int, rng: Generator) -> Array:
    """Return rows whose steps are independent."""
    return np.cumsum(normal(model, m, rng), axis=0)


def each_row_twice(model: Model, m: int, rng: Generator) -> Array:
    """Return independent rows, each followed by its copy."""
    return np.repeat(normal(model, -(-m // 2), rng), 2, axis=0)[:m]


def shuffled_copies(model: Model, m: int, rng: Generator) -> Array:
    """Return independent rows and their copies, in any order."""
    return rng.permutation(each_row_twice(model, m, rng))


def interpolated(share: float, model: Model, m: int, rng: Generator) -> Array:
    """Return rows of which so many cells, in every other column, are interpolated in time."""
    rows, time = autoregressive(0.5, model, m, rng), np.arange(m)
    for j in range(0, model.size, 2):
        known = rng.random(m) >= share
        rows[:, j] = np.interp(time, time[known], rows[known, j])
    return rows


def points_of_a_map(model: Model, m: int, rng: Generator) -> Array:
    """Return rows of points, in no order; half of each driver is a smooth function of the place."""
    places = rng.random((m, 2))
    smooth = np.empty((m, model.size))
    for j in range(model.size):
        turns = places @ rng.standard_normal((2, _WAVES)) / _SMOOTH
        turns += rng.uniform(0.0, 2 * np.pi, _WAVES)
        smooth[:, j] = np.cos(turns) @ rng.standard_normal(_WAVES) * (2 / _WAVES) ** 0.5
    return related(model, 0.5**0.5 * (smooth + rng.standard_normal(smooth.shape)))


def remembered(noise: Array, echo: float | Array) -> Array:
    """Return series that keep a part of their last value, from the start as large as the noise."""
    result = np.empty_like(noise)
    for j, each in enumerate(np.broadcast_to(echo, noise.shape[1])):
        fresh = np.sqrt(1.0 - each**2) * noise[:, j]
        fresh[0] = noise[0, j]
        result[:, j] = lfilter([1.0], [1.0, -each], fresh)
    return result


def related(model: Model, drivers: Array) -> Array:
    """Return rows whose variables are related as in the model, from unrelated drivers."""
    return drivers @ np.linalg.cholesky(model.covariance()).T


KINDS: dict[str, Kind] = {
    "normal": Kind(normal),
    "Student t, 3": Kind(partial(student, 3)),
    "Student t, 5": Kind(partial(student, 5)),
    "Laplace": Kind(laplace),
    "exp": Kind(exp),
    "cube": Kind(cube),
    "scales mixed": Kind(scales_mixed),
    "volatility": Kind(volatility, in_time=True),
    "volatility of groups": Kind(volatility_of_groups, in_time=True),
    "sizes of groups": Kind(sizes_of_groups, in_time=True),
    "outlying cells, 0.5 %": Kind(partial(outlying_cells, 0.005)),
    "outlying cells, 2 %": Kind(partial(outlying_cells, 0.02)),
    "outlying rows": Kind(outlying_rows),
    "filled with means": Kind(partial(filled, 0.1)),
    "zeros for lost cells": Kind(partial(zeros_for_lost, 0.1)),
    **{f"AR {echo}": Kind(partial(autoregressive, echo), True) for echo in (0.3, 0.5, 0.8, 0.95)},
    "own memories": Kind(own_memories, in_time=True),
    "memories nearly alike": Kind(near_memories, in_time=True),
    "moving average": Kind(moving_average, in_time=True),
    "seasonal memory": Kind(partial(seasonal_memory, SEASON), in_time=True),
    "wave": Kind(wave, in_time=True),
    "own waves": Kind(own_waves, in_time=True),
    "months": Kind(months, in_time=True),
    "weekdays": Kind(weekdays, in_time=True),
    "hours of a week": Kind(week, in_time=True),
    "trend": Kind(trend, in_time=True),
    "jump": Kind(jump, in_time=True),
    "long memory": Kind(long_memory, in_time=True),
    "persons": Kind(persons, in_time=True),
    "bursts": Kind(bursts, in_time=True),
    "AR 0.8, Student t": Kind(autoregressive_student, in_time=True),
    "Laplace drivers": Kind(laplace_drivers),
    "mixed": Kind(mixed_troubles, in_time=True),
    "each row twice": Kind(each_row_twice, in_time=True, refused=True),
    "shuffled copies": Kind(shuffled_copies, refused=True),
    "random walk": Kind(random_walk, in_time=True, refused=True),
    "interpolated": Kind(partial(interpolated, 0.2), in_time=True, refused=True),
    "the day before": Kind(partial(seasonal_memory, _DAY), in_time=True, refused=True),
    "points of a map": Kind(points_of_a_map, refused=True),
}
