"""How delimited text is laid out, found in its first lines: delimiter, names, units, decimals.

The same first lines give the same answer in a file and in a stream, whatever comes after them.
"""

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.judge import (
    FIRST_LINES,
    LINES,
    column_of,
    of_numbers,
    refuse_notes,
    refuse_two_headers,
)
from hedgerow.io.notation import PLAIN, decimal_of, kinds_of, notation, shortened
from hedgerow.io.records import DELIMITERS, Block, cell_counts, rows_in
from hedgerow.io.source import (
    EMPTY_AT_FIRST,
    NOT_NUMERIC,
    ROW_NAMES,
    UNNAMED,
    Column,
    DataError,
    numbered,
)
from hedgerow.io.times import is_time

_SEPARATOR = re.compile(rb"\"?sep=(.)\"?\r?\n", re.IGNORECASE)
_CELLS = 1_000_000  # looked at, at most, unless FIRST_LINES have more

Flags = NDArray[np.bool_]


class Style(NamedTuple):
    """How the user says that text is written; None is found out."""

    json: bool | None = None
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()


class Layout(NamedTuple):
    """What the first lines say, as JSON can hold it."""

    delimiter: str
    width: int
    header: bool = True
    row_names: bool = False  # the first cell of each row has no name, as R writes them
    units: bool = False  # the line below the names is no row
    decimal: str = "."
    encoding: str = "utf-8"  # of names
    separator: bool = False  # the first line says to Excel what the delimiter is

    @property
    def above(self) -> int:
        """How many lines come before the rows."""
        return self.separator + self.header + self.units


class Survey(NamedTuple):
    """The layout, the columns, what was guessed, and whether more lines could change it."""

    layout: Layout
    columns: list[Column]
    notes: list[str]
    is_clear: bool
    labels: Sequence[str] = ()  # the cells of the first column, if it is one of text


def survey(head: Block, style: Style) -> Survey:
    """Find the layout in the first lines of a text."""
    said = _SEPARATOR.fullmatch(head.record(0))
    if said:
        head = head.pick(slice(1, None))
        if not len(head.lines):
            raise DataError("the file has no rows, only a line that names the delimiter")
    delimiter = style.delimiter or (said[1].decode("latin-1") if said else find_delimiter(head))
    if len(head.lines) > FIRST_LINES:
        width = int(cell_counts(head, delimiter).max())
        head = head.pick(slice(max(FIRST_LINES, min(LINES, _CELLS // width))))
    _refuse_returns(head)
    encoding = _encoding(head)
    cells = [any_cells_in(head.record(k), delimiter, encoding) for k in range(len(head.lines))]
    _refuse_runs_of_spaces(delimiter, cells[0])
    # As R writes rows with names; a delimiter at the end of every row looks the same.
    named = style.header or any(not re.match(PLAIN, cell) for cell in cells[0])
    longer = len(cells) > 1 and all(len(row) == len(cells[0]) + 1 for row in cells[1:])
    short = style.header is not False and named and longer
    width = len(cells[0]) + short
    if width == 1 or (short and width == 2):
        raise _one_column(head, delimiter)
    _refuse_other_widths(head, width, [len(row) for row in cells[1:]])
    layout = Layout(delimiter, width, encoding=encoding, separator=said is not None)
    return _Surveyor(cells, short, style, layout, f"line {head.lines[0]}").find()


class _Surveyor:
    """Finds one thing after another, each with what was found before."""

    def __init__(
        self, cells: list[list[str]], short: bool, style: Style, layout: Layout, where: str
    ) -> None:
        self._top, self._short, self._style, self._layout = cells[0], short, style, layout
        self._where = where  # the names are
        self._body = [row for row in cells[1:] if len(row) == layout.width]
        self._is_even = len(self._body) == len(cells) - 1 > 0
        self._notes: list[str] = []
        rows = self._body if short else [cells[0], *self._body]
        flat = [cell for row in rows for cell in row]
        plain = re.compile(PLAIN)
        self._is_plain = all(plain.match(cell) for row in self._body for cell in row)
        self._decimal = style.decimal or ("." if self._is_plain else decimal_of(flat))
        missing, number = kinds_of(flat, notation(self._decimal, style.na))
        self._missing = missing.reshape(-1, layout.width)
        self._number = number.reshape(-1, layout.width)

    def find(self) -> Survey:
        header = self._has_header()
        first = int(header and not self._short)  # of the rows, in the arrays
        units = header and self._has_units(first)
        first += units
        names = self._names(header)
        if header and self._layout.width > 2:  # of two, one may have no name
            refuse_notes(self._where, names)
        layout = self._layout._replace(
            header=header,
            row_names=self._short and bool(self._body) and not self._trailing(),
            units=units,
            decimal=self._decimal,
        )
        if units:
            refuse_two_headers(self._where, names, self._body[0])
            units_seen = _some(self._body[0])
            self._notes.append(f"the line below the names is taken for units: {units_seen}")
        if self._decimal == "," and self._style.decimal is None:
            self._notes.append("the comma is taken for the decimal mark")
        if layout.encoding != "utf-8":
            self._notes.append("names are no UTF-8, and are read as Windows-1252")
        columns = self._columns(names, first, layout.row_names)
        labels = [] if columns[0].flaw is None else [row[0] for row in self._body]
        return Survey(layout, columns, self._notes, self._is_plain and self._is_even, labels)

    def _has_header(self) -> bool:
        if self._style.header is not None:
            return self._style.header
        if self._short:
            return True
        of_numbers = self._of_numbers(1)
        text = ~(self._missing[0] | self._number[0])
        if not of_numbers.any():
            return bool(text.any())
        if text[of_numbers].any():
            return True
        top = [cell for cell, is_one in zip(self._top, of_numbers) if is_one]
        if not all(re.match("^[0-9]+$", cell) for cell in top):
            return False
        if text.any():
            return not any(self._repeats(j) for j in np.flatnonzero(text).tolist())
        if self._count_up(top, of_numbers):
            self._notes.append(
                f"the first line, {_some(top)}, is taken for names, not for a row (no header)"
            )
            return True
        return False

    def _repeats(self, j: int) -> bool:
        """Tell whether the first cell of a column of text is one like those below it."""
        below = {row[j] for row in self._body}
        return self._top[j] in below or is_time(self._top[j])

    def _count_up(self, top: list[str], of_numbers: Flags) -> bool:
        """Tell whether whole numbers in the first line are names: years, or the like."""
        rows = [[cell for cell, is_one in zip(row, of_numbers) if is_one] for row in self._body]
        if len(top) >= 3 and _even_steps(top):
            return not any(_even_steps(row) for row in rows)
        fractions = all(re.search("[.,eE]", cell) for row in rows for cell in row)
        return fractions and len(rows) >= 3 and len(set(top)) == len(top)

    def _has_units(self, first: int) -> bool:
        if len(self._number) < first + 2:
            return False
        of_numbers = self._of_numbers(first + 1)
        if not of_numbers.any() or self._number[first, of_numbers].any():
            return False
        text = ~self._missing[first, of_numbers]
        # A word that is also met further down is an entry, if a strange one.
        words = {self._body[0][j] for j in np.flatnonzero(of_numbers)} - {""}
        below = {row[j] for row in self._body[1:] for j in np.flatnonzero(of_numbers)}
        is_most = bool(text.any() and 2 * text.sum() >= of_numbers.sum())
        return is_most and not words & below

    def _of_numbers(self, first: int) -> Flags:
        """Tell which columns are of numbers, from some row on."""
        number, missing = self._number[first:], self._missing[first:]
        return of_numbers(number.sum(axis=0), (~number & ~missing).sum(axis=0))

    def _trailing(self) -> bool:
        """Tell whether the last cell of each row is empty: only a delimiter too many."""
        return all(not row[-1] for row in self._body)

    def _names(self, header: bool) -> list[str]:
        if not header:
            return numbered(self._layout.width)
        if not self._short:
            return self._top
        return [*self._top, ""] if self._trailing() else ["", *self._top]

    def _cells(self, j: int, first: int) -> list[str | float]:
        """Return what a column has from some row on: numbers, if all of it are."""
        rows = self._body if self._short else [self._top, *self._body]
        texts = [row[j] for row in rows[first:]]
        if not self._number[first:, j].all():
            return list(texts)
        written = notation(self._decimal, self._style.na)
        return [number for text in texts if (number := written.number(text)) is not None]

    def _columns(self, names: list[str], first: int, row_names: bool) -> list[Column]:
        of_numbers = self._of_numbers(first)
        empty = self._missing[first:].sum(axis=0) == len(self._missing) - first
        written = notation(self._decimal, self._style.na)
        columns = []
        for j, name in enumerate(names):
            if name:
                flaw = EMPTY_AT_FIRST if empty[j] else None if of_numbers[j] else NOT_NUMERIC
                columns.append(column_of(name, self._cells(j, first), flaw, written))
            else:
                columns.append(Column(name, ROW_NAMES if row_names else UNNAMED))
        return columns


def find_delimiter(head: Block) -> str:
    """Return the delimiter that gives the first lines equally many cells, at least two.

    Spaces between numbers with decimal commas give as many at commas.
    """
    counts = {each: cell_counts(head, each) for each in DELIMITERS}
    even = []
    for delimiter, cells in counts.items():
        below = cells[1:] if len(cells) > 1 else cells
        if cells[0] > 1 and np.all(below == below[0]) and 0 <= below[0] - cells[0] <= 1:
            even.append(delimiter)
    if even[:2] == [",", " "]:
        return max(even, key=lambda each: _share_of_numbers(head, each))
    if even:
        return even[0]
    # Lines of unequal length are reported for the delimiter that most of them have alike.
    return max((",", *DELIMITERS), key=lambda each: _most_alike(counts[each]))


def _most_alike(cells: NDArray[np.intp]) -> int:
    """Return how many lines have the number of cells that most lines have, of more than one."""
    return int(np.bincount(cells[cells > 1], minlength=1).max())


def _share_of_numbers(head: Block, delimiter: str) -> float:
    """Return which share of the cells of some lines below the first are numbers."""
    records = [head.record(k) for k in range(1, min(len(head.lines), FIRST_LINES))]
    cells = [cell for record in records for cell in any_cells_in(record, delimiter, "utf-8")]
    _, number = kinds_of(cells, notation(decimal_of(cells), ()))
    return float(number.mean()) if len(number) else 0.0


def cells_in(record: bytes, delimiter: str, encoding: str = "utf-8") -> list[str]:
    """Return the cells of a record without the spaces around them.

    Quotes that are not closed, or are closed within a cell, are a ValueError.
    """
    text = record.decode(encoding, errors="replace").rstrip("\r\n")
    try:
        rows = rows_in(text, delimiter)
    except csv.Error:
        raise ValueError("a double quote must be closed, and be followed by a delimiter") from None
    if len(rows) > 1:
        raise ValueError("a row must not have a carriage return in it, unless in quotes")
    return [cell.strip() for cell in rows[0]] if rows else [""]


def any_cells_in(record: bytes, delimiter: str, encoding: str) -> list[str]:
    """Return the cells of a record, whatever is in them."""
    try:
        return cells_in(record, delimiter, encoding)
    except ValueError:
        return [cell.strip() for cell in record.decode(encoding, errors="replace").split(delimiter)]


def _encoding(head: Block) -> str:
    try:
        head.record(0).decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _even_steps(cells: list[str]) -> bool:
    try:
        steps = np.diff([int(cell) for cell in cells])
    except ValueError:
        return False
    return bool(len(steps) and steps[0] != 0 and np.all(steps == steps[0]))


def _some(cells: list[str]) -> str:
    return ", ".join(shortened(cell)[1:-1] for cell in cells[:3]) + ", …" * (len(cells) > 3)


def _refuse_returns(head: Block) -> None:
    line = head.record(0).rstrip(b"\r\n")
    if b"\r" in line and b'"' not in line:
        raise DataError(
            f"line {head.lines[0]} must end with a line feed, got a carriage return alone; "
            f"save the file with Unix or Windows line ends"
        )


def _refuse_runs_of_spaces(delimiter: str, top: list[str]) -> None:
    if delimiter == " " and "" in top[:-1]:
        raise DataError(
            "cells must be apart by one delimiter, got several spaces on end; put one space, or a "
            "comma, in their place"
        )


def _refuse_other_widths(head: Block, width: int, below: list[int]) -> None:
    if len(below) > 1 and len(set(below)) == 1 and below[0] != width:
        raise DataError(
            f"rows must have as many cells as line {head.lines[0]}, {width}, got {below[0]} in "
            f"line {head.lines[1]}; remove what stands above the table, if that line has no names"
        )


def _one_column(head: Block, delimiter: str) -> DataError:
    if head.record(0).startswith(b"#"):
        return DataError(
            f"line {head.lines[0]} must have the names of columns, or a row, got a comment, which "
            f"begins with '#'; leave such lines out"
        )
    if (cell_counts(head, delimiter)[1:] > 2).any():
        refuse_notes(f"line {head.lines[0]}", [head.record(0).decode(errors="replace").strip(), ""])
    message = f"at least two columns are needed, got one with the delimiter {delimiter!r}"
    found = {each: int(cell_counts(head, each)[0]) for each in DELIMITERS}
    other = max(found, key=found.__getitem__)
    if found[other] == 1:
        return DataError(message)
    value = {"\t": "tab"}.get(other, other)
    return DataError(message, ("delimiter", value), f"finds {found[other]}")
