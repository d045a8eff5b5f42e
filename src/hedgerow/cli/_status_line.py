"""One line on the terminal that says how far a stream is."""

import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hedgerow.progress import PATIENCE
from hedgerow.stream import Status

_BETWEEN_LOOKS = 10.0  # seconds; edges are worth a look, but no more of the time than that


class StatusLine:
    """Watches a run; draws on stderr where that is a terminal; keeps the last status."""

    def __init__(self, *, hidden: bool) -> None:
        self.status: Status | None = None
        self._edges: int | None = None
        self._begun = self._looked = time.monotonic()
        console = Console(stderr=True)
        self._live: Live | None = None
        if console.is_terminal and not hidden:
            self._live = Live(console=console, transient=True, auto_refresh=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def wants_look(self) -> bool:
        return self._live is not None and time.monotonic() - self._looked > _BETWEEN_LOOKS

    def __call__(self, status: Status) -> None:
        self.status = status
        if status.look:
            self._edges = int((status.look.graph.q_value <= status.look.level).sum())
            self._looked = time.monotonic()
        self._show(describe(status, self._edges, time.time()))

    def listen(self, stage: str, done: float) -> None:
        """Take the progress of a test of all pairs; that of learning is in the status."""
        if stage != "learning":
            self._show(f"testing pairs: {stage}, {done:.0%}")

    def say(self, text: str) -> None:
        """Show something until there is news."""
        self._show(text)

    def _show(self, text: str) -> None:
        if self._live and time.monotonic() - self._begun > PATIENCE:
            self._live.start()
            self._live.update(Text(text), refresh=True)


def describe(status: Status, edges: int | None, now: float) -> str:
    """Return the line.

    >>> from hedgerow.stream import Saved
    >>> status = Status("running", 20_000, 3, 987.6, Saved(15_000, time=100.0))
    >>> describe(status, edges=12, now=107.0)
    '20,000 rows, 988 rows/s, 12 edges, 3 bad rows, checkpoint after row 15,000, 7 s ago'
    """
    parts = [f"{status.rows:,} rows", f"{status.rows_per_second:,.0f} rows/s"]
    if edges is not None:
        parts.append(f"{edges:,} edges")
    if status.bad_rows:
        parts.append(f"{status.bad_rows:,} bad rows")
    if status.checkpoint:
        row, when = status.checkpoint
        parts.append(f"checkpoint after row {row:,}, {now - when:,.0f} s ago")
    return ", ".join(parts)
