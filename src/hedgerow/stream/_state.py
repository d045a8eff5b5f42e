"""What a run knows, and how it becomes a checkpoint and back."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from hedgerow.estimators import HedgeGraph
from hedgerow.io import DataError
from hedgerow.io.choose import columns_by_name
from hedgerow.stream._checkpoint import Checkpoint
from hedgerow.stream._source import Offset, Schema, Source


@dataclass
class State:
    """What changes as rows come."""

    model: HedgeGraph
    schema: Schema | None = None
    offset: Offset | None = None
    bad_rows: int = 0
    changes: dict[str, Any] | None = None  # what the change log saved last

    @property
    def rows(self) -> int:
        """Number of rows learned from."""
        return getattr(self.model, "n_samples_seen_", 0)

    @property
    def names(self) -> list[str]:
        """Names of the columns learned from; none before the first row."""
        return self.schema.columns if self.schema else []

    def know(self, schema: Schema | None) -> None:
        """Take note of the columns; a model is first told which to take as they are."""
        self.schema = schema
        if not self.rows:
            wanted = columns_by_name(self.model.columns, self.names)
            self.model.set_params(columns=wanted)

    def to_checkpoint(self, source: Source) -> Checkpoint:
        """Return what has to be saved; there must have been rows."""
        if self.schema is None or self.offset is None:
            raise ValueError("a checkpoint needs rows, got none")
        header, arrays = self.model.parts()
        return Checkpoint(
            source=type(source).__name__,
            offset=self.offset,
            schema=self.schema,
            bad_rows=self.bad_rows,
            changes=self.changes,
            model=header,
            arrays=arrays,
            rows=self.rows,
        )


def restored(saved: Checkpoint, source: Source, model: HedgeGraph) -> State:
    """Return the state that was saved, if source and model are such as they were then."""
    if saved.source != type(source).__name__:
        raise DataError("the source must stay the same, and the checkpoint has another kind")
    header = {**saved.model, "feature_names": saved.schema.columns}  # once it had none
    learned = HedgeGraph.from_parts(header, saved.arrays)
    before, now = learned.get_params(), model.get_params()
    now["columns"] = columns_by_name(model.columns, saved.schema.columns)
    for name in now:
        if _plain(now[name]) != _plain(before[name]) and name != "device":
            raise DataError(
                f"{name} must stay the same, got {now[name]!r}, "
                f"and the checkpoint has {before[name]!r}"
            )
    return State(learned, saved.schema, saved.offset, saved.bad_rows, saved.changes)


def _plain(value: Any) -> Any:
    """Return names of columns, in whatever they were given, as a list of texts."""
    names = isinstance(value, Collection) and not isinstance(value, str)
    return [str(name) for name in value] if names else value
