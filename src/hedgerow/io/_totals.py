"""A last row that has the sums of all others: a total, which is no row."""

import numpy as np
from numpy.typing import NDArray

_FEWEST = 4  # rows, so that a sum is farther out than they are
_FARTHER = 2.0  # times as far from zero as the largest of the others
_NEAR = 0.01  # of the sum: totals are sums of numbers with more digits than are shown


class Totals:
    """Watches rows of numbers for a total at their end.

    A row that no total is hits, by chance, neither the sum of all others to a hundredth in two
    columns or more, nor lies as far out in all that it has.

    Examples
    --------
    >>> sales = Totals(2)
    >>> sales.take(np.array([[1.0, 2.0], [3.0, 2.0], [2.0, 4.0], [2.0, 3.0], [8.0, 11.0]]))
    >>> sales.found
    True
    """

    def __init__(self, n_columns: int) -> None:
        self._sums, self._largest = np.zeros(n_columns), np.zeros(n_columns)
        self._last = np.zeros(n_columns)
        self._n_rows = 0

    def take(self, rows: NDArray[np.float64]) -> None:
        """Look at more rows."""
        if not len(rows):
            return
        for before in (self._last[None], rows[:-1]):
            if np.isnan(before.sum()):  # else all are there, and no copy is needed
                before = np.nan_to_num(before)
            self._sums += before.sum(axis=0)
            self._largest = np.maximum(self._largest, before.max(axis=0, initial=0.0))
            self._largest = np.maximum(self._largest, -before.min(axis=0, initial=0.0))
        self._last = rows[-1]
        self._n_rows += len(rows)

    @property
    def found(self) -> bool:
        """Whether the last row is a total."""
        there = ~np.isnan(self._last)
        last, sums, largest = self._last[there], self._sums[there], self._largest[there]
        near = np.abs(last - sums) <= _NEAR * np.abs(sums)
        far = np.abs(last) > _FARTHER * largest
        return bool(self._n_rows > _FEWEST and there.sum() > 1 and (near & far).all())
