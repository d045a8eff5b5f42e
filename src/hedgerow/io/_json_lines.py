"""Newline-delimited JSON: one object on each line, a block of lines at a time."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from hedgerow.io._columnar import flaw_of
from hedgerow.io._records import Block, read_blocks
from hedgerow.io._source import Batch, Column, DataError, optional


class JsonLines:
    """Objects of numbers; a key that an object lacks is a missing value.

    The keys of the first block are the columns.
    """

    place = "line"

    def __init__(self, stream: BinaryIO, raw: BinaryIO, total: int | None) -> None:
        self.total = total
        self._blocks = read_blocks(stream, raw, quotes=False)
        first = next(self._blocks, None)
        if first is None:
            raise DataError("the file is empty")
        self._first = first
        frame = _whole(first)
        # Polars gives the columns in any order, another each time.
        top = dict.fromkeys(json.loads(first.data.partition(b"\n")[0]))
        names = [*top, *sorted(frame.columns - top.keys())]
        self.columns = [Column(name, flaw_of(frame[name])) for name in names]

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows, a block at a time."""
        names = [self.columns[j].name for j in chosen]
        for block in chain([self._first], self._blocks):
            yield Batch(_numbers(block, names), block.lines, block.done)


def _whole(block: Block) -> Any:
    """Return all that is in a block, with the types it has."""
    pl = optional("polars", "cli")
    try:
        return pl.read_ndjson(block.data, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        objects = _objects(block)
        return pl.from_dicts(objects, infer_schema_length=None, strict=False)


def _numbers(block: Block, names: list[str]) -> NDArray[np.float64]:
    pl = optional("polars", "cli")
    try:
        frame = pl.read_ndjson(block.data, schema=dict.fromkeys(names, pl.Float64))
    except pl.exceptions.PolarsError:
        return _numbers_with_care(block, names)
    return frame.to_numpy(order="c")


def _numbers_with_care(block: Block, names: list[str]) -> NDArray[np.float64]:
    """Read what only Python calls JSON (NaN), and find the line where something is wrong."""
    rows = np.full((len(block.lines), len(names)), np.nan)
    for k, item in enumerate(_objects(block)):
        for j, name in enumerate(names):
            value = item.get(name)
            if isinstance(value, int | float):
                rows[k, j] = value
            elif value is not None:
                raise DataError(
                    f"column {name!r} must hold numbers, got {value!r:.40} "
                    f"in line {block.lines[k]}",
                    ("drop", name),
                    "leaves the column out",
                )
    return rows


def _objects(block: Block) -> list[dict[str, Any]]:
    objects = []
    for number, line in zip(block.lines, block.data.splitlines()):
        try:
            item = json.loads(line)
        except ValueError as error:
            raise DataError(f"line {number} must be JSON, {error}") from error
        if not isinstance(item, dict):
            raise DataError(f"line {number} must be a JSON object, got {item!r:.40}")
        objects.append(item)
    return objects
