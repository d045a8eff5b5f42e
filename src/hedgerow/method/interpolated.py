"""Interpolated: cells that lie on a straight line between those before and after them.

Gaps in a series are often filled so. What a filled cell says is made of two rows that are not its
own. Beside cells of its row it explains less than it should, and what is left passes for edges
between its neighbours.

Three numbers of a series that varies are hardly ever on one line. Numbers that were rounded are, by
chance; but then they are as often off it by the least that they can be (docs/theory.md, section
33).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_LEAST = 8  # cells
_SINGLE, _DOUBLE = 2.0**-22, 2.0**-50  # rounding of numbers that have this precision
_NEARLY = 16.0  # times rounding: as far off there would be more, if it were no line
_BESIDE = 0.25  # of these cells, at most, may be off by the least


def interpolated_shares(first: Ordered) -> Array:
    """Return the share of each column's cells that were interpolated, zero if none seem to be.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rows = np.random.default_rng(0).standard_normal((200, 2))
    >>> rows[1:-1:4, 1] = (rows[:-2:4, 1] + rows[2::4, 1]) / 2
    >>> interpolated_shares(in_order(rows))
    array([0.  , 0.25])
    """
    rows, there = first.rows, first.there
    shares = np.zeros(len(there))
    if len(rows) < _LEAST + 2:
        return shares
    off = np.abs(rows[2:] - rows[1:-1] - (rows[1:-1] - rows[:-2]))
    ends = first.values[:, 0], first.values[np.arange(len(there)), np.maximum(there - 1, 0)]
    most = _SINGLE * np.abs(ends).max(axis=0)
    for j in np.flatnonzero(((off <= most).sum(axis=0) >= _LEAST) & first.mostly_different):
        cells, away = rows[:, j], off[:, j]
        with np.errstate(over="ignore"):  # numbers that single precision does not reach
            single = np.array_equal(cells.astype(np.float32), cells, equal_nan=True)
        size = np.maximum(np.abs(cells[2:]), np.abs(cells[:-2]))
        rounding = (_SINGLE if single else _DOUBLE) * size
        on_line = (away <= rounding) & (cells[1:-1] != cells[:-2])
        number = np.count_nonzero(on_line)
        steps = np.diff(first.of_column(int(j)))
        least = 1.5 * steps[steps > 0].min(initial=np.inf)
        beside = (away > rounding) & (away <= np.maximum(_NEARLY * rounding, least))
        if number >= _LEAST and np.count_nonzero(beside) <= _BESIDE * number:
            shares[j] = number / there[j]
    return shares
