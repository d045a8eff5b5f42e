"""How large a workbook's sheet is, before a reader that cannot be stopped makes room for it.

The reader makes room for the whole rectangle between the first and the last cell at once, and ends
the process where there is not enough. One stray cell in the last corner makes it 17 billion cells.
"""

import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from hedgerow.io.source import DataError

Pattern = re.Pattern[bytes]

MOST_CELLS = 50_000_000
_BYTES_OF_CELL = 32
MOST_BYTES = 4_000_000_000  # of the parts of a workbook, unpacked
SECONDS = 600
_PIECE = 1 << 22
_LONGEST_TAG = 1 << 16
_PART_OF_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
# Where anything is that has a place in the sheet: quick to find, and at least all cells.
_QUICK = (
    re.compile(rb"""r\s*=\s*["']\s*([A-Za-z]+)[0-9]"""),
    re.compile(rb"""r\s*=\s*["']\s*[A-Za-z]+([0-9]+)"""),
)
# A cell that has a value; without one it is empty, and the reader leaves it out as well.
_CELL = rb"""<(?:\w+:)?c\s[^>]*?\br\s*=\s*["']\s*%s["'][^>]*(?<!/)>"""
_CAREFUL = (
    re.compile(_CELL % rb"([A-Za-z]+)[0-9]+\s*"),
    re.compile(_CELL % rb"[A-Za-z]+([0-9]+)\s*"),
)
# Run by a process of its own, which may end; it prints how many cells the largest sheet has.
_MEASURE = """
import sys
from python_calamine import load_workbook
try:
    import resource
    most = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, ValueError, OSError):
    pass
try:
    book = load_workbook(sys.argv[1])
    sheets = [book.get_sheet_by_name(name) for name in book.sheet_names]
    print(max(sheet.height * sheet.width for sheet in sheets))
except Exception as error:
    sys.exit(f"got {error}")
"""


def check_parts(path: Path) -> None:
    """Refuse an ``.xlsx`` file that is damaged, or has a sheet too large to be read."""
    try:
        with ZipFile(path) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_BYTES:
                raise DataError(
                    f"the parts of the workbook must have at most {MOST_BYTES:,} bytes in all; "
                    f"save the sheet as .csv instead"
                )
            for part in parts.infolist():
                _check_part(parts, part)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError) as error:
        raise DataError(f"the file must be a whole workbook, got {error}") from error


def _check_part(parts: ZipFile, part: ZipInfo) -> None:
    if not _PART_OF_SHEET.fullmatch(part.filename):
        with parts.open(part) as stream:
            # To the end: only then are the bytes compared with their checksum.
            for _ in _pieces(stream):
                pass
        return
    with parts.open(part) as stream:
        n_cells = _area(_pieces(stream), _QUICK)
    if n_cells > MOST_CELLS:
        with parts.open(part) as stream:
            refuse_large(_area(_pieces(stream), _CAREFUL))


def check_apart(path: Path) -> None:
    """Refuse any other kind of workbook that is damaged, or has a sheet too large to be read.

    Where the cells of these are cannot be told without reading them all, so another process does.
    """
    command = [sys.executable, "-c", _MEASURE, str(path), str(_BYTES_OF_CELL * MOST_CELLS * 2)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise DataError(f"the file must be a workbook read within {SECONDS} seconds") from error
    if done.returncode:
        words = done.stderr.decode(errors="replace").splitlines()
        told = next((line for line in words if line.startswith("got ")), "")
        reason = told or "got one that is damaged, or too large for memory"
        raise DataError(f"the file must be a workbook, {reason}")
    refuse_large(int(done.stdout))


def refuse_large(n_cells: int) -> None:
    """Refuse a sheet whose cells do not fit in memory."""
    if n_cells > MOST_CELLS:
        raise DataError(
            f"a sheet must have at most {MOST_CELLS:,} cells, got one with {n_cells:,} between its "
            f"first row and column and the last; look for a stray cell far from the others, or "
            f"save the sheet as .csv"
        )


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece


def _area(pieces: Iterator[bytes], patterns: tuple[Pattern, Pattern]) -> int:
    """Return how many cells are in the rectangle from the first cell of a sheet to the last."""
    rest = b""
    letters: set[bytes] = set()
    first, last = 1 << 62, 0
    for piece in pieces:
        text = rest + piece
        # A tag may be cut in two; what is longer than any tag of a cell is none.
        cut = max(text.rfind(b"<"), len(text) - _LONGEST_TAG, 0)
        text, rest = text[:cut], text[cut:]
        letters.update(patterns[0].findall(text))
        rows = [int(digits[:18]) for digits in set(patterns[1].findall(text))]
        first, last = min([first, *rows]), max([last, *rows])
    columns = [_column_number(word) for word in letters]
    return (last - first + 1) * (max(columns) - min(columns) + 1) if columns else 0


def _column_number(letters: bytes) -> int:
    """Return which column letters stand for.

    >>> _column_number(b"A"), _column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters[:9].upper():
        number = 26 * number + letter - 64
    return number
