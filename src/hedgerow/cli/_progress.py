"""A progress bar that appears only for work that lasts."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from hedgerow.progress import PATIENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hedgerow.io import Table


class Advance(Protocol):
    """Takes the amount of work just done, and what to say beside the bar."""

    def __call__(self, amount: int, note: str = "") -> None: ...


@contextmanager
def progress(label: str, total: int | None, *, hidden: bool = False) -> Iterator[Advance]:
    """Yield a function that takes the amount of work just done.

    A bar is drawn on stderr once the work has taken longer than `PATIENCE`, and removed at the
    end; nothing is drawn where stderr is not a terminal, or if ``hidden``.
    """
    console = Console(stderr=True)
    if hidden or not console.is_terminal:
        yield lambda amount, note="": None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(label, total=total, note="")
    # By the clock, not with the first piece of work: compiling comes before it and can last.
    appears = Timer(PATIENCE, bar.start)
    appears.daemon = True
    appears.start()
    try:
        yield lambda amount, note="": bar.update(task, advance=amount, note=note)
    finally:
        appears.cancel()
        appears.join()
        bar.stop()


def rows_with_bar(table: "Table", *, hidden: bool) -> "Iterator[NDArray[np.floating]]":
    """Yield the batches of a table, each of them done when the next is asked for."""
    with progress("Learning", table.total, hidden=hidden) as advance:
        done = 0
        for rows in table:
            yield rows
            advance(table.done - done)
            done = table.done
