"""Nested columns: the same again wherever one of them is, so of sites or persons, not of rows.

A table of pupils may have columns of their schools, one of visits columns of the persons: the same
values for all rows of a school. Whatever the number of rows, such columns have been seen as often
as there are schools, and what relates them by chance looks like an edge with the certainty of all
rows.

Where one column has a value again, the others have theirs again: one is a function of the other. A
function that rises or falls is another unit, or the same cut more coarsely, and harmless. How
often a value comes again by chance is known from the column's own counts.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ordered import Ordered

Codes = NDArray[np.intp]

_GROUPS = 3  # values that come again, at least; a mass at one value is no group
_FINEST = 64  # columns that may determine others, at most
_A_FEW = 8  # rows by which most columns are told apart
_CHANCE = 1e-3  # that columns of a table are named by mistake


class Nested(NamedTuple):
    """Columns of which one determines the others."""

    columns: NDArray[np.intp]  # the one that determines first
    values: int  # that it has among the first rows


NONE = Nested(np.empty(0, dtype=np.intp), 0)


def nested_in(first: Ordered) -> Nested:
    """Return the largest set of columns that are the same again wherever one of them is.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((200, 6))
    >>> rows[:, 2:5] = rng.standard_normal((10, 3))[rng.integers(10, size=200)]
    >>> nested_in(in_order(rows))
    Nested(columns=array([2, 3, 4]), values=10)
    """
    n_columns = first.rows.shape[1]
    often = np.flatnonzero((2 * first.different <= first.there) & (first.different > 2))
    few = np.flatnonzero(2 * first.different <= first.there)
    codes = _codes(first, few)
    place = {int(j): k for k, j in enumerate(few)}
    best, done = NONE, np.zeros(n_columns, dtype=np.bool_)
    for j in often[np.argsort(-first.different[often], kind="stable")][:_FINEST]:
        if not done[j]:
            found = few[_determined(codes, place[int(j)], n_columns)]
            done[found] = True
            if len(found) >= max(len(best.columns), 1):
                best = Nested(np.append(j, found), int(first.different[j]))
    return best


def _codes(first: Ordered, columns: NDArray[np.intp]) -> Codes:
    """Return the places of cells among the different values of their columns, a row for each."""
    codes = np.empty((len(columns), len(first.rows)), dtype=np.intp)
    for k, j in enumerate(columns):
        values = first.values[j]
        rises = np.append(0, (values[1:] != values[:-1]) & ~np.isnan(values[:-1]))
        codes[k, first.order[j]] = np.cumsum(rises)
    return codes


def _determined(codes: Codes, k: int, n_columns: int) -> NDArray[np.intp]:
    """Return which others have one value wherever column ``k`` has, and are no rising function."""
    order = np.argsort(codes[k], kind="stable")
    again = np.flatnonzero(np.diff(codes[k, order]) == 0)
    starts = again[np.append(True, np.diff(codes[k, order[again]]) != 0)]
    if len(starts) < _GROUPS:
        return np.empty(0, dtype=np.intp)
    left = np.flatnonzero(np.arange(len(codes)) != k)
    for some in (again[:: max(len(again) // _A_FEW, 1)], again):
        same = codes[np.ix_(left, order[some])] == codes[np.ix_(left, order[some + 1])]
        left = left[same.all(axis=1)]
    found = []
    for j in left:
        share = np.bincount(codes[j]) / codes.shape[1]
        chance = len(again) * np.log(max(float(np.square(share).sum()), 1e-300))
        steps = np.diff(codes[j, order[starts]])
        bends = (steps > 0).any() and (steps < 0).any()
        if bends and chance < np.log(_CHANCE / n_columns**2):
            found.append(int(j))
    return np.array(found, dtype=np.intp)
