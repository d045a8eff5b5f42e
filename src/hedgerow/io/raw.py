"""Bytes of files and pipes, as they come: some files grow, some are packed, some are UTF-16."""

import os
import select
import time
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable
from gzip import BadGzipFile
from pathlib import Path
from typing import BinaryIO, Protocol

from hedgerow.io.source import DataError

BLOCK = 1 << 22  # bytes read at a time
PAUSE = 0.25  # seconds between two looks at what does not grow
KNOWN = 4096  # bytes by which the place reached in a file is known again
_TRIED = 1024  # bytes that tell UTF-16 from what is no text
_MARKS = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}


class Stream(Protocol):
    """Bytes, as they come."""

    @property
    def done(self) -> int:
        """How far it has been read, in bytes as they lie on disk."""

    def pull(self) -> bytes | None:
        """Return the next bytes, none if there will be no more, or None if there are none yet."""

    def seek(self, byte: int) -> None:
        """Go on from here, which must be a place reached before."""

    def close(self) -> None:
        """Let go of it."""


class WholeFile:
    """A file that does not grow; ``raw`` is what lies on disk if ``file`` unpacks it."""

    def __init__(self, file: BinaryIO, raw: BinaryIO | None = None) -> None:
        self._file, self._raw = file, raw or file
        self._read = 0

    @property
    def done(self) -> int:
        return self._raw.tell() if self._raw.seekable() else self._read

    def pull(self) -> bytes | None:
        with _unpacking():
            data = self._file.read(BLOCK)
        self._read += len(data)
        return data

    def seek(self, byte: int) -> None:
        with _unpacking():
            size = self._file.seek(0, os.SEEK_END)
            if size < byte:
                raise cut_short(byte, size)
            self._file.seek(byte)

    def close(self) -> None:
        self._file.close()
        self._raw.close()


class _unpacking:
    """Tell what is wrong with a packed file."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, EOFError | BadGzipFile | zlib.error):
            raise DataError(f"the file must be whole and packed by gzip, got {error}") from error


class GrowingFile:
    """A file that others append to, until ``is_over`` says that they have turned elsewhere.

    Some do not append but write a longer copy and rename it; the copy is then gone on with.
    """

    def __init__(self, path: Path, is_over: Callable[[os.stat_result], bool]) -> None:
        self._path, self._file, self._is_over = path, path.open("rb"), is_over
        self._ended = False
        self._last = b""  # the last bytes read

    @property
    def done(self) -> int:
        return self._file.tell()

    def pull(self) -> bytes | None:
        place = self._file.tell()
        data = self._file.read(BLOCK)
        self._check_last(place)  # afterwards, or what comes in between would be taken
        self._last = (self._last + data)[-KNOWN:]
        if data or self._ended:
            return data
        if self._turn_to_copy():
            return None
        # Its writer may have added something before turning away, so once more is read from it.
        self._ended = self._is_over(os.fstat(self._file.fileno()))
        time.sleep(PAUSE)
        return None

    def seek(self, byte: int) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size < byte:
            raise cut_short(byte, size)
        self._file.seek(byte)
        self._last = b""

    def close(self) -> None:
        self._file.close()

    def _check_last(self, place: int) -> None:
        """Make sure that what was read last is still there: a file may be cut and grow again."""
        size = os.fstat(self._file.fileno()).st_size
        if size < place:
            raise cut_short(place, size)
        if not self._has_last(self._file, place):
            raise replaced()

    def _has_last(self, file: BinaryIO, place: int) -> bool:
        length = len(self._last)
        return os.pread(file.fileno(), length, place - length) == self._last

    def _turn_to_copy(self) -> bool:
        """Go on in the file that has the name now, if it is another and has what was read."""
        place = self._file.tell()
        try:
            if os.path.samestat(os.fstat(self._file.fileno()), self._path.stat()):
                return False
            copy = self._path.open("rb")
        except FileNotFoundError:
            return False
        if not (self._last and self._has_last(copy, place)):
            copy.close()
            return False
        self._file.close()
        self._file = copy
        self._file.seek(place)
        return True


class Pipe:
    """What another program writes; it cannot be read again."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.done = 0

    def pull(self) -> bytes | None:
        pieces: list[bytes] = []
        patience = PAUSE
        while sum(map(len, pieces)) < BLOCK and self._is_ready(patience):
            pieces.append(os.read(self._descriptor, BLOCK))
            if not pieces[-1]:
                break  # the end comes again when asked for next
            patience = 0
        self.done += sum(map(len, pieces))
        return b"".join(pieces) if pieces else None

    def _is_ready(self, patience: float) -> bool:
        return bool(select.select([self._descriptor], [], [], patience)[0])

    def seek(self, byte: int) -> None:
        raise DataError("a pipe cannot be read again")

    def close(self) -> None:
        pass  # it is not ours


class Recoded:
    """Bytes of UTF-16 as those of UTF-8; places are counted in the latter."""

    def __init__(self, stream: Stream, encoding: str, begun: bytes) -> None:
        self._stream, self._encoding = stream, encoding
        self._waiting = begun
        self._ready = b""  # bytes of UTF-8 that come next
        self._decoder = getincrementaldecoder(encoding)()

    @property
    def done(self) -> int:
        return self._stream.done

    def pull(self) -> bytes | None:
        if self._ready:
            ready, self._ready = self._ready, b""
            return ready
        while True:
            data = self._waiting if self._waiting else self._stream.pull()
            self._waiting = b""
            if data is None:
                return None
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise DataError(f"the file must be {self._encoding}, {error.reason}") from error
            if text or not data:
                return text.encode("utf-8", errors="replace")

    def seek(self, byte: int) -> None:
        """Read all that comes before: where a character lies is known only then."""
        self._stream.seek(0)
        self._waiting = self._ready = b""
        self._decoder.reset()
        passed = 0
        while passed < byte:
            piece = self.pull()
            if not piece:
                raise cut_short(byte, passed)
            passed += len(piece)
            # The decoder may hold half a character, so what is decoded stays so.
            self._ready = piece[len(piece) - (passed - byte) :]

    def close(self) -> None:
        self._stream.close()


class Decoded:
    """Bytes of UTF-8, in whichever Unicode and however they come."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._begun = b""  # what has come before the encoding is known
        self._is_known = False
        self._tried = 0  # bytes

    @property
    def done(self) -> int:
        return self._stream.done

    def pull(self) -> bytes | None:
        while not self._is_known:
            piece = self._stream.pull()
            self._begun += piece or b""
            # Of a writer that pauses, a first line must do.
            if piece == b"" or _can_tell(self._begun) or (piece is None and b"\n" in self._begun):
                self._find_out()
            elif piece is None:
                return None
        if self._begun:
            begun, self._begun = self._begun, b""
            return begun
        piece = self._stream.pull()
        if piece and self._tried < _TRIED and not isinstance(self._stream, Recoded):
            if b"\0" in piece[: _TRIED - self._tried]:
                raise _no_text()
            self._tried += len(piece)
        return piece

    def seek(self, byte: int) -> None:
        self._stream.seek(byte)
        self._begun, self._tried = b"", byte

    def close(self) -> None:
        self._stream.close()

    def _find_out(self) -> None:
        encoding = encoding_of(self._begun)
        self._is_known, self._tried = True, len(self._begun)
        if encoding:
            self._stream = Recoded(self._stream, encoding, self._begun)
            self._begun = b""


def _can_tell(begun: bytes) -> bool:
    """Tell whether more bytes would not change what `encoding_of` says."""
    return len(begun) >= _TRIED or begun[:2] in _MARKS or (b"\n" in begun and b"\0" not in begun)


def encoding_of(begun: bytes) -> str | None:
    """Return which UTF-16 the first bytes are, None for UTF-8; refuse what is no text.

    Examples
    --------
    >>> encoding_of(b"a,b"), encoding_of("a,b".encode("utf-16-be"))
    (None, 'utf-16-be')
    """
    if begun[:2] in _MARKS:
        return _MARKS[begun[:2]]
    begun = begun[:_TRIED]
    if b"\0" not in begun:
        return None
    zeros = [begun[first::2].count(0) for first in (0, 1)]
    if len(begun) >= 4 and min(zeros) == 0 and 4 * max(zeros) > len(begun):
        return "utf-16-le" if zeros[1] else "utf-16-be"
    raise _no_text()


def _no_text() -> DataError:
    return DataError("the file must be text in UTF-8 or UTF-16, got bytes that are not text")


def cut_short(read: int, size: int) -> DataError:
    """Return the error for a file that has lost bytes."""
    return DataError(f"the file must only grow; {read} bytes were read, and now it has {size}")


def replaced() -> DataError:
    """Return the error for a file that is not the one read before."""
    return DataError(
        "the file must be the one read before, and what was read last is no longer there; "
        "it may have been replaced, or cut and written anew"
    )
