"""Ctrl-C and other requests to stop that do not tear a step in two."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def finish_first() -> Iterator[None]:
    """Let the block end before Ctrl-C is obeyed; a second Ctrl-C is obeyed at once."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    asked = False

    def later(*_: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def stop_politely() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C or SIGTERM asked to stop; a second Ctrl-C does."""
    asked = False

    def note(number: int, _: Any) -> None:
        nonlocal asked
        if asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        asked = True

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
