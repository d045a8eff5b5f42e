"""What the server answers, to whom: two addresses, read only, and nothing for other sites."""

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hedgerow.live._board import Board

_MOST_ANSWERED = 64  # at a time; further ones are told to come back later
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def application(page: str, policy: str, board: Board, port: int) -> Starlette:
    """Return the application: the page at ``/`` and its news at ``/events``."""

    async def index(request: Request) -> Response:
        return HTMLResponse(page)

    async def events(request: Request) -> Response:
        # Other sites could not read the answer, but would keep a connection and look like a reader.
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("For this server's own page only.\n", 403)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return StreamingResponse(board.follow(), media_type="text/event-stream")

    headers = _HEADERS | {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    app = Starlette(
        routes=[Route("/", index), Route("/events", events)],
        middleware=[
            Middleware(_Guard, hosts=_own_names(port), headers=headers),
            Middleware(_Limit, most=_MOST_ANSWERED),
        ],
    )
    app.router.redirect_slashes = False
    return app


def _own_names(port: int) -> set[str]:
    names = ("127.0.0.1", "localhost", "[::1]")
    return {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())


class _Guard:
    """Refuse requests that were meant for another host, and put the headers on every answer.

    A web site can point a name of its own at this machine. Its pages would then count as this
    server's, but the browser still tells the name in the Host header.
    """

    def __init__(self, app: ASGIApp, hosts: set[str], headers: dict[str, str]) -> None:
        self.app = app
        self.hosts = hosts
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        app = self.app
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            known = ", ".join(sorted(self.hosts))
            app = PlainTextResponse(f"Host must be one of {known}.\n", 400)
        await app(scope, receive, send_with_headers)


class _Limit:
    """Answer so many requests at a time; connections without a request do not count."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most
        self.answered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.answered >= self.most:
            busy = PlainTextResponse("Too many readers; come back later.\n", 503)
            await busy(scope, receive, send)
            return
        self.answered += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.answered -= 1
