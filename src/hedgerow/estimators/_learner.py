"""Rows in, in whole batches; moments, residuals and evidence out, by an engine."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow import engines
from hedgerow.engines import Engine, Named
from hedgerow.method.forgetting import NEVER
from hedgerow.method.hedge import LARGEST_BATCH, batch_ends, batch_size
from hedgerow.method.inflation import Inflation
from hedgerow.method.moments import Moments
from hedgerow.method.residuals import Residuals
from hedgerow.method.row_sample import RowSample, with_rows

Array = NDArray[np.float64]
SAMPLE = "sample_"  # begins the names of what is kept of some rows


# Columns up to which the matrix of correlations is looked at again, for intervals: 32 MiB.
CORRELATIONS_AT_HAND = 2048


class Learner:
    """Learns from rows that need no more treatment, the same however they are cut into chunks.

    The rows of an unfinished batch wait in ``pending``, but `moments` counts them, and `evidence`
    has a batch cut short for them.
    """

    has_moments = True  # here, to be asked for

    def __init__(self, n_columns: int, engine: str, half_life: float = NEVER) -> None:
        self.engine_name = engine
        self.half_life = half_life
        self.state = self.engine.init(n_columns, half_life)
        self._buffer = np.empty((LARGEST_BATCH, n_columns))
        self._filled = 0
        self._learned_rows = 0
        self.sample: RowSample | None = None  # of all rows, if some are kept
        self.taken: list[Array] | None = None  # all rows, if they are recorded

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
        if self.sample is not None:
            self.sample = with_rows(self.sample, rows, self.rows, self.half_life)
        if self.taken is not None:
            self.taken.append(np.array(rows, dtype=np.float64))
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

    def look_back(self, rows: NDArray[np.floating], coefficients: csr_array | None = None) -> None:
        """Go through the first rows, all there are, once more."""
        self.state = self.engine.look_back(self.state, rows, coefficients)

    def left_by(self, coefficients: csr_array, rows: NDArray[np.floating]) -> Residuals:
        """Return sums over what regressions leave of rows, which are not learned from."""
        sums = self.engine.residuals(self.engine.look_back(self.state, rows, coefficients))
        assert sums is not None
        return sums

    def residuals(self) -> Residuals | None:
        """Return sums over residuals, if `look_back` was called."""
        return self.engine.residuals(self._counted())

    def evidence(self, inflation: Inflation, unknown: Array | None = None) -> Any:
        """Return what all rows taken so far say, in the engine's own form."""
        return self.engine.evidence(self._counted(), self.pending, inflation, unknown)

    def _counted(self) -> Any:
        self.state = self.engine.count(self.state, self.pending)
        return self.state

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        named = {**self.engine.to_numpy(self._counted()), "pending": self.pending}
        if self.sample is not None:
            named |= {f"{SAMPLE}{name}": array for name, array in self.sample._asdict().items()}
        return named

    @classmethod
    def from_arrays(
        cls,
        arrays: Named,
        engine: str,
        looked_back: int,
        clear: Callable[[Array], csr_array | None],
    ) -> Self:
        """Return the learner whose `arrays` these are.

        Rows that were kept are learned again, and as many of them ``looked_back`` on as were then,
        with the coefficients that ``clear`` finds.
        """
        pending = arrays["pending"]
        learner = cls(pending.shape[1], engine, float(arrays.get("half_life", NEVER)))
        if looked_back and len(arrays.get("table", ())):
            first, later = np.split(arrays["table"], [looked_back])
            coefficients = clear(first)
            learner.take(first)
            learner.look_back(first, coefficients)
            learner.take(later)
        else:
            learner.state = learner.engine.from_numpy(arrays)
            learner._learned_rows = int(arrays["learned_rows"])
        learner.take(pending)
        if f"{SAMPLE}rows" in arrays:
            learner.sample = RowSample(*(np.array(arrays[SAMPLE + x]) for x in RowSample._fields))
        return learner
