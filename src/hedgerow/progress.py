"""How far a long computation is, told to whoever asks.

The library never prints. Wrap a call in `watching` to be told how much of each of its stages is
done; the command line draws its bars this way, and `bar` draws one in a notebook.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, NamedTuple

__all__ = ["bar", "watching"]

PATIENCE = 2.0  # seconds; work that takes less needs no bar
_PAUSE = 0.2  # seconds between two pictures of a bar

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


class _Bar(NamedTuple):
    """How a notebook shows what is done, and how a terminal does."""

    stage: str
    done: float

    def __repr__(self) -> str:
        return f"{self.stage}: {self.done:.0%}"

    def _repr_html_(self) -> str:
        return f'<progress max="1" value="{self.done:.3f}"></progress> {self!r}'


@contextmanager
def bar() -> Iterator[None]:
    """Show a bar in a notebook while something long is computed.

    It appears once the work has taken two seconds, and goes on in the same place. Needs IPython,
    which notebooks have.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph
    >>> from hedgerow.progress import bar
    >>> with bar():
    ...     graph = HedgeGraph().fit(np.random.default_rng(0).standard_normal((500, 4)))
    """
    try:
        from IPython.display import display
    except ImportError as error:
        raise ImportError("hedgerow.progress.bar needs IPython (pip install ipython)") from error
    shown: Any = None
    due = monotonic() + PATIENCE

    def listener(stage: str, done: float) -> None:
        nonlocal shown, due
        if monotonic() < due:
            return
        picture = _Bar(stage, done)
        if shown is None:
            shown = display(picture, display_id=True)
        else:
            shown.update(picture)
        due = monotonic() + _PAUSE

    with watching(listener):
        yield
    if shown is not None:
        shown.update(_Bar("done", 1.0))


@contextmanager
def part_of_a_stage(start: float, end: float) -> Iterator[None]:
    """Tell the listener of what is done inside as the part of a stage from ``start`` to ``end``."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    with watching(lambda stage, done: listener(stage, start + done * (end - start))):
        yield


def report(stage: str, done: float) -> None:
    """Tell the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, done)
