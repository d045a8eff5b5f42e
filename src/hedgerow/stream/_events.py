"""The file of events: no line is torn, lost or twice, whatever is done to it.

A checkpoint remembers how long the file was and what its end was. A restart cuts the file back to
that, since what came later will be written again. A file that does not have those bytes is another
one, and is left as it is: new events come after what it holds.

Lines are appended, wherever the end is, to the file that has the path at the time. So rotation may
rename, remove, or copy and empty it.
"""

import errno
import fcntl
import hashlib
import json
import os
import stat
import warnings
from typing import Any

from hedgerow.base.atomic import flush_folder
from hedgerow.io import DataError
from hedgerow.method.changes import Change
from hedgerow.stream._checkpoint import CheckpointWarning

_TAIL = 4096  # bytes before the end that tell a file from another
_LOOKED_AT = 1 << 20  # bytes that are searched for events
_FIRST = b'{"' + Change._fields[0].encode() + b'": '  # what a line begins with

# What a checkpoint remembers: length, digest of the end, number of the file.
NOTHING: dict[str, Any] = {"bytes": 0, "tail": None, "file": None}


class EventFile:
    """Lines of JSON; what a full disk does not take waits in memory.

    ``saved`` is what `sync` returned before the checkpoint. Without, or if that had no file, a new
    one is begun, in the place of an older one with events.
    """

    def __init__(self, path: str | os.PathLike[str], saved: dict[str, Any] | None) -> None:
        self._path, self._waiting = os.fspath(path), b""
        self._there: set[bytes] = set()  # lines that will be made again and need not be written
        try:
            self._file = self._opened()
            try:
                self._begin(saved)
            except BaseException:
                os.close(self._file)
                raise
        except OSError as error:
            raise DataError(f"no events in {self._path!r}: {error.strerror}") from error

    def add(self, found: list[Change]) -> None:
        """Write changes; warn if that is impossible now."""
        lines = [json.dumps(change._asdict()).encode() + b"\n" for change in found]
        self._waiting += b"".join(line for line in lines if line not in self._there)
        try:
            self._write()
        except OSError as error:
            _warn(f"events could not be written, and wait in memory: {error.strerror}")

    def sync(self) -> dict[str, Any]:
        """Bring everything to disk; return what a checkpoint has to remember."""
        self._write()
        os.fsync(self._file)
        status = os.fstat(self._file)
        tail = self._digest(status.st_size)
        return {"bytes": status.st_size, "tail": tail, "file": [status.st_dev, status.st_ino]}

    def close(self) -> None:
        """Write what still waits, if that is possible now, and let go of the file."""
        try:
            if self._waiting:
                self._write()
        except OSError as error:
            lost = self._waiting.count(b"\n")
            _warn(f"{lost} events could not be written, and are lost: {error.strerror}")
        os.close(self._file)

    def _begin(self, saved: dict[str, Any] | None) -> None:
        size = os.fstat(self._file).st_size
        if saved is None or (saved["tail"] is None and not saved["bytes"]):
            self._refuse_others()
            os.ftruncate(self._file, 0)
        elif self._is_the_one(saved):
            os.ftruncate(self._file, saved["bytes"])
        elif size or saved["bytes"]:
            _warn(
                f"{self._path!r} no longer has the events of the checkpoint, {saved['bytes']} "
                f"bytes, and has {size} others; it was rotated or replaced, and new events are "
                "appended to it"
            )
            end = os.pread(self._file, _LOOKED_AT, max(size - _LOOKED_AT, 0))
            self._there = set(end.splitlines(keepends=True))

    def _is_the_one(self, saved: dict[str, Any]) -> bool:
        """Return whether the file begins with the events of the checkpoint."""
        status, length = os.fstat(self._file), saved["bytes"]
        if status.st_size < length:
            return False
        if saved["tail"] is None:  # of an older version, which did not remember more
            return os.pread(self._file, 1, length - 1) == b"\n"
        if not length:  # any file begins with nothing
            return not status.st_size or saved["file"] == [status.st_dev, status.st_ino]
        return bool(saved["tail"] == self._digest(length))

    def _refuse_others(self) -> None:
        """Refuse to empty a file that holds something else."""
        *lines, rest = os.pread(self._file, _LOOKED_AT, 0).split(b"\n")
        torn = rest.startswith(_FIRST) or _FIRST.startswith(rest)
        if not (torn and all(map(_is_event, lines))):
            raise DataError(
                f"events must go to a new file or one with events, and {self._path!r} has "
                "something else, which would be lost; move it away or choose another"
            )

    def _digest(self, length: int) -> str:
        start = max(length - _TAIL, 0)
        return hashlib.sha256(os.pread(self._file, length - start, start)).hexdigest()

    def _opened(self) -> int:
        """Return the file that has the path, ours alone."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise DataError(f"events must go to a regular file, got {self._path!r}")
                _lock(file, self._path)
                flush_folder(os.path.dirname(os.path.realpath(self._path)))
                if self._has_path(file):  # it may have been renamed before we had the lock
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)

    def _has_path(self, file: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(file))
        except FileNotFoundError:
            return False

    def _follow(self) -> None:
        """Turn to the file that has the path now, if another one has."""
        if self._has_path(self._file):
            return
        try:
            new = self._opened()
        except DataError as error:  # the run does not end for it
            raise OSError(errno.EBUSY, str(error)) from error
        try:
            os.fsync(self._file)  # nobody will do it later
        except OSError:
            os.close(new)
            raise
        os.close(self._file)
        self._file = new

    def _write(self) -> None:
        self._follow()
        data, size = self._waiting, os.fstat(self._file).st_size
        if not data:
            return
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            data = b"\n" + data  # what somebody left unfinished stays a line of its own
        done = 0
        try:
            while done < len(data):
                done += os.write(self._file, data[done:])
        except OSError:
            self._take_back(done)
            raise
        self._waiting = b""

    def _take_back(self, done: int) -> None:
        """Remove a part that was written, unless somebody emptied the file meanwhile."""
        end = os.lseek(self._file, 0, os.SEEK_CUR)
        if done and os.fstat(self._file).st_size == end:
            os.ftruncate(self._file, end - done)


def _lock(file: int, path: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError(
            f"one run at a time can write events to {path!r}, and another one does"
        ) from None


def _is_event(line: bytes) -> bool:
    """Return whether a line is a change.

    >>> _is_event(b'{"name": "Ada"}')
    False
    """
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and set(Change._fields) <= found.keys()


def _warn(message: str) -> None:
    warnings.warn(message, CheckpointWarning, stacklevel=3)
