"""Cut a stream of bytes into blocks of whole lines, and tell where in a block each line is."""

import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from gzip import BadGzipFile
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.io._source import DataError

BLOCK = 1 << 23  # bytes
LONGEST = 1 << 28  # bytes a line may have; more is taken for a quote that was never closed

_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


class Block(NamedTuple):
    """Whole, non-blank lines; a quoted cell may hold newlines of its own."""

    data: bytes
    lines: NDArray[np.signedinteger]  # the number in the file of each line
    starts: NDArray[np.signedinteger]  # where in ``data`` each line begins
    done: int  # bytes of the file read so far

    def without_first(self) -> "Block":
        """Return the block below its first line."""
        if len(self.lines) == 1:
            return self._replace(data=b"", lines=self.lines[1:], starts=self.starts[1:])
        cut = int(self.starts[1])
        return Block(self.data[cut:], self.lines[1:], self.starts[1:] - cut, self.done)


def read_blocks(stream: BinaryIO, raw: BinaryIO, *, quotes: bool) -> Iterator[Block]:
    """Yield the lines of ``stream`` in blocks; the place in ``raw`` tells how much was read.

    With ``quotes``, a newline between double quotes does not end a line.
    """
    line, done, rest = 1, 0, b""
    for piece in _pieces(stream):
        rest += piece
        end = _last_end(rest, quotes)
        if end:
            done = _place(raw, done + end)
            block = index_lines(rest[:end], line, done, quotes)
            line += rest.count(b"\n", 0, end)
            rest = rest[end:]
            if len(block.lines):
                yield block
        elif len(rest) > LONGEST:
            raise DataError(
                f"line {line} must end within {LONGEST >> 20} MB, and does not; "
                "a double quote may never have been closed"
            )
    if rest:
        raise DataError(f"a double quote opened in or after line {line} is never closed")


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes; the last of them end a line."""
    begin = BOM_UTF8
    try:
        while True:
            piece = stream.read(BLOCK)
            # Less than was asked for is the end of the file, also of a pipe.
            is_last = len(piece) < BLOCK
            yield piece.removeprefix(begin) + (
                b"\n" if is_last and not piece.endswith(b"\n") else b""
            )
            if is_last:
                return
            begin = b""
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise DataError(f"the file must be whole and packed by gzip, got {error}") from error


def _place(raw: BinaryIO, otherwise: int) -> int:
    return raw.tell() if raw.seekable() else otherwise


def _last_end(data: bytes, quotes: bool) -> int:
    """Return where the last whole line ends, or 0."""
    if not quotes or b'"' not in data:
        return data.rfind(b"\n") + 1
    ends = _line_ends(np.frombuffer(data, dtype=np.uint8), quotes)
    return int(ends[-1]) + 1 if len(ends) else 0


def _line_ends(codes: NDArray[np.uint8], quotes: bool) -> NDArray[np.signedinteger]:
    ends = np.flatnonzero(codes == _NEWLINE)
    return ends[~_quoted(codes, ends)] if quotes else ends


def _quoted(codes: NDArray[np.uint8], places: NDArray[np.signedinteger]) -> NDArray[np.bool_]:
    """Tell which places are between quotes: an odd number of quotes comes before them."""
    return np.searchsorted(np.flatnonzero(codes == _QUOTE), places) % 2 == 1


def index_lines(data: bytes, first_line: int, done: int, quotes: bool) -> Block:
    """Return the block of some whole lines, without the blank ones."""
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = _line_ends(codes, quotes)
    starts = np.r_[0, ends[:-1] + 1]
    newlines = np.flatnonzero(codes == _NEWLINE)
    lines = first_line + np.asarray(np.searchsorted(newlines, starts))
    length = ends - starts
    blank = (length == 0) | ((length == 1) & (codes[starts] == _RETURN))
    if not blank.any():
        return Block(data, lines, starts, done)
    pieces = [data[start : end + 1] for start, end in zip(starts[~blank], ends[~blank])]
    sizes = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    return Block(b"".join(pieces), lines[~blank], np.cumsum(sizes) - sizes, done)


def cells_of_lines(block: Block, delimiter: str) -> NDArray[np.signedinteger]:
    """Return the number of cells in each line.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = BytesIO(b'a,b\\n1,2\\n\\n"3,\\n4",5,6\\n')
    >>> (block,) = read_blocks(file, file, quotes=True)
    >>> cells_of_lines(block, ","), block.lines
    (array([2, 2, 3]), array([1, 2, 4]))
    """
    codes = np.frombuffer(block.data, dtype=np.uint8)
    delimiters = np.flatnonzero(codes == ord(delimiter))
    if b'"' in block.data:
        delimiters = delimiters[~_quoted(codes, delimiters)]
    before = np.searchsorted(delimiters, np.r_[block.starts, len(codes)])
    return np.diff(before) + 1
