"""Echoes: periods after which rows are alike, and after twice as many rows as much.

A pattern without a shape, as that of twelve months or of the hours of a week, has no line in the
periodogram that is clear. But rows that are P, 2 P, ... apart are more alike than others, on
average over columns, and as much at any distance, while memory fades.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.spectra import Spectrum, as_many_independent, spectrum_of

Array = NDArray[np.float64]

_LEVEL = 1e-3  # chance that independent rows have any


def echoing(rows: Array, periods: NDArray[np.intp], level: float = _LEVEL) -> int:
    """Return the clearest of some periods, of which three fit into the rows; 1 if none is clear.

    Parameters
    ----------
    rows : in their order, without gaps
    periods : those asked for, rising
    level : chance of any in independent rows

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, hours = rng.standard_normal((512, 6)), rng.standard_normal((168, 6))
    >>> some = np.arange(2, 171)
    >>> echoing(noise, some), echoing(noise + hours[np.arange(512) % 168], some)
    (1, 168)
    """
    return echo_in(spectrum_of(rows), periods, level)


def echo_in(spectrum: Spectrum, periods: NDArray[np.intp], level: float = _LEVEL) -> int:
    """Return the same of rows that have this spectrum."""
    unit, n_rows = spectrum.unit, len(spectrum.unit)
    periods = periods[3 * periods <= n_rows]
    if not len(periods) or not unit.size:
        return 1
    level /= len(periods)
    clear = _clearness(spectrum.echoes, periods)
    # More columns would make it less likely to be chance, and these are at most so many.
    if (_chance(clear, periods, n_rows, min(unit.shape)) > level).all():
        return 1
    clear[_chance(clear, periods, n_rows, as_many_independent(unit)) > level] = 0.0
    return int(periods[clear.argmax()]) if clear.any() else 1


def _chance(clear: Array, periods: NDArray[np.intp], n_rows: int, free: float) -> Array:
    """Return how likely rows without periods are so clear, if so many columns are independent.

    Rows that are periods apart are alike as far as means of phases differ: a sum of squares.
    """
    means = free * (periods - 1)
    excess = clear * np.sqrt(free * n_rows) * np.sqrt(2.0 * means)
    result: Array = special.chdtrc(means, means + excess)
    return result


def stays(rows: Array, period: int) -> bool:
    """Return whether rows two periods apart are nearly as alike as rows one period apart.

    Of memory that comes back, they are as the square of that; what is found must be nearer to a
    season.
    """
    found = spectrum_of(rows)
    return bool(found.unit.size) and bool(_stay(_per_pair(found.echoes), np.array([period]))[0])


def _stay(alike: Array, periods: NDArray[np.intp]) -> NDArray[np.bool_]:
    once, twice = (np.clip(alike[times * periods], 0.0, 1.0) for times in (1, 2))
    result: NDArray[np.bool_] = twice > (once + np.square(once)) / 2.0
    return result


def _per_pair(echoes: Array) -> Array:
    """Return autocorrelations, each a mean over all pairs of rows that are so far apart."""
    n_rows = len(echoes)
    result: Array = echoes * (n_rows / np.arange(n_rows, 0, -1))
    return result


def _clearness(echoes: Array, periods: NDArray[np.intp]) -> Array:
    """Return how alike rows are that are periods apart, in standard errors of one of all rows.

    Beyond rows that are other distances apart, from half a period on, in whole periods. What is
    nearer may be memory, and tells how uncertain the others are (Bartlett).
    """
    alike, distances = _per_pair(echoes), _distances(len(echoes), tuple(periods.tolist()))
    at, starts, first, last, weights, rest_weights = distances
    sums = np.add.reduceat(echoes[at], starts)
    mean, rest = sums / weights, _between(echoes, first, last) - sums
    memory = 1.0 + 2.0 * _between(np.square(alike), np.ones_like(first), first)
    uncertain = memory * (1.0 / weights + 1.0 / rest_weights)
    found = (mean - rest / rest_weights) / np.sqrt(uncertain)
    # Rows that are a period apart must be alike, not only those that are two or three apart.
    fits = (alike[periods] > mean / 2.0) & _stay(alike, periods)
    return np.where(fits, np.maximum(found, 0.0), 0.0)


class _Distances(NamedTuple):
    """Which rows are compared for each of some periods."""

    at: NDArray[np.intp]  # how far apart rows are that are whole periods apart, those of one
    starts: NDArray[np.intp]  # period after those of another, which begin here
    first: NDArray[np.intp]  # other distances begin here, ...
    last: NDArray[np.intp]  # ... and end before this
    weights: Array  # pairs of rows so many periods apart, over the number of rows
    rest_weights: Array  # pairs of others


@lru_cache(maxsize=16)
def _distances(n_rows: int, some: tuple[int, ...]) -> _Distances:
    periods = np.array(some)
    first, whole = periods - periods // 2, (n_rows - 1 - periods // 2) // periods
    last = np.minimum(whole * periods + (periods + 1) // 2, n_rows)
    at = np.concatenate([period * np.arange(1, n + 1) for period, n in zip(periods, whole)])
    starts = np.cumsum(whole) - whole
    pairs = np.arange(n_rows, 0, -1) / n_rows
    weights = np.add.reduceat(pairs[at], starts)
    return _Distances(at, starts, first, last, weights, _between(pairs, first, last) - weights)


def _between(values: Array, first: NDArray[np.intp], last: NDArray[np.intp]) -> Array:
    """Return sums of values from each place to another one, which is left out."""
    sums = np.append(0.0, np.cumsum(values))
    return np.asarray(sums[last] - sums[first])
