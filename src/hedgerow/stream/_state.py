"""What a run knows, and how it becomes a checkpoint and back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars
from numpy.typing import NDArray

from hedgerow.estimators import HedgeGraph
from hedgerow.io import DataError
from hedgerow.io.choose import columns_by_name
from hedgerow.io.differences import Differences
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
    differences: Differences | None = None  # of rows, if these are learned from
    noticed: Callable[[], list[str]] = list  # what is worth saying of the rows of this run

    @property
    def rows(self) -> int:
        """Number of rows learned from."""
        return getattr(self.model, "n_samples_seen_", 0)

    @property
    def rows_good(self) -> int:
        """Number of rows that could be used, also those without a row to subtract."""
        return self.rows + (self.differences.n_without if self.differences else 0)

    @property
    def names(self) -> list[str]:
        """Names of the nodes of the graph; none before the first row."""
        return self.schema.variables if self.schema else []

    def know(self, schema: Schema | None) -> None:
        """Take note of the columns; a model is first told what they are, and which are given."""
        self.schema = schema
        if not self.rows:
            words = schema.words if schema else {}
            wanted = columns_by_name(self.model.columns, self.names, words)
            self.model.set_params(columns=wanted, given=given_of(self.model, schema))

    def learn(self, rows: NDArray[np.float64], texts: Mapping[str, Sequence[str]]) -> None:
        """Learn from rows, and cells of texts that are held fixed."""
        names = self.schema.columns if self.schema else []
        if not texts:
            self.model.partial_fit(rows, feature_names=names)
            return
        frame = polars.DataFrame(rows, schema=names, orient="row")
        cells = [polars.Series(name, some, polars.String) for name, some in texts.items()]
        self.model.partial_fit(frame.with_columns(cells))

    def no_graph(self) -> str | None:
        """Return why there can be no graph yet, if given columns do not let there be one."""
        return self.model.why_not_held() if self.rows else None

    def to_checkpoint(self, source: Source) -> Checkpoint:
        """Return what has to be saved; there must have been rows."""
        if self.schema is None or self.offset is None:
            raise ValueError("a checkpoint needs rows, got none")
        header, arrays = self.model.parts()
        differences = self.differences
        return Checkpoint(
            source=type(source).__name__,
            offset=self.offset,
            schema=self.schema,
            bad_rows=self.bad_rows,
            changes=self.changes,
            model=header,
            arrays=arrays,
            rows=self.rows,
            difference=None if differences is None else differences.to_dict(),
            recent=None if differences is None else differences.recent,
        )


def given_of(model: HedgeGraph, schema: Schema | None) -> dict[Any, Any] | None:
    """Return the columns that a model is to hold fixed, and how they are taken."""
    if not model.given or schema is None:
        return None
    told = model.given if isinstance(model.given, Mapping) else {}
    ways = {name: way for name, way in told.items() if way}
    unknown = [name for name in ways if name not in schema.given]
    if unknown:
        raise DataError(f"a category that is given goes by its whole name, got {unknown[0]!r}")
    return {**schema.given, **ways}


def restored(saved: Checkpoint, source: Source, begun: State) -> State:
    """Return the state that was saved, if source, model and differences are as they were then."""
    if saved.source != type(source).__name__:
        raise DataError("the source must stay the same, and the checkpoint has another kind")
    header = {**saved.model, "feature_names": saved.schema.variables}  # once it had none
    learned = HedgeGraph.from_parts(header, saved.arrays)
    before, now = learned.get_params(), begun.model.get_params()
    for each in (before, now):  # in whatever columns were named, and in any order
        each["columns"] = columns_by_name(
            each["columns"], saved.schema.variables, saved.schema.words
        )
    now["given"] = given_of(begun.model, saved.schema)
    now["difference"] = begun.differences.apart if begun.differences else None
    before["difference"] = saved.difference["apart"] if saved.difference else None
    for name in now:
        if now[name] != before[name] and name != "device":
            raise DataError(
                f"{name} must stay the same, got {now[name]!r}, "
                f"and the checkpoint has {before[name]!r}"
            )
    return State(
        learned, saved.schema, saved.offset, saved.bad_rows, saved.changes, saved.differences()
    )
