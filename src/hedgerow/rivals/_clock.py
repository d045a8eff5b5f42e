"""A deadline that long computations ask about, and by which they tell how far they are."""

from collections.abc import Iterator, Sequence
from copy import copy
from math import inf
from time import monotonic
from typing import TypeVar

from hedgerow import progress

Item = TypeVar("Item")


class OutOfTime(TimeoutError):
    """A method's ``time_limit`` was over before it had a result."""


class Clock:
    """Started when made; every check reports progress, and raises once the limit is over.

    Examples
    --------
    >>> clock = Clock(limit=None)
    >>> [2 * node for node in clock.over(range(3), "doubling")]
    [0, 2, 4]
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._start = monotonic()
        self._stage, self._done = "starting", 0.0
        self._parts: str | None = None

    @property
    def left(self) -> float:
        """Seconds until the limit; infinite without one."""
        return inf if self._limit is None else self._limit - (monotonic() - self._start)

    def check(self, stage: str, done: float) -> None:
        """Report the share ``done`` of a stage, from 0 to 1; raise `OutOfTime` if it is time."""
        self._stage, self._done = stage, done
        progress.report(stage, done)
        self.tick()

    def tick(self) -> None:
        """Raise `OutOfTime` if it is time: for loops inside what a check counts as one step."""
        if self.left <= 0:
            raise OutOfTime(
                f"time_limit of {self._limit:g} s is over: {self._stage} was {self._done:.0%} done"
            )

    def over(self, items: Sequence[Item], stage: str) -> Iterator[Item]:
        """Go through ``items``, with a check before each."""
        for done, item in enumerate(items):
            self.check(stage, done / len(items))
            yield item
        progress.report(stage, 1.0)

    def telling(self, stage: str) -> "Clock":
        """Return the same clock, but one whose `each` reports progress, as a stage."""
        other = copy(self)
        other._parts = stage
        return other

    def each(self, items: Sequence[Item]) -> Iterator[Item]:
        """Go through the parts of what may be a step of a longer stage, or one by itself."""
        if self._parts is not None:
            yield from self.over(items, self._parts)
            return
        for item in items:
            self.tick()
            yield item
