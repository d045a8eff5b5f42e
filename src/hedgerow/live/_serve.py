"""From a run's news to a page: the runner hands over, a thread encodes, a server sends."""

from collections import deque
from contextlib import suppress
from threading import Event, Lock, Thread
from time import time
from types import TracebackType

from hedgerow._version import __version__
from hedgerow.live._board import Board
from hedgerow.live._news import Noted, changes_of, data_of, ending_of, status_of
from hedgerow.live._places import Places
from hedgerow.report._page import asset, fill, policy
from hedgerow.report._payload import edges, places, variables
from hedgerow.stream import Look, Status

_CHANGES_KEPT = 200
_PAUSE = 0.2  # seconds between news, so that a fast stream does not keep browsers busy


def serve(*, title: str = "Hedgerow stream", port: int = 0) -> "LivePage":
    """Serve a page that shows a run of `hedgerow.stream` as rows arrive.

    The page can be read by browsers on this machine only, and changes nothing. It stops being
    served at the end of the ``with`` block.

    Parameters
    ----------
    title : str
        The heading.
    port : int
        Where to serve; 0 for 8484 or, if that is in use, the next free port.

    Returns
    -------
    LivePage
        A watcher to give to the run; ``url`` is the page's address.

    Raises
    ------
    OSError
        If the port is in use.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from hedgerow.stream import run
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "walk.csv"
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
    >>> np.savetxt(file, walk, delimiter=",", header="a,b,c", comments="")
    >>> with serve(title="A walk") as page:
    ...     address = page.url  # http://127.0.0.1:8484/, to be opened in a browser
    ...     model = run(file, changes=True, watchers=[page])
    >>> len(model.edges_)
    2
    """
    return LivePage(title, port)


class LivePage:
    """A watcher of a run that shows it on a page; made by `serve`.

    Attributes
    ----------
    url : str
        The address of the page.
    """

    def __init__(self, title: str, port: int) -> None:
        from hedgerow.live._http import application  # needs the extra packages
        from hedgerow.live._server import HOST, Server, listen

        listener = listen(port)
        port = listener.getsockname()[1]
        self.url = f"http://{HOST}:{port}/"
        self._title = title
        self._board = Board()
        self._places = Places()
        self._lock = Lock()
        # The latest news that is not on the board yet, guarded by the lock.
        self._status: Status | None = None
        self._look: Look | None = None
        self._changes: deque[Noted] = deque(maxlen=_CHANGES_KEPT)
        self._shown = status_of(Status("running", 0, 0, 0.0, None))  # what the board says
        self._log: deque[Noted] = deque(maxlen=_CHANGES_KEPT)
        self._news = Event()
        self._closing = Event()
        style, script = (asset("hedgerow.live", name) for name in ("bundle.css", "bundle.js"))
        rules = policy(style, script, "connect-src 'self'")
        page = fill(style, script, {"title": title, "version": __version__}, rules)
        self._server = Server(application(page, rules, self._board, port), listener)
        self._worker = Thread(target=self._work, name="hedgerow-live", daemon=True)
        self._worker.start()

    def __enter__(self) -> "LivePage":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(error)

    def wants_look(self) -> bool:
        """Tell whether a browser is connected."""
        return self._board.followed

    def __call__(self, status: Status) -> None:
        """Take the news of a run and keep what is newest until there is time to show it."""
        now = time()
        with self._lock:
            self._status = status
            self._look = status.look or self._look
            self._changes.extend(Noted(change, now) for change in status.changes)
        self._news.set()

    def wait(self) -> None:
        """Go on serving until Ctrl-C, which then ends the waiting and no more."""
        with suppress(KeyboardInterrupt):
            self._closing.wait()

    def close(self) -> None:
        """Show the last news and stop serving."""
        self._end(None)

    def _end(self, error: BaseException | None) -> None:
        self._closing.set()
        self._news.set()
        self._worker.join()
        if error is not None:
            self._board.post("status", self._shown | ending_of(error))
        self._board.close()
        self._server.stop()

    def _work(self) -> None:
        """Put news on the board, the last of them before the end."""
        while not self._closing.is_set():
            self._news.wait()
            self._news.clear()
            self._show()
            self._closing.wait(_PAUSE)
        self._show()

    def _show(self) -> None:
        with self._lock:
            status, look, changes = self._status, self._look, list(self._changes)
            self._status = self._look = None
            self._changes.clear()
        if look is not None:
            data = data_of(look, self._title)
            self._board.post("variables", variables(data))
            self._board.post("places", places(self._places.follow(data)))
            self._board.post("edges", edges(data))
        if status is not None:
            self._shown = status_of(status)
            self._board.post("status", self._shown)
        if changes:
            self._log.extend(changes)
            self._board.post("changes", changes_of(self._log))
