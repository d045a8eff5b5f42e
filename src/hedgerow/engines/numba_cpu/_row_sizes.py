"""How large rows are (`hedgerow.method.row_sizes`), compiled: row by row, so no cut changes it."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.row_sizes import RowSizes, factors_of

Array = NDArray[np.float64]


def row_factors(rows: Array, sizes: RowSizes) -> Array:
    """Return what to multiply rows with, about their centre."""
    squared = np.empty(len(rows))
    _lengths(rows, sizes.columns, sizes.centre, sizes.shape, squared)
    return factors_of(squared, sizes)


@njit(**IN_ORDER)
def _lengths(rows, columns, centre, shape, squared):
    image = np.empty(columns.size)
    for t in range(rows.shape[0]):
        image[:] = 0.0
        for k in range(columns.size):
            j = columns[k]
            vote = rows[t, j] - centre[j]
            for i in range(columns.size):
                image[i] += vote * shape[k, i]
        total = 0.0
        for i in range(columns.size):
            total += image[i] * image[i]
        squared[t] = total
