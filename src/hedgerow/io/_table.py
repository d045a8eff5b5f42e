"""Rows of a file, or of stdin, in batches that fit in memory whatever the size of the file."""

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import LARGEST_NUMBER, one_of
from hedgerow.base.words import listed
from hedgerow.estimators import DataWarning
from hedgerow.io._late import with_late
from hedgerow.io._totals import Totals
from hedgerow.io._turned import Turned, looks_turned
from hedgerow.io.absent import Codes, Texts
from hedgerow.io.choose import MISSING, Wish, choose, place_of, with_given
from hedgerow.io.differences import Differences
from hedgerow.io.in_time import Order, order_in_time, sorted_batches
from hedgerow.io.notation import Notation, notation
from hedgerow.io.opening import STDIN, Reading, open_rows, reading
from hedgerow.io.source import (
    CATEGORIES,
    COUNTER,
    EMPTY_AT_FIRST,
    TIME,
    Batch,
    Column,
    DataError,
    Reader,
)
from hedgerow.io.text import Text
from hedgerow.io.times import times_of
from hedgerow.io.watch import Watch
from hedgerow.io.words import confirmed, group_name, with_orders


class Table:
    """The columns of numbers in a file; iteration gives their rows, a batch at a time, once.

    It is also a context manager that closes the file.

    Attributes
    ----------
    names : list of str
        The columns that are read.
    left_out : dict of str to list of str
        The columns that are not, by the reason.
    total : int or None
        What `done` reaches in the end: bytes of a text file, rows of others.
    done : int
        How much of ``total`` has been read.
    n_rows, n_dropped : int
        Rows read so far, and how many of them were left out: because a value was missing, or, if
        such rows are used, because all values were.
    n_missing : int
        Missing cells in the rows that were not left out.
    differences : Differences or None
        What was subtracted from rows, and which of them have nothing to subtract.
    words : dict of str to tuple of str
        Of the columns that are read as words, these in the order of their numbers.
    groups : list of str
        Of each row of the batch that was given last, the group, if a column says it (``by``).
    held : dict of str to str
        The columns that are held fixed (``given``), and how: as "numbers" or "categories".
    texts : dict of str to list
        Of these, the cells of categories that are texts, in the batch that was given last.
    """

    def __init__(
        self,
        source: Reader,
        wish: Wish,
        missing: str,
        na: Notation,
        order: Order | None,
        differences: Differences | None,
        files: ExitStack,
    ) -> None:
        self._chosen, self.left_out = choose(source.columns, wish)
        self.names = [source.columns[j].name for j in self._chosen]
        self.words = {
            source.columns[j].name: source.columns[j].words
            for j in self._chosen
            if source.columns[j].words
        }
        self.total = source.total
        self.done = 0
        self.n_rows = self.n_dropped = self.n_missing = 0
        self._source, self._files, self._na = source, files, na
        self._missing, self._id, self._order = missing, wish.id, order
        self._time, self.differences = wish.time, differences
        self._watch = None if wish.time or isinstance(source, Turned) else self._found_time()
        watched = [self._watch.name] if self._watch else []
        source.beside = [place_of(name, source.columns) for name in (*watched, *wish.beside)]
        self.groups: list[str] = []
        self._by = None if wish.by is None else len(watched) + (wish.time is not None)
        self.held = dict.fromkeys(wish.given, "numbers")
        self.held |= dict.fromkeys(wish.as_text, "categories")
        self.texts: dict[str, list[str | None]] = {}
        before = len(watched) + len(wish.beside) - len(wish.as_text) - (wish.id is not None)
        self._texts_at = {name: before + k for k, name in enumerate(wish.as_text)}
        self._blamed = np.zeros(len(self.names), dtype=np.int64)  # missing values, by column
        self._texts, self._codes = Texts(), Codes(self.names)
        self._totals = Totals(len(self.names))
        self._ids: dict[str, int] = {}
        self._repeated: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        n_given = 0
        for batch in self._batches():
            if not self.n_rows:
                self._hint(batch)
            self.done = batch.done
            self.n_rows += len(batch.rows)
            if self._watch is not None:
                self._watch.take(batch.beside[0], batch.numbers)
            rows = self._to_learn(self._without_texts(batch))
            n_given += len(rows)
            if len(rows):
                yield rows
        if not self.n_rows:
            raise DataError("the file has no rows")
        if self.n_rows == self.n_dropped:
            lacks = "no value" if self._missing == "use" else "a missing value"
            raise DataError(f"no row is left, each has {lacks}, by column: {self._by_column()}")
        if not n_given and self.differences is not None:
            raise DataError(
                f"no row is left, each has none {self.differences.apart} before it to subtract, "
                f"or a gap between"
            )
        self._tell()

    @property
    def why_dropped(self) -> str:
        """What rows are left out for, in words."""
        return "without any value" if self._missing == "use" else "with missing values"

    def _found_time(self) -> Watch | None:
        """Return a watch on a column that was taken for times."""
        names = [*self.left_out.get(TIME, ()), *self.left_out.get(COUNTER, ())]
        return Watch(names[0], self._source.place) if names else None

    def _batches(self) -> Iterator[Batch]:
        batches = (batch for batch in self._source.batches(self._chosen) if batch is not None)
        return batches if self._order is None else sorted_batches(batches, self._order)

    def _without_texts(self, batch: Batch) -> Batch:
        """Take cells of text for missing, unless a missing cell is an error."""
        rows = self._na.blank(batch.rows)
        for k, wrong in batch.bad.items():
            where = f"{self._source.place} {batch.numbers[k]}"
            if wrong.column is None or self._missing == "error":
                raise _refused(where, wrong.reason, wrong.column)
            self._texts.take(wrong, where)
        if self._id is not None:
            self._note_ids(batch)
        return batch._replace(rows=rows)

    def _to_learn(self, batch: Batch) -> NDArray[np.float64]:
        """Return the rows that are used, or their differences."""
        used = self._used(batch)
        self._codes.take(batch.rows)
        self._totals.take(batch.rows[used])
        if self._by is not None:
            names = [group_name(cell) for cell in batch.beside[self._by]]
            used = used & np.array([bool(name) for name in names], dtype=np.bool_)
            self.groups = [name for name, is_used in zip(names, used) if is_used]
        for name, place in self._texts_at.items():
            cells = zip(batch.beside[place], used)
            self.texts[name] = [group_name(cell) or None for cell, is_used in cells if is_used]
        if self.differences is None:
            return batch.rows if used.all() else batch.rows[used]
        times = None if self._time is None else times_of(batch.beside[0])
        return self.differences.take(np.where(used[:, None], batch.rows, np.nan), times)

    def _used(self, batch: Batch) -> NDArray[np.bool_]:
        """Return which rows are used, by their missing values; refuse what cannot be squared."""
        low, high = batch.rows.min(initial=0.0), batch.rows.max(initial=0.0)  # NaN if a cell is
        if low >= -LARGEST_NUMBER and high <= LARGEST_NUMBER:
            return np.ones(len(batch.rows), dtype=np.bool_)
        large = np.argwhere(np.abs(batch.rows) > LARGEST_NUMBER)
        if len(large):
            k, j = large[0]
            raise DataError(
                f"numbers must be between ±{LARGEST_NUMBER:g}, got {batch.rows[k, j]:g} in column "
                f"{self.names[j]!r}, {self._source.place} {batch.numbers[k]}",
                ("na", repr(float(batch.rows[k, j]))),
                "takes this number for a missing value",
            )
        missing = np.isnan(batch.rows)
        self._blamed += missing.sum(axis=0)
        if self._missing == "use":
            nothing: NDArray[np.bool_] = np.logical_and.reduce(missing, axis=1)
            self.n_dropped += int(nothing.sum())
            self.n_missing += int(missing[~nothing].sum())
            return np.logical_not(nothing)
        incomplete = missing.any(axis=1)
        if incomplete.any() and self._missing == "error":
            rows = f"{'' if self.done == self.total else 'first '}{self.n_rows} rows"
            raise DataError(
                f"values must not be missing, got {missing.sum()} missing in {incomplete.sum()} "
                f"of the {rows}, by column: {self._by_column()}",
                ("missing", "use"),
                "learns from such rows",
            )
        self.n_dropped += int(incomplete.sum())
        return np.logical_not(incomplete)

    def _by_column(self) -> str:
        worst = np.argsort(-self._blamed, kind="stable")
        return listed(f"{self.names[j]!r} ({self._blamed[j]})" for j in worst if self._blamed[j])

    def _note_ids(self, batch: Batch) -> None:
        for name, number in zip(batch.beside[-1], batch.numbers.tolist()):
            first = self._ids.setdefault(str(name).strip(), number)
            if first != number:
                self._repeated.append(f"{name!r} ({self._source.place}s {first} and {number})")

    def _hint(self, batch: Batch) -> None:
        labels = self._source.labels if isinstance(self._source, Text) else ()
        alike = looks_turned(labels, batch.rows)
        if alike is not None:
            _warn(
                "rows look like variables and columns like samples, since the columns agree about "
                f"which rows are large (rank correlation {alike:.2f}); transpose=True "
                "(--transpose) takes rows for variables"
            )

    def _tell(self) -> None:
        new = getattr(self._source, "new", ())
        if new:
            _warn(f"columns that come later are not learned from: {listed(map(repr, sorted(new)))}")
        if self._watch is not None:
            option = f"time={self._watch.name!r} (--time)"
            for note in self._watch.notes(f"{option} sorts them"):
                _warn(note)
        for found in (*self._texts.notes(), *self._codes.notes()):
            _warn(found)
        if self._totals.found:
            _warn(
                "the last row has the sums of all others: it is a total, and is learned from like "
                "any row; remove it"
            )
        if self._repeated:
            _warn(
                f"rows that share a name in column {self._id!r} are not independent: "
                f"{listed(self._repeated)}"
            )


def open_table(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    missing: str = "use",
    time: str | None = None,
    id: str | None = None,
    transpose: bool = False,
    difference: int | None = None,
    by: str | None = None,
    given: Sequence[str] = (),
    **how: Any,
) -> Table:
    """Open a file for reading in batches.

    Parameters
    ----------
    path : str or path
        Delimited text (``.csv``, ``.tsv``, ``.tab``, ``.txt``) and JSON lines (``.ndjson``,
        ``.jsonl``), also packed (``.gz``); Parquet (``.parquet``, ``.pq``), Arrow (``.arrow``,
        ``.feather``, ``.ipc``), ``.npy``, AnnData (``.h5ad``), spreadsheets (``.xlsx`` and the
        like), SPSS (``.sav``, ``.zsav``), Stata (``.dta``); or ``"-"`` for text on standard input.
    columns, drop : sequences of str
        Columns to read (by default all of numbers) and to leave out: names, several names between
        commas, or patterns with ``*`` and ``?``.
    missing : {"use", "error", "drop"}
        What to do with rows that have empty cells, NaN, NA or the like, or text in columns of
        numbers: give them, with NaN in such cells; refuse the file; or leave such rows out. Rows
        that have nothing else are left out in any case.
    time, id : str, optional
        Columns that say when a row was made, and what it is called; they are no variables. Rows
        are sorted by time if they are not in order; names that come twice are told.
    transpose : bool
        Whether rows are variables and columns are samples. The table is then read into memory.
    difference : int, optional
        Give each row minus the one so many rows before it, never across a gap in ``time`` or with
        a row that was left out (`hedgerow.io.differences`).
    by : str, optional
        Column that says which group a row is of; `Table.groups` has it. It is no variable, and rows
        without a group are left out. With ``by``, rows are not subtracted from each other.
    given : sequence of str
        Columns that are held fixed, named as in ``columns``; they may be texts. `Table.held` has
        them. With these, too, rows are not subtracted from each other.
    delimiter : str, optional
        One character between cells, or ``"tab"``; found in the first lines by default.
    header : bool, optional
        Whether the first line of delimited text has the names; found out by default. Columns
        without names are called ``x0``, ``x1`` and so on.
    decimal : {".", ","}, optional
        What comes before the fraction of a number in text; found out by default.
    na : sequence of str
        What also stands for a missing value: text, or numbers such as ``"-99"``.
    order : sequence of str
        Words from the lowest to the highest, as ``"never,sometimes,always"``: columns of text whose
        words are all among them are steps.
    sheet : str, optional
        The sheet of a spreadsheet; by default the first.
    layer : str, optional
        The layer of AnnData to read in place of its matrix ``X``.
    obs : sequence of str
        Columns of AnnData's ``obs`` that are variables too.
    labels : bool
        Whether variables of SPSS and Stata go by their labels instead of their names.

    Returns
    -------
    Table
        Iterate over it once for arrays of rows.

    Warns
    -----
    DataWarning
        Of what was found out about the file and may be otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "bodies.csv"
    >>> _ = file.write_text("name,height,mass\\nAda,1.7,60\\nBob,1.8,75\\n")
    >>> table = open_table(file)
    >>> table.names, table.left_out
    (['height', 'mass'], {'not numeric': ['name']})
    >>> next(iter(table))
    array([[ 1.7, 60. ],
           [ 1.8, 75. ]])
    """
    one_of("missing", missing, MISSING)
    differences = None if difference is None else Differences(difference)
    options = reading(**how)
    if by is not None and (transpose or difference is not None):
        raise ValueError("by needs a row for each sample, and goes with no difference")
    if given and (transpose or difference is not None):
        raise ValueError("given needs a row for each sample, and goes with no difference")
    order = None
    if time is not None:
        if os.fspath(path) == STDIN or transpose:
            raise ValueError("time needs a file with a row for each sample, that can be read twice")
        order = _order(path, options, time)
    with ExitStack() as stack:
        source = open_rows(path, options, stack)
        for note in getattr(source, "notes", ()):
            _warn(note)
        if transpose:
            source = Turned(source)
        elif os.fspath(path) != STDIN:
            _look_for_late(path, options, source)
        source.columns = with_orders(source.columns, options.order)
        wish = with_given(source.columns, Wish(columns, drop, time, id, by=by, given=given))
        na = notation(na=options.na)
        if os.fspath(path) != STDIN and not transpose:
            _confirm_words(path, options, source, wish)
        table = Table(source, wish, missing, na, order, differences, stack.pop_all())
        if isinstance(source, Turned) and source.left_out:
            table.left_out["no numbers"] = source.left_out
        return table


def _look_for_late(path: str | os.PathLike[str], options: Reading, source: Reader) -> None:
    """Look through a file for cells of columns whose first rows have none."""
    if any(column.flaw == EMPTY_AT_FIRST for column in source.columns):
        with ExitStack() as stack:
            again = open_rows(path, options, stack)
            decimal = again.layout.decimal if isinstance(again, Text) else "."
            source.columns = with_late(source.columns, again, notation(decimal, options.na))


def _confirm_words(
    path: str | os.PathLike[str], options: Reading, source: Reader, wish: Wish
) -> None:
    """Look through a file for a third word in columns whose first rows have two."""
    chosen, _ = choose(source.columns, wish)
    doubtful = [source.columns[j] for j in chosen if len(source.columns[j].words) == 2]
    if not doubtful:
        return
    with ExitStack() as stack:
        sure = confirmed(open_rows(path, options, stack), doubtful, notation(na=options.na))
    for j, column in enumerate(source.columns):
        if not sure.get(column.name, True):
            source.columns[j] = Column(column.name, CATEGORIES)


def _order(path: str | os.PathLike[str], options: Reading, time: str) -> Order | None:
    with ExitStack() as stack:
        source = open_rows(path, options, stack)
        source.beside = [place_of(time, source.columns)]
        return order_in_time(source, time)


def _refused(where: str, reason: str, column: str | None) -> DataError:
    if column is None:
        return DataError(f"{where}: {reason}")
    return DataError(
        f"{where}: {reason}",
        ("missing", "use"),
        "takes such cells for missing",
    )


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=3)
