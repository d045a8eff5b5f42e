"""What goes wrong within a run: it dies at a call, or the disk has no room left for a while."""

import errno
import io
import os
import pathlib
import signal
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

# What a checkpoint and a line of events are made of, and how many such calls a short run has.
CALLS = {"write": 12, "fsync": 9, "replace": 3, "unlink": 3, "open": 12, "ftruncate": 1}


class Death(NamedTuple):
    """SIGKILL at the ``count``-th call of a function of `os`, before or after it is done."""

    call: str
    count: int
    before: bool

    def install(self, failed: Callable[[], None]) -> None:
        """Prepare it in this process."""
        left = self.count

        def around(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                if left == 0 and self.before:
                    os.kill(os.getpid(), signal.SIGKILL)
                answer = real(*args, **kwargs)
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return answer

            return call

        _wrap(self.call, around)


class FullDisk(NamedTuple):
    """No space after ``room`` bytes, until so many calls have failed."""

    room: int
    lasts: float

    def install(self, failed: Callable[[], None]) -> None:
        """Prepare it in this process; ``failed`` is called each time."""
        room, left = float(self.room), self.lasts

        def refuse() -> None:
            nonlocal left, room
            failed()
            left -= 1
            if left <= 0:
                room = float("inf")  # somebody has tidied up
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def write(real: Callable[..., int]) -> Callable[..., int]:
            def call(file: Any, data: Any) -> int:
                nonlocal room
                if not room:
                    refuse()
                done = real(file, data[: int(min(room, len(data)))])
                room -= done
                return done

            return call

        def fsync(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(file: int) -> None:
                if not room and stat.S_ISREG(os.fstat(file).st_mode):
                    refuse()
                real(file)

            return call

        def create(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(path: Any, *args: Any, **kwargs: Any) -> Any:
                if not room and not os.path.exists(path):
                    refuse()
                return real(path, *args, **kwargs)

            return call

        for name, around in (("write", write), ("fsync", fsync), ("open", create)):
            _wrap(name, around)


Trouble = Death | FullDisk


class _Raw(io.FileIO):
    """A file opened by Python itself, whose writes do not pass through `os`."""

    def write(self, data: Any) -> int:
        return _raw_write(self, memoryview(data))


def _raw_write(file: _Raw, data: Any) -> int:
    return io.FileIO.write(file, data) or 0


def _wrap(name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put something around a function of `os`, and around what files of pathlib do instead."""
    global _raw_write
    call = around(getattr(os, name))
    setattr(os, name, call)
    real = pathlib.Path.open
    if name == "write":
        _raw_write = around(_raw_write)

        def open_raw(path: pathlib.Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if mode == "wb":
                return io.BufferedWriter(_Raw(path, "w"))
            return real(path, mode, *args, **kwargs)

        pathlib.Path.open = open_raw  # type: ignore[assignment, method-assign]
    elif name == "open":
        counted = around(real)

        def open_counted(path: pathlib.Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            opens = real if mode == "rb" else counted
            return opens(path, mode, *args, **kwargs)

        pathlib.Path.open = open_counted  # type: ignore[assignment, method-assign]
