"""Rows of a file, or of stdin, in batches that fit in memory whatever the size of the file."""

import gzip
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from errno import EISDIR
from pathlib import Path
from typing import BinaryIO, Self, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow._validate import one_of
from hedgerow.estimators._input import listed
from hedgerow.io._arrays import open_h5ad, open_npy
from hedgerow.io._choose import choose
from hedgerow.io._columnar import open_arrow, open_parquet
from hedgerow.io._delimited import Delimited
from hedgerow.io._json_lines import JsonLines
from hedgerow.io._source import Batch, DataError, Source

STDIN = "-"
MISSING = ("error", "drop")
TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
JSON_LINES = (".ndjson", ".jsonl")
OPENERS: dict[str, Callable[[Path, ExitStack], Source]] = {
    ".parquet": open_parquet,
    ".pq": open_parquet,
    ".arrow": open_arrow,
    ".feather": open_arrow,
    ".ipc": open_arrow,
    ".npy": open_npy,
    ".h5ad": open_h5ad,
}
_UNTYPED = (*TEXT, *JSON_LINES)
READABLE = (*_UNTYPED, *(f"{suffix}.gz" for suffix in _UNTYPED), *OPENERS)


class Table:
    """The columns of numbers in a file; iteration gives their rows, a batch at a time, once.

    It is also a context manager that closes the file.

    Attributes
    ----------
    names : list of str
        The columns that are read.
    left_out : dict of str to list of str
        The columns that are not, by the reason.
    total : int or None
        What `done` reaches in the end: bytes of a text file, rows of others.
    done : int
        How much of ``total`` has been read.
    n_rows, n_dropped : int
        Rows read so far, and how many of them were left out because a value was missing.
    """

    def __init__(
        self,
        source: Source,
        wanted: Sequence[str],
        dropped: Sequence[str],
        missing: str,
        files: ExitStack,
    ) -> None:
        self._chosen, self.left_out = choose(source.columns, wanted, dropped)
        self.names = [source.columns[j].name for j in self._chosen]
        self.total = source.total
        self.done = 0
        self.n_rows = self.n_dropped = 0
        self._source, self._files = source, files
        self._drop = missing == "drop"
        self._blamed = np.zeros(len(self.names), dtype=np.int64)  # missing values, by column

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        for batch in self._source.batches(self._chosen):
            self.done = batch.done
            self.n_rows += len(batch.rows)
            rows = self._complete(batch)
            if len(rows):
                yield rows
        if not self.n_rows:
            raise DataError("the file has no rows")
        if self.n_rows == self.n_dropped:
            raise DataError(
                f"no row is left, each has a missing value, by column: {self._by_column()}"
            )

    def _complete(self, batch: Batch) -> NDArray[np.float64]:
        """Return the rows without missing values; refuse infinite ones."""
        # The sum is finite only if every entry is; it may overflow by itself.
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(batch.rows.sum()):
                return batch.rows
        infinite = np.argwhere(np.isinf(batch.rows))
        if len(infinite):
            k, j = infinite[0]
            raise DataError(
                f"numbers must be finite, got {batch.rows[k, j]:g} in column {self.names[j]!r}, "
                f"{self._source.place} {batch.numbers[k]}"
            )
        missing = np.isnan(batch.rows)
        self._blamed += missing.sum(axis=0)
        incomplete = missing.any(axis=1)
        if incomplete.any() and not self._drop:
            rows = f"{'' if self.done == self.total else 'first '}{self.n_rows} rows"
            raise DataError(
                f"values must not be missing, got {missing.sum()} missing in {incomplete.sum()} "
                f"of the {rows}, by column: {self._by_column()}",
                ("missing", "drop"),
                "leaves such rows out",
            )
        self.n_dropped += int(incomplete.sum())
        return batch.rows[~incomplete]

    def _by_column(self) -> str:
        worst = np.argsort(-self._blamed, kind="stable")
        return listed(f"{self.names[j]!r} ({self._blamed[j]})" for j in worst if self._blamed[j])


def open_table(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    missing: str = "error",
) -> Table:
    """Open a file for reading in batches.

    Parameters
    ----------
    path : str or path
        Delimited text (``.csv``, ``.tsv``, ``.tab``, ``.txt``) and JSON lines (``.ndjson``,
        ``.jsonl``), also packed (``.gz``); Parquet (``.parquet``, ``.pq``), Arrow (``.arrow``,
        ``.feather``, ``.ipc``), ``.npy``, AnnData (``.h5ad``); or ``"-"`` for delimited text on
        standard input.
    columns, drop : sequences of str
        Columns to read (by default all of numbers) and to leave out: names, several names between
        commas, or patterns with ``*`` and ``?``.
    delimiter : str, optional
        One character between cells, or ``"tab"``; found in the first lines by default.
    header : bool, optional
        Whether the first line of delimited text has the names; by default it has unless all of
        its cells are numbers. Columns without names are called ``x0``, ``x1`` and so on.
    missing : {"error", "drop"}
        What to do with rows that have empty cells, NaN or NA.

    Returns
    -------
    Table
        Iterate over it once for arrays of rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "bodies.csv"
    >>> _ = file.write_text("name,height,mass\\nAda,1.7,60\\nBob,1.8,75\\n")
    >>> table = open_table(file)
    >>> table.names, table.left_out
    (['height', 'mass'], {'not numeric': ['name']})
    >>> next(iter(table))
    array([[ 1.7, 60. ],
           [ 1.8, 75. ]])
    """
    one_of("missing", missing, MISSING)
    delimiter = one_character(delimiter)
    with ExitStack() as stack:
        source = _open(path, delimiter, header, stack)
        return Table(source, columns, drop, missing, stack.pop_all())


def one_character(delimiter: str | None) -> str | None:
    if delimiter in ("tab", "\\t"):
        return "\t"
    if delimiter is not None and (
        len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'
    ):
        raise ValueError(f"delimiter must be one ASCII character or 'tab', got {delimiter!r}")
    return delimiter


def _open(
    path: str | os.PathLike[str], delimiter: str | None, header: bool | None, stack: ExitStack
) -> Source:
    if os.fspath(path) == STDIN:
        stream = sys.stdin.buffer
        return Delimited(stream, stream, _size(stream), delimiter, header)
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder, not a file", str(path))
    suffix, packed = suffix_of(path)
    raw = stack.enter_context(path.open("rb"))  # missing or forbidden files are noticed here
    if suffix in OPENERS:
        return OPENERS[suffix](path, stack)
    stream = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=raw))) if packed else raw
    if suffix in JSON_LINES:
        return JsonLines(stream, raw, _size(raw))
    return Delimited(stream, raw, _size(raw), delimiter or TEXT[suffix], header)


def suffix_of(path: Path) -> tuple[str, bool]:
    """Return the suffix that tells the kind of file, and whether it is packed by gzip."""
    suffix = path.suffix.lower()
    packed = suffix == ".gz"
    if packed:
        suffix = Path(path.stem).suffix.lower()
    if suffix + ".gz" * packed not in READABLE:
        raise ValueError(
            f"file name must end in {', '.join(_UNTYPED)} (also with .gz), {', '.join(OPENERS)}, "
            f"got {path.name!r}; any delimited text can be read from standard input, as '-'"
        )
    return suffix, packed


def _size(stream: BinaryIO) -> int | None:
    """Return the number of bytes of a regular file."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # no file at all
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
