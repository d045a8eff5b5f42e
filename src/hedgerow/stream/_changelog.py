"""The change log of a run: when to look does not depend on time, and no line is torn or twice."""

import json
import os
import warnings
from typing import Any

from hedgerow import changes
from hedgerow.changes import Change
from hedgerow.estimators import HedgeGraph
from hedgerow.io import DataError
from hedgerow.stream._checkpoint import CheckpointWarning


class ChangeLog:
    """Compares the graph with what it was, and writes what changed.

    ``saved`` is what `save` returned when the checkpoint was written, if there is one. The file is
    cut back to what it was then, so that nothing is in it twice.
    """

    def __init__(
        self,
        model: HedgeGraph,
        path: str | os.PathLike[str] | None,
        saved: dict[str, Any] | None,
    ) -> None:
        self._half_life = model.half_life
        self._watch = (
            changes.from_dict(saved["watch"]) if saved else changes.start(float(model.level))
        )
        self._length = saved["bytes"] if saved else 0
        self._file = None if path is None else EventFile(path, self._length)

    def next_look(self, row: int) -> int:
        """Return after how many rows in all the next look is due."""
        return changes.next_look(row, self._half_life)

    def look(self, model: HedgeGraph) -> list[Change]:
        """Return what has changed since the last look."""
        edges = model.edges_up_to(changes.level_to_stay(model.level_))
        self._watch, found = changes.look(self._watch, model.n_samples_seen_, edges)
        if self._file is not None:
            self._file.add(found)
        return found

    def save(self) -> dict[str, Any]:
        """Bring the file to disk; return what a checkpoint has to remember."""
        if self._file is not None:
            self._length = self._file.sync()
        return {"watch": changes.to_dict(self._watch), "bytes": self._length}

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


class EventFile:
    """Lines of JSON; what a full disk does not take waits in memory."""

    def __init__(self, path: str | os.PathLike[str], length: int) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self._length, self._waiting = length, b""
        size = os.fstat(self._file).st_size
        if size < length:
            os.close(self._file)
            raise DataError(
                f"{os.fspath(path)!r} must have the events of the checkpoint, {length} bytes, "
                f"and has {size}"
            )
        os.ftruncate(self._file, length)

    def add(self, found: list[Change]) -> None:
        """Write changes; warn if that is impossible now."""
        self._waiting += b"".join(json.dumps(c._asdict()).encode() + b"\n" for c in found)
        try:
            self._write()
        except OSError as error:
            warnings.warn(
                f"events could not be written, and wait in memory: {error.strerror}",
                CheckpointWarning,
                stacklevel=2,
            )

    def sync(self) -> int:
        """Bring everything to disk; return how many bytes there are."""
        self._write()
        os.fsync(self._file)
        return self._length

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _write(self) -> None:
        try:
            done = 0
            while done < len(self._waiting):
                done += os.pwrite(self._file, self._waiting[done:], self._length + done)
        except OSError:
            os.ftruncate(self._file, self._length)  # no torn line
            raise
        self._length += len(self._waiting)
        self._waiting = b""
