"""Files and folders as sources: one file after another, each from the beginning to the end."""

import gzip
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import numpy as np

from hedgerow.estimators import DataWarning
from hedgerow.estimators._input import listed
from hedgerow.io import DataError
from hedgerow.io._table import JSON_LINES, OPENERS, READABLE, TEXT, suffix_of
from hedgerow.stream._bytes import PAUSE, GrowingFile, Pipe, Stream, WholeFile
from hedgerow.stream._source import Chunk, Offset, Schema, Wish, check_wish
from hedgerow.stream._text import Style, Text
from hedgerow.stream._typed import Typed


class Part(Protocol):
    """One file of a source."""

    @property
    def schema(self) -> Schema | None:
        """Columns, once they are known."""

    def chunks(self, offset: Offset | None) -> Iterator[Chunk]:
        """Yield the rows after an offset, or all."""

    def close(self) -> None:
        """Let go of it."""


class Files:
    """What all sources here have in common: one part after another."""

    def __init__(self, name: str, style: Style, wish: Wish) -> None:
        self.name, self._style, self._wish = name, style, wish
        self.schema: Schema | None = None
        self._offset: Offset | None = None
        self._part: Part | None = None

    def seek(self, offset: Offset, schema: Schema) -> None:
        check_wish(self._wish, schema)
        self._offset, self.schema = offset, schema

    def ack(self, offset: Offset) -> None:
        """Files stay where they are."""

    def close(self) -> None:
        if self._part is not None:
            self._part.close()

    def _read(self, part: Part, offset: Offset | None = None) -> Iterator[Chunk]:
        """Yield the chunks of one part."""
        self._part = part
        try:
            for chunk in part.chunks(offset):
                self.schema = part.schema
                yield chunk
        finally:
            self.close()

    def _text(self, stream: Stream, suffix: str = "") -> Text:
        style = self._style
        if suffix in JSON_LINES:
            style = style._replace(json=True)
        elif suffix in TEXT:
            style = style._replace(json=False, delimiter=style.delimiter or TEXT[suffix])
        return Text(stream, style, self._wish, self.schema)


class Piped(Files):
    """Standard input, or a named pipe: what has been read cannot be read again."""

    def __init__(self, name: str, file: BinaryIO, style: Style, wish: Wish) -> None:
        super().__init__(name, style, wish)
        self._file = file

    def chunks(self) -> Iterator[Chunk]:
        if self._file.seekable():  # a file in place of a pipe
            yield from self._read(self._text(WholeFile(self._file)), self._offset)
        else:
            yield from self._read(self._text(Pipe(self._file.fileno())))


class OneFile(Files):
    """A file; with ``follow`` also what is appended to it, and the files that take its name."""

    def __init__(self, path: Path, *, follow: bool, style: Style, wish: Wish) -> None:
        super().__init__(str(path), style, wish)
        self._path, self._follow = path, follow
        self._suffix, self._packed = suffix_of(path)
        if follow:
            refuse_to_follow(path)
        with path.open("rb"):
            pass  # missing or forbidden files are noticed here

    def chunks(self) -> Iterator[Chunk]:
        yield from self._read(self._open(), self._offset)
        while self._follow:
            yield from self._read(self._open())

    def _open(self) -> Part:
        if self._suffix in OPENERS:
            return Typed(self._path, self._wish, self.schema)
        if self._follow:
            return self._text(GrowingFile(self._path, self._is_replaced), self._suffix)
        return self._text(_whole(self._path, self._packed), self._suffix)

    def _is_replaced(self, status: os.stat_result) -> bool:
        try:
            return not os.path.samestat(status, self._path.stat())
        except FileNotFoundError:
            return False  # renamed; the next file is not there yet


class Folder(Files):
    """The files of a folder in the order of their names, each read once.

    With ``follow``, files that come later are read too, if their names come later as well. The
    last file, if it is text, may still grow; it is done as soon as there is a later one.
    """

    def __init__(self, path: Path, *, follow: bool, style: Style, wish: Wish) -> None:
        super().__init__(str(path), style, wish)
        self._path, self._follow = path, follow
        self._passed: set[str] = set()
        if not follow and not self._names():
            raise DataError(f"the folder must hold files that end in {listed(READABLE)}")

    def chunks(self) -> Iterator[Chunk]:
        offset = self._offset or {"file": "", "done": True}
        self._passed = {name for name in self._names() if name <= offset["file"]}
        if not offset.get("done"):
            if offset["file"] not in self._passed:
                raise DataError(f"{offset['file']!r} must be there until all of it is read")
            yield from self._file(offset["file"], offset)
        current = offset["file"]
        while True:
            self._tell_overlooked(current)
            following = self._after(current)
            if following:
                current = following[0]
                yield from self._file(current, None)
            elif self._follow:
                time.sleep(PAUSE)
                yield Chunk(np.empty((0, 0)), {"file": current, "done": True})
            else:
                return

    def _file(self, name: str, offset: Offset | None) -> Iterator[Chunk]:
        self._passed.add(name)
        try:
            for chunk in self._read(self._open(name), offset):
                bad = [
                    row._replace(offset=_within(name, row.offset), place=f"{name}, {row.place}")
                    for row in chunk.bad
                ]
                yield Chunk(chunk.rows, _within(name, chunk.offset), bad)
        except DataError as error:
            raise DataError(f"{name}: {error}") from error
        yield Chunk(np.empty((0, 0)), {"file": name, "done": True})

    def _open(self, name: str) -> Part:
        path = self._path / name
        suffix, packed = suffix_of(path)
        if suffix in OPENERS:
            return Typed(path, self._wish, self.schema)
        if self._follow and not packed:
            stream: Stream = GrowingFile(path, lambda _: bool(self._after(name)))
        else:
            stream = _whole(path, packed)
        return self._text(stream, suffix)

    def _names(self) -> list[str]:
        return sorted(
            entry.name
            for entry in os.scandir(self._path)
            if entry.name.lower().endswith(READABLE) and entry.name[0] != "." and entry.is_file()
        )

    def _after(self, current: str) -> list[str]:
        return [name for name in self._names() if name > current]

    def _tell_overlooked(self, current: str) -> None:
        late = [name for name in self._names() if name <= current and name not in self._passed]
        if late:
            self._passed.update(late)
            warnings.warn(
                f"files are read in the order of their names, so these come too late after "
                f"{current!r}: {listed(map(repr, late))}",
                DataWarning,
                stacklevel=2,
            )


def _whole(path: Path, packed: bool) -> WholeFile:
    return WholeFile(cast(BinaryIO, gzip.open(path)) if packed else path.open("rb"))


def _within(name: str, offset: Offset) -> Offset:
    return {"file": name, **offset}


def refuse_to_follow(path: Path) -> None:
    """Raise if a file is of a kind that nobody can append to."""
    suffix, packed = suffix_of(path)
    if packed or suffix in OPENERS:
        raise ValueError(f"follow needs a file of plain text or a folder, got {path.name!r}")


def standard_input() -> BinaryIO:
    """Return stdin as bytes."""
    return sys.stdin.buffer
