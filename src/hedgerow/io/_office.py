"""Spreadsheets: a sheet of an Excel or OpenDocument workbook."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.words import listed
from hedgerow.io._sheet_size import check_apart, check_parts, refuse_large
from hedgerow.io.judge import LINES, column_of, flaw_of, refuse_notes, refuse_two_headers
from hedgerow.io.notation import Notation, not_a_number, notation, shortened
from hedgerow.io.source import (
    UNNAMED,
    BadRow,
    Batch,
    Column,
    DataError,
    optional,
    readable,
    rows_at_once,
)
from hedgerow.io.words import Words

Cell = float | int | bool | str | date | datetime | time | timedelta | None

_ROWS_JUDGED = LINES - 1
_PARTS = (".xlsx", ".xlsm")  # kinds made of parts that can be looked through quickly


class Sheet:
    """The table of a sheet: names in the first row that is not empty, and rows below."""

    place = "row"

    def __init__(self, sheet: Any, notation: Notation) -> None:
        self._sheet, self._notation = sheet, notation
        self.beside: list[int] = []
        rows = _filled_rows(sheet)
        self._header, names = next(rows, (0, []))
        if not names:
            raise DataError(f"the sheet {sheet.name!r} is empty")
        self._names = _names(names, self._header)
        judged = [cells for _, cells in islice(rows, _ROWS_JUDGED)]
        if not judged:
            raise DataError(
                f"the sheet {sheet.name!r} has a header in row {self._header}, and no rows below it"
            )
        self.notes: list[str] = []
        self._has_units = self._are_units(judged)
        if self._has_units:
            below = [_text(cell) for cell in judged.pop(0)]
            refuse_two_headers(f"row {self._header}", self._names, below)
            units = ", ".join(shortened(cell)[1:-1] for cell in below[:3])
            self.notes.append(f"the row below the names is taken for units: {units}")
        self.columns = [
            column_of(name, cells, self._flaw(cells), notation) if name else Column(name, UNNAMED)
            for name, cells in zip(self._names, zip(*judged))
        ]
        self.total: int | None = sheet.end[0] + 1 - self._header

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows that are not empty."""
        rows = islice(_filled_rows(self._sheet), 1 + self._has_units, None)
        while some := list(islice(rows, rows_at_once(len(self._names)))):
            numbers = np.array([number for number, _ in some])
            cells = list(zip(*(cells for _, cells in some)))
            rows_of_numbers = np.empty((len(some), len(chosen)))
            bad: dict[int, BadRow] = {}
            for k, j in enumerate(chosen):
                rows_of_numbers[:, k] = self._numbers(j, cells[j], bad)
            done = int(numbers[-1]) - self._header
            yield Batch(rows_of_numbers, numbers, done, bad, [cells[j] for j in self.beside])

    def _are_units(self, judged: list[list[Cell]]) -> bool:
        """Tell whether the first row has words where all others have numbers."""
        if len(judged) < 2:
            return False
        columns = [cells for cells in zip(*judged) if self._flaw(cells[1:]) is None]
        values = [self._notation.value(cells[0]) for cells in columns]
        words = values.count(None)
        return words > 0 and 2 * words >= len(values) and all(v is None or v != v for v in values)

    def _flaw(self, cells: Sequence[Cell]) -> str | None:
        values = [self._notation.value(cell) for cell in cells]
        numbers = sum(value is not None and value == value for value in values)
        return flaw_of(numbers, values.count(None))

    def _words(self, j: int) -> Words | None:
        column = self.columns[j]
        return Words(column.name, column.words, self._notation) if column.words else None

    def _numbers(self, j: int, cells: Sequence[Cell], bad: dict[int, BadRow]) -> list[float]:
        """Return the numbers of a column; rows where it has text are bad."""
        words = self._words(j)
        values = [(words or self._notation).value(cell) for cell in cells]
        for k, value in enumerate(values):
            if value is None:
                text, before = _text(cells[k]), bad.get(k)
                bad[k] = (
                    words.wrong(text, before)
                    if words
                    else not_a_number(self._names[j], text, before)
                )
        return [np.nan if value is None else value for value in values]


def open_excel(
    path: Path, stack: ExitStack, *, sheet: str | None = None, na: Sequence[str] = ()
) -> Sheet:
    """Open a sheet of a workbook, by default the first; formulas have the values last stored."""
    calamine = optional("python_calamine", "office")
    if path.suffix.lower() in _PARTS:
        check_parts(path)
    else:
        check_apart(path)
    with readable("the file must be a workbook"):
        book = calamine.load_workbook(path)
    stack.callback(book.close)
    name = _sheet_name(book, sheet, calamine)
    with readable(f"the sheet {name!r} cannot be read"):
        opened = book.get_sheet_by_name(name)
        refuse_large(opened.height * opened.width)
    try:
        return Sheet(opened, notation(na=na))
    except DataError as error:
        others = [each for each in book.sheet_names if each != name]
        if sheet is not None or not others:
            raise
        raise DataError(str(error), ("sheet", others[0]), "reads another sheet") from error


def _filled_rows(sheet: Any) -> Iterator[tuple[int, list[Cell]]]:
    """Yield rows that are not empty, each with its number in the sheet."""
    if sheet.start is None:
        return
    rows = enumerate(sheet.iter_rows(), start=1)
    while True:
        with readable(f"the sheet {sheet.name!r} cannot be read"):
            number, cells = next(rows, (0, []))
        if not number:
            return
        if any(not isinstance(cell, str) or cell.strip() for cell in cells):
            yield number, cells


def _names(cells: list[Cell], row: int) -> list[str]:
    """Return the names in the header, which must look like one."""
    for cell in cells:
        if isinstance(cell, float) and not cell.is_integer():
            raise DataError(f"row {row} must have the names of the columns, got the number {cell}")
    names = [_text(cell) for cell in cells]
    refuse_notes(f"row {row}", names)
    return names


def _sheet_name(book: Any, wanted: str | None, calamine: Any) -> str:
    names = book.sheet_names
    if wanted is None:
        kinds = book.sheets_metadata
        tables = [each for each in kinds if each.typ == calamine.SheetTypeEnum.WorkSheet]
        seen = [each for each in tables if each.visible == calamine.SheetVisibleEnum.Visible]
        if not tables:
            raise DataError("the workbook has no sheets")
        return str((seen or tables)[0].name)
    if wanted not in names:
        raise DataError(f"no sheet is called {wanted!r}; there are {listed(map(repr, names))}")
    return wanted


def _text(cell: Cell) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()
