"""The first rows, and each of their columns in order: sorted once, asked by many.

Ranks, knots, kinds of columns, and whether a column is normal or has values of its own all follow
from the order of its values.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_AT_ONCE = 4096  # columns, whose cells among the first rows stay near the processor


class Ordered(NamedTuple):
    """Rows, with each column from its least value to its largest; missing cells come last."""

    rows: Array  # (n, p)
    order: NDArray[np.intp]  # (p, n) the row that each of these stands in
    values: Array  # (p, n)
    there: NDArray[np.int64]  # (p,) cells that are not missing
    different: NDArray[np.int64]  # (p,) different values among them

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return bool((self.there == len(self.rows)).all())

    @property
    def mostly_different(self) -> NDArray[np.bool_]:
        """Which columns have more different values than half of their cells."""
        result: NDArray[np.bool_] = 2 * self.different > self.there
        return result

    def of_column(self, j: int) -> Array:
        """Return the values of one column that are there, rising."""
        return self.values[j, : self.there[j]]


def in_order(rows: NDArray[np.floating]) -> Ordered:
    """Return rows with their columns in order.

    Examples
    --------
    >>> found = in_order(np.array([[3.0, 1.0], [2.0, np.nan], [2.0, 0.0]]))
    >>> found.of_column(0), found.of_column(1), found.different
    (array([2., 2., 3.]), array([0., 1.]), array([2, 2]))
    """
    first: Array = np.asarray(rows, dtype=np.float64)
    columns = np.ascontiguousarray(first.T)
    order = columns.argsort(axis=1)
    values = columns.ravel().take(order + len(first) * np.arange(len(columns))[:, None])
    there = len(first) - np.isnan(values).sum(axis=1)
    rising = values[:, 1:] > values[:, :-1]
    return Ordered(first, order, values, there, rising.sum(axis=1) + (there > 0))


def in_pieces(n_columns: int) -> Iterator[slice]:
    """Yield columns, some at a time; none by itself, of which sums would be others.

    >>> [some.stop for some in in_pieces(4097)]
    [2048, 4097]
    """
    n_pieces = -(-n_columns // _AT_ONCE)
    ends = np.linspace(0, n_columns, n_pieces + 1).round().astype(int).tolist()
    for first, last in pairwise(ends):
        yield slice(first, last)


def those(rows: Array, columns: NDArray[np.bool_]) -> Array:
    """Return some columns; the rows as they are if it is all of them, which need not be copied."""
    return rows if columns.all() else rows[:, columns]


def medians(columns: Array) -> Array:
    """Return the median of each column, which are the rows of this matrix; no cell is missing.

    Examples
    --------
    >>> medians(np.array([[4.0, 1.0, 3.0, 9.0]]))
    array([3.5])
    """
    middle = [(columns.shape[1] - 1) // 2, columns.shape[1] // 2]
    # To sort all is quicker than to part them.
    result: Array = np.sort(columns, axis=1)[:, middle].mean(axis=1)
    return result
