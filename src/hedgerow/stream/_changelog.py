"""The change log of a run: when to look does not depend on time."""

import os
from typing import Any

from hedgerow.estimators import HedgeGraph
from hedgerow.method import changes
from hedgerow.method.changes import Change
from hedgerow.stream._events import NOTHING, EventFile


class ChangeLog:
    """Compares the graph with what it was, and writes what changed.

    ``saved`` is what `save` returned when the checkpoint was written, if there is one.
    """

    def __init__(
        self,
        model: HedgeGraph,
        path: str | os.PathLike[str] | None,
        saved: dict[str, Any] | None,
    ) -> None:
        self._half_life = model.half_life
        self._watch = (
            changes.from_dict(saved["watch"]) if saved else changes.start(float(model.level))
        )
        self._written = {name: saved.get(name) for name in NOTHING} if saved else NOTHING
        self._file = None if path is None else EventFile(path, self._written if saved else None)

    def next_look(self, row: int) -> int:
        """Return after how many rows in all the next look is due."""
        return changes.next_look(row, self._half_life)

    def look(self, model: HedgeGraph) -> list[Change]:
        """Return what has changed since the last look."""
        edges = model.edges_up_to(changes.level_to_stay(model.level_))
        self._watch, found = changes.look(self._watch, model.n_samples_seen_, edges)
        if self._file is not None:
            self._file.add(found)
        return found

    def save(self) -> dict[str, Any]:
        """Bring the file to disk; return what a checkpoint has to remember."""
        if self._file is not None:
            self._written = self._file.sync()
        return {"watch": changes.to_dict(self._watch), **self._written}

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
