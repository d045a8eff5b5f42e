"""News for the watchers of a run: not too often, and with looks within a share of the time."""

import warnings
from collections import deque
from collections.abc import Sequence
from time import monotonic

import numpy as np

from hedgerow.io.differences import in_words
from hedgerow.method.balance import LOOSEST_LEVEL
from hedgerow.method.changes import Change
from hedgerow.stream._state import State
from hedgerow.stream._status import RUNNING, Look, Saved, Status, Watcher

_BETWEEN_NEWS = 0.25  # seconds
_RATE_OVER = 5.0  # seconds
_REST = 4  # times as long as a look took, until the next: a fifth of the time at most
_SHORTEST_REST = 1.0  # seconds


class News:
    """Gathers what happens between two times of telling."""

    def __init__(self, watchers: Sequence[Watcher], state: State) -> None:
        self._watchers, self._state = watchers, state
        self._changes: list[Change] = []
        self._look: Look | None = None
        self._is_new = False  # the look has not been told yet
        self._told = self._rested = -np.inf
        self._counts = deque([(monotonic(), state.rows)])

    def add(self, look: Look, changes: list[Change]) -> None:
        """Take what the change log found when it looked."""
        if self._watchers:
            self._look, self._is_new = look, True
            self._changes += changes

    def tell(self, phase: str, saved: Saved | None) -> None:
        """Tell the watchers."""
        now = monotonic()
        if not self._watchers or (phase == RUNNING and now - self._told < _BETWEEN_NEWS):
            return
        if self._should_look(phase, now):
            self._look, self._is_new = look_at(self._state), True
            end = monotonic()
            self._rested = end + max(_REST * (end - now), _SHORTEST_REST)
        differences = self._state.differences
        status = Status(
            phase=phase,
            rows=self._state.rows,
            bad_rows=self._state.bad_rows,
            rows_without=differences.left_out() if differences else {},
            rows_per_second=self._rows_per_second(now),
            checkpoint=saved,
            changes=tuple(self._changes),
            look=self._look if self._is_new or phase != RUNNING else None,
        )
        self._changes, self._is_new = [], False
        for watcher in self._watchers:
            watcher(status)
        self._told = monotonic()

    def _should_look(self, phase: str, now: float) -> bool:
        if (
            not self._state.rows
            or self._state.no_graph()
            or (self._look and self._look.rows == self._state.rows)
        ):
            return False
        if phase != RUNNING:
            return True
        return now >= self._rested and any(each.wants_look() for each in self._watchers)

    def _rows_per_second(self, now: float) -> float:
        self._counts.append((now, self._state.rows))
        while len(self._counts) > 2 and self._counts[1][0] < now - _RATE_OVER:
            self._counts.popleft()
        (begin, first), (end, last) = self._counts[0], self._counts[-1]
        return (last - first) / (end - begin) if end > begin else 0.0


def look_at(state: State) -> Look:
    """Return the graph now, and what it warns of."""
    model = state.model
    done = [in_words(state.differences.apart)] if state.differences else []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loosest = max(LOOSEST_LEVEL, model.level_)
        graph, ends = model.graph_up_to(loosest), model.intervals_up_to(loosest, model.level_)
    return Look(
        rows=state.rows,
        names=tuple(state.names),
        graph=graph,
        error=model.error,
        level=model.level_,
        warnings=(*(str(warning.message) for warning in warned), *state.noticed()),
        left_out=tuple(state.schema.left_out) if state.schema else (),
        said=(*done, *model.treatment_.sentences(), *model.hubs_in_words()),
        ends=ends,
    )
