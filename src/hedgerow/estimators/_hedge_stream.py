"""Rows in, moments and evidence out, the same however the rows are cut into chunks."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import engines
from hedgerow.engines import Engine
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.hedge import LARGEST_BATCH, batch_ends, batch_size
from hedgerow.method.moments import Moments

Array = NDArray[np.float64]


class HedgeStream:
    """Collects rows and learns from them in whole batches.

    The rows of an unfinished batch wait in ``pending``, but `moments` counts them, and `evidence`
    has a batch cut short for them.
    """

    def __init__(self, n_columns: int, engine: str, half_life: float = NEVER) -> None:
        self.engine_name = engine
        self.half_life = half_life
        self.state = self.engine.init(n_columns, half_life)
        self._buffer = np.empty((LARGEST_BATCH, n_columns))
        self._filled = 0
        self._learned_rows = 0

    @property
    def engine(self) -> Engine:
        """The module that computes."""
        return engines.load(self.engine_name)

    @property
    def pending(self) -> Array:
        """Rows taken but not yet learned from."""
        return self._buffer[: self._filled]

    @property
    def rows(self) -> int:
        """Number of rows taken."""
        return self._learned_rows + self._filled

    @property
    def effective_rows(self) -> float:
        """Number of rows that the tests count with."""
        return effective_rows(self.rows, self.half_life)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self._buffer.shape[1]

    def take(self, rows: NDArray[np.floating]) -> None:
        """Take the next rows."""
        while len(rows):
            size = batch_size(self._learned_rows, self.half_life)
            if self._filled or len(rows) < size:
                taken = min(len(rows), size - self._filled)
                self._buffer[self._filled : self._filled + taken] = rows[:taken]
                self._filled += taken
                if self._filled == size:
                    self._filled = 0
                    self._learn(self._buffer[:size])
            else:
                taken = batch_ends(self._learned_rows, len(rows), self.half_life)[-1]
                self._learn(rows[:taken])
            rows = rows[taken:]

    def _learn(self, rows: NDArray[np.floating]) -> None:
        self.state = self.engine.learn(self.state, rows)
        self._learned_rows += len(rows)

    def mean(self) -> Array:
        """Return the mean of each column."""
        return self.engine.mean(self._counted())

    def moments(self) -> Moments:
        """Return the moments of all rows taken so far."""
        return self.engine.moments(self._counted())

    def evidence(self) -> Any:
        """Return what all rows taken so far say, in the engine's own form."""
        return self.engine.evidence(self._counted(), self.pending)

    def _counted(self) -> Any:
        self.state = self.engine.count(self.state, self.pending)
        return self.state

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that is kept, as named arrays."""
        return {**self.engine.to_numpy(self._counted()), "pending": self.pending}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], engine: str) -> Self:
        """Return the stream whose `arrays` these are."""
        pending = arrays["pending"]
        stream = cls(pending.shape[1], engine, float(arrays.get("half_life", NEVER)))
        stream.state = stream.engine.from_numpy(arrays)
        stream._learned_rows = int(arrays["learned_rows"])
        stream.take(pending)
        return stream
