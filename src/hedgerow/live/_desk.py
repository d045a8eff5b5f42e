"""Between a run and the board: news are taken in the run's thread and put up in another."""

from collections import deque
from threading import Event, Lock, Thread
from time import time

from hedgerow.live._board import Board
from hedgerow.live._news import Noted, changes_of, data_of, ending_of, status_of
from hedgerow.live._places import Places
from hedgerow.report.payload import edges, places, variables
from hedgerow.stream import RUNNING, Look, Status

_CHANGES_KEPT = 200
_PAUSE = 0.2  # seconds between news, so that a fast stream does not keep browsers busy


class Desk:
    """Keeps what is newest until there is time to put it up."""

    def __init__(self, board: Board, title: str) -> None:
        self._board = board
        self._title = title
        self._lock = Lock()  # guards these three, which are not on the board yet
        self._status: Status | None = None
        self._look: Look | None = None
        self._changes: deque[Noted] = deque(maxlen=_CHANGES_KEPT)
        self._news = Event()
        self._closing = Event()
        # What is on the board; the worker's own.
        self._shown = status_of(Status(RUNNING, 0, 0, 0.0, None))
        self._places = Places()
        self._log: deque[Noted] = deque(maxlen=_CHANGES_KEPT)
        self._worker = Thread(target=self._work, name="hedgerow-live", daemon=True)
        self._worker.start()

    def take(self, status: Status) -> None:
        """Take the news of a run, in no time."""
        now = time()
        with self._lock:
            self._status = status
            self._look = status.look or self._look
            self._changes.extend(Noted(change, now) for change in status.changes)
        self._news.set()

    def close(self, error: BaseException | None) -> None:
        """Put up the last news, and how the run ended if not by itself."""
        self._closing.set()
        self._news.set()
        self._worker.join()
        if error is not None:
            self._board.post("status", self._shown | ending_of(error))

    def _work(self) -> None:
        while not self._closing.is_set():
            self._news.wait()
            self._news.clear()
            self._put_up()
            self._closing.wait(_PAUSE)
        self._put_up()

    def _put_up(self) -> None:
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
