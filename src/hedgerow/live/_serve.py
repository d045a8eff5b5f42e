"""A page that a run can be watched on, as an object: made, given news, closed."""

from contextlib import suppress
from threading import Event
from types import TracebackType

from hedgerow import __version__
from hedgerow.live._board import Board
from hedgerow.live._desk import Desk
from hedgerow.report.page import bundle, fill, policy
from hedgerow.stream import Status


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
        style, script = bundle()
        rules = policy(style, script, "connect-src 'self'")
        data = {"live": True, "title": title, "version": __version__}
        page = fill(style, script, data, rules)
        self._board = Board()
        self._server = Server(application(page, rules, self._board, port), listener)
        self._desk = Desk(self._board, title)

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
        """Take the news of a run."""
        self._desk.take(status)

    def wait(self) -> None:
        """Go on serving until Ctrl-C, which then ends the waiting and no more."""
        with suppress(KeyboardInterrupt):
            Event().wait()

    def close(self) -> None:
        """Show the last news and stop serving."""
        self._end(None)

    def _end(self, error: BaseException | None) -> None:
        self._desk.close(error)
        self._board.close()
        self._server.stop()
