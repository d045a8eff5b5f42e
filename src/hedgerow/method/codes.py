"""Codes: values apart from the few that a column has, as 9 or 99 for no answer on a scale of five.

A column whose values lie on a grid, one step from the next, has all of them within a stretch. A
value beyond one of its ends, which cells have again and again, and which people use as a code (of
nines, on the other side of zero, or very far), is not one more step of it

- if the places between are at least as wide as the stretch, in steps and in factors: a scale of
  five, and 55; or
- if the stretch is full up to its end, and so many cells would not all have that value. Where
  larger values are rarer, or as rare, a cell beyond the stretch is in each of the k places before
  this one as likely as in it, and c cells are all in it with a chance of (k + 1)^-c at most. For
  columns that share such a value these chances multiply, times the ways to choose so many columns.

A tail grows thin, and its cells do not repeat, so that counts and amounts have no codes for being
long; nor is a limit beyond a thin tail one. A value that stands next to the others (6 for no
answer) cannot be told from an answer.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_MOST = 0.1  # of a column's cells; more of them are a value as others are: doses of 0, 1 and 10 ...
_MOST_BEYOND_ZERO = 0.5  # ... but of nines on the other side of zero, as -9 on a scale from 0 to 10
_DENSE = 0.75  # of the places of a stretch, at least, have a cell; of doses 1, 2, 5 and 10 fewer
_FEWEST_STEPS = 3  # values that say how wide a stretch is; of yes or no, one step tells little
_AGAIN = 4  # cells, at least, that have a code, and the last value before it
_CHANCE = 0.001  # of taking values of any column for codes
_ROUNDING = 1e-9
_NINES = re.compile("9*[789]|77+|88+")
# Where one place is left out by all, as 7 of engines with 4, 5, 6 or 8 cylinders, that may be so of
# one column; not of several.
_NEXT_BUT_ONE = 2.0 + _ROUNDING
_VERY_FAR = 10.0  # widths of the stretch


class Values(NamedTuple):
    """The different values of a column."""

    rising: Array
    cells: NDArray[np.intp]  # that have each

    def turned(self) -> "Values":
        """Return the values with other signs."""
        return Values(-self.rising[::-1], self.cells[::-1])

    def part(self, begin: int, end: int) -> "Values":
        """Return some of the values."""
        return Values(self.rising[begin:end], self.cells[begin:end])

    def step(self) -> float:
        """Return how far values are apart at least."""
        return float(np.diff(self.rising).min())

    def share_of_places(self) -> float:
        """Return which share of the places from the least to the largest value have a cell."""
        width = self.rising[-1] - self.rising[0]
        return len(self.rising) / float(np.round(width / self.step()) + 1.0)

    def ends_full(self) -> bool:
        """Return whether all places have a cell, and the last one several."""
        return self.share_of_places() >= 1.0 and bool(self.cells[-1] >= _AGAIN)


def limits_of(first: Ordered, judged: NDArray[np.bool_]) -> Array:
    """Return the limits beyond which cells of each column are codes, infinite where there are none.

    They are halfway between a stretch and its codes, as later rows may have other values of both.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> answers = np.random.default_rng(0).integers(1, 6, (200, 2)).astype(float)
    >>> answers[:5, 1] = 99
    >>> limits_of(in_order(answers), np.ones(2, dtype=np.bool_))
    array([[-inf, -inf],
           [ inf,  52.]])
    """
    limits = np.tile([[-np.inf], [np.inf]], len(judged))
    few = judged & (2 * first.different <= first.there) & (first.different > 2)
    columns = {
        int(j): Values(*np.unique(first.of_column(int(j)), return_counts=True))
        for j in np.flatnonzero(few)
    }
    largest = _shared(columns.values())
    least = _shared([values.turned() for values in columns.values()])
    alone = float(np.log(len(judged) / _CHANCE))
    for j, (rising, cells) in columns.items():
        low, high = _stretch(Values(rising, cells), least, largest, alone)
        if low > 0:
            limits[0, j] = (rising[low - 1] + rising[low]) / 2.0
        if high < len(rising):
            limits[1, j] = (rising[high - 1] + rising[high]) / 2.0
    return limits


def _shared(columns: Collection[Values]) -> set[float]:
    """Return largest values that columns share, which so many cells would not have by chance."""
    beyond: dict[float, list[float]] = defaultdict(list)
    for values in columns:
        places = _places_to_last(values)
        if places > 1.0 + _ROUNDING and values.part(0, -1).ends_full():
            beyond[float(values.rising[-1])].append(values.cells[-1] * np.log(places))
    least = np.log(max(len(beyond), 1) / _CHANCE)
    return {
        value
        for value, evidence in beyond.items()
        if len(evidence) > 1
        and sum(evidence) - _log_of_choices(len(columns), len(evidence)) > least
    }


def _log_of_choices(number: int, chosen: int) -> float:
    """Return the logarithm of in how many ways so many of a number can be chosen."""
    parts = special.gammaln([number + 1, chosen + 1, number - chosen + 1])
    return float(parts[0] - parts[1] - parts[2])


def _places_to_last(values: Values) -> float:
    """Return by how many steps the last value is apart from the one before."""
    return float(np.diff(values.rising[-2:])[0]) / values.step()


def _stretch(
    values: Values, least: Collection[float], largest: Collection[float], alone: float
) -> tuple[int, int]:
    """Return where the values begin and end that are no codes."""
    n_values, turned = len(values.rising), values.turned()
    begins = [n_values - end for end in _ends(turned)]
    for begin, end in product(begins, _ends(values)):
        some = values.part(begin, end)
        if end - begin < 2 or some.share_of_places() < _DENSE:
            continue
        below = turned.part(n_values - begin, n_values)
        if _apart(values.part(end, n_values), some, largest, alone) and _apart(
            below, some.turned(), least, alone
        ):
            return begin, end
    return 0, n_values


def _ends(values: Values) -> list[int]:
    """Return after how many values few cells come, beyond a gap; all values last."""
    gaps, cells = np.diff(values.rising), values.cells
    last, first = values.rising[:-1], values.rising[1:]
    most = np.where((last <= 0.0) & (first > 0.0) & _all_nines(first), _MOST_BEYOND_ZERO, _MOST)
    few = cells.sum() - np.cumsum(cells)[:-1] <= most * cells.sum()
    wide = gaps > (1.0 + _ROUNDING) * gaps.min()
    return [*(np.flatnonzero(few & wide) + 1).tolist(), len(cells)]


def _all_nines(rising: Array) -> NDArray[np.bool_]:
    """Return from which values on all are of nines.

    >>> _all_nines(np.array([7.0, 8.0, 10.0, 77.0, 99.0]))
    array([False, False, False,  True,  True])
    """
    nines = np.array([_is_of_nines(value) for value in rising.tolist()], dtype=np.bool_)
    return np.logical_and.accumulate(nines[::-1])[::-1]


def _is_of_nines(value: float) -> bool:
    return bool(_NINES.fullmatch(f"{abs(value):.15g}"))


def _apart(codes: Values, some: Values, shared: Collection[float], alone: float) -> bool:
    """Return whether the values that follow ``some`` are codes.

    ``shared`` are codes of several columns, and ``alone`` is what the logarithm of one over a
    chance must exceed.
    """
    if not len(codes.rising):
        return True
    if not all(_is_usual(code, some) for code in codes.rising.tolist()):
        return False
    again = bool((codes.cells >= _AGAIN).all())
    gap = codes.rising[0] - some.rising[-1]
    if len(codes.rising) == 1 and some.ends_full():
        if float(codes.rising[0]) in shared:
            return True
        places = gap / some.step()
        if again and places > _NEXT_BUT_ONE and codes.cells[0] * np.log(places) > alone:
            return True
    ends = some.rising[0], some.rising[-1], codes.rising[0]
    return bool(_is_far(*ends) and again and len(some.rising) >= _FEWEST_STEPS)


def _is_usual(code: float, some: Values) -> bool:
    """Return whether people take such a value for a code, beside ``some`` that are none.

    One of nines (9, 98, 997, or 7, 77, 8, 88), one on the other side of zero, or one very far away.

    >>> scale = Values(np.arange(1.0, 6.0), np.full(5, 20))
    >>> [code for code in (-9.0, 0.0, 7.0, 12.0, 17.0, 40.0, 55.0, 99.0) if _is_usual(code, scale)]
    [-9.0, 0.0, 7.0, 55.0, 99.0]
    """
    begin, end = float(some.rising[0]), float(some.rising[-1])
    if (code < 0.0 <= begin) or (code <= 0.0 < begin) or (code > 0.0 >= end) or (code >= 0.0 > end):
        return True
    far = max(code - end, begin - code) > _VERY_FAR * (end - begin)
    return far or _is_of_nines(code)


def _is_far(begin: float, end: float, code: float) -> bool:
    """Return whether the places between a stretch and a code are as wide as the stretch.

    So they must be in factors, too: 16 is the next place of 2, 4, 8.

    >>> _is_far(1.0, 5.0, 99.0), _is_far(2.0, 8.0, 16.0), _is_far(0.0, 4.0, 8.0)
    (True, False, True)
    """
    far = code - end >= (end - begin) * (1.0 - _ROUNDING)
    if far and begin > 0.0:
        far = np.log(code / end) >= np.log(end / begin) * (1.0 - _ROUNDING)
    return bool(far)
