"""Carried forward: cells that repeat the one before, where values else hardly come twice.

Where a sensor reports less often than others, or a gap was filled with the last value that was
there, a cell says what was true some rows ago. Beside cells of this row it explains less than it
should, and what is left passes for edges between its neighbours.

Numbers that were rounded come again as well, but apart, too: a series that returns to a value has
it in several runs. So a column is told if its values mostly come in one run each; but for one
value, as the zeros of every night.
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_LEAST_SHARE = 0.1  # of cells that repeat the one before; half as many did no harm
_LEAST = 8  # such cells
_LONGEST = 16.0  # cells for each value, in the mean: columns of longer runs are steps
_APART = 0.25  # of them, at most, as many runs whose value has come before


def carried_shares(first: Ordered) -> Array:
    """Return the share of each column's cells that were carried forward, zero if none seem to be.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rows = np.random.default_rng(0).standard_normal((200, 2))
    >>> rows[1::4, 1] = rows[::4, 1]
    >>> carried_shares(in_order(rows))
    array([0.  , 0.25])
    """
    there, different = first.there, first.different
    shares = np.zeros(len(there))
    fewest = np.maximum(_LEAST, _LEAST_SHARE * there)
    again = (first.rows[1:] == first.rows[:-1]).sum(axis=0)
    for j in np.flatnonzero((again >= fewest) & (_LONGEST * different > there)):
        cells = first.rows[:, j]
        cells = cells[~np.isnan(cells)]
        values, times = np.unique(cells, return_counts=True)
        begins = np.append(True, cells[1:] != cells[:-1])
        runs = np.bincount(np.searchsorted(values, cells[begins]))
        most = runs.argmax()
        runs[most] = times[most] = 1
        repeats, apart = int((times - runs).sum()), int((runs - 1).sum())
        if repeats >= fewest[j] and apart <= _APART * repeats:
            shares[j] = repeats / len(cells)
    return shares
