"""Clear neighbours of the first rows' columns, where an engine and the number of columns allow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow import engines
from hedgerow.engines import Engine
from hedgerow.estimators._filled_rows import MOST_JUDGED
from hedgerow.method.first_look import clear_neighbours
from hedgerow.method.forgetting import row_weights

Array = NDArray[np.float64]


class ClearNeighbours(NamedTuple):
    """Finds coefficients of columns on their clear neighbours."""

    engine_name: str
    independent: bool  # whether rows are known to be
    half_life: float

    def memories(self, rows: Array) -> Array | None:
        """Return how many rows say as much as an independent one, by column, where it is known."""
        if not engines.fills_gaps(self.engine_name) or rows.shape[1] > MOST_JUDGED:
            return None
        if self.independent:
            return np.ones(rows.shape[1])
        engine: Engine = engines.load(self.engine_name)
        return engine.memories(rows, self.half_life)

    def of(self, rows: Array, memory: Array | None = None) -> csr_array | None:
        """Return the columns' coefficients in these rows, where they can be had."""
        memory = self.memories(rows) if memory is None else memory
        if memory is None:
            return None
        weights = row_weights(0, len(rows), self.half_life)
        return clear_neighbours(engines.load(self.engine_name), rows, weights, memory)
