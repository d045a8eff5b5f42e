"""Connections that do not wait for ever: who asks slowly, or not at all, is let go."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds in which a request must be complete
MOST_WAITING = 256  # connections without a complete request; above, the oldest is let go


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a time limit for requests.

    The limit counts from the connection, or from the end of the last answer, and ends when a
    request is complete. It says nothing about answers: a stream of events lasts as long as it does.
    """

    _waiting_since: float | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._review()
        self._let_the_oldest_go()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._review()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._review()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _review(self) -> None:
        """Start the clock, stop it, or let it run, whichever bytes have come meanwhile."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering or self.transport.is_closing():
            self._stop_waiting()
        elif self._waiting_since is None:
            self._waiting_since = self.loop.time()
            self._deadline = self.loop.call_later(PATIENCE, self.transport.abort)

    def _stop_waiting(self) -> None:
        self._waiting_since = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _let_the_oldest_go(self) -> None:
        if len(self.connections) <= MOST_WAITING:
            return
        waiting = [
            (each._waiting_since, number, each)
            for number, each in enumerate(self.connections)
            if isinstance(each, ImpatientProtocol) and each._waiting_since is not None
        ]
        if len(waiting) > MOST_WAITING:
            *_, oldest = min(waiting)
            oldest._stop_waiting()  # it stays among the connections until the loop's next round
            oldest.transport.abort()
