"""Learn from rows that keep coming, for months, and survive restarts."""

from hedgerow.stream._status import Look, Saved, Status, Watcher

__all__ = ["Look", "Saved", "Status", "Watcher"]
