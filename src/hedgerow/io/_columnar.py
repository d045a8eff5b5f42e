"""Files that keep their columns typed: Parquet and Arrow (Feather)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.io._source import (
    EMPTY,
    NOT_NUMERIC,
    UNNAMED,
    Batch,
    Column,
    DataError,
    optional,
    rows_at_once,
)

_PANDAS_INDEX = "__index_level_0__"
_STREAM_ENDS = b"ARROW1"  # files begin and end with this, streams do not


class Columnar:
    """A lazy polars frame, collected in batches."""

    place = "row"

    def __init__(self, path: Path, scan: Any) -> None:
        pl = optional("polars", "cli")
        try:
            self._frame = scan(path)
            schema = self._frame.collect_schema()
            self.total = self._frame.select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(f"the file cannot be read: {_first_line(error)}") from error
        self.columns = [Column(name, _flaw(name, dtype)) for name, dtype in schema.items()]

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        pl = optional("polars", "cli")
        wanted = [pl.col(self.columns[j].name) for j in chosen]
        at_once = rows_at_once(len(chosen))
        done = 0
        try:
            for frame in self._frame.select(wanted).collect_batches(
                chunk_size=at_once, maintain_order=True, engine="streaming"
            ):
                numbers = np.arange(done + 1, done + len(frame) + 1)
                done += len(frame)
                # Cast within the query, polars would read far ahead of what is consumed.
                rows = frame.cast(pl.Float64).to_numpy(order="c")
                yield Batch(rows, numbers, done)
        except pl.exceptions.PolarsError as error:
            raise DataError(
                f"the file cannot be read after row {done}: {_first_line(error)}"
            ) from error


def open_parquet(path: Path, stack: ExitStack) -> Columnar:
    """Open a Parquet file."""
    polars = optional("polars", "cli")
    return Columnar(path, lambda file: polars.scan_parquet(file, glob=False))


def open_arrow(path: Path, stack: ExitStack) -> Columnar:
    """Open an Arrow file; an Arrow stream is read into memory, as it cannot be searched."""
    polars = optional("polars", "cli")
    with path.open("rb") as file:
        is_file = file.read(len(_STREAM_ENDS)) == _STREAM_ENDS
    if is_file:
        return Columnar(path, lambda file: polars.scan_ipc(file, glob=False))
    return Columnar(path, lambda file: polars.read_ipc_stream(file).lazy())


def flaw_of(series: Any) -> str | None:
    """Return why a polars series cannot be learned from, or None."""
    return _flaw(series.name, series.dtype)


def _flaw(name: str, dtype: Any) -> str | None:
    pl = optional("polars", "cli")
    if name in ("", _PANDAS_INDEX):
        return UNNAMED
    if dtype == pl.Null:
        return EMPTY
    return None if dtype.is_numeric() or dtype == pl.Boolean else NOT_NUMERIC


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
