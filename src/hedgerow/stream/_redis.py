"""Redis Streams as a source: entries of fields, or of one field that holds a JSON object.

The checkpoint, not the server, says which entries have been learned from. The consumer group is
set back to the checkpoint's entry when a run begins and whenever the connection was lost, so that
each entry is delivered again unless it is in the state; and entries are acknowledged only once a
checkpoint holds them.
"""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators import DataWarning
from hedgerow.estimators._input import listed
from hedgerow.io import DataError
from hedgerow.io._records import Block
from hedgerow.io._source import Column, optional
from hedgerow.stream._bytes import PAUSE
from hedgerow.stream._formats import (
    Objects,
    columns_of_cells,
    columns_of_object,
    fields,
    number_in_text,
    numbers_between,
    object_in,
    read,
)
from hedgerow.stream._source import BadRow, Chunk, Offset, Schema, Wish, check_wish, first_schema

Entry = dict[bytes, bytes]
Entries = list[tuple[bytes, Entry]]

_CONSUMER = "hedgerow"
_JSON = b"json"
_START = "0-0"
_ACKNOWLEDGED_AT_ONCE = 10_000
_NUMBERS_AT_ONCE, _FEWEST, _MOST = 500_000, 64, 5_000  # entries asked for


class RedisStream:
    """A stream and the consumer group that this program has for itself."""

    def __init__(self, url: str, *, follow: bool, wish: Wish) -> None:
        address, self._key, self._group = _taken_apart(url)
        self.name = f"Redis stream {self._key}"
        self.schema: Schema | None = None
        self._wish, self._follow = wish, follow
        self._last, self._read = _START, 0  # the last entry, and how many there ever were up to it
        self._redis = optional("redis", "redis")
        # Asked once more by itself, the client would miss the entries of a reply that was lost.
        once = self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0)
        self._client = self._redis.Redis.from_url(address, retry=once, protocol=2)
        with self._failures():
            self._join()
            self._read = _removed(self._client.xinfo_stream(self._key))

    def seek(self, offset: Offset, schema: Schema) -> None:
        check_wish(self._wish, schema)
        self._last, self._read, self.schema = offset["id"], offset["read"], schema
        with self._failures():
            self._look_for_gaps()
        self.ack(offset)

    def chunks(self) -> Iterator[Chunk]:
        connected = False
        while True:
            try:
                if not connected:
                    self._client.xgroup_setid(self._key, self._group, self._last)
                    connected = True
                entries = self._next_entries()
            except (self._redis.ConnectionError, self._redis.TimeoutError) as error:
                if not self._follow:
                    raise DataError(f"Redis does not answer: {error}") from error
                _warn(f"Redis does not answer, trying again until it does: {error}")
                time.sleep(PAUSE)
                connected, entries = False, []
            except self._redis.ResponseError as error:
                raise DataError(f"Redis refuses: {error}") from error
            if not (entries or self._follow):
                return
            yield self._chunk(entries)

    def ack(self, offset: Offset) -> None:
        """Acknowledge what is safe; should it fail, the next time does it all."""
        pending = [b""]
        try:
            while pending:
                waiting = self._client.xpending_range(
                    self._key, self._group, "-", offset["id"], _ACKNOWLEDGED_AT_ONCE
                )
                pending = [entry["message_id"] for entry in waiting]
                if pending:
                    self._client.xack(self._key, self._group, *pending)
        except self._redis.RedisError as error:
            _warn(f"entries could not be acknowledged yet: {error}")

    def close(self) -> None:
        self._client.close()

    def _join(self) -> None:
        try:
            self._client.xgroup_create(self._key, self._group, id=_START, mkstream=self._follow)
        except self._redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        consumers = self._client.xinfo_consumers(self._key, self._group)
        others = [found["name"].decode() for found in consumers]
        others = [name for name in others if name != _CONSUMER]
        if others:
            raise DataError(
                f"the group {self._group!r} must have no other consumers, got {listed(others)}; "
                "group=NAME in the address chooses another group"
            )

    def _next_entries(self) -> Entries:
        count = _FEWEST
        if self.schema is not None:
            count = min(max(_NUMBERS_AT_ONCE // len(self.schema.columns), _FEWEST), _MOST)
        wait = round(1000 * PAUSE) if self._follow else None
        found = self._client.xreadgroup(
            self._group, _CONSUMER, {self._key: ">"}, count=count, block=wait
        )
        return found[0][1] if found else []

    def _chunk(self, entries: Entries) -> Chunk:
        if not entries:
            return Chunk(np.empty((0, 0)), self._offset(self._last, 0))
        ids = [self._last, *(number.decode() for number, _ in entries)]
        if self.schema is None:
            self._judge(entries)
        schema = self.schema or Schema(["unknown"], [])
        rows, reasons = read(EntryRows(schema), entries, (len(entries), len(schema.columns)))
        bad = [
            BadRow(k - count, self._offset(ids[k], k), f"entry {ids[k + 1]}", reason)
            for count, (k, reason) in enumerate(reasons.items())
        ]
        self._last, self._read = ids[-1], self._read + len(entries)
        return Chunk(rows, self._offset(self._last, 0), bad)

    def _offset(self, number: str, further: int) -> Offset:
        return {"id": number, "read": self._read + further}

    def _judge(self, entries: Entries) -> None:
        for _, entry in entries:
            try:
                columns = _columns(entry)
            except ValueError:
                continue  # a bad row, to be told with the others
            self.schema = first_schema(columns, self._wish)
            return

    def _look_for_gaps(self) -> None:
        info = self._client.xinfo_stream(self._key)
        if _order(info["last-generated-id"].decode()) < _order(self._last):
            raise DataError(
                f"the stream must be the one read before, and ends before entry {self._last}"
            )
        if _removed(info) > self._read:
            lost = _removed(info) - self._read
            _warn(f"{lost} entries were removed before they were read")

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except self._redis.RedisError as error:
            raise DataError(f"Redis: {error}") from error


class EntryRows:
    """Entries whose fields are the columns, or that have one field, which holds a JSON object."""

    def __init__(self, schema: Schema) -> None:
        self._schema, self._objects = schema, Objects(schema)
        self._names = [name.encode() for name in schema.columns]
        self._known = {name.encode() for name in (*schema.columns, *schema.others)}

    def many(self, some: Entries) -> NDArray[np.float64] | None:
        if all(_is_json(entry) for _, entry in some):
            return self._objects.many(_lines(some))
        try:
            texts = [entry[name] for _, entry in some for name in self._names]
        except KeyError:
            return None
        if not all(self._known.issuperset(entry) for _, entry in some):
            return None
        return numbers_between(b",".join([*texts, b""]), ",", (len(some), len(self._names)))

    def one(self, some: Entries, k: int) -> list[float]:
        entry = some[k][1]
        if _is_json(entry):
            return self._objects.one(_lines(some[k : k + 1]), 0)
        texts = {_text(name): _text(value) for name, value in entry.items()}
        return fields(texts, self._schema, number_in_text)


def _is_json(entry: Entry) -> bool:
    return entry.keys() == {_JSON}


def _lines(entries: Entries) -> Block:
    lines = [entry[_JSON].replace(b"\n", b" ") + b"\n" for _, entry in entries]
    sizes = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    return Block(b"".join(lines), np.arange(len(lines)), np.cumsum(sizes) - sizes, 0)


def _columns(entry: Entry) -> list[Column]:
    if _is_json(entry):
        return columns_of_object(object_in(entry[_JSON]))
    return columns_of_cells([*map(_text, entry)], [*map(_text, entry.values())])


def _text(value: bytes) -> str:
    return value.decode(errors="replace").strip()


def _taken_apart(url: str) -> tuple[str, str, str]:
    """Return the address of the server, the stream and the group.

    >>> _taken_apart("redis://localhost:6379/0?stream=readings")
    ('redis://localhost:6379/0', 'readings', 'hedgerow')
    """
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    stream = query.pop("stream", [""])[0]
    group = query.pop("group", [_CONSUMER])[0]
    if not stream:
        raise ValueError(f"a Redis address must have ?stream=NAME, got {url!r}")
    return parts._replace(query=urlencode(query, doseq=True)).geturl(), stream, group


def _removed(info: dict[str, Any]) -> int:
    """Return how many entries there were that are no more; old servers do not count them."""
    return info.get("entries-added", info["length"]) - info["length"]


def _order(number: str) -> tuple[int, int]:
    time_part, _, count = number.partition("-")
    return int(time_part), int(count or 0)


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)
