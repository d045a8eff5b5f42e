"""Files and folders as sources: one file after another, each from the beginning to the end."""

import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from errno import ENOENT
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hedgerow.base.words import listed
from hedgerow.estimators import DataWarning
from hedgerow.io.absent import Texts
from hedgerow.io.choose import Wish
from hedgerow.io.notation import notation
from hedgerow.io.opening import OPENERS, READABLE, Reading, suffix_of, unpacked
from hedgerow.io.raw import PAUSE, GrowingFile, Pipe, Stream, WholeFile, replaced
from hedgerow.io.source import DataError, Offset
from hedgerow.io.text import Text
from hedgerow.stream._part import Known, Part, Typed
from hedgerow.stream._source import Chunk, Schema, check_wish


class Files:
    """What all sources here have in common: one part after another."""

    def __init__(self, name: str, how: Reading, wish: Wish) -> None:
        self.name, self._how, self._wish = name, how, wish
        self.schema: Schema | None = None
        self._known = Known(Texts())
        self._offset: Offset | None = None  # to begin from
        self._last: Offset | None = None  # of the chunk before
        self._part: Part | None = None

    def seek(self, offset: Offset, schema: Schema) -> None:
        check_wish(self._wish, schema)
        self._offset, self.schema = offset, schema

    def ack(self, offset: Offset) -> None:
        """Files stay where they are."""

    def notes(self) -> list[str]:
        return (self._part.known if self._part else self._known).notes()

    def close(self) -> None:
        if self._part is not None:
            self._part.close()

    def _read(self, reader: Text | Typed, offset: Offset | None = None) -> Iterator[Chunk]:
        """Yield the chunks of one part."""
        known = self._known._replace(schema=self.schema)
        self._part = Part(reader, self._wish, known, notation(na=self._how.na))
        try:
            for chunk in self._part.chunks(offset):
                self.schema, self._last = self._part.known.schema, chunk.offset
                yield chunk
            self._known = self._part.known
        finally:
            self.close()

    def _text(self, stream: Stream, suffix: str = "") -> Text:
        return Text(stream, self._how.style(suffix))


class Piped(Files):
    """Standard input, or a named pipe: what has been read cannot be read again."""

    def __init__(self, name: str, file: BinaryIO, how: Reading, wish: Wish) -> None:
        super().__init__(name, how, wish)
        self._file = file
        self._reading: Text | None = None

    def chunks(self) -> Iterator[Chunk]:
        if self._file.seekable():  # a file in place of a pipe
            yield from self._read(self._text(WholeFile(self._file)), self._offset)
        else:
            self._reading = self._text(Pipe(self._file.fileno()))
            yield from self._read(self._reading)

    def close(self) -> None:
        super().close()
        reading, self._reading = self._reading, None
        if reading is not None and reading.waiting:
            _warn(
                f"{reading.waiting} bytes were read from the pipe and are lost: the run ended "
                "before it could tell what their columns, or their last line, are"
            )


class OneFile(Files):
    """A file; with ``follow`` also what is appended to it, and the files that take its name."""

    def __init__(self, path: Path, *, follow: bool, how: Reading, wish: Wish) -> None:
        super().__init__(str(path), how, wish)
        self._path, self._follow = path, follow
        if not path.suffix and not path.exists():  # more likely a folder
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
        self._suffix, self._packed = suffix_of(path)
        if follow:
            refuse_to_follow(path)
        if path.exists() or not follow:
            with path.open("rb"):
                pass  # missing or forbidden files are noticed here
        elif not path.parent.is_dir():
            raise FileNotFoundError(ENOENT, "its folder does not exist", str(path))

    def chunks(self) -> Iterator[Chunk]:
        yield from self._wait()
        yield from self._read(self._open(), self._offset)
        while self._follow:
            yield from self._wait()
            yield from self._read(self._open())

    def _wait(self) -> Iterator[Chunk]:
        """Yield nothing until there is a file."""
        while self._follow and not self._path.exists():
            time.sleep(PAUSE)
            yield Chunk(np.empty((0, 0)), self._last or self._offset or Text.start())

    def _open(self) -> Text | Typed:
        if self._suffix in OPENERS:
            return Typed(self._path, self._how)
        if self._follow:
            return self._text(GrowingFile(self._path, self._is_replaced), self._suffix)
        return self._text(unpacked(self._path.open("rb"), self._packed), self._suffix)

    def _is_replaced(self, status: os.stat_result) -> bool:
        try:
            return not os.path.samestat(status, self._path.stat())
        except FileNotFoundError:
            return False  # renamed; the next file is not there yet


class Folder(Files):
    """The files of a folder in the order of their names, each read once.

    Numbers in names are compared as numbers. With ``follow``, files that come later are read too,
    if their names come later as well. The last file, if it is text, may still grow; it is done as
    soon as there is a later one.
    """

    def __init__(self, path: Path, *, follow: bool, how: Reading, wish: Wish) -> None:
        super().__init__(str(path), how, wish)
        self._path, self._follow = path, follow
        self._passed: set[str] = set()
        self._is_there = True
        if not follow and not self._names():
            raise DataError(f"the folder must hold files that end in {listed(READABLE)}")

    def chunks(self) -> Iterator[Chunk]:
        current = ""
        if self._offset:
            current = self._offset["file"]
            self._recall(self._offset)
            if not self._offset.get("done"):
                if current not in self._names():
                    raise DataError(f"{current!r} must be there until all of it is read")
                yield from self._file(current, self._open(current), self._offset)
        while True:
            self._tell_overlooked(current)
            following = self._after(current)
            reader = self._opened(following[0]) if following else None
            if reader is not None:
                current = following[0]
                yield from self._file(current, reader, None)
            elif self._follow:
                time.sleep(PAUSE)
                yield Chunk(np.empty((0, 0)), self._done(current))
            else:
                return

    def _recall(self, offset: Offset) -> None:
        """Take up which files were read; an older version kept no list and had another order."""
        current = offset["file"]
        before = [name for name in self._names() if in_order(name) <= in_order(current)]
        if "passed" not in offset:
            if before != [name for name in sorted(self._names()) if name <= current]:
                raise DataError(
                    "the checkpoint is of an earlier version, which read files in another order: "
                    f"10 before 9; with {current!r} as the last one, nobody knows which were read"
                )
            offset = {**offset, "passed": before}
        self._passed = {*offset["passed"], current}
        self._known = self._known._replace(time=_time(offset))

    def _file(self, name: str, reader: Text | Typed, offset: Offset | None) -> Iterator[Chunk]:
        self._passed &= set(self._names())  # what is gone cannot be overlooked
        self._passed.add(name)
        passed = sorted(self._passed)

        def within(offset: Offset) -> Offset:
            return {"file": name, **offset, "passed": passed}

        try:
            for chunk in self._read(reader, offset):
                bad = [
                    row._replace(offset=within(row.offset), place=f"{name}, {row.place}")
                    for row in chunk.bad
                ]
                yield chunk._replace(offset=within(chunk.offset), bad=bad)
                self._tell_overlooked(name)
        except DataError as error:
            raise error.within(name) from error
        yield Chunk(np.empty((0, 0)), self._done(name))

    def _done(self, name: str) -> Offset:
        if not name:
            return {"file": "", "done": True, "passed": []}
        done: Offset = {"file": name, "done": True, "passed": sorted(self._passed)}
        if np.isfinite(self._known.time):
            done["time"] = self._known.time
        return done

    def _opened(self, name: str) -> Text | Typed | None:
        """Open a file; None if it is followed and has gone, alone or with the folder."""
        try:
            return self._open(name)
        except (DataError, OSError) as error:
            if self._follow and not (self._path / name).exists():
                return None
            if isinstance(error, DataError):
                raise error.within(name) from error
            raise

    def _open(self, name: str) -> Text | Typed:
        path = self._path / name
        suffix, packed = suffix_of(path)
        if suffix in OPENERS:
            return Typed(path, self._how)
        if self._follow and not packed:
            return self._text(GrowingFile(path, partial(self._is_over, path)), suffix)
        return self._text(unpacked(path.open("rb"), packed), suffix)

    def _is_over(self, path: Path, status: os.stat_result) -> bool:
        """Tell whether there is a later file; the one that is read must not become another."""
        with suppress(FileNotFoundError):
            if not os.path.samestat(status, path.stat()):
                raise replaced()
        return bool(self._after(path.name))

    def _entries(self) -> list[os.DirEntry[str]]:
        """Return what is in the folder; one that is followed may be away for a while."""
        try:
            found = [*os.scandir(self._path)]
        except FileNotFoundError:
            if not self._follow:
                raise
            if self._is_there:
                _warn(f"the folder {str(self._path)!r} is gone, waiting until it is back")
            self._is_there = False
            return []
        self._is_there = True
        return found

    def _names(self) -> list[str]:
        names = [
            entry.name
            for entry in self._entries()
            if entry.name.lower().endswith(READABLE) and entry.name[0] != "." and entry.is_file()
        ]
        return sorted(names, key=in_order)

    def _after(self, current: str) -> list[str]:
        return [name for name in self._names() if in_order(name) > in_order(current)]

    def _tell_overlooked(self, current: str) -> None:
        late = [
            name
            for name in self._names()
            if in_order(name) <= in_order(current) and name not in self._passed
        ]
        if late:
            self._passed.update(late)
            _warn(
                f"files are read in the order of their names, so these come too late after "
                f"{current!r} and are not read: {listed(map(repr, late))}"
            )


def in_order(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Return a key by which names are sorted as people count: 9 comes before 10.

    >>> sorted(["10.csv", "9.csv", "a2.csv", "a10.csv"], key=in_order)
    ['9.csv', '10.csv', 'a2.csv', 'a10.csv']
    """
    pieces = re.split("([0-9]+)", name)
    key = [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in pieces if piece]
    return key, name


def _time(offset: Offset) -> float:
    time = offset.get("time")
    return -np.inf if time is None else time


def refuse_to_follow(path: Path) -> None:
    """Raise if a file is of a kind that nobody can append to."""
    suffix, packed = suffix_of(path)
    if packed or suffix in OPENERS:
        raise ValueError(f"follow needs a file of plain text or a folder, got {path.name!r}")


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=3)


def standard_input() -> BinaryIO:
    """Return stdin as bytes."""
    return sys.stdin.buffer
