"""Learn from rows that keep coming, for months, and survive restarts.

`run` takes rows from a `Source`, learns, and writes checkpoints; `open_source` has the usual
sources, and others can be added. docs/streams.md is the guide.
"""

from hedgerow.stream._checkpoint import CheckpointWarning, load_checkpoint
from hedgerow.stream._open import open_source
from hedgerow.stream._pace import Pace
from hedgerow.stream._run import run
from hedgerow.stream._source import BadRow, Chunk, Schema, Source
from hedgerow.stream._status import FINISHED, RUNNING, STOPPED, Look, Saved, Status, Watcher

__all__ = [
    "FINISHED",
    "RUNNING",
    "STOPPED",
    "BadRow",
    "CheckpointWarning",
    "Chunk",
    "Look",
    "Pace",
    "Saved",
    "Schema",
    "Source",
    "Status",
    "Watcher",
    "load_checkpoint",
    "open_source",
    "run",
]
