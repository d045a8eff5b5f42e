"""One method in a process of its own: ``python -m hedgerow.comparison._worker FOLDER``.

The folder has ``job.json``; its parent has the rows. Results are written beside the job as they
come, so that whoever ends this process early keeps what it has done.
"""

import json
import os
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hedgerow.base.atomic import atomic_path
from hedgerow.comparison._job import FAILURE, JOB, READY, ROWS, SPLIT, WHOLE
from hedgerow.comparison._methods import build
from hedgerow.comparison._outcome import Status, edges_of, halves_of, varying
from hedgerow.rivals import OutOfTime, names

_WARM_UP_LIMIT = 5.0  # seconds


class Fit(NamedTuple):
    """The graph of some rows."""

    edges: NDArray[np.int64]
    scores: NDArray[np.float64]
    seconds: float


def main(folder: Path) -> None:
    """Do the job; every failure becomes a file that says which."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _be_the_first_to_go()
    try:
        job = json.loads((folder / JOB).read_text())
        method = build(job["method"], job["parameters"])
        _warm_up(method, job["method"])
        (folder / READY).touch()
        _work(method, folder, job)
    except Exception as error:
        status, reason = _explained(error)
        with atomic_path(folder / FAILURE) as file:
            file.write_text(json.dumps({"status": status, "reason": reason}))


def _work(method: Any, folder: Path, job: dict[str, Any]) -> None:
    end = monotonic() + job["budget"]
    rows = np.load(folder.parent / ROWS, mmap_mode="r", allow_pickle=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        whole = _fit(method, rows, end)
    messages = list(dict.fromkeys(" ".join(str(each.message).split()) for each in caught))
    with atomic_path(folder / WHOLE) as file:
        np.savez(file, **whole._asdict(), warnings=np.array(messages, dtype=str))
    warnings.simplefilter("ignore")
    for split in range(job["resamples"]):
        halves = halves_of(len(rows), job["seed"], split)
        # Half the rows may be too few for a method; the graph of all rows stands all the same.
        with suppress(Exception):
            fits = [_fit(method, rows[half], end) for half in halves]
            with atomic_path(folder / SPLIT.format(split)) as file:
                np.savez(file, first=fits[0].edges, second=fits[1].edges)


def _fit(method: Any, rows: NDArray[np.floating], end: float) -> Fit:
    """Learn from the columns that vary in these rows."""
    columns = varying(rows)
    rows = rows[:, columns]
    method = clone(method)
    left = end - monotonic()
    if left <= 0:
        raise OutOfTime("the budget is spent")
    if "time_limit" in method.get_params():
        method.set_params(time_limit=left)
    begun = perf_counter()
    adjacency = method.fit(rows).adjacency_  # which some methods make when first asked
    seconds = perf_counter() - begun
    edges = edges_of(adjacency)
    scores = np.asarray(method.score_matrix_, dtype=np.float64)[edges[:, 0], edges[:, 1]]
    scores = np.nan_to_num(scores)  # an infinite one is the largest number: JSON has no other
    surest = np.argsort(-scores, kind="stable")
    return Fit(columns[edges[surest]], scores[surest], seconds)


def _warm_up(method: Any, name: str) -> None:
    """Load and compile what the method needs, so that the clock sees the method only."""
    method = clone(method)
    if "time_limit" in method.get_params():
        method.set_params(time_limit=_WARM_UP_LIMIT)
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        rows = np.random.default_rng(0).standard_normal((64, 4))
        needs_signs = name in set(names("signs")) - set(names("numbers"))
        method.fit(np.sign(rows) if needs_signs else rows)


def _explained(error: Exception) -> tuple[Status, str]:
    text = " ".join(str(error).split())
    if isinstance(error, TimeoutError):
        return Status.OUT_OF_TIME, text
    if isinstance(error, ImportError):
        return Status.ABSENT, text
    if isinstance(error, MemoryError):
        return Status.FAILED, "not enough memory"
    return Status.FAILED, f"{type(error).__name__}: {text}"


def _end_with_parent() -> None:
    """Wait until the other end of stdin closes, which it does at the latest with the parent."""
    sys.stdin.buffer.read()
    os._exit(1)


def _be_the_first_to_go() -> None:
    """Let a system that runs out of memory end this process, and none that others depend on."""
    with suppress(OSError):  # Linux only
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
