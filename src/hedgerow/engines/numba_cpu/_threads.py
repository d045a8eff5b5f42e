"""Threads that work side by side on parts of a task.

Compiled functions release Python's global lock, so plain Python threads run them on all cores.
They end with the task: nothing is left behind that could break a later fork.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import inf
from typing import Any, Protocol

_JOBS_PER_THREAD = 4
# Multiplications that one thread makes in half a millisecond: with fewer, to begin others takes
# about as long as they save.
_WORTH_OTHERS = 1 << 21
_told: ContextVar[int] = ContextVar("threads", default=0)

Job = Callable[[], Any]
Tell = Callable[[float], None]


def thread_count() -> int:
    """Return how many threads to use: as many as there are cores for this process.

    The environment variable ``OMP_NUM_THREADS``, which other numerical packages obey too, sets
    another number; `with_threads` rules over it.
    """
    told = _told.get()
    if told:
        return told
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) > 0 else _cores()


@contextmanager
def with_threads(number: int) -> Iterator[None]:
    """Use so many threads for what is done inside."""
    token = _told.set(number)
    try:
        yield
    finally:
        _told.reset(token)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def blocks(end: int, size: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the starts and ends of pieces of so many numbers, the last perhaps shorter."""
    for first in range(start, end, size):
        yield first, min(first + size, end)


def job_size(n: int, unit: int, most: int) -> int:
    """Return how many of ``n`` things a job should take: units, so that each thread has a few jobs.

    One thread need not share, and has jobs as large as may be: to begin one takes time. Only where
    the size of a job has no influence on its result.
    """
    threads = thread_count()
    fair = n // (_JOBS_PER_THREAD * threads) if threads > 1 else n + unit - 1
    return unit * max(1, min(most, fair) // unit)


class Run(Protocol):
    """Runs jobs side by side and returns their results in order.

    ``tell`` is called with the share of them that is done.
    """

    def __call__(self, jobs: Iterable[Job], tell: Tell = ...) -> list[Any]: ...


@contextmanager
def team(work: float = inf) -> Iterator[Run]:
    """Yield a function that runs jobs on all threads, the caller's among them.

    Or on the caller's alone, if ``work``, about so many multiplications, is worth no other.
    """
    helpers = thread_count() - 1
    if not helpers or work < _WORTH_OTHERS:
        yield partial(_share_out, None, 0)
        return
    with ThreadPoolExecutor(helpers) as pool:  # a thread begins when it is needed
        yield partial(_share_out, pool, helpers)


def _nobody(share: float) -> None:
    pass


def _share_out(
    pool: ThreadPoolExecutor | None, helpers: int, jobs: Iterable[Job], tell: Tell = _nobody
) -> list[Any]:
    """Let every thread take the next job until none is waiting; return the results in order."""
    waiting = deque(enumerate(jobs))
    results: dict[int, Any] = {}
    n_jobs = len(waiting)

    def work(tell: Tell = _nobody) -> None:
        while waiting:
            try:
                number, job = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            results[number] = job()
            if waiting:
                tell(len(results) / n_jobs)

    others = [pool.submit(work) for _ in range(min(helpers, n_jobs - 1))] if pool else []
    try:
        work(tell)
        for other in others:
            other.result()
    finally:
        waiting.clear()  # if a job failed, or the user has had enough
    if n_jobs:
        tell(1.0)
    return [results[number] for number in range(n_jobs)]
