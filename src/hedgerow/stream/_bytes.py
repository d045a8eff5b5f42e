"""Bytes of files and pipes that may still grow, and the whole lines among them."""

import os
import select
import time
import zlib
from collections.abc import Callable, Iterator
from gzip import BadGzipFile
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from hedgerow.io import DataError

BLOCK = 1 << 22  # bytes read at a time
LONGEST = 1 << 28  # bytes a line may have
PAUSE = 0.25  # seconds between two looks at what does not grow


class Stream(Protocol):
    """Bytes, as they come."""

    def pull(self) -> bytes | None:
        """Return the next bytes, none if there will be no more, or None if there are none yet."""

    def seek(self, byte: int) -> None:
        """Go on from here; called after `pull` has returned the first bytes."""

    def close(self) -> None:
        """Let go of it."""


class WholeFile:
    """A file that does not grow, also one packed by gzip."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def pull(self) -> bytes | None:
        try:
            return self._file.read(BLOCK)
        except (EOFError, BadGzipFile, zlib.error) as error:
            raise DataError(f"the file must be whole and packed by gzip, got {error}") from error

    def seek(self, byte: int) -> None:
        if self._file.seek(0, os.SEEK_END) < byte:
            raise cut_short(byte, self._file.tell())
        self._file.seek(byte)

    def close(self) -> None:
        self._file.close()


class GrowingFile:
    """A file that others append to, until ``is_over`` says that they have turned elsewhere."""

    def __init__(self, path: Path, is_over: Callable[[os.stat_result], bool]) -> None:
        self._file, self._is_over = path.open("rb"), is_over
        self._ended = False

    def pull(self) -> bytes | None:
        data = self._file.read(BLOCK)
        if data or self._ended:
            return data
        status = os.fstat(self._file.fileno())
        if status.st_size < self._file.tell():
            raise cut_short(self._file.tell(), status.st_size)
        # Its writer may have added something before turning away, so once more is read from it.
        self._ended = self._is_over(status)
        time.sleep(PAUSE)
        return None

    def seek(self, byte: int) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size < byte:
            raise cut_short(byte, size)
        self._file.seek(byte)

    def close(self) -> None:
        self._file.close()


class Pipe:
    """What another program writes; it cannot be read again."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pull(self) -> bytes | None:
        pieces: list[bytes] = []
        patience = PAUSE
        while sum(map(len, pieces)) < BLOCK and self._is_ready(patience):
            pieces.append(os.read(self._descriptor, BLOCK))
            if not pieces[-1]:
                break  # the end comes again when asked for next
            patience = 0
        return b"".join(pieces) if pieces else None

    def _is_ready(self, patience: float) -> bool:
        return bool(select.select([self._descriptor], [], [], patience)[0])

    def seek(self, byte: int) -> None:
        raise DataError("a pipe cannot be read again")

    def close(self) -> None:
        pass  # it is not ours


class Lines(NamedTuple):
    """Whole lines, and where they are."""

    data: bytes
    byte: int
    line: int
    end: int  # the byte after them
    next_line: int


def whole_lines(stream: Stream, byte: int = 0, line: int = 1) -> Iterator[Lines | None]:
    """Yield lines as they become whole, or None when there are none yet.

    The last line of all is taken as it is, even if it lacks a line end.
    """
    rest = b""
    while (piece := stream.pull()) != b"":
        if piece is None:
            yield None
            continue
        rest += piece
        end = rest.rfind(b"\n") + 1
        if end:
            lines = Lines(rest[:end], byte, line, byte + end, line + rest.count(b"\n", 0, end))
            rest, byte, line = rest[end:], lines.end, lines.next_line
            yield lines
        elif len(rest) > LONGEST:
            raise DataError(f"line {line} must end within {LONGEST >> 20} MB, and does not")
    if rest:
        yield Lines(rest + b"\n", byte, line, byte + len(rest), line + 1)


def cut_short(read: int, size: int) -> DataError:
    """Return the error for a file that has lost bytes."""
    return DataError(f"the file must only grow; {read} bytes were read, and now it has {size}")
