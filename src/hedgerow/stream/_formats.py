"""Rows of text and of fields: all of them at once, and one by one where something is wrong.

`many` is quick and gives up easily; `one` is slow, decides what is a row, and says why not. Where
both read a row they agree to the last bit, so it does not matter which rows came together.
"""

import csv
import json
from collections.abc import Callable, Mapping
from io import BytesIO
from math import isinf, isnan
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.io import DataError
from hedgerow.io._delimited import (
    MISSING,
    find_delimiter,
    first_cells,
    is_number,
    parse_cells,
    shortened,
)
from hedgerow.io._records import Block, cells_of_lines
from hedgerow.io._source import COMMAS, NOT_NUMERIC, UNNAMED, Column, numbered, optional
from hedgerow.stream._source import Schema

Array = NDArray[np.float64]
Some = TypeVar("Some", contravariant=True)

_NEVER_IN_NUMBERS = "\x1f"


class Format(Protocol[Some]):
    """How rows are read from some lines or entries."""

    def many(self, some: Some) -> Array | None:
        """Return all rows, NaN where there is no number, or None if that does not work."""

    def one(self, some: Some, k: int) -> list[float]:
        """Return row ``k``, or raise ValueError with the reason why it is none."""


def read(format: Format[Some], some: Some, shape: tuple[int, int]) -> tuple[Array, dict[int, str]]:
    """Return the good rows, and the reasons why the others are not, by their places."""
    rows = format.many(some)
    if rows is None:
        rows = np.full(shape, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        (doubtful,) = np.nonzero(~np.isfinite(rows.sum(axis=1)))
    if not len(doubtful):
        return rows, {}
    rows = rows.copy()
    bad = {}
    for k in doubtful.tolist():
        try:
            rows[k] = format.one(some, k)
        except ValueError as error:
            bad[k] = str(error)
    return np.delete(rows, list(bad), axis=0), bad


class Heading(NamedTuple):
    """What the first line of delimited text says."""

    delimiter: str
    names: list[str]
    is_row: bool  # it has no names, but numbers


def heading_of(top: Block, delimiter: str | None, header: bool | None) -> Heading:
    """Return what the first line says, by itself: the same, however many lines have come."""
    top = top._replace(data=line_of(top, 0), lines=top.lines[:1], starts=top.starts[:1])
    delimiter = delimiter or find_delimiter(top)
    cells = first_cells(top, delimiter)
    if len(cells) < 2:
        raise DataError(
            f"at least two columns are needed, got one with the delimiter {delimiter!r}"
        )
    is_row = all(map(is_number, cells)) if header is None else not header
    return Heading(delimiter, numbered(len(cells)) if is_row else cells, is_row)


def line_of(block: Block, k: int) -> bytes:
    """Return line ``k`` of a block."""
    end = block.starts[k + 1] if k + 1 < len(block.starts) else len(block.data)
    return block.data[block.starts[k] : end]


class Cells:
    """Delimited text."""

    def __init__(self, heading: Heading, schema: Schema) -> None:
        self._delimiter, self._width = heading.delimiter, len(heading.names)
        self._places = {name: heading.names.index(name) for name in schema.columns}

    def many(self, some: Block) -> Array | None:
        if np.any(cells_of_lines(some, self._delimiter) != self._width) or _is_open(some.data):
            return None
        in_order = list(self._places.values()) == list(range(self._width))
        if in_order and b'"' not in some.data:
            text = some.data.replace(b"\r\n", b"\n") if b"\r" in some.data else some.data
            text = text.replace(b"\n", self._delimiter.encode())
            return numbers_between(text, self._delimiter, (len(some.lines), self._width))
        polars = optional("polars", "cli")
        try:
            wanted = dict.fromkeys(sorted(self._places.values()), polars.Float64)
            frame = parse_cells(
                some, self._delimiter, self._width, wanted, null_values=list(MISSING)
            )
        except polars.exceptions.PolarsError:
            return None
        if len(frame) != len(some.lines):  # a quote that is not closed joins lines
            return None
        return frame.select(map(str, self._places.values())).to_numpy(order="c")

    def one(self, some: Block, k: int) -> list[float]:
        cells = cells_in(line_of(some, k), self._delimiter)
        if len(cells) != self._width:
            raise ValueError(f"a row must have {self._width} cells, got {len(cells)}")
        return [number_in_text(name, cells[j]) for name, j in self._places.items()]


def numbers_between(text: bytes, delimiter: str, shape: tuple[int, int]) -> Array | None:
    """Read numbers alone, each followed by a delimiter; none of the work that columns make.

    >>> numbers_between(b"1,2,NA,4,", ",", (2, 2))
    array([[ 1.,  2.],
           [nan,  4.]])
    """
    polars = optional("polars", "cli")
    try:
        column = polars.read_csv(
            text,
            has_header=False,
            separator=_NEVER_IN_NUMBERS,
            eol_char=delimiter,
            quote_char=None,
            schema={"": polars.Float64},
            null_values=list(MISSING),
        ).to_numpy()
    except polars.exceptions.PolarsError:
        return None
    return column.reshape(shape) if len(column) == shape[0] * shape[1] else None


def cells_in(line: bytes, delimiter: str) -> list[str]:
    """Return the cells of a line, whatever is in them."""
    if _is_open(line):
        raise ValueError("a double quote must be closed in its line")
    try:
        cells = next(csv.reader([line.decode(errors="replace")], delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(f"a row must have cells between delimiters, {error}") from None
    return [cell.strip() for cell in cells]


def _is_open(text: bytes) -> bool:
    """Tell whether a quote is not closed."""
    return b'"' in text and text.count(b'"') % 2 == 1


def columns_of_cells(names: list[str], cells: list[str]) -> list[Column]:
    """Return the columns with their flaws, as the first row shows them."""
    return [Column(name, _flaw(name, cell)) for name, cell in zip(names, cells)]


def _flaw(name: str, cell: str) -> str | None:
    if not name:
        return UNNAMED
    if not is_number(cell):
        return NOT_NUMERIC
    return COMMAS if "," in cell else None


class Objects:
    """JSON, an object on each line."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def many(self, some: Block) -> Array | None:
        polars = optional("polars", "cli")
        columns, others = map(set, self._schema)
        # As many quotes as our names need: if none of them is missing, there are no others.
        is_ours = some.data.count(b'"') == 2 * len(columns) * len(some.lines)
        schema = dict.fromkeys(self._schema.columns, polars.Float64) if is_ours else None
        try:
            frame = polars.read_ndjson(BytesIO(some.data), schema=schema, infer_schema_length=None)
        except polars.exceptions.PolarsError:
            return None
        if len(frame) != len(some.lines) or not columns <= set(frame.columns) <= columns | others:
            return None
        frame = frame.select(self._schema.columns)
        if not all(dtype.is_numeric() or dtype == polars.Boolean for dtype in frame.dtypes):
            return None
        rows = frame.cast(polars.Float64).to_numpy(order="c")
        return None if is_ours and np.isnan(rows).any() else rows

    def one(self, some: Block, k: int) -> list[float]:
        return fields(object_in(line_of(some, k)), self._schema, number_in_json)


def object_in(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a row must be JSON, {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"a row must be a JSON object, got {shortened(str(found))}")
    return found


def columns_of_object(found: dict[str, Any]) -> list[Column]:
    """Return the columns with their flaws, as the first object shows them."""
    numeric = int | float | None
    return [
        Column(name, None if name and isinstance(value, numeric) else NOT_NUMERIC)
        for name, value in found.items()
    ]


def fields(
    found: Mapping[str, Any], schema: Schema, number: Callable[[str, Any], float]
) -> list[float]:
    """Return the numbers of a row given by names."""
    missing = [name for name in schema.columns if name not in found]
    extra = [name for name in found if name not in schema.columns and name not in schema.others]
    if missing or extra:
        lacks = [f"lacks {missing[0]!r}"] if missing else []
        has = [f"has {extra[0]!r}, which is none of the columns"] if extra else []
        raise ValueError(f"the row {' and '.join(lacks + has)}")
    return [number(name, found[name]) for name in schema.columns]


def number_in_text(name: str, text: str) -> float:
    """Return the number in a cell, or raise ValueError."""
    if text in MISSING:
        raise ValueError(f"column {name!r} has no value")
    try:
        # Python reads 1_000, and nobody else does.
        number = float(text if "_" not in text else "no number")
    except ValueError:
        raise _no_number(name, text) from None
    return finite(name, number)


def number_in_json(name: str, value: Any) -> float:
    """Return the number that a JSON value is, or raise ValueError."""
    if value is None:
        raise ValueError(f"column {name!r} has no value")
    if not isinstance(value, int | float):
        raise _no_number(name, value)
    try:
        number = float(value)
    except OverflowError:
        raise _no_number(name, value) from None
    return finite(name, number)


def finite(name: str, number: float) -> float:
    """Return a number that is finite, or raise ValueError."""
    if isnan(number):
        raise ValueError(f"column {name!r} has no value")
    if isinf(number):
        raise ValueError(f"column {name!r} must hold finite numbers, got {number:g}")
    return number


def _no_number(name: str, value: Any) -> ValueError:
    return ValueError(f"column {name!r} must hold numbers, got {shortened(str(value))}")
