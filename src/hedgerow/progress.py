"""How far a long computation is, told to whoever asks.

The library never prints. Wrap a call in `watching` to be told how much of each of its stages is
done; the command line draws its bars this way. A notebook shows a bar by itself, once something has
taken two seconds, unless somebody is watching.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, NamedTuple

__all__ = ["watching"]

PATIENCE = 2.0  # seconds; work that takes less needs no bar
_PAUSE = 0.2  # seconds between two pictures of a bar
_FIRST = "learning"  # of the stages

Listener = Callable[[str, float], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def watching(listener: Listener) -> Iterator[None]:
    """Call ``listener`` with the name of the stage and the share of it done, from 0 to 1.

    Stages are "learning" (from rows), and then, of the tests, "choosing neighbours" and "asking
    Hedge". The listener is called in the caller's thread.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph
    >>> from hedgerow.progress import watching
    >>> stages = {}
    >>> with watching(stages.__setitem__):
    ...     graph = HedgeGraph().fit(np.random.default_rng(0).standard_normal((500, 4)))
    >>> stages["learning"]
    1.0
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def part_of_a_stage(start: float, end: float) -> Iterator[None]:
    """Tell the listener of what is done inside as the part of a stage from ``start`` to ``end``."""
    listener = _heard_by()
    if listener is None:
        yield
        return
    with watching(lambda stage, done: listener(stage, start + done * (end - start))):
        yield


def report(stage: str, done: float) -> None:
    """Tell the listener, if there is one."""
    listener = _heard_by()
    if listener is not None:
        listener(stage, done)


def _heard_by() -> Listener | None:
    """Return who is told: whoever is watching, or else the notebook that this runs in."""
    listener = _listener.get()
    if listener is not None:
        return listener
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return _in_notebook if hasattr(shell, "kernel") else None


class _Picture(NamedTuple):
    """A bar, and what it says in words."""

    stage: str
    done: float

    def __repr__(self) -> str:
        return f"{self.stage}: {self.done:.0%}"

    def _repr_html_(self) -> str:
        return f'<progress max="1" value="{self.done:.3f}"></progress> {self!r}'


class _Bar:
    """The bar of a notebook; a computation that begins gets one of its own."""

    def __init__(self) -> None:
        self.begun = self.drawn = 0.0
        self.shown: Any = None
        self.done = 1.0

    def __call__(self, stage: str, done: float) -> None:
        now = monotonic()
        if stage == _FIRST and done <= self.done:
            self.begun, self.drawn, self.shown = now, 0.0, None
        self.done = done
        if now - self.begun < PATIENCE or (now - self.drawn < _PAUSE and done < 1.0):
            return
        if self.shown is None:
            from IPython.display import display

            self.shown = display(_Picture(stage, done), display_id=True)
        else:
            self.shown.update(_Picture(stage, done))
        self.drawn = now


_in_notebook = _Bar()
