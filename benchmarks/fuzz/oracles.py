"""What must hold of any file: no traceback, the same rows everywhere, nothing left out unsaid."""

import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.fuzz.strategies import Case, Column, Table
from hedgerow.io import DataError, open_table
from hedgerow.io import raw as _bytes
from hedgerow.io import source as _source
from hedgerow.stream import open_source

ALLOWED = (DataError, OSError, ModuleNotFoundError)
LONGEST_MESSAGE = 2000


class Outcome(NamedTuple):
    """What a reader made of a file."""

    names: list[str]
    left_out: dict[str, list[str]]
    rows: NDArray[np.float64]
    n_rows: int  # those left out among them
    said: list[str]
    error: str = ""


@contextmanager
def buffers(case: Case) -> Iterator[None]:
    """Read and give so much at a time."""
    with (
        patch.object(_bytes, "BLOCK", case.block),
        patch.object(_source, "NUMBERS_AT_ONCE", case.at_once),
    ):
        yield


@contextmanager
def on_disk(case: Case) -> Iterator[Path]:
    """Give the file of a case a place."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case.name
        path.write_bytes(case.content)
        yield path


def refused(error: Exception) -> str:
    """Return what a reader says of a file; fail if that is no plain line."""
    text = str(error)
    assert isinstance(error, ALLOWED), f"{type(error).__name__}: {text}"
    assert_plain(text)
    return text


def assert_plain(text: str) -> None:
    """Fail unless a message is one line that leaves a terminal alone."""
    control = [c for c in text if not c.isprintable() and c not in "\u00a0\u3000"]
    assert not control, f"control characters {control} in {text!r}"
    assert text, "an empty message"
    assert len(text) <= LONGEST_MESSAGE, f"{len(text)} characters: {text[:200]!r}"


def read(case: Case, path: Path) -> Outcome:
    """Read a file as `hedgerow learn` does."""
    said: list[warnings.WarningMessage]
    with buffers(case), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with open_table(path, **case.options) as table:
                pieces = list(table)
        except Exception as error:
            return Outcome([], {}, np.empty((0, 0)), 0, _texts(said), refused(error))
    rows = np.concatenate(pieces)
    assert rows.shape == (table.n_rows - table.n_dropped, len(table.names))
    assert len(table.names) >= 2
    assert np.isfinite(rows).all()
    for name in table.left_out:
        assert_plain(name)
    return Outcome(table.names, table.left_out, rows, table.n_rows, _texts(said))


def _texts(said: list[warnings.WarningMessage]) -> list[str]:
    texts = [str(each.message) for each in said]
    for text in texts:
        assert_plain(text)
    return texts


class Streamed(NamedTuple):
    """What a stream made of a file."""

    columns: list[str]
    rows: NDArray[np.float64]
    bad: list[tuple[str, str]]
    places: list[tuple[int, dict]]  # how many rows come before an offset
    error: str = ""


def stream(case: Case, path: Path, start: tuple[dict, object] | None = None) -> Streamed:
    """Read a file as `hedgerow stream --bad-rows skip` does, from the beginning or an offset."""
    options = _of_streams(case)
    pieces, bad, places, before = [], [], [], 0
    with buffers(case), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            source = open_source(path, **options)
            if start:
                source.seek(*start)
            for chunk in source.chunks():
                pieces.append(chunk.rows)
                bad += [(row.place, row.reason) for row in chunk.bad]
                places += [(before + row.after, row.offset) for row in chunk.bad]
                before += len(chunk.rows)
                places.append((before, chunk.offset))
            source.close()
        except Exception as error:
            return Streamed([], np.empty((0, 0)), [], [], refused(error))
    for text in (*_texts(said), *(reason for _, reason in bad)):
        assert_plain(text)
    columns = source.schema.columns if source.schema else []
    full = [piece for piece in pieces if len(piece)]
    rows = np.concatenate(full) if full else np.empty((0, len(columns)))
    return Streamed(columns, rows, bad, places)


def _of_streams(case: Case) -> dict[str, Any]:
    return {key: value for key, value in case.options.items() if key != "transpose"}


def no_traceback(case: Case) -> None:
    """Any bytes are read, or refused in one line; chunks make no difference."""
    with on_disk(case) as path:
        found = read(case, path)
        whole = read(case._replace(block=1 << 22, at_once=1_000_000), path)
        assert_same(found, whole)
        flowing = stream(case, path)
        _agree(case, found, flowing)


def assert_same(one: Outcome, other: Outcome) -> None:
    """Fail unless two readings are the same to the last bit."""
    # What is wrong first, and how much of it there is, may depend on what came together.
    assert bool(one.error) == bool(other.error), (one.error, other.error)
    assert one.names == other.names
    assert one.left_out == other.left_out
    assert one.n_rows == other.n_rows
    assert_bits(one.rows, other.rows)


def assert_bits(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    """Fail unless numbers are the same to the last bit."""
    assert one.shape == other.shape, f"shapes {one.shape} and {other.shape}"
    np.testing.assert_array_equal(one, other)


def _agree(case: Case, found: Outcome, flowing: Streamed) -> None:
    """Fail unless a stream has what a table has, where rows may be left out."""
    if found.error or case.options["missing"] != "drop" or case.options.get("transpose"):
        return
    assert not flowing.error, flowing.error
    assert flowing.columns == found.names
    assert_bits(flowing.rows, found.rows)
    assert len(flowing.bad) == found.n_rows - len(found.rows)


def nothing_unsaid(case: Case) -> None:
    """Every column and row of a table is read to the last bit, or named as left out."""
    assert case.table is not None
    with on_disk(case) as path:
        found = read(case, path)
        flowing = stream(case, path)
        _agree(case, found, flowing)
        table = _rows_meant(case, found)
        is_told = "delimiter" in case.options
        if found.error:
            assert _is_justified(found.error, case, table), found.error
            return
        _check_resuming(case, path, flowing)
    if not _names_fit(found, table) and (not is_told or _may_trail(case)):
        return  # a guess about names or delimiters, which is a matter of taste
    _check_columns(found, table)
    _check_rows(case, found, flowing, table)


def _rows_meant(case: Case, found: Outcome) -> Table:
    """Return the table with or without a first row, by what was said of units."""
    table, is_said = case.table, any("taken for units" in text for text in found.said)
    assert table is not None
    if is_said and not case.look.units:
        return Table(tuple(c._replace(cells=c.cells[1:]) for c in table.columns))
    if case.look.units and not is_said:
        return Table(tuple(c._replace(cells=("cm", *c.cells)) for c in table.columns))
    return table


def _is_justified(error: str, case: Case, table: Table) -> bool:
    """Tell whether what is said of a table that cannot be read is true."""
    names = Counter(column.name for column in table.columns if column.name)
    learnable = [c for c in table.columns if c.name and np.isfinite(c.numbers).any()]
    bad = any(isinstance(cell, str) for column in learnable for cell in column.cells)
    gaps = any(np.isnan(column.numbers).any() for column in learnable)
    few = min(sum(isinstance(c, float) for c in col.cells) for col in learnable) if learnable else 0
    sparse = 2 * few < table.n_rows or table.n_rows > 100  # a column may be taken for text
    is_error = case.options["missing"] == "error"
    reasons = {
        # Where there are none, a row may be taken for names.
        "column names must differ": max(names.values(), default=0) > 1 or not case.look.header,
        "at least two columns": len(learnable) < 2 or sparse or len(table.columns) < 2,
        "values must not be missing": is_error and (gaps or bad),
        "must hold numbers": is_error and bad,
        "no row is left": not is_error and (gaps or bad),
        "must be text in UTF-8 or UTF-16": case.look.encoding in ("utf-16-le", "utf-16-be"),
        "has a header, and no rows below it": table.n_rows == 0,
        "got several spaces on end": case.look.delimiter == " ",  # where a cell is empty
    }
    if "delimiter" not in case.options:
        reasons |= {
            "may be": True,
            "numbers must be written in one way": True,
            "and no rows below it": table.n_rows <= 2,
            "rows must have as many cells": len(table.columns) < 2,  # and a name has a space
            "a row must have": case.look.quoting == "stray" or case.look.decimal == ",",
            "numbers must be between": case.look.decimal == ",",
        }
    return any(reason in error and holds for reason, holds in reasons.items())


def _may_trail(case: Case) -> bool:
    """Tell whether names of rows look like a delimiter too many: nothing is in the last column."""
    assert case.table is not None
    is_empty = not any(isinstance(cell, float | str) for cell in case.table.columns[-1].cells[:100])
    return case.look.row_names and is_empty and not case.look.mark.strip()


_OF_TEXT = (_source.NOT_NUMERIC, _source.CATEGORIES, _source.WITH_UNITS, _source.TIME)


def _names_fit(found: Outcome, table: Table) -> bool:
    return _all_names(found) == Counter(_shown(table.columns))


def _all_names(found: Outcome) -> Counter[str]:
    return Counter([*found.names, *(name for some in found.left_out.values() for name in some)])


def _shown(columns: tuple[Column, ...]) -> list[str]:
    return [column.name or f"number {j + 1}" for j, column in enumerate(columns)]


def _check_columns(found: Outcome, table: Table) -> None:
    assert _all_names(found) == Counter(_shown(table.columns))
    by_name = dict(zip(_shown(table.columns), table.columns))
    for flaw, names in found.left_out.items():
        for name in names:
            cells = by_name[name].cells
            if flaw in (_source.EMPTY, _source.EMPTY_AT_FIRST):
                assert not any(isinstance(cell, float) for cell in cells[:100]), name
            elif flaw in _OF_TEXT:
                texts = sum(isinstance(cell, str) for cell in cells[:100])
                assert texts > sum(isinstance(cell, float) for cell in cells[:100]), name
            else:
                assert name.startswith("number "), (flaw, name)


def _check_rows(case: Case, found: Outcome, flowing: Streamed, table: Table) -> None:
    by_name = {column.name: column for column in table.columns}
    numbers = np.column_stack([by_name[name].numbers for name in found.names])
    complete = np.isfinite(numbers).all(axis=1)
    assert found.n_rows == table.n_rows
    assert_bits(found.rows, numbers[complete])
    if case.table is not None and case.table.n_rows == table.n_rows and not flowing.error:
        lines = [f"line {case.lines[k]}" for k in np.flatnonzero(~complete)]
        assert [place for place, _ in flowing.bad] == lines


def _check_resuming(case: Case, path: Path, flowing: Streamed) -> None:
    """A stream that goes on from any of its places has exactly the rest."""
    step = max(1, len(flowing.places) // 4)
    for before, offset in flowing.places[::step]:
        source = stream(case, path, (offset, _schema(case, path)))
        assert not source.error, source.error
        if flowing.columns:
            assert_bits(source.rows.reshape(-1, len(flowing.columns)), flowing.rows[before:])


def _schema(case: Case, path: Path) -> object:
    options = _of_streams(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = open_source(path, **options)
        for _ in source.chunks():
            break
        source.close()
    return source.schema
