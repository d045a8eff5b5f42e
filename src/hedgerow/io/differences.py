"""Rows minus those so many rows before them: what is left of series that wander.

A difference is never taken across a gap in time (`hedgerow.io.gaps`), nor with a row that is
missing: then both rows stand in the file, but not that far apart. Where cells are missing, so are
the differences that need them, and no others. What a row becomes depends on no later row, nor on
how rows are cut into pieces.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import integer_at_least
from hedgerow.io.gaps import Gaps

Array = NDArray[np.float64]


class Differences:
    """Takes rows and gives differences; remembers as many rows as they are apart.

    Attributes
    ----------
    apart : int
        Number of rows from one row to the one that is subtracted.
    recent : ndarray
        The latest rows since the last gap, up to ``apart``.
    first, after_gaps, unpaired : int
        Rows without a difference: they are the first ones, or the first after a gap, or the row to
        subtract is missing.
    """

    def __init__(self, apart: int) -> None:
        self.apart = integer_at_least("difference", apart, 1)
        self.recent = np.empty((0, 0))
        self.first = self.after_gaps = self.unpaired = 0
        self._gaps = 0
        self._in_time = Gaps()

    def take(self, rows: Array, times: Array | None = None) -> Array:
        """Return the differences of the next rows.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            With NaN in cells that are missing. Rows without any other count for how far others
            are apart.
        times : ndarray of shape (n,), optional
            When each row was made; NaN where it is not known.

        Examples
        --------
        >>> Differences(1).take(np.array([[1.0], [3.0], [np.nan], [10.0], [11.0]]))
        array([[2.],
               [1.]])
        >>> Differences(1).take(np.array([[1.0], [3.0], [10.0], [11.0]]), np.array([1, 2, 7, 8]))
        array([[2.],
               [1.]])
        >>> Differences(1).take(np.array([[1.0, 2.0], [np.nan, 5.0]]))
        array([[nan,  3.]])
        """
        if not len(rows):
            return rows
        gaps = np.zeros(len(rows), dtype=np.bool_) if times is None else self._in_time.find(times)
        starts = np.flatnonzero(gaps)
        pieces = []
        for number, piece in enumerate(np.split(rows, starts)):
            if number:
                self._gaps += 1
                self.recent = piece[:0]
            pieces.append(self._subtract(piece))
        return np.concatenate(pieces)

    def left_out(self) -> dict[str, int]:
        """Return how many rows have no difference, by the reason."""
        counts = {
            "with none before them to subtract": self.first,
            "after a gap in time": self.after_gaps,
            "whose row to subtract is missing": self.unpaired,
        }
        return {reason: count for reason, count in counts.items() if count}

    @property
    def n_without(self) -> int:
        """Number of rows without a difference."""
        return self.first + self.after_gaps + self.unpaired

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known, but for ``recent``, for JSON."""
        return {
            "apart": self.apart,
            "first": self.first,
            "after_gaps": self.after_gaps,
            "unpaired": self.unpaired,
            "gaps": self._gaps,
            **self._in_time.to_dict(),
        }

    @classmethod
    def from_dict(cls, known: dict[str, Any], recent: Array) -> "Differences":
        """Return what `to_dict` was called of."""
        made = cls(known["apart"])
        made.recent = recent
        made.first, made.after_gaps = int(known["first"]), int(known["after_gaps"])
        made.unpaired, made._gaps = int(known["unpaired"]), int(known["gaps"])
        made._in_time = Gaps.from_dict(known)
        return made

    def _subtract(self, rows: Array) -> Array:
        """Return the differences of rows between which there is no gap."""
        earlier = self.recent.reshape(-1, rows.shape[1])
        known = np.concatenate([earlier, rows])
        here = _there(rows)
        alone = min(max(self.apart - len(earlier), 0), len(rows))
        if self._gaps:
            self.after_gaps += int(here[:alone].sum())
        else:
            self.first += int(here[:alone].sum())
        self.recent = known[-self.apart :].copy()
        places = np.arange(len(earlier) + alone, len(known))
        found: Array = known[places] - known[places - self.apart]
        whole = _there(found)
        self.unpaired += int((here[alone:] & ~whole).sum())
        return found[whole]


def _there(rows: Array) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = np.logical_or.reduce(np.isfinite(rows), axis=1)
    return known


def in_words(apart: int) -> str:
    """Return what is done, as a sentence.

    >>> in_words(1)
    'Each row was replaced by its difference from the one before it.'
    """
    before = "the one before it" if apart == 1 else f"the one {apart} rows before it"
    return f"Each row was replaced by its difference from {before}."
