"""Rows minus those so many rows before them: what is left of series that wander.

A difference is never taken across a gap in time, nor with a row that is missing: then both rows
stand in the file, but not that far apart. A gap is a step in time that is more than half a step
too long, where a step is the median of the first ones (those so far, and at most `STEPS`; steps of
zero do not count). What a row becomes depends on no later row, nor on how rows are cut into pieces.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import integer_at_least

Array = NDArray[np.float64]

STEPS = 64
_TOO_LONG = 0.5  # steps


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
        self._last: float | None = None  # time that was read last, and ...
        self._away = 0  # ... how many rows ago
        self._steps: list[float] = []

    def take(self, rows: Array, times: Array | None = None) -> Array:
        """Return the differences of the next rows.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            With NaN in rows that are missing: they count for how far others are apart.
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
        """
        if not len(rows):
            return rows
        gaps = np.zeros(len(rows), dtype=np.bool_) if times is None else self._find_gaps(times)
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
            "last": self._last,
            "away": self._away,
            "steps": self._steps,
        }

    @classmethod
    def from_dict(cls, known: dict[str, Any], recent: Array) -> "Differences":
        """Return what `to_dict` was called of."""
        made = cls(known["apart"])
        made.recent = recent
        made.first, made.after_gaps = int(known["first"]), int(known["after_gaps"])
        made.unpaired, made._gaps = int(known["unpaired"]), int(known["gaps"])
        made._last = None if known["last"] is None else float(known["last"])
        made._away, made._steps = int(known["away"]), [float(step) for step in known["steps"]]
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

    def _find_gaps(self, times: Array) -> NDArray[np.bool_]:
        """Return before which rows there is a gap."""
        gaps = np.zeros(len(times), dtype=np.bool_)
        read = np.flatnonzero(~np.isnan(times))
        if self._last is None and len(read):
            self._last, self._away, read = float(times[read[0]]), -1 - int(read[0]), read[1:]
        if len(read):
            assert self._last is not None
            steps = np.diff(times[read], prepend=self._last)
            apart = np.diff(read, prepend=-1 - self._away)
            gaps[read] = self._too_long(steps, apart)
            self._last, self._away = float(times[read[-1]]), -1 - int(read[-1])
        self._away += len(times)
        return gaps

    def _too_long(self, steps: Array, apart: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which steps in time, between rows so many rows apart, are gaps."""
        result = np.zeros(len(steps), dtype=np.bool_)
        for k in range(len(steps)):
            if len(self._steps) == STEPS:
                limit = (apart[k:] + _TOO_LONG) * np.median(self._steps)
                result[k:] = steps[k:] > limit
                break
            if steps[k] > 0:
                self._steps.append(float(steps[k] / apart[k]))
                result[k] = steps[k] > (apart[k] + _TOO_LONG) * np.median(self._steps)
        return result


def _there(rows: Array) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(rows), axis=1)
    return known


def in_words(apart: int) -> str:
    """Return what is done, as a sentence.

    >>> in_words(1)
    'Each row was replaced by its difference from the one before it.'
    """
    before = "the one before it" if apart == 1 else f"the one {apart} rows before it"
    return f"Each row was replaced by its difference from {before}."
