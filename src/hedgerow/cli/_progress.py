"""A progress bar that appears only for work that lasts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 2.0  # seconds


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the amount of work just done.

    A bar is drawn on stderr once the work has taken longer than `PATIENCE`, and removed at the
    end; nothing is drawn where stderr is not a terminal.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda amount: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(label, total=total)
    begun = monotonic()

    def advance(amount: int) -> None:
        bar.advance(task, amount)
        if monotonic() - begun > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
