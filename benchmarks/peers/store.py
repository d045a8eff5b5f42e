"""Results on disk: a Parquet file for each cell, written when the cell is done.

What has a file is not computed again; a run can be interrupted at any time.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import kept
from hedgerow.base.atomic import atomic_path

FOLDER = Path(__file__).resolve().parents[1] / "results" / "peers"
Record = dict[str, Any]


def read(study: str) -> pl.DataFrame:
    """Return all records of a study; an empty frame without any."""
    files = sorted((FOLDER / study).glob("*.parquet"))
    frames = [pl.read_parquet(file) for file in files]
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


def run(study: str, cells: Iterable[tuple], work: Callable[..., list[Record]]) -> None:
    """Do the cells that have no file yet."""
    from rich.progress import track

    (FOLDER / study).mkdir(parents=True, exist_ok=True)
    commit = pl.lit(kept.commit()).alias("commit")
    left = [cell for cell in cells if not file_of(study, cell).exists()]
    for cell in track(left, study):
        frame = pl.DataFrame(work(*cell), infer_schema_length=None).with_columns(commit)
        with atomic_path(file_of(study, cell)) as temporary:
            frame.write_parquet(temporary)


def file_of(study: str, cell: tuple) -> Path:
    return FOLDER / study / f"{'-'.join(str(part) for part in cell)}.parquet"
