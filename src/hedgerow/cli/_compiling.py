"""Compiling, which happens once on a machine: told if it lasts, and done by two processes.

The first run of a command compiles for as long as a hundred later runs take. While this process
compiles what learns and asks Hedge, another one (`hedgerow.cli._ahead`) compiles the other tests.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from subprocess import DEVNULL, Popen
from threading import Timer
from typing import Any

PATIENCE = 2.0  # seconds
NOTE = "Compiling for this machine, once; later runs start at once."


@contextmanager
def compiling(
    tell: Callable[[], None], error: str | None = None, patience: float = PATIENCE
) -> Iterator[Callable[[], None]]:
    """Watch what is compiled, and call ``tell`` once if it takes longer than ``patience``.

    With an ``error``, another process compiles what tests with it. The function that is yielded
    waits for it, and is to be called between learning and testing.
    """
    # A second; whoever learns on a processor has to load it anyway.
    event: Any = import_module("numba.core.event")

    helper = _Helper(tell, error, patience)
    listener = _listener(event.Listener, helper)
    event.register("numba:compile", listener)
    try:
        yield helper.wait
    finally:
        event.unregister("numba:compile", listener)
        helper.stop()


def _listener(base: Any, helper: "_Helper") -> Any:
    def begin(self: Any, happening: Any) -> None:
        helper.begin()

    def end(self: Any, happening: Any) -> None:
        helper.end()

    return type("Listener", (base,), {"on_start": begin, "on_end": end})()


class _Helper:
    """What happens from the first compilation on."""

    def __init__(self, tell: Callable[[], None], error: str | None, patience: float) -> None:
        self._tell, self._error, self._patience = tell, error, patience
        self._depth = 0  # functions compile others that they call
        self._timer: Timer | None = None
        self._process: Popen[bytes] | None = None

    def begin(self) -> None:
        self._depth += 1
        if self._timer is None:
            self._timer = Timer(self._patience, self._say)
            self._timer.daemon = True
            self._timer.start()
            self._process = _compile_beside(self._error)

    def end(self) -> None:
        self._depth -= 1

    def _say(self) -> None:
        if self._depth or (self._process and self._process.poll() is None):
            self._tell()

    def wait(self) -> None:
        if self._process and self._process.poll() is None:
            from hedgerow.cli._ahead import compile_asking

            compile_asking()  # which shares much with learning
            self._process.wait()

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer.join()
        if self._process:
            self._process.kill()
            self._process.wait()


def _compile_beside(error: str | None) -> "Popen[bytes] | None":
    """Start the other process, where it helps and can be started."""
    if error is None or not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    command = [sys.executable, "-P", "-m", "hedgerow.cli._ahead", error]
    try:
        return Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    except OSError:  # then everything is compiled here
        return None
