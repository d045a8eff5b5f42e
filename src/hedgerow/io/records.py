"""Cut bytes into records, which are lines unless a quoted cell holds line ends of its own."""

import csv
from codecs import BOM_UTF8
from io import StringIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST = 1 << 28  # bytes a record may have
MOST_LINES = 100  # of a quoted cell; a quote that is open for longer was never meant to be one

# In the order of preference: a comma may also be part of a number, a space part of a name.
DELIMITERS = ("\t", ";", "|", ",", " ")

_NEWLINE, _RETURN, _QUOTE = b'\n\r"'

Places = NDArray[np.signedinteger]


class Quotes(NamedTuple):
    """How quotes are taken: lines are joined only into whole rows, of this width if it is known."""

    delimiter: str | None = None
    width: int | None = None


class Block(NamedTuple):
    """Whole records that are not blank."""

    data: bytes
    lines: Places  # the number in the file of each record's first line
    starts: Places  # where in ``data`` each record begins
    places: Places  # where in the file each record begins

    def record(self, k: int) -> bytes:
        """Return one record, its line end included."""
        end = self.starts[k + 1] if k + 1 < len(self.starts) else len(self.data)
        return self.data[self.starts[k] : end]

    def pick(self, chosen: Places | slice) -> "Block":
        """Return some of the records."""
        ends = np.r_[self.starts[1:], len(self.data)].astype(np.int64)
        pieces = [self.data[a:b] for a, b in zip(self.starts[chosen], ends[chosen])]
        return joined(pieces, self.lines[chosen], self.places[chosen])


class Cut(NamedTuple):
    """Records, and where the rest begins."""

    block: Block
    used: int  # bytes
    lines: int


def cut(data: bytes, byte: int, line: int, quotes: Quotes | None, *, is_last: bool) -> Cut:
    """Cut whole records off the bytes that begin at a place in a file.

    A quote that is never closed, or whose cell does not fit into a row, stands for itself: its
    line is a record alone. Without ``quotes`` every line is a record.

    Examples
    --------
    >>> found = cut(b'a,b\\n1,2\\n\\n"3,\\n4",5\\n6', 0, 1, Quotes(), is_last=False)
    >>> found.block.lines, found.used, found.lines
    (array([1, 2, 4]), 18, 5)
    """
    begin = len(BOM_UTF8) if byte == 0 and data.startswith(BOM_UTF8) else 0
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = begin + np.flatnonzero(codes[begin:] == _NEWLINE)
    starts = np.r_[begin, ends[:-1] + 1][: len(ends)]
    first = np.ones(len(ends), dtype=np.bool_)  # lines that begin a record
    if quotes is not None and b'"' in data:
        # Names may be one fewer than the cells below them.
        top = quotes._replace(width=None) if byte == 0 else quotes
        used = _join(data, codes, starts, ends, (top, quotes), is_last, first)
        starts, ends, first = starts[:used], ends[:used], first[:used]
    n_lines = len(ends)
    used = int(ends[-1]) + 1 if n_lines else 0
    numbers = line + np.flatnonzero(first)
    begins = starts[first]
    stops = np.r_[begins[1:], used][: len(begins)].astype(np.int64)
    length = stops - begins
    blank = (length == 1) | ((length == 2) & (codes[begins] == _RETURN))
    if not blank.any() and not begin:
        return Cut(Block(data[:used], numbers, begins, byte + begins), used, n_lines)
    kept = ~blank
    pieces = [data[a:b] for a, b in zip(begins[kept], stops[kept])]
    return Cut(joined(pieces, numbers[kept], byte + begins[kept]), used, n_lines)


def joined(pieces: list[bytes], lines: Places, places: Places) -> Block:
    """Return a block of records, each with its line end."""
    sizes = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    return Block(b"".join(pieces), lines, np.cumsum(sizes) - sizes, places)


def _join(
    data: bytes,
    codes: NDArray[np.uint8],
    starts: Places,
    ends: Places,
    quotes: tuple[Quotes, Quotes],
    is_last: bool,
    first: NDArray[np.bool_],
) -> int:
    """Mark lines that go on a quoted cell as no first ones; return how many lines are whole.

    ``quotes`` are those of the first line, and of all others.
    """
    at = np.flatnonzero(codes == _QUOTE)
    counts = np.searchsorted(at, ends) - np.searchsorted(at, starts)
    odd = np.flatnonzero(counts % 2).tolist()
    k = 0
    while k < len(odd):
        opens = odd[k]
        closes = odd[k + 1] if k + 1 < len(odd) else None
        within = (len(ends) if closes is None else closes) - opens < MOST_LINES
        if closes is None:
            if within and not is_last:
                return opens
        elif within and _fits(data[starts[opens] : ends[closes] + 1], quotes[opens > 0]):
            first[opens + 1 : closes + 1] = False
            k += 1
        k += 1
    return len(ends)


def _fits(record: bytes, quotes: Quotes) -> bool:
    """Tell whether lines are one row: a quote within a cell, as in inches, opens nothing."""
    text = record.decode(errors="replace").rstrip("\r\n")
    for delimiter in DELIMITERS if quotes.delimiter is None else (quotes.delimiter,):
        try:
            rows = rows_in(text, delimiter)
        except csv.Error:
            continue
        if len(rows) == 1 and quotes.width in (None, len(rows[0])):
            return True
    return False


def rows_in(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a text; quotes that are misused are a `csv.Error`.

    >>> rows_in('"two\\nlines",1', ","), rows_in('5" pipe,1\\n6" pipe,2', ",")
    ([['two\\nlines', '1']], [['5" pipe', '1'], ['6" pipe', '2']])
    """
    return list(csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True))


def cell_counts(block: Block, delimiter: str) -> Places:
    """Return the number of cells in each record.

    Examples
    --------
    >>> found = cut(b'a,b\\n"3,\\n4",5,6\\n', 0, 1, Quotes(), is_last=True)
    >>> cell_counts(found.block, ",")
    array([2, 3])
    """
    codes = np.frombuffer(block.data, dtype=np.uint8)
    delimiters = np.flatnonzero(codes == ord(delimiter))
    if b'"' in block.data:
        at = np.flatnonzero(codes == _QUOTE)
        # Quotes are counted from the beginning of each record: one may have a quote too many.
        own = np.searchsorted(block.starts, delimiters, side="right") - 1
        before = np.searchsorted(at, delimiters) - np.searchsorted(at, block.starts)[own]
        delimiters = delimiters[before % 2 == 0]
    bounds = np.searchsorted(delimiters, np.r_[block.starts, len(codes)])
    return np.diff(bounds) + 1
