"""What a run tells whoever watches it: a progress line, a page, a test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.graph import Graph

RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"


class Saved(NamedTuple):
    """The last checkpoint: the row it was written after, and when, in seconds since the epoch."""

    row: int
    time: float


class Look(NamedTuple):
    """The graph at some row. It is never changed afterwards, so other threads may keep it."""

    rows: int
    names: tuple[str, ...]
    graph: Graph  # columns by number; edges up to `method.balance.LOOSEST_LEVEL`, or ``level``
    error: str
    level: float
    warnings: tuple[str, ...]
    left_out: tuple[str, ...] = ()  # columns that are not learned from
    said: tuple[str, ...] = ()  # what was done to rows and columns
    ends: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None  # of intervals


@dataclass(frozen=True)
class Status:
    """How far a run is.

    Attributes
    ----------
    phase : {"running", "finished", "stopped"}
        The last two come once, in the end: the source has no more rows, or somebody stopped it.
    rows : int
        Rows learned from, earlier runs of the same stream included.
    bad_rows : int
        Rows that could not be used.
    rows_per_second : float
        Over the last seconds.
    checkpoint : Saved, optional
        The last one, if any.
    changes : sequence of Change
        Edges that appeared or vanished since the status before.
    look : Look, optional
        The graph, where there was time to test its edges since the status before.
    rows_without : mapping of str to int
        Rows that have no row to subtract, by the reason, if differences are learned from.
    """

    phase: str
    rows: int
    bad_rows: int
    rows_per_second: float
    checkpoint: Saved | None
    changes: Sequence[Any] = ()
    look: Look | None = None
    rows_without: Mapping[str, int] = field(default_factory=dict)


class Watcher(Protocol):
    """Somebody who watches a run; called in the thread that learns, so it must not take long."""

    def wants_look(self) -> bool:
        """Tell whether anybody would see the graph, whose edges take time to test."""

    def __call__(self, status: Status) -> None:
        """Take the news."""
