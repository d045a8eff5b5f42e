"""Rows from entries that have fields, or one field that holds a JSON object."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.delimited import Found, numbers_between
from hedgerow.io.json_lines import Objects, object_in
from hedgerow.io.judge import FIRST_LINES, LINES, survey_objects
from hedgerow.io.notation import notation
from hedgerow.io.records import Block, joined
from hedgerow.io.source import BadRow, Batch, Column, DataError, Offset
from hedgerow.io.text import Before

Entry = dict[bytes, bytes]
Entries = list[tuple[bytes, Entry]]

_JSON = b"json"


class Pulled(NamedTuple):
    """Entries, and the place before them."""

    before: Offset
    entries: Entries


class EntryReader:
    """Reads entries as they come; ``pull`` gives some, None if there are none yet, or the end."""

    place = "entry"

    def __init__(self, pull: Callable[[], Pulled | None], start: Offset, na: tuple[str, ...]):
        self._pull, self._start, self._notation = pull, start, notation(na=na)
        self.columns: list[Column] = []
        self.beside: list[int] = []
        self.new: set[str] = set()
        self._ahead: deque[Pulled] = deque()
        self._ended = False
        self._current = Pulled(start, [])

    def look(self, before: Before | None = None) -> Iterator[None]:
        """Take in entries until they tell what the columns are."""
        while True:
            found = [entry for _, entries in self._ahead for _, entry in entries]
            if self._judge(found):
                return
            yield from self._take()

    def resume(self, offset: Offset, before: Before) -> Iterator[None]:
        """The place is in what is pulled, and the columns are known."""
        self.columns = before.columns
        return iter(())

    def batches(self, chosen: list[int]) -> Iterator[Batch | None]:
        """Yield the rows as they come, or None while there are none yet."""
        names = [column.name for column in self.columns]
        objects = Objects(self.columns, chosen, self._notation)
        objects.new = self.new
        while True:
            while self._ahead:
                self._current = self._ahead.popleft()
                yield self._batch(self._current.entries, objects, [names[j] for j in chosen])
            if self._ended:
                return
            yield from self._take()

    def start(self) -> Offset:
        """Return the place before everything."""
        return dict(self._start)

    def offset(self, batch: Batch, k: int) -> Offset:
        """Return the place before an entry of the last batch, or for its length the one behind."""
        return place_after(self._current.before, self._current.entries[:k])

    def close(self) -> None:
        """Nothing is held."""

    def _take(self) -> Iterator[None]:
        pulled = self._pull()
        if pulled is None:
            yield None
        elif pulled.entries:
            self._ahead.append(pulled)
        else:
            self._ended = True

    def _judge(self, entries: list[Entry]) -> bool:
        """Tell whether the columns are known now."""
        if self._ended and not entries:
            return True
        few, many = FIRST_LINES - 1, LINES - 1  # rows, as there is no line with names
        if not self._ended and len(entries) < few:
            return False
        objects, reasons = [], []
        for entry in entries[:many]:
            try:
                objects.append(_object(entry))
            except ValueError as error:
                reasons.append(str(error))
        columns, is_clear = survey_objects(objects[:few], self._notation)
        if not is_clear or reasons:
            if not self._ended and len(entries) < many:
                return False
            columns, _ = survey_objects(objects, self._notation)
        if not objects:
            raise DataError(f"no entry is a row: {reasons[0]}")
        self.columns = columns
        return True

    def _batch(self, entries: Entries, objects: Objects, chosen: list[str]) -> Batch:
        found = _read(entries, objects, chosen)
        numbers = np.array([number.decode() for number, _ in entries], dtype=object)
        wanted = [self.columns[j].name for j in self.beside]
        beside = [[_value(entry, name) for _, entry in entries] for name in wanted]
        return Batch(found.rows, numbers, len(entries), found.bad, beside)


def _read(entries: Entries, objects: Objects, chosen: list[str]) -> Found:
    if all(_is_json(entry) for _, entry in entries):
        return objects.read(_lines(entries))
    rows = _quickly(entries, objects, chosen)
    if rows is None:
        rows = np.full((len(entries), len(chosen)), np.nan)
    bad: dict[int, BadRow] = {}
    for k in np.flatnonzero(np.isnan(rows).any(axis=1)).tolist():
        try:
            wrong = objects.fill(_object(entries[k][1]), rows[k])
        except ValueError as error:
            wrong = BadRow(str(error))
        if wrong:
            bad[k] = wrong
    return Found(objects.notation.blank(rows), bad)


def _quickly(entries: Entries, objects: Objects, chosen: list[str]) -> NDArray[np.float64] | None:
    names = [name.encode() for name in chosen]
    known = {name.encode() for name in objects.known}
    try:
        texts = [entry[name] for _, entry in entries for name in names]
    except KeyError:
        return None
    if not all(known.issuperset(entry) for _, entry in entries):
        return None
    return numbers_between(b",".join([*texts, b""]), ",", (len(entries), len(names)))


def place_after(before: Offset, entries: Entries) -> Offset:
    """Return the place after these: the last one, how many there ever were, what it held."""
    if not entries:
        return dict(before)
    number, entry = entries[-1]
    return {
        "id": number.decode(),
        "read": before["read"] + len(entries),
        "entry": digest(entry),
    }


def digest(entry: Entry) -> str:
    """Return by what an entry is known again."""
    return hashlib.sha256(repr([*entry.items()]).encode()).hexdigest()[:32]


def _object(entry: Entry) -> dict[str, Any]:
    if _is_json(entry):
        return object_in(entry[_JSON])
    return {_text(name): _text(value) for name, value in entry.items()}


def _value(entry: Entry, name: str) -> Any:
    try:
        return _object(entry).get(name)
    except ValueError:
        return None


def _is_json(entry: Entry) -> bool:
    return entry.keys() == {_JSON}


def _lines(entries: Entries) -> Block:
    lines = [entry[_JSON].replace(b"\n", b" ") + b"\n" for _, entry in entries]
    return joined(lines, np.arange(len(lines)), np.arange(len(lines)))


def _text(value: bytes) -> str:
    return value.decode(errors="replace").strip()
