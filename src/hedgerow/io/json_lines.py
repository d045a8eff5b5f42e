"""Newline-delimited JSON: one object on each line, a block of lines at a time."""

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.delimited import Found, numbers_of_words
from hedgerow.io.notation import Notation, not_a_number, shortened
from hedgerow.io.records import Block
from hedgerow.io.source import BadRow, Column, optional
from hedgerow.io.words import Words

# Escapes that are half a character; polars takes them for another one.
_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F]"
_HALF = re.compile(rb"%b(?!%b)|(?<!%b)%b" % (_HIGH, _LOW, _HIGH, _LOW))

_ALONE = "words"  # a name that is no pattern to polars


class Objects:
    """Reads the chosen names of objects; a name that an object lacks is a missing value.

    ``new`` gathers names that are none of the known ones. What objects say under the names
    ``beside`` is kept as it is.
    """

    def __init__(self, columns: list[Column], chosen: list[int], notation: Notation) -> None:
        self.known = {column.name for column in columns}
        self._chosen, self.notation = [columns[j].name for j in chosen], notation
        self._words = {
            columns[j].name: Words(columns[j].name, columns[j].words, notation)
            for j in chosen
            if columns[j].words
        }
        self.new: set[str] = set()
        self.beside: list[str] = []
        self._beside: dict[str, list[Any]] = {}  # of the last block, if it was read quickly

    def read(self, block: Block) -> Found:
        """Return the rows of a block."""
        self._beside = {}
        rows = self._quickly(block)
        bad: dict[int, BadRow] = {}
        if rows is None:
            rows = np.full((len(block.lines), len(self._chosen)), np.nan)
        for k in np.flatnonzero(np.isnan(rows).any(axis=1)).tolist():
            try:
                found = object_in(block.record(k))
            except ValueError as error:
                bad[k] = BadRow(str(error))
                continue
            wrong = self.fill(found, rows[k])
            if wrong:
                bad[k] = wrong
        return Found(self.notation.blank(rows), bad)

    def texts(self, block: Block, name: str) -> list[Any]:
        """Return what one name of ``beside`` says in each object of the block read last."""
        if name in self._beside:
            return self._beside[name]
        values = []
        for k in range(len(block.lines)):
            try:
                values.append(object_in(block.record(k)).get(name))
            except ValueError:
                values.append(None)
        return values

    def _quickly(self, block: Block) -> NDArray[np.float64] | None:
        polars = optional("polars")
        if b"\\u" in block.data and _HALF.search(block.data):
            return None
        # As many quotes as our names need: if none of them is missing, there are no others.
        quotes = 2 * len(self._chosen) * len(block.lines)
        is_ours = not self._words and block.data.count(b'"') == quotes
        schema = dict.fromkeys(self._chosen, polars.Float64) if is_ours else None
        try:
            frame = polars.read_ndjson(BytesIO(block.data), schema=schema, infer_schema_length=None)
        except polars.exceptions.PolarsError:
            return None
        if len(frame) != len(block.lines) or not set(self._chosen) <= set(frame.columns):
            return None
        if not is_ours and _may_repeat(block.data, frame):
            return None
        new = set(frame.columns) - self.known
        beside = {name: frame[name].to_list() for name in self.beside if name in frame.columns}
        # By name alone: to polars, text such as * or ^a.*$ is a pattern for many.
        frame = frame.select(optional("polars.selectors").by_name(self._chosen))
        for name in self._words:
            if frame[name].dtype == polars.String:
                words = numbers_of_words(_ALONE, self._words[name])
                numbers = frame[name].alias(_ALONE).to_frame().select(words).to_series()
                frame = frame.with_columns(numbers.alias(name))
        if not all(dtype.is_numeric() or dtype == polars.Boolean for dtype in frame.dtypes):
            return None
        rows: NDArray[np.float64] = frame.cast(polars.Float64).to_numpy(order="c")
        if is_ours and np.isnan(rows).any():
            return None
        self.new |= new
        self._beside = beside
        return rows

    def fill(self, found: Mapping[str, Any], row: NDArray[np.float64]) -> BadRow | None:
        """Fill a row; return what is wrong with it."""
        self.new |= found.keys() - self.known
        wrong = None
        for k, name in enumerate(self._chosen):
            words = self._words.get(name)
            number = (words or self.notation).value(found.get(name))
            if number is None:
                wrong = (
                    words.wrong(found[name], wrong)
                    if words
                    else not_a_number(name, found[name], wrong)
                )
            row[k] = np.nan if number is None else number
        return wrong


def _may_repeat(data: bytes, frame: Any) -> bool:
    """Tell whether there are more names than values, so that one may come twice in an object."""
    if any(dtype.is_nested() for dtype in frame.dtypes):
        return False
    values = frame.height * frame.width - sum(frame.null_count().row(0))
    return bool(data.count(b'":') > values + data.count(b"null"))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose names are characters, each once: readers differ in what they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a name must come once, got {shortened(repeated)} twice")
    for name in found:
        if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ValueError(f"names must be whole characters, got {shortened(name)}")
    return found


def object_in(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line."""
    try:
        found = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a row must be JSON, {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"a row must be a JSON object, got {shortened(str(found))}")
    return found
