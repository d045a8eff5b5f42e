"""Files that are either complete or not there."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR, ENOENT
from pathlib import Path


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a temporary name beside ``path`` and move it to ``path`` if the block succeeds.

    If the block fails, the temporary file is removed and an older ``path`` is left as it was.
    Symbolic links are followed, permissions of an older file are kept, and what is not a regular
    file (a pipe, ``/dev/null``) is lent itself.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "a.txt") as temporary:
    ...     _ = temporary.write_text("whole")
    >>> [file.name for file in folder.iterdir()]
    ['a.txt']
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder, not a file", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(ENOENT, "its folder does not exist", str(path))
    if target.exists() and not target.is_file():
        yield target
        return
    # The suffix stays last, for writers that look at it.
    temporary = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    try:
        yield temporary
        _flush_to_disk(temporary)
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
        flush_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    """Without this, a power cut just after the move can leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: str | os.PathLike[str]) -> None:
    """Bring names to disk: without this, a power cut just after a move brings the old file back."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows cannot open a folder, and orders the move itself
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Some network file systems refuse; the file is whole there all the same.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
