"""What all columns have in common in time: their mean periodogram, and how sure such a mean is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from hedgerow.method.ordered import those

Array = NDArray[np.float64]

_TOGETHER = 64  # columns whose waves are held at a time
# Columns that are looked at where there are more: what a mean over so many says is no chance, and
# to look at them takes seconds.
MOST_COLUMNS = 1 << 14


def evenly_spaced(n_columns: int) -> slice:
    """Return `MOST_COLUMNS` columns at most, evenly spaced.

    >>> evenly_spaced(100), evenly_spaced(20_000)
    (slice(None, None, 1), slice(None, None, 2))
    """
    return slice(None, None, -(-max(n_columns, 1) // MOST_COLUMNS))


def of_unit_length(rows: Array) -> Array:
    """Return columns of length 1, those that are not zero."""
    lengths = np.sqrt(np.square(rows).sum(axis=0))
    result: Array = those(rows, lengths > 0) / lengths[lengths > 0]
    return result


def mean_power(unit: NDArray[np.floating], n_points: int) -> Array:
    """Return the mean over columns of squared amplitudes, rows being followed by zeros.

    Examples
    --------
    >>> mean_power(np.array([[1.0, 0.0], [-1.0, 2.0]]), 4)
    array([2., 3., 4.])
    """
    total = np.zeros(n_points // 2 + 1)
    for first in range(0, unit.shape[1], _TOGETHER):
        waves = fft.rfft(unit[:, first : first + _TOGETHER], n_points, axis=0)
        total += (np.square(waves.real) + np.square(waves.imag)).sum(axis=1)
    result: Array = total / max(unit.shape[1], 1)
    return result


class Spectrum(NamedTuple):
    """Columns of mean zero and length one, and what they have in common in time."""

    unit: Array
    power: Array  # their mean periodogram, rows being followed by as many zeros

    @property
    def at_frequencies(self) -> Array:
        """The mean periodogram of the rows alone, from 0 cycles in all rows on."""
        return self.power[::2]

    @property
    def echoes(self) -> Array:
        """The mean over columns of products of rows that are 0, 1, 2, ... apart."""
        n_points = 2 * len(self.unit)
        result: Array = fft.irfft(self.power, n_points)[: len(self.unit)]
        return result


def spectrum_of(rows: Array) -> Spectrum:
    """Return the spectrum of columns that are not constant; no cell is missing.

    Six digits are enough to tell a line, or an echo, from chance.

    Examples
    --------
    >>> found = spectrum_of(np.array([[1.0, 5.0], [-1.0, 5.0]]))
    >>> found.at_frequencies.round(3), found.echoes.round(3)
    (array([0., 2.]), array([ 1. , -0.5]))
    """
    unit = of_unit_length(rows - rows.mean(axis=0))
    return Spectrum(unit, mean_power(unit.astype(np.float32), 2 * len(unit)))


def autocovariances(unit: Array) -> Array:
    """Return the mean over columns of products of rows that are 0, 1, 2, ... apart.

    Examples
    --------
    >>> autocovariances(np.array([[1.0], [1.0], [3.0]]))
    array([11.,  4.,  3.])
    """
    return Spectrum(unit, mean_power(unit, 2 * len(unit))).echoes


def as_many_independent(unit: Array) -> float:
    """Return of how many columns a mean is as sure, if these are independent of each other.

    Examples
    --------
    >>> as_many_independent(np.eye(4)[:, [0, 1, 1, 1]])
    1.6
    """
    gram = unit @ unit.T if len(unit) < unit.shape[1] else unit.T @ unit
    return float(unit.shape[1] ** 2 / max(np.square(gram).sum(), 1.0))
