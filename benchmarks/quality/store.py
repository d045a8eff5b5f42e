"""Results on disk, one JSON object to a line, appended as they come: any run can be resumed."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.progress import track

from benchmarks import kept

Record = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[1] / "results"
STUDY = FOLDER / "quality.ndjson"
RECOVERY = FOLDER / "recovery.ndjson"


def read(path: Path) -> list[Record]:
    """Return all complete records; a line that an interrupted run left unfinished is not one."""
    if not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def commits(path: Path) -> set[str]:
    """Return the commits at which the records were made."""
    return {record["commit"] for record in read(path)}


def rewrite(path: Path, records: Iterable[Record]) -> None:
    """Replace the file by these records."""
    path.parent.mkdir(exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text("".join(json.dumps(record) + "\n" for record in records))
    fresh.replace(path)


def run_all(
    path: Path, jobs: Sequence[Any], work: Callable[[Any], list[Record]], processes: int, title: str
) -> None:
    """Do the jobs in several processes and append the records of each as soon as it is done."""
    # Workers start afresh, so that the number of threads is settled before NumPy is loaded.
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    commit = {"commit": kept.commit()}
    with get_context("spawn").Pool(processes) as pool, path.open("a") as file:
        done = pool.imap_unordered(work, jobs)
        for records in track(done, title, total=len(jobs)):
            file.write("".join(json.dumps(record | commit) + "\n" for record in records))
            file.flush()
