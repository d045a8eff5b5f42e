"""Rows from lines of text, with places to come back to."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hedgerow.io import DataError
from hedgerow.io._records import Block, index_lines
from hedgerow.io._source import Column
from hedgerow.stream._bytes import Lines, Stream, whole_lines
from hedgerow.stream._formats import (
    Cells,
    Format,
    Heading,
    Objects,
    cells_in,
    columns_of_cells,
    columns_of_object,
    heading_of,
    line_of,
    object_in,
    read,
)
from hedgerow.stream._source import (
    BadRow,
    Chunk,
    Offset,
    Schema,
    Wish,
    check_names,
    first_schema,
)

_HEAD = 1024  # bytes by which a file is known again
_UNKNOWN = Schema(["unknown"], [])  # while no line can be read, the reasons are the same for any


class Style(NamedTuple):
    """How text is to be read; None is found out from its first line."""

    json: bool | None = None
    delimiter: str | None = None
    header: bool | None = None


class Text:
    """Lines of CSV or JSON; the first line that is a row decides which columns hold numbers."""

    def __init__(self, stream: Stream, style: Style, wish: Wish, schema: Schema | None) -> None:
        self._stream, self._style, self._wish = stream, style, wish
        self.schema = schema
        self._head = b""
        self._heading: Heading | None = None  # of delimited text
        self._format: Format[Block] | None = None

    def chunks(self, offset: Offset | None) -> Iterator[Chunk]:
        """Yield the rows after an offset, or all; no rows while nothing comes."""
        parts = whole_lines(self._stream)
        if offset is not None:
            self._find_again(parts, offset)
            parts = whole_lines(self._stream, offset["byte"], offset["line"])
        last = offset or self._offset(0, 1)
        for lines in parts:
            chunk = Chunk(np.empty((0, 0)), last) if lines is None else self._chunk(lines)
            last = chunk.offset
            yield chunk

    def close(self) -> None:
        """Let go of the bytes."""
        self._stream.close()

    def _find_again(self, parts: Iterator[Lines | None], offset: Offset) -> None:
        """Make sure that this is the text of the offset, and go there."""
        for lines in parts:
            if lines is None:
                break  # that is all there is, too little
            self._remember(lines)
            if lines.byte == 0:
                self._begin(lines)
            if lines.end >= min(_HEAD, offset["byte"]):
                break
        self._stream.seek(offset["byte"])
        if self._offset(offset["byte"], offset["line"])["head"] != offset["head"]:
            raise DataError(
                "the file must be the one read before, and begins differently; "
                "it may have been replaced while nobody followed it"
            )

    def _chunk(self, lines: Lines) -> Chunk:
        self._remember(lines)
        block = self._begin(lines) if lines.byte == 0 else _block(lines)
        offset = self._offset(lines.end, lines.next_line)
        if self._format is None:
            self._judge(block)
        format = self._format or self._format_for(_UNKNOWN)
        columns = (self.schema or _UNKNOWN).columns
        rows, reasons = read(format, block, (len(block.lines), len(columns)))
        bad = [
            self._bad_row(lines, int(block.lines[k]), k - count, reason)
            for count, (k, reason) in enumerate(reasons.items())
        ]
        return Chunk(rows, offset, bad)

    def _begin(self, lines: Lines) -> Block:
        """Take what the first line says; return the lines that are rows."""
        block = _block(lines._replace(data=lines.data.removeprefix(BOM_UTF8)))
        if not len(block.lines):
            raise DataError("the first line must not be blank")
        is_json = self._style.json
        if is_json is None:
            is_json = block.data.lstrip().startswith(b"{")
        if not is_json:
            self._heading = heading_of(block, self._style.delimiter, self._style.header)
            if not self._heading.is_row:
                block = block.without_first()
        if self.schema is not None:
            if self._heading:
                check_names(self._heading.names, self.schema)
            self._format = self._format_for(self.schema)
        return block

    def _remember(self, lines: Lines) -> None:
        is_torn = lines.end - lines.byte < len(lines.data)
        if lines.byte < _HEAD and not is_torn:
            self._head = (self._head[: lines.byte] + lines.data)[:_HEAD]

    def _judge(self, block: Block) -> None:
        for k in range(len(block.lines)):
            try:
                columns = self._columns(line_of(block, k))
            except ValueError:
                continue  # a bad row, to be told with the others
            self.schema = first_schema(columns, self._wish)
            self._format = self._format_for(self.schema)
            return

    def _columns(self, line: bytes) -> list[Column]:
        if self._heading is None:
            return columns_of_object(object_in(line))
        names = self._heading.names
        cells = cells_in(line, self._heading.delimiter)
        if len(cells) != len(names):
            raise ValueError("not a row")
        return columns_of_cells(names, cells)

    def _format_for(self, schema: Schema) -> Format[Block]:
        if self._heading is None:
            return Objects(schema)
        if schema is _UNKNOWN:
            schema = Schema(self._heading.names, [])
        return Cells(self._heading, schema)

    def _bad_row(self, lines: Lines, line: int, after: int, reason: str) -> BadRow:
        ends = np.flatnonzero(np.frombuffer(lines.data, dtype=np.uint8) == ord("\n"))
        before = line - lines.line
        byte = lines.byte + (int(ends[before - 1]) + 1 if before else 0)
        return BadRow(after, self._offset(byte, line), f"line {line}", reason)

    def _offset(self, byte: int, line: int) -> Offset:
        head = hashlib.sha256(self._head[:byte]).hexdigest()
        return {"byte": byte, "line": line, "head": head}


def _block(lines: Lines) -> Block:
    return index_lines(lines.data, lines.line, lines.end, quotes=False)
