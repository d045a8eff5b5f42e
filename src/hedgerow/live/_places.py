"""Where the variables are drawn, held still while the graph is nearly the same."""

import numpy as np
from numpy.typing import NDArray

from hedgerow.drawing.layout import layout
from hedgerow.report import ReportData

_STILL = 0.02  # share of edges that may change before anything moves


class Places:
    """Positions that follow a graph from where they were."""

    def __init__(self) -> None:
        self._xy: NDArray[np.float64] | None = None
        self._pairs = np.empty(0, dtype=np.int64)

    def follow(self, data: ReportData) -> NDArray[np.float64]:
        """Return the positions, moved if enough edges are others than before."""
        n = len(data.names)
        drawn = data.q_value <= data.level
        source, target = data.source[drawn], data.target[drawn]
        pairs = source * n + target
        changed = len(np.setxor1d(pairs, self._pairs))
        if self._xy is None or changed > _STILL * len(pairs):
            strength = np.abs(data.partial_corr[drawn])
            self._xy = layout(n, source, target, strength, self._xy)
            self._pairs = pairs
        return self._xy
