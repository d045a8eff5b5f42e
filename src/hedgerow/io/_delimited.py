"""Numbers between delimiters: CSV, TSV and their like, a block of lines at a time."""

import csv
import re
from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from hedgerow.io._records import Block, cells_of_lines, read_blocks
from hedgerow.io._source import (
    COMMAS,
    EMPTY,
    NOT_NUMERIC,
    UNNAMED,
    Batch,
    Column,
    DataError,
    numbered,
    optional,
)

# What stands for a missing value. Text that is none of these makes a column one of text.
# fmt: off
MISSING = (
    "", "NA", "na", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "None", ".", "?",
)
# fmt: on
# In the order of preference: a comma may also be part of a number, a space part of a name.
DELIMITERS = ("\t", ";", "|", ",", " ")
_WITH_COMMAS = r"^[+-]?\d[\d.]*(,\d+)*([eE][+-]?\d+)?$"  # decimal comma, or between thousands
_LINES_TRIED = 50
_LONGEST_SHOWN = 40  # characters of a bad cell

Array = NDArray[np.float64]


class Delimited:
    """Lines of cells; delimiter and header are found in the first block unless given."""

    place = "line"

    def __init__(
        self,
        stream: BinaryIO,
        raw: BinaryIO,
        total: int | None,
        delimiter: str | None = None,
        header: bool | None = None,
    ) -> None:
        self.total = total
        self._blocks = read_blocks(stream, raw, quotes=True)
        first = next(self._blocks, None)
        if first is None:
            raise DataError("the file is empty")
        if b"\0" in first.data:
            raise DataError("the file must be UTF-8 text, got bytes that are not text")
        self._delimiter = delimiter or find_delimiter(first)
        top = first_cells(first, self._delimiter)
        self._width = len(top)
        if self._width == 1:
            raise _one_column(first, self._delimiter)
        has_header = not all(is_number(cell) for cell in top) if header is None else header
        self._top = "the header" if has_header else f"line {first.lines[0]}"
        if has_header:
            first = first.without_first()
        if not len(first.lines):
            first = next(self._blocks, first)
        if not len(first.lines):
            raise DataError("the file has a header, and no rows below it")
        self._first = first
        self.columns = self._judge(top if has_header else numbered(self._width))

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows, a block at a time."""
        read = partial(self._read_fast, chosen=chosen)
        for block in chain([self._first], self._blocks):
            self._check_width(block)
            yield Batch(read(block), block.lines, block.done)

    def _judge(self, names: list[str]) -> list[Column]:
        self._check_width(self._first)
        doubtful = self._doubtful()
        flaws = {}
        if doubtful:
            texts, numbers = self._texts_and_numbers(self._first, doubtful)
            flaws = {j: _flaw(*cells) for j, *cells in zip(doubtful, texts, numbers)}
        return [Column(name, flaws.get(j) if name else UNNAMED) for j, name in enumerate(names)]

    def _doubtful(self) -> list[int]:
        """Return the columns that polars does not see to be numbers at once; usually few."""
        pl = optional("polars", "cli")
        try:
            frame = pl.read_csv(
                self._first.data,
                has_header=False,
                separator=self._delimiter,
                infer_schema_length=None,
                null_values=list(MISSING),
                encoding="utf8-lossy",
            )
        except pl.exceptions.PolarsError:
            return list(range(self._width))
        return [j for j, dtype in enumerate(frame.dtypes) if not dtype.is_numeric()]

    def _check_width(self, block: Block) -> None:
        cells = cells_of_lines(block, self._delimiter)
        (ragged,) = np.nonzero(cells != self._width)
        if len(ragged):
            k = ragged[0]
            raise DataError(
                f"every line must have as many cells as {self._top} ({self._width}), "
                f"got {cells[k]} in line {block.lines[k]}"
            )

    def _read_fast(self, block: Block, chosen: list[int]) -> Array:
        polars = optional("polars", "cli")
        wanted = dict.fromkeys(chosen, polars.Float64)
        try:
            frame = self._parse(block, wanted, null_values=list(MISSING))
        except polars.exceptions.PolarsError:
            return self._read_with_care(block, chosen)
        return frame.to_numpy(order="c")

    def _read_with_care(self, block: Block, chosen: list[int]) -> Array:
        """Read numbers with spaces around them too; what is no number is an error."""
        texts, numbers = self._texts_and_numbers(block, chosen)
        for j, text, number in zip(chosen, texts, numbers):
            bad = (number.is_null() & text.is_not_null()).arg_true()
            if len(bad):
                name = self.columns[j].name
                raise DataError(
                    f"column {name!r} must hold numbers, got {shortened(text[bad[0]])} "
                    f"in line {block.lines[bad[0]]}",
                    ("drop", name),
                    "leaves the column out",
                )
        return numbers.to_numpy(order="c")

    def _texts_and_numbers(self, block: Block, chosen: list[int]) -> tuple[Any, Any]:
        """Return cells as text, null where missing, and as numbers, null where they are none."""
        pl = optional("polars", "cli")
        cells = pl.all().str.strip_chars()
        try:
            frame = self._parse(block, dict.fromkeys(chosen, pl.String))
        except pl.exceptions.PolarsError as error:
            raise _unreadable(block) from error
        texts = frame.select(pl.when(cells.is_in(MISSING)).then(None).otherwise(cells).name.keep())
        return texts, texts.cast(pl.Float64, strict=False)

    def _parse(self, block: Block, wanted: dict[int, Any], **options: Any) -> Any:
        frame = parse_cells(block, self._delimiter, self._width, wanted, **options)
        if len(frame) != len(block.lines):
            raise _unreadable(block)
        return frame


def parse_cells(
    block: Block, delimiter: str, width: int, wanted: dict[int, Any], **options: Any
) -> Any:
    """Return a polars frame of the wanted columns, which are called by their numbers."""
    pl = optional("polars", "cli")
    return pl.read_csv(
        block.data,
        has_header=False,
        separator=delimiter,
        schema={str(j): wanted.get(j, pl.String) for j in range(width)},
        columns=list(wanted),
        encoding="utf8-lossy",  # only names must be right; text is left out anyway
        **options,
    )


def find_delimiter(block: Block) -> str:
    """Return the delimiter that gives the first lines equally many cells, at least two."""
    head = block
    if len(block.lines) > _LINES_TRIED:
        cut = int(block.starts[_LINES_TRIED])
        head = Block(block.data[:cut], block.lines[:_LINES_TRIED], block.starts[:_LINES_TRIED], 0)
    for delimiter in DELIMITERS:
        cells = cells_of_lines(head, delimiter)
        if cells[0] > 1 and np.all(cells == cells[0]):
            return delimiter
    # Lines of unequal length are reported for the delimiter that the first line has most of.
    return max((",", *DELIMITERS), key=lambda each: cells_of_lines(head, each)[0])


def first_cells(block: Block, delimiter: str) -> list[str]:
    """Return the cells of the first line, without the spaces around them."""
    end = int(block.starts[1]) if len(block.starts) > 1 else len(block.data)
    try:
        line = block.data[:end].decode()
    except UnicodeDecodeError as error:
        raise DataError(f"line {block.lines[0]} must be UTF-8 text, got {error.reason}") from error
    rows = list(csv.reader(StringIO(line, newline=""), delimiter=delimiter))
    if len(rows) > 1:
        raise DataError(
            f"line {block.lines[0]} must end with a line feed, got a carriage return alone; "
            f"save the file with Unix or Windows line ends"
        )
    return [cell.strip() for cell in rows[0]]


def _flaw(texts: Any, numbers: Any) -> str | None:
    """Return why a column cannot be learned from, given its cells as text and as numbers."""
    there = texts.is_not_null()
    if not there.any():
        return EMPTY
    if not (numbers.is_null() & there).any():
        return None
    return COMMAS if texts.drop_nulls().str.contains(_WITH_COMMAS).all() else NOT_NUMERIC


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, or stands for a missing one."""
    if cell in MISSING or re.match(_WITH_COMMAS, cell):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _one_column(block: Block, delimiter: str) -> DataError:
    message = f"at least two columns are needed, got one with the delimiter {delimiter!r}"
    found = {each: int(cells_of_lines(block, each)[0]) for each in DELIMITERS}
    other = max(found, key=found.__getitem__)
    if found[other] == 1:
        return DataError(message)
    value = {"\t": "tab"}.get(other, other)
    return DataError(message, ("delimiter", value), f"finds {found[other]}")


def _unreadable(block: Block) -> DataError:
    return DataError(
        f"lines {block.lines[0]} to {block.lines[-1]} must be cells between delimiters, and are "
        'not; a double quote inside a quoted cell is written twice ("")'
    )


def shortened(cell: str) -> str:
    """Return a cell as an error message shows it."""
    return repr(cell if len(cell) <= _LONGEST_SHOWN else cell[:_LONGEST_SHOWN] + "…")
