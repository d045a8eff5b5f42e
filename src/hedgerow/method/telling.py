"""Which cells are missing may tell something: do those of a column seem to be high, or low?

What the rest of a row says about a missing cell is, in the mean, what the column is in the mean, if
it does not matter which cells are missing. The sum of what was filled in is compared with the root
of its sum of squares, in stretches of rows, so that rows that resemble their neighbours count as
one. Of independent sums with a symmetric distribution such a ratio exceeds x with a probability of
at most exp(-x²/2), however few they are (Efron, 1969), and whatever the weights of their rows are.

docs/theory.md, section 21, says what follows from a column that is found, and what does not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STRETCH = 16  # rows
_LEVEL = 0.001  # chance that any column of a table is named by mistake


class Telling(NamedTuple):
    """Sums of what was filled in for missing cells, in standard deviations from the mean."""

    sums: Array  # (p,) over stretches that have ended
    squares: Array  # (p,) of the sums of these stretches
    unfinished: Array  # (p,) sum of the stretch that has not


def nothing_told(n_columns: int) -> Telling:
    """Return the sums of no rows."""
    return Telling(*(np.zeros(n_columns) for _ in Telling._fields))


def with_cells(known: Telling, filled_in: Array, rows_before: int) -> Telling:
    """Return the sums after more rows; cells that were there have the value zero.

    Rows that weigh more than others are multiplied with their weights before. The same, to the last
    bit, however rows are cut.

    Examples
    --------
    >>> with_cells(nothing_told(2), np.array([[1.0, 0.0]] * 20), 0)
    Telling(sums=array([16.,  0.]), squares=array([256.,   0.]), unfinished=array([4., 0.]))
    """
    place = rows_before % STRETCH
    stretch = (place + np.arange(len(filled_in))) // STRETCH
    ended = (place + len(filled_in)) // STRETCH
    of_stretches = np.zeros((ended + 1, len(known.sums)))
    of_stretches[0] = known.unfinished
    np.add.at(of_stretches, stretch, filled_in)
    done = of_stretches[:ended]
    return Telling(_after(known.sums, done), _after(known.squares, done**2), of_stretches[ended])


def rescaled(known: Telling, factor: float) -> Telling:
    """Return the sums as if all rows had had ``factor`` times their weights."""
    return Telling(known.sums * factor, known.squares * factor**2, known.unfinished * factor)


def standard_sums(known: Telling) -> Array:
    """Return the sums over all rows, in units of the roots of their sums of squares."""
    sums, squares = known.sums + known.unfinished, known.squares + known.unfinished**2
    none = np.zeros_like(sums)
    result: Array = np.divide(sums, np.sqrt(squares), out=none, where=squares > 0)
    return result


def clear_sum(n_columns: int) -> float:
    """Return the size of a standard sum that is no chance.

    >>> round(clear_sum(50), 1)
    4.8
    """
    return float(np.sqrt(2.0 * np.log(2.0 * n_columns / _LEVEL)))


def _after(total: Array, more: Array) -> Array:
    """Return the total, more being added one after another."""
    result: Array = np.add.accumulate(np.vstack([total, more]))[-1]
    return result
