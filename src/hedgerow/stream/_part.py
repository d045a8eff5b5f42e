"""One file of a source, as chunks of rows with places to come back to."""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.base.words import listed
from hedgerow.estimators import DataWarning
from hedgerow.io.absent import Texts
from hedgerow.io.choose import Wish, place_of, refuse_repeated
from hedgerow.io.in_time import InTime, check_times
from hedgerow.io.layout import Layout
from hedgerow.io.notation import Notation, flaw_of_number
from hedgerow.io.opening import OPENERS, Reading
from hedgerow.io.source import COUNTER, TIME, Batch, Column, DataError, Offset
from hedgerow.io.text import Before
from hedgerow.io.times import FORMS
from hedgerow.io.watch import Watch
from hedgerow.io.words import group_name, in_words
from hedgerow.stream._source import BadRow, Chunk, Schema, first_schema

_NOTHING = np.empty((0, 0))


class Reader(Protocol):
    """A file that is read from a place on; `hedgerow.io.text.Text` is one."""

    columns: list[Column]
    beside: list[int]
    place: str

    @property
    def new(self) -> set[str]:
        """Names met that are those of no column."""

    def look(self, before: Before | None = None) -> Iterator[None]:
        """Find the columns; yields while there is too little to tell."""

    def resume(self, offset: Offset, before: Before) -> Iterator[None]:
        """Go to a place; yields while it cannot be reached yet."""

    def batches(self, chosen: list[int]) -> Iterator[Batch | None]:
        """Yield the rows as they come, or None while there are none yet."""

    def start(self) -> Offset:
        """Return the place before everything."""

    def offset(self, batch: Batch, k: int) -> Offset:
        """Return the place of a row of the last batch, or for its length the one behind it."""

    def close(self) -> None:
        """Let go of the file."""


class Known(NamedTuple):
    """What the files before have told."""

    texts: Texts  # in columns of numbers
    schema: Schema | None = None
    layout: Layout | None = None
    time: float = -np.inf  # of the last row
    watch: Watch | None = None  # on times that nobody asked about

    def notes(self) -> list[str]:
        """Return what was noticed in rows, and is worth saying."""
        of_times = self.watch.notes(_remedy(self.watch)) if self.watch else []
        return [*of_times, *self.texts.notes()]


class Part:
    """The rows of one file, with the columns of the whole source."""

    def __init__(self, reader: Reader, wish: Wish, known: Known, na: Notation) -> None:
        self._reader, self._wish, self._na = reader, wish, na
        self.known = known
        self._told: set[str] = set()

    def chunks(self, offset: Offset | None) -> Iterator[Chunk]:
        """Yield the rows after an offset, or all; no rows while nothing comes."""
        reader = self._reader
        schema = self.known.schema or Schema([], [])
        names = schema.columns, schema.others
        before = Before(self.known.layout, *names) if schema.columns else None
        last = offset or reader.start()
        if offset is None:
            looking = reader.look(before)
        else:
            time = offset.get("time")
            self.known = self.known._replace(time=-np.inf if time is None else time)
            looking = reader.resume(offset, before or Before(None, [], []))
        for _ in looking:
            yield Chunk(_NOTHING, last)
        schema = self._learn_columns(is_new=offset is None)
        _use_words(reader, schema)
        places = {column.name: j for j, column in enumerate(reader.columns)}
        there = [name in places for name in schema.columns]
        reader.beside = []
        if self._wish.time is not None:
            reader.beside = [place_of(self._wish.time, reader.columns)]
        watch = self.known.watch
        watched = watch is not None and watch.name in places
        if watch is not None and watched:
            reader.beside = [places[watch.name]]
        reader.beside += [place_of(name, reader.columns) for name in schema.texts]
        for batch in reader.batches([places[n] for n in schema.columns if n in places]):
            if batch is not None:
                if watch is not None and watched:
                    self._look_at_times(watch, batch)
                last, chunk = self._chunk(batch, np.array(there, dtype=np.bool_))
                yield chunk
                self._tell_new(reader.new)
            else:
                yield Chunk(_NOTHING, last)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()

    def _learn_columns(self, is_new: bool) -> Schema:
        """Return the columns, which the first file of all decides; say what is left out."""
        reader, schema = self._reader, self.known.schema
        layout = getattr(reader, "layout", None)
        if layout is None or not layout.delimiter:
            layout = self.known.layout
        for note in getattr(reader, "notes", ()) if is_new else ():
            _warn(note)
        if schema is None:
            schema, left_out = first_schema(reader.columns, self._wish)
            for flaw, names in left_out.items():
                _warn(f"columns are left out ({flaw}): {listed(map(repr, names))}")
            for sentence in in_words(schema.words):
                _warn(sentence.removesuffix("."))
            times = [*left_out.get(TIME, ()), *left_out.get(COUNTER, ())]
            if times and self._wish.time is None:
                self.known = self.known._replace(watch=Watch(times[0], reader.place))
        else:
            refuse_repeated([each.name for each in reader.columns if each.name in schema.columns])
            self._tell_new({column.name for column in reader.columns} - {*schema.columns})
        self.known = self.known._replace(schema=schema, layout=layout)
        return schema

    def _look_at_times(self, watch: Watch, batch: Batch) -> None:
        """Say what times tell against the order of rows, when it is first seen."""
        known = watch.n_back > 0, watch.n_same > 0
        watch.take(batch.beside[0], batch.numbers)
        if (watch.n_back > 0, watch.n_same > 0) != known:
            for note in watch.notes(_remedy(watch)):
                _warn(f"so far, {note}")

    def _tell_new(self, names: set[str]) -> None:
        """Say which names are new; nothing is learned from them."""
        schema = self.known.schema or Schema([], [])
        new = sorted(names - {*schema.columns, *schema.others, ""} - self._told)
        if new:
            self._told.update(new)
            _warn(
                f"columns that came later are not learned from: {listed(map(repr, new))}; "
                "a run that begins without a checkpoint takes them in"
            )

    def _chunk(self, batch: Batch, there: NDArray[np.bool_]) -> tuple[Offset, Chunk]:
        rows = np.full((len(batch.rows), len(there)), np.nan)
        rows[:, there] = self._na.blank(batch.rows)
        wrong = self._refused(batch)
        in_time = None
        if self._wish.time is not None:
            in_time = check_times(batch.beside[0], self.known.time)
            self.known = self.known._replace(time=in_time.last)
            for k in np.flatnonzero(in_time.late).tolist():
                wrong.setdefault(k, self._late(batch.beside[0][k]))
        schema = self.known.schema or Schema([], [])
        names = schema.columns
        texts = _texts(batch, schema.texts)
        refused = {*wrong}
        unheld = _without_given(rows, texts, schema)
        wrong |= {k: why for k, why in unheld.items() if k not in wrong}
        for k in unusable_rows(rows, gaps=self._wish.missing == "use"):
            wrong.setdefault(k, why_unusable(names, rows[k]))
        lacks = lacking(rows) | {*unheld}
        skip = set() if self._wish.missing == "error" else lacks - refused
        bad = [
            BadRow(
                k - count,
                self._offset(batch, k, in_time),
                f"{self._reader.place} {batch.numbers[k]}",
                wrong[k],
                k in skip,
            )
            for count, k in enumerate(sorted(wrong))
        ]
        times = None if in_time is None else in_time.times
        if wrong:
            rows = np.delete(rows, list(wrong), axis=0)
            times = None if times is None else np.delete(times, list(wrong))
        held = {
            name: [cell for k, cell in enumerate(cells) if k not in wrong]
            for name, cells in texts.items()
        }
        offset = self._offset(batch, len(batch.rows), in_time)
        return offset, Chunk(rows, offset, bad, times, held)

    def _refused(self, batch: Batch) -> dict[int, str]:
        """Return why rows are none; cells of text are missing ones, unless those are an error."""
        wrong = {}
        for k, flaw in batch.bad.items():
            if flaw.column is None or self._wish.missing == "error":
                wrong[k] = flaw.reason
                continue
            where = f"{self._reader.place} {batch.numbers[k]}"
            for column, text in flaw.cells:
                if column not in self.known.texts.columns:
                    _warn(f"cells of text in {column!r} count as missing, as {text} in {where}")
            self.known.texts.take(flaw, where)
        return wrong

    def _offset(self, batch: Batch, k: int, in_time: InTime | None) -> Offset:
        offset = self._reader.offset(batch, k)
        if in_time is not None:
            time = np.r_[in_time.before, in_time.last][k]
            offset["time"] = float(time) if np.isfinite(time) else None
        return offset

    def _late(self, value: object) -> str:
        name = self._wish.time
        return f"times in column {name!r} must not go back, and be {FORMS}, got {value!r:.40}"


class Typed:
    """A file whose columns are typed (Parquet, NumPy, ...), read from some row on."""

    place = "row"

    def __init__(self, path: Path, how: Reading) -> None:
        self._files = ExitStack()
        self._source = OPENERS[path.suffix.lower()](path, self._files, how)
        self.columns = self._source.columns
        self.beside: list[int] = []
        self.new: set[str] = set()
        self._start = 0

    def look(self, before: Before | None = None) -> Iterator[None]:
        """Nothing is left to find."""
        return iter(())

    def resume(self, offset: Offset, before: Before) -> Iterator[None]:
        """Go on from a row."""
        self._start = offset["row"]
        total = self._source.total or 0
        if self._start > total:
            raise DataError(
                f"the file must only grow; {self._start} rows were read, and it has {total}"
            )
        return iter(())

    def batches(self, chosen: list[int]) -> Iterator[Batch | None]:
        """Yield the rows from there on."""
        self._source.beside = self.beside
        row = 0
        for batch in self._source.batches(chosen):
            if batch is None:
                continue
            skipped = min(max(self._start - row, 0), len(batch.rows))
            row += len(batch.rows)
            self._row = row
            if skipped < len(batch.rows):
                yield Batch(
                    batch.rows[skipped:],
                    batch.numbers[skipped:],
                    batch.done,
                    {k - skipped: wrong for k, wrong in batch.bad.items() if k >= skipped},
                    [values[skipped:] for values in batch.beside],
                )

    def start(self) -> Offset:
        """Return the place before everything."""
        return {"row": 0}

    def offset(self, batch: Batch, k: int) -> Offset:
        """Return the number of rows before a row of the last batch."""
        return {"row": self._row - len(batch.rows) + k}

    def close(self) -> None:
        """Let go of the file."""
        self._files.close()


def _use_words(reader: Reader, schema: Schema) -> None:
    """Let words stand for the numbers that they have in the whole source."""
    for j, column in enumerate(reader.columns):
        reader.columns[j] = column._replace(words=tuple(schema.words.get(column.name, ())))


def _texts(batch: Batch, names: list[str]) -> dict[str, list[str]]:
    """Return the cells of texts that are held fixed, which come last beside the rows."""
    last = batch.beside[len(batch.beside) - len(names) :]
    return {name: [group_name(cell) for cell in cells] for name, cells in zip(names, last)}


def _without_given(
    rows: NDArray[np.float64], texts: dict[str, list[str]], schema: Schema
) -> dict[int, str]:
    """Return the rows in which a column that is held fixed has no value, and which."""
    found: dict[int, str] = {}
    for name in schema.given:
        if name in texts:
            absent = [k for k, cell in enumerate(texts[name]) if not cell]
        else:
            absent = np.flatnonzero(np.isnan(rows[:, schema.columns.index(name)])).tolist()
        for k in absent:
            found.setdefault(k, f"column {name!r}, which is given, has no value")
    return found


def unusable_rows(rows: NDArray[np.float64], *, gaps: bool) -> list[int]:
    """Return the rows with a value that cannot be squared, or is missing; with ``gaps``, all."""
    small, missing = np.abs(rows) <= LARGEST_NUMBER, np.isnan(rows)
    usable = (small | missing).all(axis=1) & ~missing.all(axis=1) if gaps else small.all(axis=1)
    return np.flatnonzero(~usable).tolist()


def why_unusable(names: list[str], row: NDArray[np.float64]) -> str:
    """Return what is wrong with the first such value; of a row of which some are there, with it."""
    if np.isnan(row).all():
        return "no column has a value"
    flaws = [flaw_of_number(*cell) for cell in zip(names, row.tolist())]
    large = [flaw for flaw, value in zip(flaws, row) if flaw and value == value]
    return next((flaw for flaw in (*large, *flaws) if flaw), "")


def lacking(rows: NDArray[np.float64]) -> set[int]:
    """Return the rows that lack a value, and have none that cannot be squared."""
    missing = np.isnan(rows)
    fine = ((np.abs(rows) <= LARGEST_NUMBER) | missing).all(axis=1)
    return set(np.flatnonzero(missing.any(axis=1) & fine).tolist())


def _remedy(watch: Watch) -> str:
    return f"--time {watch.name!r} takes such rows for bad ones"


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)
