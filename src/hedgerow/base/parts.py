"""Parts of a long computation that are done, kept on disk until the whole is.

Whoever starts the computation lends a folder with `keeping`; whoever computes asks `parts_of` for
the parts that it finds there, and leaves new ones. A part is taken up again only if it is of the
same computation, by a key, and undamaged.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from hedgerow.base import storage

_KIND = "part"
_SUFFIX = ".part"

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


class Parts(NamedTuple):
    """The parts of one computation, in a folder that is made when there is a first one."""

    folder: Path
    key: str

    def found(self, name: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a part that is done, or None."""
        path = self._path(name)
        if not path.exists():
            return None
        try:
            header, arrays = storage.read(path, _KIND)
        except storage.StorageError:
            return None
        return arrays if header == {"of": self.key} else None

    def keep(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a part that is done."""
        self.folder.mkdir(exist_ok=True)
        storage.write(self._path(name), _KIND, {"of": self.key}, arrays)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_SUFFIX}"


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Keep what is done in a folder while the block runs; if it ends well, remove that again.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "done"
    >>> try:
    ...     with keeping(folder):
    ...         parts_of("sums").keep("first", {"sum": np.array(3)})
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     pass
    >>> with keeping(folder):
    ...     parts_of("sums").found("first")
    {'sum': array(3)}
    >>> folder.exists()
    False
    """
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)
    for part in folder.glob(f"*{_SUFFIX}"):
        part.unlink(missing_ok=True)
    with suppress(OSError):  # never made, or somebody else's as well
        folder.rmdir()


def parts_of(key: str) -> Parts | None:
    """Return the parts of a computation; None if nobody lends a folder."""
    folder = _folder.get()
    return None if folder is None else Parts(folder, key)
