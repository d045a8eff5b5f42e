"""Spreadsheets: a sheet of an Excel or OpenDocument workbook."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators._input import listed
from hedgerow.io._sheet_size import check_apart, check_parts, refuse_large
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

Cell = float | int | bool | str | date | datetime | time | timedelta | None

ROWS_JUDGED = 100
# What stands for a missing value, in any case; cells with errors (#DIV/0!) come as empty ones.
MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "-", ".", "?"))
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.I)
_LONGEST_SHOWN = 40  # characters of a bad cell
_PARTS = (".xlsx", ".xlsm")  # kinds made of parts that can be looked through quickly


class Sheet:
    """The table of a sheet: names in the first row that is not empty, and rows below."""

    place = "row"

    def __init__(self, sheet: Any) -> None:
        self._sheet = sheet
        rows = _filled_rows(sheet)
        self._header, names = next(rows, (0, []))
        if not names:
            raise DataError(f"the sheet {sheet.name!r} is empty")
        self._names = _names(names, self._header)
        judged = [cells for _, cells in islice(rows, ROWS_JUDGED)]
        if not judged:
            raise DataError(
                f"the sheet {sheet.name!r} has a header in row {self._header}, and no rows below it"
            )
        flaws = [flaw_of_cells(cells) for cells in zip(*judged)]
        _look_further(flaws, rows)
        self.columns = [
            Column(name, flaw if name else UNNAMED) for name, flaw in zip(self._names, flaws)
        ]
        self.total: int | None = sheet.end[0] + 1 - self._header

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows that are not empty; text in a column of numbers is an error."""
        rows = _filled_rows(self._sheet)
        next(rows)
        while some := list(islice(rows, rows_at_once(len(self._names)))):
            numbers = np.array([number for number, _ in some])
            cells = list(zip(*(cells for _, cells in some)))
            values = np.empty((len(some), len(chosen)))
            for k, j in enumerate(chosen):
                values[:, k], bad = numbers_of_cells(cells[j])
                if bad is not None:
                    raise _not_a_number(self._names[j], cells[j][bad], int(numbers[bad]))
            yield Batch(values, numbers, int(numbers[-1]) - self._header)


def open_excel(path: Path, stack: ExitStack, *, sheet: str | None = None) -> Sheet:
    """Open a sheet of a workbook, by default the first; formulas have the values last stored."""
    calamine = optional("python_calamine", "office")
    if path.suffix.lower() in _PARTS:
        check_parts(path)
    else:
        check_apart(path)
    with _readable("the file must be a workbook"):
        book = calamine.load_workbook(path)
    stack.callback(book.close)
    name = _sheet_name(book, sheet, calamine)
    with _readable(f"the sheet {name!r} cannot be read"):
        opened = book.get_sheet_by_name(name)
        refuse_large(opened.height * opened.width)
    try:
        return Sheet(opened)
    except DataError as error:
        others = [each for each in book.sheet_names if each != name]
        if sheet is not None or not others:
            raise
        raise DataError(str(error), ("sheet", others[0]), "reads another sheet") from error


def flaw_of_cells(cells: Sequence[Cell]) -> str | None:
    """Return why a column cannot be learned from, given its first cells.

    It is one of numbers if these are at least as many as texts and dates.

    >>> flaw_of_cells([1.5, "oops", " 2 ", None])
    >>> flaw_of_cells(["red", "blue", 3])
    'not numeric'
    >>> flaw_of_cells(["NA", ""])
    'empty'
    """
    values = [_value(cell) for cell in cells if not _is_missing(cell)]
    if not values:
        return EMPTY
    n_texts = values.count(None)
    return None if len(values) - n_texts >= n_texts else NOT_NUMERIC


def numbers_of_cells(cells: Sequence[Cell]) -> tuple[NDArray[np.float64], int | None]:
    """Return the numbers, NaN where missing, and the place of the first cell that is text.

    >>> numbers_of_cells([1, True, "2.5", "n/a"])
    (array([1. , 1. , 2.5, nan]), None)
    >>> numbers_of_cells([1, "oops"])[1]
    1
    """
    if {type(cell) for cell in cells} <= {float, int, bool}:
        return np.array(cells, dtype=np.float64), None
    values = [np.nan if _is_missing(cell) else _value(cell) for cell in cells]
    bad = values.index(None) if None in values else None
    return np.array(values, dtype=np.float64), bad


def _value(cell: Cell) -> float | None:
    """Return the number in a cell, or None if it has text or a date."""
    if isinstance(cell, float | int):
        return float(cell)
    # Python takes more for numbers than people do: 1_000, and digits of other scripts.
    if isinstance(cell, str) and _NUMBER.fullmatch(cell.strip()):
        return float(cell)
    return None


def _is_missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def _filled_rows(sheet: Any) -> Iterator[tuple[int, list[Cell]]]:
    """Yield rows that are not empty, each with its number in the sheet."""
    if sheet.start is None:
        return
    rows = enumerate(sheet.iter_rows(), start=1)
    while True:
        with _readable(f"the sheet {sheet.name!r} cannot be read"):
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
    if len(names) > 1 and sum(map(bool, names)) == 1:
        note = _shown(next(filter(None, names)))
        raise DataError(
            f"row {row}, the first that is not empty, must have the names of the columns, "
            f"got only {note}; remove what stands above the table"
        )
    return names


def _look_further(flaws: list[str | None], rows: Iterator[tuple[int, list[Cell]]]) -> None:
    """Judge columns that begin with many empty cells by their first cell that is not."""
    waiting = {j for j, flaw in enumerate(flaws) if flaw == EMPTY}
    while waiting:
        _, cells = next(rows, (0, []))
        if not cells:
            return
        for j in list(waiting):
            flaws[j] = flaw_of_cells([cells[j]])
            if flaws[j] != EMPTY:
                waiting.remove(j)


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


def _not_a_number(name: str, cell: Cell, row: int) -> DataError:
    return DataError(
        f"column {name!r} must hold numbers, got {_shown(_text(cell))} in row {row}",
        ("drop", name),
        "leaves the column out",
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…")


@contextmanager
def _readable(problem: str) -> Iterator[None]:
    """Turn whatever the reader throws at bad files into one kind of error."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{problem}, got {str(error).partition(chr(10))[0]}") from error
    except BaseException as error:
        # Compiled Rust code that gives up does not raise an ordinary exception.
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(f"{problem}: it is damaged") from error
