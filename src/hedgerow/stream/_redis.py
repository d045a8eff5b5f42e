"""Redis Streams as a source: entries of fields, or of one field that holds a JSON object.

A run keeps its own place, in its own checkpoint, and only reads: any number of runs can learn from
one stream, each from every entry once. A consumer group is no more than a mark. It is moved after
each checkpoint and shows operators, and scripts that trim, how far the saved state is; what it says
is never read.
"""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode

from hedgerow.base.words import listed
from hedgerow.estimators import DataWarning
from hedgerow.io import DataError
from hedgerow.io.absent import Texts
from hedgerow.io.choose import Wish
from hedgerow.io.notation import notation
from hedgerow.io.raw import PAUSE
from hedgerow.io.source import Offset, optional
from hedgerow.stream._entries import Entries, EntryReader, Pulled, digest, place_after
from hedgerow.stream._part import Known, Part
from hedgerow.stream._source import Chunk, Schema, check_wish

_GROUP = "hedgerow"
_START = "0-0"
_NUMBERS_AT_ONCE, _FEWEST, _MOST = 500_000, 64, 5_000  # entries asked for
_PATIENCE = {"socket_timeout": 10, "socket_connect_timeout": 5}  # seconds


class RedisStream:
    """A stream, how far it was read, and the group that marks how far that is safe."""

    def __init__(self, url: str, *, follow: bool, wish: Wish, na: tuple[str, ...] = ()) -> None:
        address, self._key, self._group = _taken_apart(url)
        self.name = f"Redis stream {self._key}"
        self.schema: Schema | None = None
        self._wish, self._follow, self._na = wish, follow, na
        self._begun: Offset | None = None
        self._part: Part | None = None
        self._last: Offset = {"id": _START, "read": 0, "entry": ""}  # see `place_after`
        self._redis = optional("redis", "redis")
        self._client = self._connected(address)
        with self._failures():
            self._entries(count=1)
            self._refuse_consumers()

    def seek(self, offset: Offset, schema: Schema) -> None:
        check_wish(self._wish, schema)
        self._begun, self.schema = offset, schema
        self._last = {"entry": "", **offset}  # old offsets have no "entry"
        with self._failures():
            self._entries(count=1)
        self.ack(offset)

    def chunks(self) -> Iterator[Chunk]:
        reader = EntryReader(self._pull, self._last, self._na)
        known = Known(Texts(), schema=self.schema)
        self._part = Part(reader, self._wish, known, notation(na=self._na))
        for chunk in self._part.chunks(self._begun):
            self.schema = self._part.known.schema
            yield chunk

    def notes(self) -> list[str]:
        return self._part.known.notes() if self._part else []

    def _pull(self) -> Pulled | None:
        """Return the next entries; none at the end, and None if there are none yet."""
        entries: Entries = []
        try:
            entries = self._entries(self._many())
            if not entries and self._follow:  # whatever comes is read by the next request
                self._client.xread(self._place(), count=1, block=round(1000 * PAUSE))
        except (self._redis.ConnectionError, self._redis.TimeoutError) as error:
            if not self._follow:
                raise DataError(f"Redis does not answer: {error}") from error
            _warn(f"Redis does not answer, trying again until it does: {error}")
            time.sleep(PAUSE)
        except self._redis.ResponseError as error:
            raise DataError(f"Redis refuses: {error}") from error
        if not entries and self._follow:
            return None
        before = dict(self._last)
        self._last = place_after(before, entries)
        return Pulled(before, entries)

    def ack(self, offset: Offset) -> None:
        """Move the mark to what is safe; should it fail, the next time will do."""
        place = {"id": offset["id"], "entries_read": offset["read"] if self._counts else None}
        try:
            try:
                self._client.xgroup_setid(self._key, self._group, **place)
            except self._redis.ResponseError as error:
                if not str(error).startswith("NOGROUP"):
                    raise
                self._client.xgroup_create(self._key, self._group, **place)
        except self._redis.RedisError as error:
            _warn(f"the group {self._group!r} could not be moved to what is saved: {error}")

    def close(self) -> None:
        self._client.close()

    def _connected(self, address: str) -> Any:
        # The loop of `chunks` asks again by itself, and can be stopped in between.
        once = self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0)
        try:
            client = self._redis.Redis.from_url(address, retry=once, protocol=2, **_PATIENCE)
            client.connection_pool.make_connection()
        except (ValueError, TypeError):
            # What these say may hold parts of the password, so none of it is told.
            raise ValueError(
                "a Redis address must be like redis://USER:PASSWORD@HOST:PORT/0?stream=NAME, "
                "with what is special in a password written as %2F and so on, got another"
            ) from None
        return client

    def _refuse_consumers(self) -> None:
        """Refuse a group that others read by: moving it would give them the wrong entries."""
        try:
            consumers = self._client.xinfo_consumers(self._key, self._group)
        except self._redis.ResponseError:
            return  # there is no such group yet
        others = [found["name"].decode(errors="replace") for found in consumers]
        others = [name for name in others if name != _GROUP]  # which older versions had
        if others:
            raise DataError(
                f"the group {self._group!r} must have no consumers, got {listed(others)}; "
                "group=NAME in the address chooses another group"
            )

    def _place(self) -> dict[str, str]:
        return {self._key: self._last["id"]}

    def _many(self) -> int:
        if self.schema is None:
            return _FEWEST
        return min(max(_NUMBERS_AT_ONCE // len(self.schema.columns), _FEWEST), _MOST)

    def _entries(self, count: int) -> Entries:
        """Return what follows, seen at one moment together with what tells of gaps."""
        last = self._last["id"]
        asked = self._client.pipeline(transaction=True)
        asked.xinfo_stream(self._key)
        asked.xrange(self._key, last, last)
        asked.xread(self._place(), count=count)
        info, kept, found = asked.execute(raise_on_error=False)
        if isinstance(info, self._redis.ResponseError):
            self._look_at_absence(info)
            return []
        self._counts = "entries-added" in info  # since version 7
        if last == _START:
            self._last["read"] = _removed(info)
        else:
            self._refuse_another(info, kept)
            self._look_for_gaps(info)
        return found[0][1] if found else []

    def _look_at_absence(self, error: Exception) -> None:
        if str(error).startswith("WRONGTYPE"):
            kind = self._client.type(self._key).decode()
            raise DataError(f"{self._key!r} must hold a stream, got a {kind}")
        if "no such key" not in str(error):
            raise error
        self._counts = False
        if self._last["id"] != _START:
            raise self._another("is gone")
        if not self._follow:
            raise DataError(
                f"the stream {self._key!r} must exist, and does not; to follow is to wait for it"
            )

    def _refuse_another(self, info: dict[str, Any], kept: Entries) -> None:
        """Refuse a stream that is not the one read before, though it has its name."""
        last = self._last["id"]
        if _order(info["last-generated-id"]) < _order(last):
            raise self._another(f"ends before entry {last}")
        if kept:
            if self._last["entry"] not in ("", digest(kept[0][1])):
                raise self._another(f"has another entry {last}")
        elif (
            self._counts
            and _removed(info) < self._last["read"]  # trimming takes all entries up to the last
            and _order(info["max-deleted-entry-id"]) < _order(last)
        ):
            raise self._another(f"has no entry {last}, though none like it was removed")

    def _another(self, difference: str) -> DataError:
        return DataError(
            f"the stream {self._key!r} must be the one read before, and {difference}; was it "
            "deleted and begun anew, or restored from an old copy? To begin afresh, choose "
            "another folder of checkpoints"
        )

    def _look_for_gaps(self, info: dict[str, Any]) -> None:
        first = info["first-entry"]
        lost = _removed(info) - self._last["read"]
        if lost > 0 and (first is None or _order(first[0]) > _order(self._last["id"])):
            self._last["read"] += lost
            _warn(f"{lost} entries were removed before they were read")

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except self._redis.RedisError as error:
            raise DataError(f"Redis: {error}") from error


def _taken_apart(url: str) -> tuple[str, str, str]:
    """Return the address of the server, the stream and the group.

    >>> _taken_apart("redis://localhost:6379/0?stream=readings")
    ('redis://localhost:6379/0', 'readings', 'hedgerow')
    """
    address, _, query = url.partition("?")
    options = parse_qs(query)
    stream = options.pop("stream", [""])[0]
    group = options.pop("group", [_GROUP])[0]
    if not stream:  # the address may hold a password, and is not told
        raise ValueError(f"a Redis address must have ?stream=NAME, got {_before_user(address)!r}")
    return "?".join(filter(None, [address, urlencode(options, doseq=True)])), stream, group


def _before_user(address: str) -> str:
    """Return what cannot hold a password.

    >>> _before_user("redis://me:secret@localhost:6379/0")
    'redis://...'
    """
    return address.partition("://")[0] + "://..."


def _removed(info: dict[str, Any]) -> int:
    """Return how many entries there were that are no more; old servers do not count them."""
    removed: int = info.get("entries-added", info["length"]) - info["length"]
    return removed


def _order(number: bytes | str) -> tuple[int, int]:
    text = number.decode() if isinstance(number, bytes) else number
    time_part, _, count = text.partition("-")
    return int(time_part), int(count or 0)


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)
