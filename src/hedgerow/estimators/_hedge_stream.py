"""Rows in, moments and Hedge's state out, the same however the rows are cut into chunks."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import engines
from hedgerow.engines import Engine, Learned
from hedgerow.hedge import LARGEST_BATCH, HedgeState, batch_ends, batch_size
from hedgerow.moments import Columns, Moments

Array = NDArray[np.float64]


class HedgeStream:
    """Collects rows and learns from them in whole batches.

    The rows of an unfinished batch wait in ``pending``, but `learned` has them in its moments,
    and `weights` has a batch cut short for them.
    """

    def __init__(self, n_columns: int, engine: str) -> None:
        self.engine_name = engine
        self.state = self.engine.init(n_columns)
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
    def n_columns(self) -> int:
        """Number of columns."""
        return self._buffer.shape[1]

    def take(self, rows: NDArray[np.floating]) -> None:
        """Take the next rows."""
        while len(rows):
            size = batch_size(self._learned_rows)
            if self._filled or len(rows) < size:
                taken = min(len(rows), size - self._filled)
                self._buffer[self._filled : self._filled + taken] = rows[:taken]
                self._filled += taken
                if self._filled == size:
                    self._filled = 0
                    self._learn(self._buffer[:size])
            else:
                taken = batch_ends(self._learned_rows, len(rows))[-1]
                self._learn(rows[:taken])
            rows = rows[taken:]

    def _learn(self, rows: NDArray[np.floating]) -> None:
        self.state = self.engine.learn(self.state, rows)
        self._learned_rows += len(rows)

    def learned(self) -> Learned:
        """Return the moments of all rows taken so far, and Hedge's state after the learned ones."""
        self.state = self.engine.count(self.state, self.pending)
        return self.engine.to_numpy(self.state)

    def weights(self) -> Any:
        """Return Hedge's weights after all rows taken so far, in the engine's own form."""
        return self.engine.weights(self.state, self.pending)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that is kept, as named arrays."""
        moments, hedge = self.learned()
        return {
            "rows": np.array(moments.rows),
            "learned_rows": np.array(hedge.rows),
            "mean": moments.mean,
            "products": moments.products,
            "column_mean": hedge.columns.mean,
            "column_squares": hedge.columns.squares,
            "gradient": hedge.gradient,
            "curvature": hedge.curvature,
            "matched": hedge.matched,
            "squared": hedge.squared,
            "average": hedge.average,
            "pending": self.pending,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], engine: str) -> Self:
        """Return the stream whose `arrays` these are."""
        get = arrays.__getitem__
        stream = cls(len(get("mean")), engine)
        stream._learned_rows = int(get("learned_rows"))
        columns = Columns(stream._learned_rows, get("column_mean"), get("column_squares"))
        learner = HedgeState(columns, *(get(name) for name in HedgeState._fields[1:]))
        moments = Moments(int(get("rows")), get("mean"), get("products"))
        stream.state = stream.engine.from_numpy(Learned(moments, learner))
        stream.take(get("pending"))
        return stream
