"""Numbers between delimiters: CSV, TSV and their like, a block of records at a time.

Most records are read all at once by polars; a record in which that leaves a gap is looked at by
itself, which is slow, decides what is a row, and says why not. Where both read a cell they agree
to the last bit, so it does not matter which records came together.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.layout import Layout, any_cells_in, cells_in
from hedgerow.io.notation import Notation, not_a_number
from hedgerow.io.records import Block, cell_counts
from hedgerow.io.source import BadRow, Column, optional
from hedgerow.io.words import Words

Array = NDArray[np.float64]

_NEVER_IN_NUMBERS = "\x1f"
# Where the comma is the decimal mark a point makes a cell one to be looked at by itself.
_COMMA_TO_POINT = bytes.maketrans(b",.", b"._")


class Found(NamedTuple):
    """Rows, NaN where a value is missing, and why some of them are none."""

    rows: Array
    bad: dict[int, BadRow]


class Cells:
    """Reads the chosen columns of delimited text."""

    def __init__(
        self, layout: Layout, columns: list[Column], chosen: list[int], notation: Notation
    ) -> None:
        self._layout, self._chosen = layout, chosen
        self._names = [column.name for column in columns]
        self._notation = notation
        self._words = {
            j: Words(columns[j].name, columns[j].words, notation)
            for j in chosen
            if columns[j].words
        }

    def read(self, block: Block) -> Found:
        """Return the rows of a block."""
        rows = np.full((len(block.lines), len(self._chosen)), np.nan)
        quick = cell_counts(block, self._layout.delimiter) == self._layout.width
        if b'"' in block.data:
            quick &= ~_is_open(block)
        if quick.all():
            numbers = self._quickly(block)
        else:
            numbers = self._quickly(block.pick(np.flatnonzero(quick)))
        if numbers is not None:
            rows[quick] = numbers
        bad = {}
        for k in np.flatnonzero(np.isnan(rows).any(axis=1) | ~quick).tolist():
            wrong = self._with_care(block.record(k), rows[k])
            if wrong:
                bad[k] = wrong
        return Found(self._notation.blank(rows), bad)

    def texts(self, block: Block, column: int) -> list[str]:
        """Return the cells of one column as they are, empty where a record has too few."""
        found = self._texts_quickly(block, column)
        if found is not None:
            return found
        cells = (
            any_cells_in(block.record(k), self._layout.delimiter, "utf-8")
            for k in range(len(block.lines))
        )
        return [row[column] if column < len(row) else "" for row in cells]

    def _texts_quickly(self, block: Block, column: int) -> list[str] | None:
        """Return the same of records without quotes that all have enough cells, else None."""
        layout = self._layout
        enough = (cell_counts(block, layout.delimiter) == layout.width).all()
        if not enough or b'"' in block.data or b"\r" in block.data.replace(b"\r\n", b"\n"):
            return None
        polars = optional("polars")
        try:
            frame = polars.read_csv(
                block.data,
                has_header=False,
                separator=layout.delimiter,
                quote_char=None,
                schema={str(j): polars.String for j in range(layout.width)},
                columns=[column],
                encoding="utf8-lossy",
            )
        except polars.exceptions.PolarsError:
            return None
        if len(frame) != len(block.lines):
            return None
        return [(text or "").strip() for text in frame.to_series().to_list()]

    def _quickly(self, block: Block) -> Array | None:
        """Return all rows, NaN where a cell is no plain number, or None if that does not work."""
        layout = self._layout
        shape = (len(block.lines), len(self._chosen))
        if not all(shape):
            return np.empty(shape)
        data = block.data
        if layout.decimal == "," and layout.delimiter in "._":
            return None
        if layout.decimal == ",":
            data = data.translate(_COMMA_TO_POINT)
        plain = not self._words and b'"' not in data
        if plain and self._chosen == list(range(layout.width)):
            text = data.replace(b"\r\n", b"\n") if b"\r" in data else data
            return numbers_between(
                text.replace(b"\n", layout.delimiter.encode()), layout.delimiter, shape
            )
        polars = optional("polars")
        try:
            frame = polars.read_csv(
                data,
                has_header=False,
                separator=layout.delimiter,
                schema=self._schema(),
                columns=sorted(self._chosen),
                encoding="utf8-lossy",  # only names must be right; text is left out anyway
                ignore_errors=True,
            )
        except polars.exceptions.PolarsError:
            return None
        if len(frame) != shape[0]:
            return None
        numbers = (
            numbers_of_words(str(j), self._words[j]) if j in self._words else polars.col(str(j))
            for j in self._chosen
        )
        rows: Array = frame.select(numbers).to_numpy(order="c")
        return rows

    def _schema(self) -> dict[str, Any]:
        polars = optional("polars")
        wanted = set(self._chosen) - self._words.keys()
        return {
            str(j): polars.Float64 if j in wanted else polars.String
            for j in range(self._layout.width)
        }

    def _with_care(self, record: bytes, row: Array) -> BadRow | None:
        """Fill the gaps of a row; return what is wrong with it."""
        try:
            cells = cells_in(record, self._layout.delimiter)
        except ValueError as error:
            return BadRow(str(error))
        if len(cells) != self._layout.width:
            return BadRow(f"a row must have {self._layout.width} cells, got {len(cells)}")
        wrong = None
        for k in np.flatnonzero(np.isnan(row)).tolist():
            j = self._chosen[k]
            words = self._words.get(j)
            number = words.value(cells[j]) if words else self._notation.number(cells[j])
            if number is None:
                wrong = (
                    words.wrong(cells[j], wrong)
                    if words
                    else not_a_number(self._names[j], cells[j], wrong)
                )
            else:
                row[k] = number
        return wrong


def numbers_of_words(column: str, words: Words) -> Any:
    """Return what polars makes of a column of words: their numbers, null for all else."""
    polars = optional("polars")
    texts = polars.col(column).str.strip_chars().str.to_lowercase()
    known = words.numbers
    return texts.replace_strict(
        [*known], [*known.values()], default=None, return_dtype=polars.Float64
    )


def numbers_between(text: bytes, delimiter: str, shape: tuple[int, int]) -> Array | None:
    """Read numbers alone, each followed by a delimiter; none of the work that columns make.

    >>> numbers_between(b"1,2,NA,4,", ",", (2, 2))
    array([[ 1.,  2.],
           [nan,  4.]])
    """
    polars = optional("polars")
    try:
        column = polars.read_csv(
            text,
            has_header=False,
            separator=_NEVER_IN_NUMBERS,
            eol_char=delimiter,
            quote_char=None,
            schema={"": polars.Float64},
            ignore_errors=True,
        ).to_numpy()
    except polars.exceptions.PolarsError:
        return None
    return column.reshape(shape) if len(column) == shape[0] * shape[1] else None


def _is_open(block: Block) -> NDArray[np.bool_]:
    """Tell which records have a quote too many."""
    at = np.flatnonzero(np.frombuffer(block.data, dtype=np.uint8) == ord('"'))
    bounds = np.append(block.starts, len(block.data))
    is_open: NDArray[np.bool_] = np.diff(np.searchsorted(at, bounds)) % 2 == 1
    return is_open
