"""How far a long computation is, told to whoever asks.

The library never prints. Wrap a call in `watching` to be told how much of each of its stages is
done; the command line draws its bars this way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
