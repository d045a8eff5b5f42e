"""The study of error rates: cases x rows x seeds x methods, each data set given to all methods."""

import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.quality import store
from benchmarks.quality.cases import COLUMNS, RATIOS, rows_of
from benchmarks.quality.methods import METHODS, OWN, Method
from benchmarks.quality.store import Record
from hedgerow.datasets import Model
from hedgerow.metrics import confusion


class Job(NamedTuple):
    """One data set and the methods that have not seen it yet."""

    case: str
    ratio: float
    seed: int
    methods: tuple[str, ...]


def run(cases: list[str], methods: list[str], again: list[str], processes: int) -> None:
    """Do what is missing; results of the methods ``again`` are forgotten first."""
    jobs = missing(cases, methods, forget(store.STUDY, again))
    store.run_all(store.STUDY, jobs, work, processes, "quality")


def forget(path: Path, again: list[str]) -> set[tuple]:
    """Throw the results of some methods away; return case, ratio, seed and method of the others."""
    kept = [record for record in store.read(path) if record["method"] not in again]
    store.rewrite(path, kept)
    return {(r["case"], r["ratio"], r["seed"], r["method"]) for r in kept}


def missing(cases: list[str], methods: list[str], done: set[tuple]) -> list[Job]:
    """Return the jobs that are left, seed by seed, so that a part of them is a smaller study."""
    jobs = []
    for seed in range(max(METHODS[method].seeds for method in methods)):
        for case in cases:
            for ratio in RATIOS:
                left = tuple(
                    method
                    for method in methods
                    if seed < METHODS[method].seeds
                    and ratio in METHODS[method].ratios
                    and (case, ratio, seed, method) not in done
                )
                if left:
                    jobs.append(Job(case, ratio, seed, left))
    return jobs


def work(job: Job) -> list[Record]:
    """Run the methods on the data set of a job."""
    return judged(job, *rows_of(job.case, COLUMNS, round(job.ratio * COLUMNS), job.seed))


def judged(
    job: Job, model: Model, rows: np.ndarray, methods: Mapping[str, Method] = METHODS
) -> list[Record]:
    """Run the methods of a job on rows of a model."""
    warnings.simplefilter("ignore")
    return [
        record for name in job.methods for record in judge(job, name, methods[name], rows, model)
    ]


def judge(job: Job, name: str, method: Method, rows: np.ndarray, model: Model) -> list[Record]:
    """Count the true, false and missed edges of each of a method's graphs.

    A method that breaks down has no graph, which is recorded, and counted as one without edges.
    """
    truth = model.adjacency.toarray()
    start = time.perf_counter()
    try:
        graphs, failure = method.graphs(rows, model), None
    except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as error:
        graphs, failure = {OWN: np.zeros_like(truth)}, f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    records = []
    for promise, graph in graphs.items():
        counts = confusion(graph, truth)
        records.append(
            {
                "case": job.case,
                "ratio": job.ratio,
                "rows": len(rows),
                "columns": model.size,
                "seed": job.seed,
                "method": name,
                "promise": promise,
                "found": counts.true_edges,
                "false": counts.false_edges,
                "missed": counts.missed_edges,
                "seconds": round(seconds, 4),
                "failure": failure,
            }
        )
    return records
