"""Rows from files whose columns are typed: Parquet, Arrow, NumPy, AnnData."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgerow.io import DataError
from hedgerow.io._source import Batch
from hedgerow.io._table import OPENERS
from hedgerow.stream._formats import finite, read
from hedgerow.stream._source import BadRow, Chunk, Offset, Schema, Wish, check_names, first_schema


class Typed:
    """The rows of one file; they are its offsets too."""

    def __init__(self, path: Path, wish: Wish, schema: Schema | None) -> None:
        self._files = ExitStack()
        self._source = OPENERS[path.suffix.lower()](path, self._files)
        names = [column.name for column in self._source.columns]
        if schema is None:
            schema = first_schema(self._source.columns, wish)
        else:
            check_names(names, schema)
        flaws = {column.name: column.flaw for column in self._source.columns}
        for name in schema.columns:
            if flaws[name]:
                raise DataError(f"column {name!r} must hold numbers, and is {flaws[name]}")
        self.schema = schema
        self._places = [names.index(name) for name in schema.columns]

    def chunks(self, offset: Offset | None) -> Iterator[Chunk]:
        """Yield the rows after an offset, or all."""
        start = offset["row"] if offset else 0
        total = self._source.total or 0
        if start > total:
            raise DataError(f"the file must only grow; {start} rows were read, and it has {total}")
        for batch in self._source.batches(self._places):
            if batch.done > start:
                yield self._chunk(batch, max(0, len(batch.rows) - (batch.done - start)))

    def close(self) -> None:
        """Let go of the file."""
        self._files.close()

    def _chunk(self, batch: Batch, skipped: int) -> Chunk:
        rows = np.ascontiguousarray(batch.rows[skipped:])
        numbers = batch.numbers[skipped:].tolist()
        good, reasons = read(self, rows, rows.shape)
        bad = [
            BadRow(k - count, {"row": numbers[k] - 1}, f"row {numbers[k]}", reason)
            for count, (k, reason) in enumerate(reasons.items())
        ]
        return Chunk(good, {"row": batch.done}, bad)

    def many(self, some: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows: they are numbers already."""
        return some

    def one(self, some: NDArray[np.float64], k: int) -> list[float]:
        """Return a row of finite numbers, or raise ValueError."""
        return [finite(*cell) for cell in zip(self.schema.columns, some[k].tolist())]
