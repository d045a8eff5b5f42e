"""Paces: columns that go up and down at a pace of their own, of which some have nearly the same.

Pumps, tides, breath, engines: what swings at a steady pace is related to all that swings at that
pace, by how they happen to stand to each other, for as long as they keep it; rows in between say
nothing new. A season is the same for all columns, and is taken out; memory fades, and is allowed
for. A pace that two columns share, and others do not, is neither (docs/theory.md, section 35).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LEAST_ROWS = 64
_LEAST_CYCLES = 4  # in all rows; what is slower could as well be a trend
_NEAR, _AROUND = 1, 12  # a line is compared with ordinates from 2 to 12 places away
_ALIKE = 2  # places by which the lines of two columns differ that no row tells apart
_CHANCE = 1e-3  # of any line in columns that have none
_COLUMNS = 512  # at most, evenly spaced


def paces_of(rows: Array) -> Array:
    """Return the period of each column, in rows, if another has nearly the same; zero if none.

    Parameters
    ----------
    rows : in their order, without what all have of a season; NaN for missing cells

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, time = rng.standard_normal((300, 4)), np.arange(300)
    >>> noise[:, 1] += np.sin(time / 3)
    >>> noise[:, 2] += np.sin(time / 3.02 + 1)
    >>> noise[:, 3] += np.sin(time / 5)
    >>> paces_of(noise).round()
    array([ 0., 19., 19.,  0.])
    """
    n_rows, n_columns = rows.shape
    found = np.zeros(n_columns)
    some = np.arange(0, n_columns, -(-n_columns // _COLUMNS))
    ratio = _over_those_around(rows[:, some]) if n_rows >= _LEAST_ROWS else np.empty((0, 0))
    if not ratio.size:
        return found
    clear = ratio > _largest_by_chance(ratio.size)
    if not clear.any():
        return found
    lines = np.where(clear.any(axis=0), np.where(clear, ratio, 0.0).argmax(axis=0), -1)
    alike = np.abs(lines[:, None] - lines) <= _ALIKE
    np.fill_diagonal(alike, False)
    shared = (lines >= 0) & (alike & (lines >= 0)).any(axis=1)
    found[some[shared]] = n_rows / (_LEAST_CYCLES + lines[shared])
    return found


def _over_those_around(rows: Array) -> Array:
    """Return each ordinate of columns' periodograms over the mean of those near, not next, to it.

    From `_LEAST_CYCLES` cycles in all rows on.
    """
    gone = np.isnan(rows)
    if gone.any():
        there = np.maximum((~gone).sum(axis=0), 1)
        rows = np.where(gone, np.where(gone, 0.0, rows).sum(axis=0) / there, rows)
    waves = np.fft.rfft(rows - rows.mean(axis=0), axis=0)[1 : (len(rows) + 1) // 2]
    power = np.square(waves.real) + np.square(waves.imag)
    n = len(power)
    # From as many places before the first to as many after the last as are looked at.
    sums = np.zeros((n + 1 + 2 * _AROUND, power.shape[1]))
    np.cumsum(power, axis=0, out=sums[_AROUND + 1 : _AROUND + 1 + n])
    sums[_AROUND + 1 + n :] = sums[_AROUND + n]
    known = np.arange(-_AROUND, n + 1 + _AROUND).clip(0, n)
    others, number = _between(sums, _AROUND), _between(known, _AROUND)
    others -= _between(sums, _NEAR)
    number -= _between(known, _NEAR)
    np.maximum(others, np.finfo(np.float64).eps * sums[-1], out=others)  # or it is rounding
    power *= number[:, None]
    ratio: Array = np.divide(power, others, out=np.zeros_like(power), where=others > 0)
    return ratio[_LEAST_CYCLES - 1 :]


def _between(sums: NDArray[Any], reach: int) -> NDArray[Any]:
    """Return sums from so many places before each to as many after it."""
    number = len(sums) - 1 - 2 * _AROUND
    before, after = (sums[_AROUND + by :][:number] for by in (-reach, reach + 1))
    result: NDArray[Any] = after - before
    return result


def _largest_by_chance(number: int) -> float:
    """Return what the largest of so many ratios seldom exceeds.

    An ordinate over the mean of k others has Fisher's distribution with 2 and 2 k degrees of
    freedom, which exceeds x with the probability (1 + x / k)^-k.
    """
    others = 2 * (_AROUND - _NEAR)
    return float(others * ((number / _CHANCE) ** (1.0 / others) - 1.0))
