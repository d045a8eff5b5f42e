"""Start a worker, wait for it no longer than agreed, and read what it left."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from hedgerow.comparison._job import FAILURE, JOB, READY, SPLIT, STDERR, WHOLE
from hedgerow.comparison._outcome import Outcome, Status

START_LIMIT = 120.0  # seconds to import and compile what a method needs
GRACE = 1.0  # seconds for a method to say by itself how far it got
_POLL = 0.05  # seconds


def run(
    folder: Path, method: str, job: dict[str, Any], n_columns: int, tell: Callable[[float], None]
) -> Outcome:
    """Run a method in a new process; ``tell`` is called with the share done."""
    (folder / JOB).write_text(json.dumps({"method": method, **job}))
    with (folder / STDERR).open("wb") as stderr, _process(folder, stderr) as process:
        by_itself = _wait(process, folder, job["budget"], job["resamples"], tell)
    outcome = found(folder, method, n_columns)
    if outcome is None:
        code = process.returncode if by_itself else None
        outcome = Outcome(method, *_trouble(folder, job["budget"], code), n_columns)
    return outcome


def found(folder: Path, method: str, n_columns: int) -> Outcome | None:
    """Return the graph that a worker left, however it ended, or None without one."""
    if not (folder / WHOLE).exists():
        return None
    whole = _arrays(folder / WHOLE)
    splits = [_arrays(path) for path in sorted(folder.glob(SPLIT.format("*")))]
    return Outcome(
        method,
        Status.OK,
        "",
        n_columns,
        edges=whole["edges"],
        scores=whole["scores"],
        seconds=float(whole["seconds"]),
        halves=tuple((split["first"], split["second"]) for split in splits),
        warnings=tuple(whole["warnings"].tolist()),
    )


@contextmanager
def _process(folder: Path, stderr: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Lend a running worker; at the end of the block it and all it started are gone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hedgerow.comparison._worker", str(folder)],
        stdin=subprocess.PIPE,  # held open: its end tells the worker that we are gone
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,  # so that Ctrl-C is ours to handle
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        if process.stdin:
            process.stdin.close()


def _wait(
    process: subprocess.Popen[bytes],
    folder: Path,
    budget: float,
    resamples: int,
    tell: Callable[[float], None],
) -> bool:
    """Return whether the worker ended by itself."""
    end, started = monotonic() + START_LIMIT, False
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            return True
        if not started and (folder / READY).exists():
            end, started = monotonic() + budget + GRACE, True
        left = end - monotonic()
        if left <= 0:
            return False
        if started:
            done = (folder / WHOLE).exists() + sum(1 for _ in folder.glob(SPLIT.format("*")))
            tell(max(done / (1 + resamples), 1 - left / (budget + GRACE)))


def _trouble(folder: Path, budget: float, code: int | None) -> tuple[Status, str]:
    """Return why there is no graph; ``code`` is None if we ended the worker."""
    if (folder / FAILURE).exists():
        failure = json.loads((folder / FAILURE).read_text())
        return Status(failure["status"]), failure["reason"]
    if code is not None:
        return Status.FAILED, _crash(code, folder)
    if (folder / READY).exists():
        return Status.OUT_OF_TIME, f"no graph after {budget:g} s"
    return Status.OUT_OF_TIME, f"was not ready after {START_LIMIT:g} s"


def _arrays(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def _crash(code: int, folder: Path) -> str:
    lines = (folder / STDERR).read_text(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
    if cause == "SIGKILL":
        return "its process was killed, which is what systems short of memory do"
    return f"its process ended with {cause}{f': {last}' if last else ''}"
