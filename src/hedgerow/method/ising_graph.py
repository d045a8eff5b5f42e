"""The graph that rows of yes or no support: tested edges, and columns that were set aside.

A column that never varies is an isolated node. Two that are the same in all rows, or opposite, are
tested like all others, and can be joined to each other; but either stands in for the other, so
neither is joined to a third. Under strong couplings few rows make such columns of any that are near
each other: that they are the same is no proof of an edge.
"""

from hashlib import blake2b
from math import comb, lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.balance import LOOSEST_LEVEL, balanced_level, stands_out
from hedgerow.method.ising_edges import IsingEngine, judge_pairs
from hedgerow.method.ising_logistic import Array, Bits
from hedgerow.method.ising_neighbours import table_of
from hedgerow.method.promises import BALANCED

Indices = NDArray[np.intp]


class IsingEdges(NamedTuple):
    """Edges by column number, the surest first, and findings about the columns."""

    source: Indices
    target: Indices
    z: Array
    p_value: Array
    q_value: Array
    constant: Indices  # columns that never varied
    copies: Indices  # columns that repeat an earlier one, or its opposite ...
    originals: Indices  # ... and that one

    def up_to(self, level: float) -> "IsingEdges":
        """Return the graph at an error level."""
        keep = self.q_value <= level
        return self._replace(**{name: getattr(self, name)[keep] for name in self._fields[:5]})

    def balanced_level(self) -> float:
        """Return the level at which false and missed edges weigh the same."""
        return balanced_level(self.q_value, LOOSEST_LEVEL)

    def neighbours(self, n_columns: int) -> list[Indices]:
        """Return the neighbours of each column."""
        ends = np.r_[self.source, self.target], np.r_[self.target, self.source]
        order = np.lexsort(ends[::-1])
        starts = np.searchsorted(ends[0][order], np.arange(1, n_columns))
        return np.split(ends[1][order], starts)


def edges_of(engine: IsingEngine, rows: Bits, error: str, loosest: float) -> IsingEdges:
    """Return all edges up to the level ``loosest`` from rows of zeros and ones."""
    counts = rows.sum(axis=0, dtype=np.int64)
    varies = (counts > 0) & (counts < len(rows))
    original = _originals(rows)
    copies = np.flatnonzero(varies & (original != np.arange(rows.shape[1])))
    tested = np.flatnonzero(varies)
    source, target = tested[:0], tested[:0]
    z = p_value = q_value = np.empty(0)
    if len(tested) > 1:
        table = table_of(rows if varies.all() else rows[:, tested])
        found = judge_pairs(engine, table, error, loosest)
        keep = found.q_value <= loosest
        if error != BALANCED or stands_out(np.sort(found.p_value), comb(len(tested), 2)):
            source, target = tested[found.first[keep]], tested[found.second[keep]]
            z, p_value, q_value = found.z[keep], found.p_value[keep], found.q_value[keep]
    order = np.lexsort((-np.abs(z), q_value))
    return IsingEdges(
        source[order],
        target[order],
        z[order],
        p_value[order],
        q_value[order],
        constant=np.flatnonzero(~varies),
        copies=copies,
        originals=original[copies],
    )


def too_few_rows(n_rows: int, n_columns: int, level: float) -> bool:
    """Return whether not even two columns that are always the same could be an edge.

    Of all ways to divide the rows in halves, one is theirs, and one its opposite.

    >>> too_few_rows(10, 20, 0.05), too_few_rows(20, 20, 0.05)
    (True, False)
    """
    half = n_rows // 2
    ways = lgamma(n_rows + 1) - lgamma(half + 1) - lgamma(n_rows - half + 1)
    return log(2.0) - ways > log(level / comb(n_columns, 2))


def _originals(rows: Bits) -> Indices:
    """Return for each column the first that it repeats, or whose opposite it is; often itself."""
    first: dict[bytes, int] = {}
    result = np.empty(rows.shape[1], dtype=np.intp)
    for j in range(rows.shape[1]):
        column = np.packbits(rows[:, j] ^ rows[0, j])
        result[j] = first.setdefault(blake2b(column.tobytes()).digest(), j)
    return result
