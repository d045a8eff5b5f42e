"""From what the user typed to a source."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.checks import one_of
from hedgerow.io.choose import MISSING, Wish
from hedgerow.io.opening import STDIN, reading
from hedgerow.stream._files import Folder, OneFile, Piped, standard_input
from hedgerow.stream._source import Source

_REDIS = ("redis://", "rediss://", "unix://")


def open_source(
    source: str | os.PathLike[str],
    *,
    follow: bool = False,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    missing: str = "use",
    time: str | None = None,
    id: str | None = None,
    given: Sequence[str] = (),
    **how: Any,
) -> Source:
    """Open a source of rows by its name.

    Parameters
    ----------
    source : str or path
        A file or a named pipe, a folder of files, ``"-"`` for standard input, or a Redis stream,
        as in ``redis://localhost:6379/0?stream=NAME&group=hedgerow``. docs/streams.md has more.
    follow : bool
        Wait for more: lines that are appended to a file, or files that come into a folder.
    columns, drop : sequences of str
        Columns to learn from (by default all of numbers) and to leave out: names, several names
        between commas, or patterns with ``*`` and ``?``.
    missing : {"use", "error", "drop"}
        What to do with rows that have empty cells, NaN, NA or the like, or text in columns of
        numbers: give them, with NaN in such cells; take them for bad rows; or leave them out.
        Rows that have nothing else are left out.
    time, id : str, optional
        Columns that say when a row was made, and what it is called; they are no variables. A row
        whose time comes before that of an earlier one is a bad row.
    given : sequence of str
        Columns to hold fixed, written as ``columns``; text is taken for categories. A row in which
        one has no value is left out.
    delimiter, header, decimal, na, order, sheet, layer, obs, labels
        How files are read, as for `hedgerow.io.open_table`.

    Returns
    -------
    Source

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "bodies.csv"
    >>> _ = file.write_text("name,height,mass\\nAda,1.7,60\\nBob,1.8,heavy\\n")
    >>> source = open_source(file, missing="error")
    >>> (chunk,) = source.chunks()
    >>> source.schema
    Schema(columns=['height', 'mass'], others=['name'], words={}, given={})
    >>> chunk.rows
    array([[ 1.7, 60. ]])
    >>> chunk.bad[0].place, chunk.bad[0].reason
    ('line 3', "column 'mass' must hold numbers, got 'heavy'")
    """
    options = reading(**how)
    one_of("missing", missing, MISSING)
    wish = Wish(
        *(tuple(columns), tuple(drop), time, id, missing),
        given=tuple(given),
        orders=options.order,
    )
    name = os.fspath(source)
    if name.startswith(_REDIS):
        from hedgerow.stream._redis import RedisStream

        return RedisStream(name, follow=follow, wish=wish, na=options.na)
    if name == STDIN:
        return _endless(Piped("stdin", standard_input(), options, wish), follow)
    path = Path(name)
    if path.is_dir():
        return Folder(path, follow=follow, how=options, wish=wish)
    if path.exists() and stat.S_ISFIFO(path.stat().st_mode):
        return _endless(Piped(name, path.open("rb"), options, wish), follow)
    return OneFile(path, follow=follow, how=options, wish=wish)


def _endless(source: Piped, follow: bool) -> Piped:
    if follow:
        raise ValueError(f"follow needs a file, a folder or Redis, got {source.name!r}")
    return source
