"""Gaps in time: steps that are more than half a step too long.

A step is the median of the first ones (those so far, and at most `STEPS`; steps of zero do not
count). Whether there is a gap before a row depends on no later row, nor on how rows are cut.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 64
TOO_LONG = 0.5  # steps


class Gaps:
    """Takes times of rows, in their order, and tells before which of them there is a gap."""

    def __init__(self) -> None:
        self._last: float | None = None  # time that was read last, and ...
        self._away = 0  # ... how many rows ago
        self._steps: list[float] = []

    @property
    def step(self) -> float:
        """The usual step in time; NaN before there is one."""
        return float(np.median(self._steps)) if self._steps else np.nan

    def find(self, times: Array) -> NDArray[np.bool_]:
        """Return before which rows there is a gap; times that are not known are NaN.

        Examples
        --------
        >>> Gaps().find(np.array([0.0, 1.0, 2.0, 7.0, 8.0]))
        array([False, False, False,  True, False])
        """
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

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known, for JSON."""
        return {"last": self._last, "away": self._away, "steps": self._steps}

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> "Gaps":
        """Return what `to_dict` was called of."""
        made = cls()
        made._last = None if known["last"] is None else float(known["last"])
        made._away, made._steps = int(known["away"]), [float(step) for step in known["steps"]]
        return made

    def _too_long(self, steps: Array, apart: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which steps in time, between rows so many rows apart, are gaps."""
        result = np.zeros(len(steps), dtype=np.bool_)
        for k in range(len(steps)):
            if len(self._steps) == STEPS:
                result[k:] = steps[k:] > (apart[k:] + TOO_LONG) * self.step
                break
            if steps[k] > 0:
                self._steps.append(float(steps[k] / apart[k]))
                result[k] = steps[k] > (apart[k] + TOO_LONG) * self.step
        return result
