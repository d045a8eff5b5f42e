"""How long columns of the first rows remember (`hedgerow.method.first_look`), compiled."""

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._inflation import continued
from hedgerow.engines.numba_cpu._residuals import lagged, standard_of
from hedgerow.method.forgetting import effective_rows, row_weights
from hedgerow.method.inflation import memories_of


def memories(rows: NDArray[np.float64], half_life: float) -> NDArray[np.float64]:
    """Return, for each column, how many rows say as much as one that remembers nothing."""
    n_rows = effective_rows(len(rows), half_life)
    lags = lagged(standard_of(rows, half_life), row_weights(0, len(rows), half_life))
    return memories_of(lags, n_rows, continued)
