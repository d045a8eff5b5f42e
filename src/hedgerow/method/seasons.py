"""Seasons: what columns do again after a fixed number of rows is found, and taken out.

A season that columns share relates all of them to each other, however independent they are
otherwise, and no number of rows makes that go away. It shows as a line in the periodogram. Where
there is one, rows are compared with rows of the same phase only: from the first rows the mean of
their phase is subtracted; every later row becomes its contrast with the earlier rows of its phase,
sqrt(n / (n + 1)) times (row - their mean). Sums of products of contrasts are those of deviations
within phases, exactly, and in one pass (docs/theory.md, section 18).
"""

from collections.abc import Sequence
from functools import cache
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.bends import bends_of, bent
from hedgerow.method.echoes import echo_in, echoing, stays
from hedgerow.method.ordered import in_pieces
from hedgerow.method.spectra import Spectrum, spectrum_of

Array = NDArray[np.float64]

LEAST_CYCLES = 3  # that must be seen; a slower wave could as well be a trend
_NEAR, _AROUND = 2, 12  # a line is compared with ordinates from 2 to 12 places away
# A line is at least so many times the median of these: that much more than the slope of a spectrum
# makes of them, down to autocorrelations of .95. And it is more than chance does at this level.
_LEAST_LINE = 8.0
_LEVEL = 1e-3
_DICKEY_FULLER = 14.1
_ROWS_TO_WANDER = 50  # with fewer, chance is enough for a column to wander
_COLUMNS = 512  # whose periodograms are averaged, at most
_MOST_LINES = 3
# A season may be a day, and seven of them are asked for by themselves. If they are none, the means
# of their phases cost some rows; if they are, and stay, they make edges.
_WEEK = 7
_LEVEL_OF_A_WEEK = 0.05
_ABOVE = 3.0  # times the mean of noise, which an ordinate of one column is once in twenty


class Season(NamedTuple):
    """A period, in rows, and the means of its phases."""

    seen: int  # rows
    counts: Array  # (period,); of rows
    means: Array  # (period, p)
    bends: Array  # (knots, p); what becomes of scores before, nothing if they stay (`bends`)

    @property
    def period(self) -> int:
        """Number of rows after which a phase comes again; 1 if there is no season."""
        return len(self.counts)


def period_of(rows: Array) -> int:
    """Return the period of a season in rows, which may have gaps; 1 if there is none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, time = rng.standard_normal((240, 3)), np.arange(240)[:, None]
    >>> period_of(noise), period_of(noise + np.cos(2 * np.pi * time / 24))
    (1, 24)
    """
    n_rows, n_columns = rows.shape
    some = rows[:, :: -(-n_columns // _COLUMNS)]
    gone = np.isnan(some)
    some = np.where(gone, _means(some), some) if gone.any() else some
    period, longest, spectrum = 1, n_rows // LEAST_CYCLES, spectrum_of(some)
    for _ in range(_MOST_LINES):
        # Three cycles may as well be memory, unless they are days of a week.
        line = _line(spectrum, LEAST_CYCLES + (period == 1))
        found = None if line is None else _period_of_line(varying(some, period), line, period)
        if found is None:
            break
        joint = lcm(period, found)
        if joint > longest or not _recurs(some, joint):
            break
        period, spectrum = joint, spectrum_of(varying(some, joint))
    periods, others = [], np.arange(2, longest + 1)
    if period > 1:
        # Means of days tell days of the week apart, which single hours hardly do.
        left = varying(some, period)
        days = left[: n_rows // period * period].reshape(-1, period, left.shape[1]).mean(axis=1)
        periods += [period * echoing(days, np.array([_WEEK]), _LEVEL_OF_A_WEEK)]
        periods += [echo_in(spectrum, others[others % period == 0])]
    for again in (*periods, echo_in(spectrum, others)):
        joint = lcm(period, again)
        if period < joint <= longest and _recurs(some, joint):
            return joint
    return period


def first_season(rows: Array, period: int, scores: NDArray[np.intp]) -> tuple[Array, Season]:
    """Return the first rows without a season of this period, and what it is.

    ``scores`` are the columns whose values are normal scores, which a season bends.
    """
    if period == 1:
        return rows, no_season(rows)
    bends = bends_of(rows, period, scores)
    rows = bent(rows, bends)
    counts = np.bincount(np.arange(len(rows)) % period).astype(np.float64)
    means = _phase_means(rows, period)
    return _deviations(rows, means), Season(len(rows), counts, means, bends)


def varying(rows: Array, period: int) -> Array:
    """Return what rows are beyond the means of their phases."""
    return _deviations(rows, _phase_means(rows, period))


def wandering(rows: Array) -> NDArray[np.bool_]:
    """Return which columns cannot be told from a random walk, or a trend.

    By the test of Dickey and Fuller: of n rows of a random walk, the correlation of each with the
    one before is below 1 - 14.1 / n with a probability of about one in thirteen.

    Examples
    --------
    >>> steps = np.random.default_rng(0).standard_normal((200, 1))
    >>> wandering(np.hstack([steps, np.cumsum(steps, axis=0)]))
    array([False,  True])
    """
    found = np.zeros(rows.shape[1], dtype=np.bool_)
    if len(rows) >= _ROWS_TO_WANDER:
        for some in in_pieces(len(found)):
            found[some] = _wander(rows[:, some])
    return found


def _wander(rows: Array) -> NDArray[np.bool_]:
    means = _means if np.isnan(rows).any() else _means_of_complete
    centred = rows - means(rows)
    squares, products = means(np.square(centred)), means(centred[1:] * centred[:-1])
    products *= (len(rows) - 1) / len(rows)
    found: NDArray[np.bool_] = len(rows) * (squares - products) < _DICKEY_FULLER * squares
    return found


def no_season(rows: Array) -> Season:
    """Return what is known after rows that are not asked for a season."""
    nothing = np.empty((0, rows.shape[1]))
    return Season(len(rows), np.full(1, float(len(rows))), np.zeros((1, rows.shape[1])), nothing)


def without_season(rows: Array, season: Season) -> tuple[Array, Season]:
    """Return contrasts of later rows with the earlier ones of their phase, and the season then."""
    period, (seen, counts, means, bends) = season.period, season
    if period == 1:
        return rows, season._replace(seen=seen + len(rows), counts=counts + len(rows))
    rows = bent(rows, bends)
    result, counts, means = np.empty_like(rows), counts.copy(), means.copy()
    for start in range(0, len(rows), period):  # each phase once
        some = rows[start : start + period]
        phases = (seen + start + np.arange(len(some))) % period
        before = counts[phases, None]
        gap = some - means[phases]
        result[start : start + period] = gap * np.sqrt(before / (before + 1.0))
        means[phases] += np.where(np.isnan(gap), 0.0, gap) / (before + 1.0)
        counts[phases] += 1.0
    return result, Season(seen + len(rows), counts, means, bends)


def _phase_means(rows: Array, period: int) -> Array:
    """Return the mean of the rows of each phase."""
    if np.isnan(rows).any():
        return np.array([_means(rows[phase::period]) for phase in range(period)])
    cycles, more = divmod(len(rows), period)
    whole = len(rows) - more
    sums = rows[:whole].reshape(cycles, period, rows.shape[1]).sum(axis=0)
    sums[:more] += rows[whole:]
    counts = np.full(period, cycles)
    counts[:more] += 1
    means: Array = sums / counts[:, None]
    return means


def _means(rows: Array) -> Array:
    """Return the mean of each column's cells that are there; zero if none is."""
    there = ~np.isnan(rows)
    means: Array = np.where(there, rows, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return means


def _means_of_complete(rows: Array) -> Array:
    """Return the same of rows without gaps."""
    means: Array = rows.sum(axis=0) / len(rows)
    return means


def _deviations(rows: Array, means: Array) -> Array:
    """Return what rows are beyond the mean of their phase."""
    period = len(means)
    return rows - (means if period == 1 else means[np.arange(len(rows)) % period])


def _recurs(rows: Array, period: int) -> bool:
    """Return whether the second half of the rows has the phases of the first.

    Those of a season agree, up to noise. Memory that comes back after a period, with another
    course in each half, makes lines too; but it fades, and is allowed for as memory. How much the
    halves of either would agree follows from how much rows a period apart do; what is found must
    be nearer to a season.
    """
    spread = rows.std(axis=0)
    rows = (rows - rows.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    cycles = len(rows) // 2 // period
    if cycles < 2:
        return stays(rows, period)
    half = cycles * period
    first, second = (
        part[:half].reshape(-1, period, rows.shape[1]).mean(axis=0)
        for part in (rows, rows[half : 2 * half])
    )
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    room = np.sqrt(np.square(first).sum() * np.square(second).sum())
    alike = min(max(float((rows[period:] * rows[:-period]).mean()), 0.0), 1.0)
    of_season = alike / (alike + (1.0 - alike) / cycles)
    return bool((first * second).sum() > (of_season + _faded(alike, cycles)) / 2 * room)


def _faded(echo: float, cycles: int) -> float:
    """Return how much the means of two halves agree if each value keeps a part of the last."""
    powers = echo ** np.arange(cycles)
    across = echo * powers.sum() ** 2
    within = cycles + 2.0 * ((cycles - np.arange(cycles)) * powers)[1:].sum()
    return float(across / within)


def _line(spectrum: Spectrum, slowest: int) -> int | None:
    """Return the frequency of the clearest line, in cycles of all rows, if there is a clear one."""
    power = spectrum.at_frequencies
    ratio = power[slowest:] / _typical_around(power)[slowest:]
    if not len(ratio) or not ratio.max() > _LEAST_LINE:
        return None
    if not ratio.max() > _largest_by_chance(ratio):
        return None
    return slowest + int(ratio.argmax())


def _heard(rows: Array, period: int) -> float:
    """Return what goes with the phases of a period, by harmonics that are above the noise.

    Where one harmonic is all there is, the means of many phases are mostly noise.
    """
    means = _phase_means(rows, period)
    left = np.square(_deviations(rows, means)).sum() / max(len(rows) - period, 1)
    waves = np.fft.rfft(means - means.mean(axis=0), axis=0)[1:]
    power = (np.square(waves.real) + np.square(waves.imag)).sum(axis=1) * len(rows) / period**2
    return float(np.maximum(power - _ABOVE * left, 0.0).sum())


def _power(rows: Array) -> Array:
    """Return the mean periodogram of columns, each in units of its variance."""
    return len(rows) * spectrum_of(rows).at_frequencies


def _typical_around(power: Array) -> Array:
    """Return the median of the ordinates near each, but for the nearest; infinity for too few."""
    distance = np.arange(_NEAR, _AROUND + 1)
    places = np.arange(len(power))[:, None] + np.concatenate([-distance, distance])
    known = (places >= 1) & (places < len(power))
    around = np.sort(np.where(known, power[places % len(power)], np.inf), axis=1)
    number = known.sum(axis=1)
    rows, middle = np.arange(len(power)), np.maximum(number // 2, 1)
    median = (around[rows, middle] + around[rows, middle - 1 + number % 2]) / 2
    return np.where((number >= _AROUND) & (median > 0), median, np.inf)


def _largest_by_chance(ratio: Array) -> float:
    """Return what the largest of so many ordinates, over their median, seldom exceeds.

    Averages of periodograms have about gamma distributions; their quartiles tell of how many
    independent columns.
    """
    shapes, spread = _quartiles()
    low, high = np.quantile(ratio[np.isfinite(ratio)], [0.25, 0.75])
    shape = shapes[int(np.argmin(np.abs(spread - high / max(low, 1e-300))))]
    tail = special.gammainccinv(shape, _LEVEL / len(ratio)) / special.gammaincinv(shape, 0.5)
    # The median of the ordinates around may be low by three standard errors.
    return float(tail * (1.0 + 3.0 * 1.25 / np.sqrt(2 * (_AROUND - _NEAR + 1) * shape)))


@cache
def _quartiles() -> tuple[Array, Array]:
    """Return shapes of gamma distributions, and the ratio of the outer quartiles of each."""
    shapes = np.geomspace(1.0, 1e4, 200)
    return shapes, special.gammaincinv(shapes, 0.75) / special.gammaincinv(shapes, 0.25)


def _period_of_line(rows: Array, line: int, known: int) -> int | None:
    """Return the shortest period that has a line among its harmonics; None if none is whole.

    A pattern of seven rows has lines at a seventh, two and three sevenths of all rows, and any of
    them may be the clearest. Two sevenths are a period of 3.5 rows, which no whole number is near;
    the second multiple of that is one. A period has the line if most of it goes with its phases.
    Of a slow line many are near; if one is a multiple of what is ``known``, as a week is of a day,
    it is that.
    """
    longest, here = len(rows) // LEAST_CYCLES, _power(rows)[line]
    for harmonic in range(1, longest * line // len(rows) + 2):
        fastest, slowest = (harmonic * len(rows) / (line + off) for off in (0.5, -0.5))
        first, last = max(int(np.floor(fastest)), 2), min(int(np.ceil(slowest)), longest)
        candidates: Sequence[int] = range(first, last + 1)
        candidates = [p for p in candidates if known > 1 and p % known == 0] or candidates
        if not candidates:
            continue
        best = max(candidates, key=lambda period: _heard(rows, period))
        if _power(varying(rows, best))[line] < here / 2:
            return best
    return None
