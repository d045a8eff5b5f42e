"""Rows in, moments and Hedge's state out, the same however the rows are cut into chunks."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.hedge import HedgeState, batch_size, init, update
from hedgerow.moments import Columns, Moments, init_moments, merge_moments, moments_of

Array = NDArray[np.float64]

BLOCK = 512  # rows learned from at a time; a multiple of every batch size


class Learned(NamedTuple):
    """What is known after some rows."""

    moments: Moments
    hedge: HedgeState


class HedgeStream:
    """Collects rows and learns from them in whole blocks.

    The rows of an unfinished block wait in ``pending``; `learned` counts them in.
    """

    def __init__(self, n_columns: int) -> None:
        self.state = Learned(init_moments(n_columns), init(n_columns))
        self._buffer = np.empty((BLOCK, n_columns))
        self._filled = 0

    @property
    def pending(self) -> Array:
        """Rows taken but not yet learned from."""
        return self._buffer[: self._filled]

    @property
    def rows(self) -> int:
        """Number of rows taken."""
        return self.state.moments.rows + self._filled

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that is kept, as named arrays."""
        moments, hedge = self.state
        return {
            "rows": np.array(moments.rows),
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
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the stream whose `arrays` these are."""
        get = arrays.__getitem__
        stream = cls(len(get("mean")))
        rows = int(get("rows"))
        columns = Columns(rows, get("column_mean"), get("column_squares"))
        learned = (get(name) for name in HedgeState._fields[1:])
        stream.state = Learned(
            Moments(rows, get("mean"), get("products")), HedgeState(columns, *learned)
        )
        stream.take(get("pending"))
        return stream

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self._buffer.shape[1]

    def take(self, rows: NDArray[np.floating]) -> None:
        """Take the next rows."""
        while len(rows):
            taken = min(len(rows), BLOCK - self._filled)
            self._buffer[self._filled : self._filled + taken] = rows[:taken]
            self._filled += taken
            rows = rows[taken:]
            if self._filled == BLOCK:
                self.state = _learn(self.state, self._buffer)
                self._filled = 0

    def learned(self) -> Learned:
        """Return what all the rows taken so far have taught, the pending ones too."""
        return _learn(self.state, self.pending) if self._filled else self.state


def _learn(state: Learned, block: Array) -> Learned:
    hedge = state.hedge
    start = 0
    while start < len(block):
        stop = start + batch_size(hedge.rows)
        hedge = update(hedge, block[start:stop])
        start = stop
    return Learned(merge_moments(state.moments, moments_of(block)), hedge)
