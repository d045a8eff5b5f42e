"""From what the user typed to a source."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from hedgerow.io._table import STDIN, one_character
from hedgerow.stream._files import Folder, OneFile, Piped, standard_input
from hedgerow.stream._source import Source, Wish
from hedgerow.stream._text import Style

_REDIS = ("redis://", "rediss://", "unix://")


def open_source(
    source: str | os.PathLike[str],
    *,
    follow: bool = False,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
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
        Columns to learn from (by default all that hold a number in the first row) and to leave
        out: names, several names between commas, or patterns with ``*`` and ``?``.
    delimiter : str, optional
        One character between cells, or ``"tab"``; found in the first line by default.
    header : bool, optional
        Whether the first line of delimited text has the names; by default it has unless all of
        its cells are numbers. Columns without names are called ``x0``, ``x1`` and so on.

    Returns
    -------
    Source

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "bodies.csv"
    >>> _ = file.write_text("name,height,mass\\nAda,1.7,60\\nBob,1.8,none\\n")
    >>> source = open_source(file)
    >>> (chunk,) = source.chunks()
    >>> source.schema
    Schema(columns=['height', 'mass'], others=['name'])
    >>> chunk.rows
    array([[ 1.7, 60. ]])
    >>> chunk.bad[0].place, chunk.bad[0].reason
    ('line 3', "column 'mass' must hold numbers, got 'none'")
    """
    style = Style(delimiter=one_character(delimiter), header=header)
    wish = Wish(tuple(columns), tuple(drop))
    name = os.fspath(source)
    if name.startswith(_REDIS):
        from hedgerow.stream._redis import RedisStream

        return RedisStream(name, follow=follow, wish=wish)
    if name == STDIN:
        return _endless(Piped("stdin", standard_input(), style, wish), follow)
    path = Path(name)
    if path.is_dir():
        return Folder(path, follow=follow, style=style, wish=wish)
    if path.exists() and stat.S_ISFIFO(path.stat().st_mode):
        return _endless(Piped(name, path.open("rb"), style, wish), follow)
    return OneFile(path, follow=follow, style=style, wish=wish)


def _endless(source: Piped, follow: bool) -> Piped:
    if follow:
        raise ValueError(f"follow needs a file, a folder or Redis, got {source.name!r}")
    return source
