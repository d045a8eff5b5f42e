"""Measuring: jobs take turns, the least time of each counts, and results are kept in one file."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import kept

PAUSE = 0.1  # seconds: the threads of BLAS keep a core busy for a while after their work is done
RESULTS = Path(__file__).resolve().parents[1] / "results" / "speed.json"


Jobs = dict[str, Callable[[], Any]]


def least_times_on_one_core(jobs: Jobs, rounds: int) -> dict[str, float]:
    """Return the least seconds of the processor, which other work on the machine hardly changes."""
    with threads(1):
        return least_times(jobs, rounds, time.thread_time)


def least_times(
    jobs: Jobs, rounds: int, now: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the least seconds of each job; a busy moment of the machine falls on all of them."""
    for job in jobs.values():
        job()  # compiles, and warms caches
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            time.sleep(PAUSE)
            begun = now()
            job()
            times[name].append(now() - begun)
    return {name: min(of_job) for name, of_job in times.items()}


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let both NumPy's BLAS and Hedgerow use so many threads."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = str(count)
    try:
        with threadpool_limits(count):
            yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before


def cores() -> int:
    return len(os.sched_getaffinity(0))


def setting() -> str:
    """Return the machine and the versions that the figures are for."""
    packages = ("hedgerow", "numpy", "numba", "scikit-learn", "pyhuge")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{kept.machine()}; {versions}, Python {platform.python_version()}"


def keep(part: str, figures: Any) -> None:
    """Add the figures of a part to those of others, and how they were measured."""
    before = read()
    how = before.get("made", {}) | {part: kept.made(f"python -m benchmarks.speed {part}")}
    RESULTS.parent.mkdir(exist_ok=True)
    now = before | {part: figures, "setting": setting(), "made": how}
    RESULTS.write_text(json.dumps(now, indent=1) + "\n")


def read() -> dict[str, Any]:
    """Return the figures of all parts measured so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def sample(n_columns: int, n_rows: int, family: str = "erdos_renyi") -> Any:
    """Return rows from a random graph, and the graph."""
    from hedgerow.datasets import make

    model = make(family, n_columns, seed=0)
    return model.sample(n_rows, seed=1), model
