"""When it is time for the next checkpoint."""

import re
from time import monotonic

from hedgerow.base.checks import integer_at_least

_SECONDS = {"s": 1, "m": 60, "h": 3600}


class Pace:
    """After so many rows, or so many seconds.

    Parameters
    ----------
    every : int or str
        A number of rows, or a time such as ``"30s"``, ``"5m"`` or ``"1h"``.

    Examples
    --------
    >>> pace = Pace(1000)
    >>> pace.due(999), pace.due(1000)
    (False, True)
    >>> pace.reset(1000)
    >>> pace.due(1999)
    False
    """

    def __init__(self, every: int | str) -> None:
        self._rows: int | None = None
        self._seconds = 0.0
        if isinstance(every, str) and (time := re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", every)):
            self._seconds = float(time[1]) * _SECONDS[time[2]]
        elif isinstance(every, str) and not every.isdecimal():
            raise ValueError(f"every must be a number of rows or a time like 30s, got {every!r}")
        else:
            self._rows = integer_at_least("every", int(every), 1)
        self.reset(0)

    def reset(self, row: int) -> None:
        """Begin to count, at this row and now."""
        self._last_row, self._last_time = row, monotonic()

    def due(self, row: int) -> bool:
        """Tell whether it is time."""
        if self._rows is None:
            return monotonic() - self._last_time >= self._seconds
        return row - self._last_row >= self._rows
