"""The study of kinds of data: kinds x families x rows x seeds, before, now, and by other means."""

from collections.abc import Sequence
from itertools import product

from benchmarks.quality import store, study
from benchmarks.quality.kinds import COLUMNS, FAMILIES, KINDS, RATIOS, rows_of
from benchmarks.quality.study import Job
from benchmarks.quality.treated import FOR_SERIES, TREATED

RESULTS = store.FOLDER / "kinds.ndjson"
_BETWEEN = "; "  # the kind and the family, in the name of a case


def run(kinds: Sequence[str], methods: Sequence[str], again: list[str], processes: int) -> None:
    """Do what is missing; results of the methods ``again`` are forgotten first."""
    jobs = missing(kinds, methods, study.forget(RESULTS, again))
    store.run_all(RESULTS, jobs, work, processes, "kinds")


def missing(kinds: Sequence[str], methods: Sequence[str], done: set[tuple]) -> list[Job]:
    """Return the jobs that are left, seed by seed, so that a part of them is a smaller study."""
    jobs = []
    most = max(TREATED[method].seeds for method in methods)
    for seed, kind, family, ratio in product(range(most), kinds, FAMILIES, RATIOS):
        case = f"{kind}{_BETWEEN}{family}"
        left = tuple(
            method
            for method in methods
            if seed < TREATED[method].seeds
            and ratio in TREATED[method].ratios
            and (KINDS[kind].in_time or method not in FOR_SERIES)
            and (case, ratio, seed, method) not in done
        )
        if left:
            jobs.append(Job(case, ratio, seed, left))
    return jobs


def work(job: Job) -> list[store.Record]:
    """Run the methods on the data set of a job."""
    kind, family = job.case.split(_BETWEEN)
    model, rows = rows_of(kind, family, COLUMNS, round(job.ratio * COLUMNS), job.seed)
    records = study.judged(job, model, rows, TREATED)
    return [record | {"kind": kind, "family": family} for record in records]
