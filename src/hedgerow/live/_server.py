"""A web server in a thread of its own, on this machine's own address."""

import asyncio
import errno
import logging
import os
import socket
from threading import Thread
from time import sleep

import uvicorn
from starlette.types import ASGIApp

from hedgerow.live._protocol import ImpatientProtocol

HOST = "127.0.0.1"
FIRST_PORT = 8484
_PORTS_TRIED = 20
_BACKLOG = 100  # connections taken at a time, far fewer than may wait: who is new has a chance


def listen(port: int) -> socket.socket:
    """Return a socket bound to ``port``, or for 0 to the first free one from `FIRST_PORT` on."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ValueError(f"port must be an integer in [0, 65535], got {port!r}")
    if port:
        return _bound(port)
    for candidate in range(FIRST_PORT, FIRST_PORT + _PORTS_TRIED):
        try:
            return _bound(candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    return _bound(0)


def _bound(port: int) -> socket.socket:
    listener = socket.socket()
    if os.name == "posix":  # elsewhere the option would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # until then, another process may bind to the same port
    except OSError as error:
        listener.close()
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"fails: {error.strerror}"
        raise OSError(
            error.errno, f"port {port} of {HOST} {reason}; choose another, or 0 for a free one"
        ) from error
    return listener


class _Uvicorn(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Also let go of clients that do not read, which uvicorn leaves connected."""
        await super().shutdown(sockets)
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


class Server:
    """Serve an application until `stop`."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        config = uvicorn.Config(
            app,
            http=ImpatientProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=1,
        )
        self._server = _Uvicorn(config)
        self._thread = Thread(
            target=self._server.run, args=([listener],), name="hedgerow-live-server", daemon=True
        )
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the server of the live page did not start")
            sleep(0.01)

    def stop(self) -> None:
        """Stop, leaving connections a second to end."""
        self._server.should_exit = True
        self._thread.join()
