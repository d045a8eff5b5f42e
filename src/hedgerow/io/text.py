"""Rows from lines of text, in files that lie there or grow, with places to come back to.

The first lines decide how the text is laid out and which columns are of numbers: eleven of them
where there are only numbers below the names, else a hundred and one. What comes later cannot
change that, so a column is judged alike in a file, in a stream, and however its bytes arrive.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from hedgerow.io.delimited import Cells, Found
from hedgerow.io.json_lines import Objects, object_in
from hedgerow.io.judge import FIRST_LINES, LINES, survey_objects
from hedgerow.io.layout import (
    Layout,
    Style,
    Survey,
    any_cells_in,
    survey,
)
from hedgerow.io.notation import clear_mark, notation
from hedgerow.io.raw import KNOWN, Decoded, Stream, cut_short, replaced
from hedgerow.io.records import DELIMITERS, LONGEST, Block, Quotes, cut
from hedgerow.io.source import Batch, Column, DataError, Offset

_HEAD = 1024  # bytes by which a file is known again
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
_JSON = Layout(delimiter="", width=0, header=False)


class Before(NamedTuple):
    """What earlier files of the same stream were like."""

    layout: Layout | None  # of delimited text
    learned: list[str]
    others: list[str]

    @property
    def columns(self) -> list[Column]:
        """All that have names."""
        return [Column(name, None) for name in (*self.learned, *self.others)]


class Text:
    """Lines of CSV or JSON. `look` or `resume` comes first, then `batches`."""

    place = "line"

    def __init__(self, stream: Stream, style: Style, total: int | None = None) -> None:
        self._stream, self._style, self.total = Decoded(stream), style, total
        self.columns: list[Column] = []
        self.notes: list[str] = []
        self.labels: Sequence[str] = ()
        self.beside: list[int] = []
        self.layout = _JSON
        self._quotes: Quotes | None = None
        self._objects: Objects | None = None
        self._head = b""  # of what has been cut into records
        self._ended = False
        self._done = 0
        # What has been pulled and not been cut into records yet, and where that begins.
        self._rest, self._byte, self._line = b"", 0, 1
        self._last = b""  # bytes before the records cut last, and these
        self._places = np.zeros(0, dtype=np.int64)

    @property
    def new(self) -> set[str]:
        """Names met that are those of no column."""
        return self._objects.new if self._objects else set()

    @property
    def waiting(self) -> int:
        """How many bytes have been pulled and not been cut into rows."""
        return len(self._rest)

    def look(self, before: Before | None = None) -> Iterator[None]:
        """Read until the columns are known; yields while there is too little to tell."""
        while True:
            found = self._survey(before)
            if found is not None:
                break
            yield from self._pull()
        self._settle(found)

    def resume(self, offset: Offset, before: Before) -> Iterator[None]:
        """Go to a place in the same text, and make sure that it is the same."""
        byte = offset["byte"]
        if "layout" not in offset:  # it was not known yet, or not kept by an older version
            yield from self.look(before)
        else:
            while len(self._rest) < min(_HEAD, byte):
                self._pull_again(byte)
            layout = Layout(**offset["layout"])
            while byte > len(self._rest) and not self._has_names(layout):
                self._pull_again(byte)
            columns = self._named(layout) if layout.delimiter else before.columns
            self._settle(Survey(layout, columns, [], is_clear=True))
        self._head = self._rest[: min(_HEAD, byte)]
        known = min(KNOWN, byte) if "tail" in offset else 0
        self._stream.seek(byte - known)
        self._rest, self._ended = b"", False
        while len(self._rest) < known:
            self._pull_again(byte)
        self._last, self._rest = self._rest[:known], self._rest[known:]
        if self._digest(self._head) != offset["head"]:
            raise DataError(
                "the file must be the one read before, and begins differently; "
                "it may have been replaced while nobody followed it"
            )
        if "tail" in offset and self._digest(self._last) != offset["tail"]:
            raise replaced()
        self._byte, self._line = byte, offset["line"]

    def batches(self, chosen: list[int]) -> Iterator[Batch | None]:
        """Yield the rows as they come, or None while there are none yet."""
        written = notation(self.layout.decimal, self._style.na)
        if self._quotes is None:
            self._objects = Objects(self.columns, chosen, written)
            self._objects.beside = [self.columns[j].name for j in self.beside]
        cells = Cells(self.layout, self.columns, chosen, written)
        above = self.layout.above if self._byte == 0 else 0
        while True:
            block = self._cut()
            if above and len(block.lines):
                skipped = min(above, len(block.lines))
                block, above = block.pick(slice(skipped, None)), above - skipped
            if len(block.lines):
                found = self._objects.read(block) if self._objects else cells.read(block)
                yield self._batch(block, found, cells)
            if self._ended:
                return
            yield from self._pull()

    @staticmethod
    def start() -> Offset:
        """Return the place before everything."""
        return {"byte": 0, "line": 1, "head": Text._digest(b"")}

    def offset(self, batch: Batch, k: int) -> Offset:
        """Return the place of a row of the last batch, or for its length the one behind it."""
        if k < len(batch.numbers):
            return self._offset(int(self._places[k]), int(batch.numbers[k]))
        return self._offset(self._byte, self._line)

    def close(self) -> None:
        """Let go of the bytes."""
        self._stream.close()

    def _offset(self, byte: int, line: int) -> Offset:
        end = len(self._last) - (self._byte - byte)
        return {
            "byte": byte,
            "line": line,
            "head": self._digest(self._head[:byte]),
            "tail": self._digest(self._last[max(0, end - KNOWN) : end]),
            "layout": self.layout._asdict(),
        }

    @staticmethod
    def _digest(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    def _batch(self, block: Block, found: Found, cells: Cells) -> Batch:
        beside = [
            self._objects.texts(block, self.columns[j].name)
            if self._objects
            else cells.texts(block, j)
            for j in self.beside
        ]
        self._places = block.places
        # What was pulled and not been used yet is not done; if it is packed this is a guess.
        self._done = max(self._done, self._stream.done - len(self._rest))
        return Batch(found.rows, block.lines, self._done, found.bad, beside)

    def _pull(self) -> Iterator[None]:
        """Take in more bytes; yields instead if there are none yet."""
        piece = self._stream.pull()
        if piece is None:
            yield None
            return
        self._rest += piece
        self._ended = not piece

    def _pull_again(self, byte: int) -> None:
        """Take in bytes that were there before, all up to some place."""
        waits = any(True for _ in self._pull())
        if waits or self._ended:
            raise cut_short(byte, len(self._rest))

    def _cut(self) -> Block:
        """Cut whole records off what was pulled; the last one of all may lack its line end."""
        torn = self._ended and self._rest != b"" and not self._rest.endswith(b"\n")
        data = self._rest + b"\n" * torn
        block, used, lines = cut(data, self._byte, self._line, self._quotes, is_last=self._ended)
        self._refuse_long(len(self._rest) - used, self._line + lines)
        taken = min(used, len(self._rest))
        if self._byte < _HEAD:
            self._head = (self._head[: self._byte] + self._rest[:taken])[:_HEAD]
        self._last = self._last[-KNOWN:] + self._rest[:taken]
        self._rest = self._rest[taken:]
        self._byte += taken
        self._line += lines
        return block

    @staticmethod
    def _refuse_long(rest: int, line: int) -> None:
        if rest > LONGEST:
            raise DataError(f"line {line} must end within {LONGEST >> 20} MB, and does not")

    def _refuse_array(self) -> None:
        if _ARRAY.match(self._rest):
            raise DataError(
                "JSON must be one object for each row, each on a line of its own, got an array"
            )

    def _survey(self, before: Before | None) -> Survey | None:
        """Return what the first lines say, or None if there are too few to tell."""
        is_json = self._style.json
        if is_json is None or is_json:
            self._refuse_array()
        if is_json is None:
            is_json = self._rest.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        quotes = None if is_json else Quotes(self._style.delimiter)
        torn = self._ended and not self._rest.endswith(b"\n")
        head, used, lines = cut(self._rest + b"\n" * torn, 0, 1, quotes, is_last=self._ended)
        self._refuse_long(len(self._rest) - used, 1 + lines)
        if self._ended and not len(head.lines):
            raise DataError("the file is empty")
        if before and len(head.lines):
            found = self._as_before(head, before, is_json)
            if found:
                return found
        judge = _survey_objects if is_json else survey
        found = None
        if self._ended or len(head.lines) >= FIRST_LINES:
            found = judge(head.pick(slice(FIRST_LINES)), self._style)
            if not found.is_clear and len(head.lines) > FIRST_LINES:
                is_enough = self._ended or len(head.lines) >= LINES
                found = judge(head.pick(slice(LINES)), self._style) if is_enough else None
            elif not found.is_clear and not self._ended:
                found = None
        if found and self._ended and len(head.lines) <= found.layout.above:
            raise DataError("the file has a header, and no rows below it")
        return found

    def _as_before(self, head: Block, before: Before, is_json: bool) -> Survey | None:
        """Take a file for one like those before, without waiting, if its first line is alike."""
        if is_json:
            return Survey(_JSON, before.columns, [], True)
        if self._style.header is False:
            return None
        written, said = before.layout, self._style.delimiter
        if written and (written.units or written.row_names or not written.header):
            return None
        first = (written.delimiter,) if written else ()
        for delimiter in dict.fromkeys((*first, *((said,) if said else DELIMITERS))):
            encoding = written.encoding if written else "utf-8"
            names = any_cells_in(head.record(0), delimiter, encoding)
            known = len(set(names) & set(before.learned))
            if 2 * known >= len(before.learned) and known > 1:
                layout = written
                if layout is None or layout.delimiter != delimiter:
                    layout = self._with_delimiter(head, delimiter, encoding)
                if layout is None:
                    return None
                layout = layout._replace(width=len(names))
                return Survey(layout, [Column(name, None) for name in names], [], True)
        return None

    def _with_delimiter(self, head: Block, delimiter: str, encoding: str) -> Layout | None:
        """Return the layout of a file with another delimiter than those before.

        Another mark may stand before fractions, too: None until it is clear which.
        """
        decimal = self._style.decimal or ("." if delimiter == "," else None)
        if decimal is None:
            below = head.pick(slice(1, FIRST_LINES))
            records = map(below.record, range(len(below.lines)))
            cells = (any_cells_in(record, delimiter, encoding) for record in records)
            decimal = clear_mark(cell.strip() for cell in chain.from_iterable(cells))
        return None if decimal is None else Layout(delimiter, 0, decimal=decimal, encoding=encoding)

    def _has_names(self, layout: Layout) -> bool:
        """Tell whether the line with the names, if there is one, is here to its end."""
        quotes = Quotes(layout.delimiter) if layout.delimiter else None
        return len(cut(self._rest, 0, 1, quotes, is_last=False).block.lines) > layout.separator

    def _named(self, layout: Layout) -> list[Column]:
        """Return the columns of a text whose layout is known, by its first line."""
        head = cut(self._rest, 0, 1, Quotes(layout.delimiter), is_last=True).block
        names = [f"x{j}" for j in range(layout.width)]
        if layout.header and len(head.lines):
            names = any_cells_in(
                head.record(int(layout.separator)), layout.delimiter, layout.encoding
            )
            if len(names) == layout.width - 1:
                names = ["", *names] if layout.row_names else [*names, ""]
        return [Column(name, None) for name in names]

    def _settle(self, found: Survey) -> None:
        self.layout, self.columns, self.notes, _, self.labels = found
        is_json = not self.layout.delimiter
        self._quotes = None if is_json else Quotes(self.layout.delimiter, self.layout.width)


def _survey_objects(head: Block, style: Style) -> Survey:
    objects, reasons = [], []
    for k in range(len(head.lines)):
        try:
            objects.append(object_in(head.record(k)))
        except ValueError as error:
            reasons.append(f"line {head.lines[k]}: {error}")
    if not objects:
        raise DataError(reasons[0])
    columns, is_clear = survey_objects(objects, notation(na=style.na))
    return Survey(_JSON, columns, [], is_clear and not reasons)
