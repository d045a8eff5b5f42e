"""The latest state of each part of the page, encoded once for all who follow it.

Nothing is queued: a follower who was slow finds the newest state of what has changed meanwhile, so
followers cost the learner nothing and hold no more than the message they are being sent.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

_RETRY = b"retry: 1000\n\n"  # milliseconds after which a browser tries to connect again
_STILL_HERE = b": still here\n\n"
_QUIET = 15.0  # seconds without news after which to say so


class Board:
    """Parts by name, each posted as often as wanted and sent in the order of the first posts."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[int, bytes]] = {}
        self._posts = 0
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._followers: set[asyncio.Event] = set()

    @property
    def followed(self) -> bool:
        """Whether anybody is connected."""
        return bool(self._followers)

    def post(self, name: str, value: Any) -> None:
        """Replace a part, if it is not the same already; always from the same thread."""
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        message = f"event: {name}\ndata: {text}\n\n".encode()
        if name in self._parts and self._parts[name][1] == message:
            return
        self._posts += 1
        self._parts[name] = self._posts, message
        self._tell()

    def close(self) -> None:
        """Let followers go once they have the latest state of every part."""
        self._closed = True
        self._tell()

    async def follow(self) -> AsyncIterator[bytes]:
        """Yield messages: every part as it is now, then each that is posted."""
        self._loop = asyncio.get_running_loop()
        news = asyncio.Event()
        self._followers.add(news)
        sent: dict[str, int] = {}
        try:
            yield _RETRY
            while True:
                closed = self._closed  # read before the parts, so that none is missed
                while (message := self._next(sent)) is not None:
                    yield message
                if closed:
                    return
                try:
                    await asyncio.wait_for(news.wait(), _QUIET)
                except TimeoutError:
                    yield _STILL_HERE
                news.clear()
        finally:
            self._followers.discard(news)

    def _next(self, sent: dict[str, int]) -> bytes | None:
        for name, (number, message) in tuple(self._parts.items()):
            if sent.get(name, 0) < number:
                sent[name] = number
                return message
        return None

    def _tell(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop may have ended with its server
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for news in self._followers:
            news.set()
