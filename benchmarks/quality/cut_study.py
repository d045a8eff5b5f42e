"""The study of tables with steps and gaps: kinds x families x rows x seeds, and methods."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from benchmarks.quality import store, study
from benchmarks.quality.cut import COLUMNS, FAMILIES, KINDS, RATIOS, Rows, rows_of
from benchmarks.quality.cut_methods import FOR_GAPS, METHODS, NOT_FOR_GAPS, UNTOLD, WHOLE
from benchmarks.quality.kinds_tables import NOTHING
from benchmarks.quality.study import Job
from benchmarks.quality.treated import AS_IT_COMES

RESULTS = store.FOLDER / "cut.ndjson"
_BETWEEN = "; "  # the kind and the family, in the name of a case
_SLOW = 40.0  # rows for each column at which half the seeds must do
# Kinds and families that looked as if a promise were broken: looked at again, in more data sets.
DOUBTED = (
    ("yes or no, shares 0.1 to 0.9", "hubs"),
    ("mixed table", "path_cliques"),
    ("10 % missing, given another", "path_cliques"),
)
MORE_SEEDS = 20


def run(kinds: Sequence[str], methods: Sequence[str], again: list[str], processes: int) -> None:
    """Do what is missing; results of the methods ``again`` are forgotten first."""
    jobs = missing(kinds, methods, study.forget(RESULTS, again))
    store.run_all(RESULTS, jobs, work, processes, "cut")


def missing(kinds: Sequence[str], methods: Sequence[str], done: set[tuple]) -> list[Job]:
    """Return the jobs that are left, seed by seed, so that a part of them is a smaller study."""
    jobs = []
    most = MORE_SEEDS if AS_IT_COMES in methods else max(METHODS[m].seeds for m in methods)
    for seed, ratio, kind, family in product(range(most), RATIOS, kinds, FAMILIES):
        case = f"{kind}{_BETWEEN}{family}"
        left = tuple(
            method
            for method in methods
            if is_tried(method, kind, family, ratio, seed)
            and (case, ratio, seed, method) not in done
        )
        if left:
            jobs.append(Job(case, ratio, seed, left))
    return jobs


def is_tried(method: str, kind: str, family: str, ratio: float, seed: int) -> bool:
    """Return whether a method is given a data set."""
    _, _, seeds, ratios = METHODS[method]
    if method == AS_IT_COMES and (kind, family) in DOUBTED and ratio < _SLOW:
        seeds = MORE_SEEDS
    enough = -(-seeds // 2) if ratio >= _SLOW else seeds
    means_nothing = method in (NOT_FOR_GAPS if KINDS[kind].gaps else FOR_GAPS)
    untold = family == NOTHING and method in UNTOLD
    return seed < enough and ratio in ratios and not means_nothing and not untold


def work(job: Job) -> list[store.Record]:
    """Run the methods on the data set of a job."""
    kind, family = job.case.split(_BETWEEN)
    model, rows = rows_of(kind, family, COLUMNS, round(job.ratio * COLUMNS), job.seed)
    told = {True: whole(rows), False: rows.seen}
    return [
        record | {"kind": kind, "family": family}
        for method in job.methods
        for record in study.judged(
            job._replace(methods=(method,)), model, told[method == WHOLE], METHODS
        )
    ]


def whole(rows: Rows) -> np.ndarray:
    """Return as many whole rows as there are rows in which a pair of cells is seen."""
    share = 1.0 - np.isnan(rows.seen).mean()
    return rows.whole[: round(len(rows.whole) * share**2)]
