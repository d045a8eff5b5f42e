"""From the name of a file to what reads it."""

import gzip
import os
import stat
import sys
from collections.abc import Callable
from contextlib import ExitStack
from errno import EISDIR
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from hedgerow.io._arrays import open_h5ad, open_npy
from hedgerow.io._columnar import open_arrow, open_parquet
from hedgerow.io._labelled import open_spss, open_stata
from hedgerow.io._office import open_excel
from hedgerow.io.choose import words_of
from hedgerow.io.layout import Style
from hedgerow.io.notation import notation
from hedgerow.io.raw import WholeFile
from hedgerow.io.source import Reader
from hedgerow.io.text import Text

STDIN = "-"
TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
JSON_LINES = (".ndjson", ".jsonl")

_ADVICE = {  # what to do with files of other kinds, by how their names end
    ".zip .bz2 .xz .zst .7z .tar .tgz": "unpack it first, or pack it by gzip",
    ".json": "save one object for each row, each on a line of its own, as .jsonl",
    ".npz .mat": "save one of its arrays as .npy",
    ".por .xpt .sas7bdat": "save it as .sav, .dta or .csv",
    ".rds .rda .rdata .pkl .pickle .h5 .hdf5": "save the table as .csv or .parquet",
    ".doc .docx .pdf .numbers": "save the table as .csv or .xlsx",
}


class Reading(NamedTuple):
    """How a file is read, by those who know it; each kind of file takes what concerns it."""

    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()
    sheet: str | None = None
    layer: str | None = None
    obs: tuple[str, ...] = ()
    labels: bool = False
    order: tuple[tuple[str, ...], ...] = ()  # of words, from the lowest to the highest

    def style(self, suffix: str = "") -> Style:
        """Return how text is read, in a file with this suffix."""
        is_json = None if not suffix else suffix in JSON_LINES
        delimiter = self.delimiter or TEXT.get(suffix)
        return Style(is_json, delimiter, self.header, self.decimal, self.na)


Opener = Callable[[Path, ExitStack, Reading], Reader]
OPENERS: dict[str, Opener] = {
    **dict.fromkeys(
        (".parquet", ".pq"), lambda path, stack, how: open_parquet(path, stack, na=how.na)
    ),
    **dict.fromkeys(
        (".arrow", ".feather", ".ipc"), lambda path, stack, how: open_arrow(path, stack, na=how.na)
    ),
    ".npy": lambda path, stack, _: open_npy(path, stack),
    ".h5ad": lambda path, stack, how: open_h5ad(path, stack, layer=how.layer, obs=how.obs),
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        lambda path, stack, how: open_excel(path, stack, sheet=how.sheet, na=how.na),
    ),
    **dict.fromkeys(
        (".sav", ".zsav"), lambda path, stack, how: open_spss(path, stack, labels=how.labels)
    ),
    ".dta": lambda path, stack, how: open_stata(path, stack, labels=how.labels),
}
_UNTYPED = (*TEXT, *JSON_LINES)
READABLE = (*_UNTYPED, *(f"{suffix}.gz" for suffix in _UNTYPED), *OPENERS)


def reading(**options: Any) -> Reading:
    """Return how to read, if the options are such as can be."""
    delimiter, decimal = options.get("delimiter"), options.get("decimal")
    options["delimiter"] = one_character(delimiter)
    for name in ("na", "obs"):
        texts = options.get(name, ())
        texts = [texts] if isinstance(texts, str) else texts
        options[name] = tuple(word.strip() for text in texts for word in text.split(","))
    options["order"] = tuple(_order_of(text) for text in options.get("order", ()))
    notation(decimal or ".", options["na"])
    if decimal == "," and options["delimiter"] == ",":
        raise ValueError("decimal must differ from the delimiter, got ',' for both")
    return Reading(**options)


def _order_of(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in words_of(text))
    if len({word.lower() for word in words} - {""}) < max(2, len(words)):
        raise ValueError(
            f"order must be different words between commas, from the lowest to the highest, "
            f"got {text!r}"
        )
    return words


def one_character(delimiter: str | None) -> str | None:
    """Return a delimiter as it stands between cells."""
    if delimiter in ("tab", "\\t"):
        return "\t"
    if delimiter is not None and (
        len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'
    ):
        raise ValueError(f"delimiter must be one ASCII character or 'tab', got {delimiter!r}")
    return delimiter


def open_rows(path: str | os.PathLike[str], how: Reading, stack: ExitStack) -> Reader:
    """Open a file that does not grow, or standard input; the columns are known then."""
    if os.fspath(path) == STDIN:
        return _looked_at(Text(WholeFile(sys.stdin.buffer), how.style(), size_of(sys.stdin.buffer)))
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder, not a file", str(path))
    suffix, packed = suffix_of(path)
    raw = stack.enter_context(path.open("rb"))  # missing or forbidden files are noticed here
    if suffix in OPENERS:
        return OPENERS[suffix](path, stack, how)
    return _looked_at(Text(unpacked(raw, packed), how.style(suffix), size_of(raw)))


def unpacked(raw: BinaryIO, packed: bool) -> WholeFile:
    """Return the bytes of a file that does not grow."""
    if not packed:
        return WholeFile(raw)
    return WholeFile(cast(BinaryIO, gzip.GzipFile(fileobj=raw)), raw)


def _looked_at(text: Text) -> Reader:
    for _ in text.look():
        pass
    return text


def suffix_of(path: Path) -> tuple[str, bool]:
    """Return the suffix that tells the kind of file, and whether it is packed by gzip."""
    suffix = path.suffix.lower()
    packed = suffix == ".gz"
    if packed:
        suffix = Path(path.stem).suffix.lower()
    if suffix + ".gz" * packed not in READABLE:
        advice = next(
            (what for ends, what in _ADVICE.items() if path.suffix.lower() in ends.split()),
            "any delimited text can be read from standard input, as '-'",
        )
        raise ValueError(
            f"file name must end in {', '.join(_UNTYPED)} (also with .gz), {', '.join(OPENERS)}, "
            f"got {path.name!r}; {advice}"
        )
    return suffix, packed


def size_of(stream: BinaryIO) -> int | None:
    """Return the number of bytes of a regular file."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # no file at all
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
