"""Runs, each in a process of its own, and what is known of them while they go on."""

import faulthandler
import json
import mmap
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.stream.faults.trouble import Trouble
from hedgerow import HedgeGraph, stream
from hedgerow.io import DataError
from hedgerow.io import raw as _bytes
from hedgerow.stream import Status, _files, _news, _redis
from hedgerow.stream._checkpoint import Checkpoint, Checkpoints

HALF_LIFE, EVERY = 100, 20  # rows
PAUSE = 0.01  # seconds between two looks of a source that waits
QUIET = 5  # looks without a row, when all were given, that end a run
PATIENCE = 500  # the same, when some are missing
LONGEST = 60.0  # seconds that anything may take
BLOCK = 2000  # bytes that a source reads at a time
_asked: list[bool] = []  # to stop


class Difference(Exception):
    """Something is not as it was promised."""


class Outcome(NamedTuple):
    """How a run ended: killed, done, or with an error; and what it said."""

    how: str
    message: str = ""
    warnings: tuple[str, ...] = ()

    def told(self, words: str) -> bool:
        """Return whether one of the warnings has these words."""
        return any(words in message for message in self.warnings)


class Shared:
    """A few numbers that a run and its parent both see."""

    def __init__(self) -> None:
        self._numbers = np.frombuffer(mmap.mmap(-1, 64), dtype=np.int64)

    def __getattr__(self, name: str) -> int:
        return int(self._numbers[_PLACES[name]])

    def put(self, **values: int) -> None:
        for name, value in values.items():
            self._numbers[_PLACES[name]] = value


# Rows read, bad ones included; rows of the last checkpoint; failed calls; rows in all, once given;
# how often the source has been asked; whether the process can hear signals.
_PLACES = {name: j for j, name in enumerate(("read", "saved", "failed", "total", "looks", "begun"))}


class Run:
    """A run that has been started."""

    def __init__(
        self,
        opened: Callable[[], stream.Source],
        folder: Path,
        trouble: Trouble | None = None,
        saved: str = "saved",
        total: int = 0,
    ) -> None:
        self.shared, self._outcome = Shared(), folder / f"outcome-{saved}"
        self.shared.put(total=total)
        self._outcome.unlink(missing_ok=True)
        self._ended: Outcome | None = None
        del _asked[:]
        signal.signal(signal.SIGTERM, _ask)  # a child may be asked before it could say how
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            return
        faulthandler.register(signal.SIGUSR1)  # says where a run hangs
        try:
            outcome = _in_child(opened, folder, saved, self.shared, trouble, parent)
            with open(self._outcome, "w") as file:
                json.dump(outcome, file)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)

    @property
    def is_alive(self) -> bool:
        if self._ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._ended = self._how(status)
        return self._ended is None

    def send(self, number: int) -> None:
        while number == signal.SIGTERM and self.is_alive and not self.shared.begun:
            time.sleep(0.001)  # Python forgets signals that come while it forks
        if self.is_alive:
            os.kill(self.pid, number)

    def end(self) -> Outcome:
        """Wait for its end."""
        limit = time.monotonic() + LONGEST
        while self.is_alive:
            if time.monotonic() > limit:
                os.kill(self.pid, signal.SIGUSR1)
                time.sleep(1)
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                self._ended = Outcome("hangs", f"no end within {LONGEST:.0f} s")
            time.sleep(0.002)
        assert self._ended is not None
        return self._ended

    def _how(self, status: int) -> Outcome:
        if os.WIFSIGNALED(status):
            return Outcome("killed", signal.Signals(os.WTERMSIG(status)).name)
        if not self._outcome.exists():
            return Outcome("crashed", "no outcome")
        how, message, told = json.loads(self._outcome.read_text())
        return Outcome(how, message, tuple(told))


def _ask(*_: Any) -> None:
    _asked.append(True)


def _in_child(
    opened: Callable[[], stream.Source],
    folder: Path,
    saved: str,
    shared: Shared,
    trouble: Trouble | None,
    parent: int,
) -> Outcome:
    _bytes.BLOCK, _redis._FEWEST, _redis._MOST = BLOCK, 20, 20
    _bytes.PAUSE = _files.PAUSE = _redis.PAUSE = PAUSE
    _news._BETWEEN_NEWS = 0.0
    if trouble:
        trouble.install(lambda: shared.put(failed=shared.failed + 1))
    watcher = Watcher(shared, parent)
    shared.put(begun=1)
    how, message = "done", ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            stream.run(
                opened(),
                HedgeGraph(half_life=HALF_LIFE),
                checkpoint=folder / saved,
                every=EVERY,
                bad_rows="skip",
                events=folder / "events",
                watchers=[watcher],
                stop=watcher.stop,
            )
        except (DataError, OSError) as error:
            how, message = type(error).__name__, str(error)
        except Exception:
            how, message = "traceback", traceback.format_exc()
    return Outcome(how, message, tuple(str(each.message) for each in told))


class Watcher:
    """Tells the parent how far a run is, and the run when it is to stop."""

    def __init__(self, shared: Shared, parent: int) -> None:
        self._shared, self._parent, self._idle = shared, parent, 0

    def wants_look(self) -> bool:
        return False

    def __call__(self, status: Status) -> None:
        read = status.rows + status.bad_rows
        self._idle = self._idle + 1 if read == self._shared.read else 0
        self._shared.put(read=read, looks=self._shared.looks + 1)
        if status.checkpoint:
            self._shared.put(saved=status.checkpoint.row)

    def stop(self) -> bool:
        if _asked or os.getppid() != self._parent:
            return True
        total = self._shared.total
        return total > 0 and self._idle >= (QUIET if self._shared.read >= total else PATIENCE)


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """Return what the next run would begin with; no run may be going on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saves = Checkpoints(folder)
        try:
            return saves.latest()
        finally:
            saves.close()


class Result(NamedTuple):
    """All that a run leaves, to the last bit."""

    rows: int
    bad_rows: int
    columns: tuple[str, ...]
    arrays: dict[str, tuple[str, bytes]]
    model: str
    watch: str
    events: tuple[bytes, ...]


def result(folder: Path, rotated: bool) -> Result:
    """Return what lies in a folder; an event of rotated files may be in two of them."""
    last = last_checkpoint(folder / "saved")
    if last is None or last.changes is None:
        raise Difference("there is no checkpoint in the end")
    arrays = {name: (array.dtype.str, array.tobytes()) for name, array in last.arrays.items()}
    lines = [line for path in folder.glob("events*") for line in path.read_bytes().splitlines(True)]
    return Result(
        rows=last.rows,
        bad_rows=last.bad_rows,
        columns=tuple(last.schema.columns),
        arrays=arrays,
        model=json.dumps(last.model, sort_keys=True),
        watch=json.dumps(last.changes["watch"], sort_keys=True),
        events=tuple(sorted({*lines}) if rotated else lines),
    )
