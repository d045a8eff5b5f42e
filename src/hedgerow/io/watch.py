"""Times that nobody asked about, watched while rows are read: what they say against the order.

A column of times is no variable. Rows are read once and learned as they stand; what is noticed is
told, and ``time`` is what to ask for if rows are to be sorted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.gaps import TOO_LONG, Gaps
from hedgerow.io.times import times_of

_REGULAR = 0.9  # share of steps that are near the usual one, where a longer one is a gap


class Watch:
    """Takes the times of rows as they come.

    Attributes
    ----------
    n_back, n_same, n_gaps : int
        Rows whose time is before, or the same as, that of the row before; and gaps.
    """

    def __init__(self, name: str, place: str) -> None:
        self.name, self._place = name, place
        self.n_rows = self.n_back = self.n_same = self.n_gaps = 0
        self._first_back = 0
        self._near, self._longest = 0, 0.0
        self._last = np.nan
        self._gaps = Gaps()

    def take(self, values: Sequence[Any], numbers: NDArray[np.signedinteger]) -> None:
        """Take times of the next rows, and where these are in the file.

        Examples
        --------
        >>> watch = Watch("when", "line")
        >>> watch.take(["2024-01-02", "2024-01-02", "2024-01-01"], np.arange(2, 5))
        >>> watch.n_back, watch.n_same
        (1, 1)
        """
        times = times_of(values)
        self.n_rows += len(times)
        known = np.isfinite(times)  # a number too large for one is no time
        times, numbers = times[known], numbers[known]
        if not len(times):
            return
        gaps = self._gaps.find(times)
        steps = np.diff(times, prepend=self._last)
        self._last = float(times[-1])
        back = steps < 0
        if back.any() and not self.n_back:
            self._first_back = int(numbers[int(np.argmax(back))])
        self.n_back += int(back.sum())
        self.n_same += int((steps == 0).sum())
        self.n_gaps += int(gaps.sum())
        in_steps = steps / self._gaps.step
        self._near += int((np.abs(in_steps - 1.0) <= TOO_LONG).sum())
        self._longest = max(self._longest, float(in_steps[gaps].max(initial=0.0)))

    def notes(self, remedy: str) -> list[str]:
        """Return what is worth saying; ``remedy`` says what can be done about the order."""
        said = []
        if self.n_back:
            said.append(
                f"times in column {self.name!r} go back in {self.n_back:,} of {self.n_rows:,} rows,"
                f" first in {self._place} {self._first_back}: rows are learned as they stand, "
                f"and what they remember cannot be measured so; {remedy}"
            )
        if self.n_same:
            said.append(
                f"{self.n_same:,} of {self.n_rows:,} rows have the time of the row before in "
                f"column {self.name!r}: rows of several things at one time, or that repeat, are "
                f"not independent"
            )
        if self.n_gaps and self._near >= _REGULAR * (self.n_rows - 1):
            gaps = "a gap" if self.n_gaps == 1 else f"{self.n_gaps:,} gaps"
            said.append(
                f"column {self.name!r} has {gaps} in time, the longest of {self._longest:,.0f} "
                f"steps: rows on both sides count as neighbours, and a season goes on as if no row "
                f"were missing (where there is one, hold fixed a column that names the hour)"
            )
        return said
