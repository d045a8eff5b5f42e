"""Blanks: one value that columns have in the same rows, among values that hardly come twice.

A logger that writes 0 where it got no answer, a code for what was not asked, a default: several
columns have it in the same rows. It lies somewhere among their values, so that no cell is far off
and none is contradicted; but in these rows the columns are off together, all in their own way, and
a few rows in a hundred are enough for an edge between any two of them.

A floor or ceiling that values cannot pass is no blank: where a sensor of rain shows zero, so do
others, and that is what relates them (docs/theory.md, section 33).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_LEAST = 4  # cells
_OFTENER = 3  # than any other value: rounded numbers come again as well
_CHANCE = 1e-3  # of any column that is named, if blanks were independent


def blank_shares(first: Ordered) -> Array:
    """Return the share of each column's cells that are blank together with another's, or zero.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rows = np.random.default_rng(0).standard_normal((200, 3))
    >>> rows[::20, 1:] = 0.5
    >>> blank_shares(in_order(rows))
    array([0.  , 0.05, 0.05])
    """
    n_rows, n_columns = first.rows.shape
    shares = np.zeros(n_columns)
    tied = first.there - first.different >= _LEAST - 1
    found = {int(j): _blank(first, int(j)) for j in np.flatnonzero(tied & first.mostly_different)}
    columns = np.array([j for j, value in found.items() if value is not None], dtype=np.intp)
    if len(columns) < 2:
        return shares
    blank = first.rows[:, columns] == np.array([found[int(j)] for j in columns])
    single = blank.astype(np.float64)
    together = single.T @ single
    times = np.diag(together).copy()
    np.fill_diagonal(together, 0.0)
    # The number of rows that two sets have in common is less spread than a Poisson number.
    chance = special.pdtrc(together - 1.0, np.outer(times, times) / n_rows)
    clear = (together > 0) & (chance < _CHANCE / len(columns) ** 2)
    with_others = blank & (single @ clear > 0)
    shares[columns] = with_others.sum(axis=0) / first.there[columns]
    return shares


def _blank(first: Ordered, j: int) -> float | None:
    """Return the one value of a column that comes far more often than others, if it is no limit."""
    values = first.of_column(j)
    begins = np.flatnonzero(np.append(True, values[1:] > values[:-1]))
    times = np.diff(np.append(begins, len(values)))
    most = int(times.argmax())
    others = np.delete(times, most).max(initial=0)
    if times[most] < max(_LEAST, _OFTENER * others):
        return None
    value = float(values[begins[most]])
    low, high = values[values < value], values[values > value]
    rest = np.concatenate([low, high])
    apart = min(abs(value - rest.min()), abs(value - rest.max()))
    inside = min(len(low), len(high)) >= _LEAST
    return value if inside or apart > np.ptp(rest) else None
