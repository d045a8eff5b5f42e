"""Checkpoints in a folder: one file each, whole or absent, the last two kept."""

import fcntl
import os
import time
import warnings
from errno import ESTALE
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base import storage
from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.estimators import HedgeGraph
from hedgerow.io import DataError
from hedgerow.io.differences import Differences
from hedgerow.stream._source import Offset, Schema
from hedgerow.stream._status import Saved

KEPT = 2
_KIND = "checkpoint"
_RECENT = "recent_rows"  # beside the arrays of the model
_PREFIX, _SUFFIX = "checkpoint-", ".hedgerow"


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written, or not be read."""


class Checkpoint(NamedTuple):
    """All that a run needs to go on as if it had never stopped."""

    source: str  # kind of source
    offset: Offset
    schema: Schema
    bad_rows: int
    changes: dict[str, Any] | None  # state of the change log
    model: dict[str, Any]  # its header ...
    arrays: dict[str, NDArray[Any]]  # ... and its arrays
    rows: int
    difference: dict[str, Any] | None = None  # what differences of rows know ...
    recent: NDArray[Any] | None = None  # ... and the latest rows

    def differences(self) -> Differences | None:
        """Return what goes on with the differences of rows, if that is what was learned from."""
        if self.difference is None or self.recent is None:
            return None
        return Differences.from_dict(self.difference, self.recent)


class Checkpoints:
    """A folder that belongs to one run at a time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self._folder / "lock").open("ab")
        except OSError as error:
            raise DataError(f"no checkpoints in {str(folder)!r}: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise DataError(
                f"one process at a time can use {str(folder)!r}, and another one does"
            ) from None
        for torn in self._folder.glob(f".{_PREFIX}*{_SUFFIX}"):
            torn.unlink()  # its writer was killed
        self._sound = self._found()
        self.last: Saved | None = None

    def latest(self) -> Checkpoint | None:
        """Return the newest checkpoint that is whole; warn if there was a newer one."""
        errors = []
        while self._sound:
            try:
                checkpoint = _read(self._sound[-1])
            except (storage.StorageError, OSError) as error:
                errors.append(str(error))
                self._sound.pop()
                continue
            if errors:
                _warn(f"an older checkpoint is used, because of {'; '.join(errors)}")
            written = self._sound[-1].stat().st_mtime
            self.last = Saved(checkpoint.rows, written)
            return checkpoint
        if errors:
            raise DataError(
                f"no checkpoint in {str(self._folder)!r} can be read ({'; '.join(errors)}); "
                "to begin afresh, remove them"
            )
        return None

    def write(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint; remove all but the last two that are sound."""
        self._refuse_lost_lock()
        last = int(self._sound[-1].name[len(_PREFIX) : -len(_SUFFIX)]) if self._sound else 0
        path = self._folder / f"{_PREFIX}{last + 1:08d}{_SUFFIX}"
        header = {**checkpoint._asdict(), "schema": checkpoint.schema._asdict()}
        arrays, recent = header.pop("arrays"), header.pop("recent")
        arrays = arrays if recent is None else {**arrays, _RECENT: recent}
        storage.write(path, _KIND, header, arrays)
        self.last = Saved(checkpoint.rows, time.time())
        self._sound = [*self._sound, path][-KEPT:]
        self._tidy()

    def close(self) -> None:
        """Let another process have the folder."""
        self._lock.close()

    def _tidy(self) -> None:
        """Remove old ones; that the new one is written does not depend on it."""
        for old in self._found():
            if old in self._sound:
                continue
            try:
                old.unlink(missing_ok=True)
            except OSError as error:
                _warn(
                    f"an old checkpoint could not be removed, {old.name}: {error.strerror}; "
                    "the new one is written, and the removal is tried again with the next"
                )

    def _refuse_lost_lock(self) -> None:
        """Fail if the lock was removed: others may have the folder, and checkpoints in it."""
        try:
            if os.path.samestat(os.stat(self._lock.name), os.fstat(self._lock.fileno())):
                return
        except FileNotFoundError:
            pass
        raise OSError(ESTALE, "the folder was removed, or its lock was, while it was in use")

    def _found(self) -> list[Path]:
        return sorted(self._folder.glob(f"{_PREFIX}*{_SUFFIX}"))


def load_checkpoint(path: str | os.PathLike[str]) -> HedgeGraph:
    """Return the model of a checkpoint, to look at: the run that wrote it is not disturbed.

    Parameters
    ----------
    path : str or path
        A checkpoint, or a folder of which the newest is taken.

    Raises
    ------
    StorageError
        If it is not whole.
    """
    path = Path(path)
    if path.is_dir():
        found = sorted(path.glob(f"{_PREFIX}*{_SUFFIX}"))
        if not found:
            raise DataError(f"{str(path)!r} must have checkpoints, and has none")
        path = found[-1]
    checkpoint = _read(path)
    return HedgeGraph.from_parts(checkpoint.model, checkpoint.arrays)


def _read(path: Path) -> Checkpoint:
    header, arrays = storage.read(path, _KIND)
    with storage.errors_of(path):
        try:
            header["schema"] = Schema(**header["schema"])
            recent = arrays.pop(_RECENT, None)
            checkpoint = Checkpoint(**header, arrays=arrays, recent=recent)
        except (KeyError, TypeError) as error:
            raise storage.StorageError(f"made by another version of Hedgerow, {error!r}") from None
        _check_differences(checkpoint)
        HedgeGraph.check_parts(checkpoint.model, checkpoint.arrays)
    return checkpoint


def _check_differences(checkpoint: Checkpoint) -> None:
    """Raise StorageError unless what is kept of differences can have been left behind by them."""
    try:
        differences = checkpoint.differences()
    except (KeyError, TypeError, ValueError) as error:
        raise storage.StorageError(f"malformed differences, {error!r}") from None
    if differences is None:
        return
    recent, n_columns = differences.recent, len(checkpoint.schema.columns)
    sound = recent.dtype == np.float64 and recent.ndim == 2 and len(recent) <= differences.apart
    if not sound or recent.shape[1] != n_columns or (np.abs(recent) > LARGEST_NUMBER).any():
        raise storage.StorageError(
            f"malformed differences, the latest rows must be {differences.apart} of {n_columns} "
            f"columns at most, got {recent.dtype} of shape {recent.shape}"
        )


def _warn(message: str) -> None:
    warnings.warn(message, CheckpointWarning, stacklevel=3)
