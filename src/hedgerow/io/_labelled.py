"""Files of statistics packages, whose variables have labels: SPSS and Stata."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.io.judge import LINES, column_of
from hedgerow.io.notation import Notation
from hedgerow.io.source import (
    NOT_NUMERIC,
    TIME,
    BadRow,
    Batch,
    Column,
    DataError,
    optional,
    rows_at_once,
)
from hedgerow.io.words import Words

# Formats that show a number as a date, a time, or a part of one.
_SPSS_DATES = ("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "QYR", "MOYR", "WKYR", "WKDAY", "MONTH")
_SPSS_TIMES = ("DATETIME", "YMDHMS", "TIME", "DTIME", "MTIME")
_STATA_DATES = ("%t", "%-t", "%d", "%-d")

Read = Callable[..., tuple[dict[str, list[Any]], Any]]


class Labelled:
    """Variables with labels; codes that were declared as missing are missing.

    Attributes
    ----------
    labels : dict of str to str
        The labels of the variables that have one, by the variables' names.
    """

    place = "row"

    def __init__(
        self, path: Path, read: Read, is_date: Callable[[str | None], bool], labels: bool
    ) -> None:
        self._path, self._read = path, read
        self.beside: list[int] = []
        _, facts = self._call(metadataonly=True)
        self._variables: list[str] = list(facts.column_names)
        self.labels = {
            name: label.strip()
            for name, label in facts.column_names_to_labels.items()
            if label and label.strip()
        }
        self.total: int | None = facts.number_rows
        formats, types = facts.original_variable_types, facts.readstat_variable_types
        names = labelled(self._variables, self.labels) if labels else self._variables
        texts = [key for key in self._variables if types[key] == "string"]
        first = self._call(usecols=texts, row_limit=LINES - 1)[0] if texts else {}
        self.columns = [
            column_of(name, first[key], NOT_NUMERIC, Notation())
            if key in first
            else Column(name, TIME if is_date(formats[key]) else None)
            for name, key in zip(names, self._variables)
        ]

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        names = [self._variables[j] for j in chosen]
        beside = [self._variables[j] for j in self.beside]
        at_once = rows_at_once(len(chosen))
        done = 0
        while self.total is None or done < self.total:
            wanted = list(dict.fromkeys([*names, *beside]))
            columns, _ = self._call(usecols=wanted, row_offset=done, row_limit=at_once)
            n_rows = len(columns[wanted[0]])
            if not n_rows:
                break
            rows = np.empty((n_rows, len(names)))
            bad: dict[int, BadRow] = {}
            for k, (j, name) in enumerate(zip(chosen, names)):
                column, cells = self.columns[j], columns[name]
                rows[:, k] = _numbers(cells, column, bad) if column.words else cells
            numbers = np.arange(done + 1, done + n_rows + 1)
            done += n_rows
            yield Batch(rows, numbers, done, bad, [columns[name] for name in beside])
        if self.total is not None and done < self.total:
            raise DataError(f"the file must have {self.total} rows, got {done}; it is cut short")

    def _call(self, **options: Any) -> tuple[dict[str, list[Any]], Any]:
        try:
            return self._read(
                str(self._path), output_format="dict", disable_datetime_conversion=True, **options
            )
        except Exception as error:
            reason = str(error).partition("\n")[0]
            raise DataError(f"the file cannot be read: {reason}") from error


def _numbers(cells: list[Any], column: Column, bad: dict[int, BadRow]) -> list[float]:
    """Return the numbers that words stand for; rows with other words are bad."""
    words = Words(column.name, column.words, Notation())
    values = [words.value(cell) for cell in cells]
    for k, value in enumerate(values):
        if value is None:
            bad[k] = words.wrong(cells[k], bad.get(k))
    return [nan if value is None else value for value in values]


def open_spss(path: Path, stack: ExitStack, *, labels: bool = False) -> Labelled:
    """Open an SPSS file, ``.sav`` or packed ``.zsav``; with ``labels``, these are the names."""
    read = optional("pyreadstat", "office").read_sav
    return Labelled(path, read, _is_spss_date, labels)


def open_stata(path: Path, stack: ExitStack, *, labels: bool = False) -> Labelled:
    """Open a Stata file; with ``labels``, these are the names."""
    read = optional("pyreadstat", "office").read_dta
    return Labelled(path, read, lambda form: (form or "").startswith(_STATA_DATES), labels)


def labelled(names: list[str], labels: dict[str, str]) -> list[str]:
    """Return labels in place of names; labels that are there twice are followed by the name.

    >>> labelled(["v1", "v2", "v3", "v4"], {"v1": "Age", "v2": "Mood", "v3": "Mood"})
    ['Age', 'Mood (v2)', 'Mood (v3)', 'v4']
    """
    counts = Counter(labels.get(name, name) for name in names)
    return [
        f"{labels[name]} ({name})" if name in labels and counts[labels[name]] > 1
        else labels.get(name, name)
        for name in names
    ]  # fmt: skip


def _is_spss_date(form: str | None) -> bool:
    return (form or "").rstrip("0123456789.").upper() in (*_SPSS_DATES, *_SPSS_TIMES)
