"""From a source to a graph, for as long as rows come: learn, save, tell."""

import logging
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hedgerow.base.checks import in_open_interval, one_of
from hedgerow.base.words import listed
from hedgerow.estimators import DataWarning, HedgeGraph
from hedgerow.io import DataError
from hedgerow.io.absent import Codes
from hedgerow.io.differences import Differences
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.stream._changelog import ChangeLog
from hedgerow.stream._checkpoint import Checkpoints, CheckpointWarning
from hedgerow.stream._news import News, look_at
from hedgerow.stream._open import open_source
from hedgerow.stream._pace import Pace
from hedgerow.stream._source import BadRow, Chunk, Source
from hedgerow.stream._state import State, restored
from hedgerow.stream._status import FINISHED, RUNNING, STOPPED, Watcher

BAD_ROWS = ("fail", "skip", "log")

_log = logging.getLogger("hedgerow.stream")


def run(
    source: Source | str | os.PathLike[str],
    model: HedgeGraph | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    every: int | str = "30s",
    bad_rows: str = "fail",
    difference: int | None = None,
    events: str | os.PathLike[str] | None = None,
    changes: bool = False,
    watchers: Sequence[Watcher] = (),
    stop: Callable[[], bool] = lambda: False,
) -> HedgeGraph:
    """Learn from a source until it ends or somebody stops it.

    Parameters
    ----------
    source : Source, str or path
        From `open_source`, or what it takes; it is closed in the end.
    model : HedgeGraph, optional
        Its parameters are used; it is not changed itself. Its ``columns``, if they are a list, may
        be patterns too, as for `open_source`. Columns that are ``given`` are asked of the source
        if that goes by its name; one that was opened before must have been told of them.
    checkpoint : str or path, optional
        Folder of checkpoints. If it has one, the run goes on from there, to the state that it
        would have had without a break. The folder belongs to one run at a time.
    every : int or str
        How often a checkpoint is written: a number of rows, or a time such as ``"30s"``, ``"5m"``
        or ``"1h"``. One more is written in the end.
    bad_rows : {"fail", "skip", "log"}
        Whether a row that cannot be learned from ends the run, after a checkpoint; is left out
        and counted; or is also told to the logger ``hedgerow.stream``.
    difference : int, optional
        Learn from each row minus the one so many rows before it, never across a gap in the
        source's times or with a bad row (`hedgerow.io.differences`).
    events : str or path, optional
        File for edges that appear and vanish, one JSON object on each line. It may be rotated,
        and belongs to one run at a time.
    changes : bool
        Keep the change log for ``watchers`` even without a file.
    watchers : sequence of Watcher
        Told how far the run is.
    stop : callable
        Asked after each chunk whether to stop.

    Returns
    -------
    HedgeGraph
        The model, which has names of columns; it is not fitted if it was stopped before any row.

    Warns
    -----
    DataWarning
        Of columns that are left out, and of cells that may mean that a value is missing.
    CheckpointWarning
        If a checkpoint is damaged and the one before is used, or if one cannot be written. The run
        then goes on, the old ones stay, and the next is tried when its time comes. Likewise if
        events cannot be written, or were rotated away while nothing ran.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, stream
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
    >>> np.savetxt(folder / "walk.csv", walk, delimiter=",", header="a,b,c", comments="")
    >>> graph = stream.run(folder / "walk.csv", HedgeGraph(level=0.01), checkpoint=folder / "saved")
    >>> sorted((edge.source, edge.target) for edge in graph.edges_)
    [('a', 'b'), ('b', 'c')]
    """
    one_of("bad_rows", bad_rows, BAD_ROWS)
    pace = Pace(every)
    model = HedgeGraph() if model is None else clone(model)
    in_open_interval("level", model.level, 0, 1)
    if model.given and difference is not None:
        raise ValueError("given goes with no difference")
    with ExitStack() as stack:
        if isinstance(source, str | os.PathLike):
            source = open_source(source, given=[*map(str, model.given or ())])
        stack.enter_context(closing(source))
        saves = None
        if checkpoint is not None:
            saves = stack.enter_context(closing(Checkpoints(checkpoint)))
        state = State(model, differences=None if difference is None else Differences(difference))
        last = saves.latest() if saves else None
        if last is not None:
            state = restored(last, source, state)
            source.seek(last.offset, last.schema)
        log = None
        if events is not None or changes:
            log = stack.enter_context(closing(ChangeLog(model, events, state.changes)))
        _Run(source, state, saves, pace, bad_rows, log, watchers).until(stop)
    return state.model


class _Run:
    """The loop and what it needs."""

    def __init__(
        self,
        source: Source,
        state: State,
        saves: Checkpoints | None,
        pace: Pace,
        policy: str,
        log: ChangeLog | None,
        watchers: Sequence[Watcher],
    ) -> None:
        self._source, self._state, self._saves = source, state, saves
        self._pace, self._policy, self._log = pace, policy, log
        self._news = News(watchers, state)
        self._saved_offset = state.offset
        self._whole = True  # the offset belongs to the rows learned
        self._codes: Codes | None = None
        self._told_codes: set[str] = set()
        state.noticed = self._noticed
        pace.reset(state.rows)

    def until(self, stop: Callable[[], bool]) -> None:
        """Learn until there are no more rows, or ``stop`` says so."""
        phase = FINISHED
        try:
            for chunk in self._source.chunks():
                self._take(chunk)
                if self._pace.due(self._state.rows):
                    self._save()
                self._tell(RUNNING)
                if stop():
                    phase = STOPPED
                    break
        except (DataError, OSError):
            self._save()
            raise
        self._save()
        if phase == FINISHED and not self._state.rows:
            raise DataError(self._why_none())
        self._tell_codes()
        if phase == FINISHED and (why := self._state.no_graph()):
            raise DataError(why)
        self._tell(phase)

    def _take(self, chunk: Chunk) -> None:
        self._whole = False
        first = next((row for row in chunk.bad if not row.skip), None)
        if first is not None and self._policy == "fail":
            part = chunk.before(first)
            self._learn(self._to_learn(part), part.texts)
            self._state.bad_rows += len(part.bad)
            self._state.offset, self._whole = first.offset, True
            raise self._refusal(first)
        if self._policy == "log":
            for row in chunk.bad:
                _log.warning("left out %s: %s", row.place, row.reason)
        self._learn(self._to_learn(chunk), chunk.texts)
        self._state.bad_rows += len(chunk.bad)
        self._state.offset, self._whole = chunk.offset, True

    def _why_none(self) -> str:
        differences = self._state.differences
        if differences is None or not differences.n_without:
            return "the source must have rows, and has none"
        told = (f"{number} {why}" for why, number in differences.left_out().items())
        return f"the source must have rows that differences can be made of, and has {listed(told)}"

    def _to_learn(self, chunk: Chunk) -> NDArray[np.float64]:
        self._look_for_codes(chunk.rows)
        differences = self._state.differences
        return chunk.rows if differences is None else differences.take(*chunk.with_bad())

    def _look_for_codes(self, rows: NDArray[np.float64]) -> None:
        """Watch for numbers that may mean that there is none; tell of them once rows are many."""
        schema = self._source.schema
        if schema is None or not len(rows):
            return
        self._codes = self._codes or Codes(schema.columns)
        self._codes.take(rows)
        if self._codes.n_rows >= FIRST_ROWS:
            self._tell_codes("so far, ")

    def _tell_codes(self, when: str = "") -> None:
        if self._codes:
            for note in self._codes.notes(self._told_codes):
                warnings.warn(f"{when}{note}", DataWarning, stacklevel=2)
            self._told_codes.update(self._codes.found())

    def _noticed(self) -> list[str]:
        """Return what the source and the watch for codes have to say."""
        of_source: list[str] = getattr(self._source, "notes", list)()
        return [*of_source, *(self._codes.notes() if self._codes else ())]

    def _refusal(self, row: BadRow) -> DataError:
        number = self._state.rows_good + self._state.bad_rows + 1
        return DataError(
            f"row {number} ({row.place}): {row.reason}",
            ("bad_rows", "skip"),
            "leaves such rows out and counts them",
        )

    def _learn(self, rows: NDArray[np.float64], texts: Mapping[str, Sequence[str]]) -> None:
        """Learn from rows; stop between two of them where the change log wants to look."""
        state, log = self._state, self._log
        start = 0
        while start < len(rows):
            state.know(self._source.schema)
            end = start + (log.next_look(state.rows) - state.rows if log else len(rows))
            some = {name: cells[start:end] for name, cells in texts.items()}
            state.learn(rows[start:end], some)
            if log and len(rows) >= end and not state.no_graph():
                look = look_at(state)
                self._news.add(look, log.look(state.model))
            start = end

    def _save(self) -> None:
        """Write a checkpoint unless nothing is new; where that fails, the old ones must do."""
        state = self._state
        self._pace.reset(state.rows)
        if self._saves is None or not state.rows or state.offset == self._saved_offset:
            return
        if not self._whole:  # an error within a chunk: it will be read again from its beginning
            return
        try:
            state.changes = self._log.save() if self._log else state.changes
            checkpoint = state.to_checkpoint(self._source)
            self._saves.write(checkpoint)
        except OSError as error:
            warnings.warn(
                f"no checkpoint could be written after row {state.rows}: "
                f"{error.strerror or error}; the old ones are kept, the next is tried in time",
                CheckpointWarning,
                stacklevel=2,
            )
            return
        self._saved_offset = checkpoint.offset
        self._source.ack(checkpoint.offset)

    def _tell(self, phase: str) -> None:
        self._news.tell(phase, self._saves.last if self._saves else None)
