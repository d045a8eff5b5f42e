"""Rows with cells that are far off (`hedgerow.method.outliers`), compiled.

Few rows have any, so the readable code can judge their cells.
"""

from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.outliers import MEDIAN, TYPICAL, Regressions

Array = NDArray[np.float64]


def suspicious(
    rows: Array,
    there: NDArray[np.bool_],
    centre: Array,
    scale: Array,
    known: Regressions,
    limit: float,
) -> NDArray[np.bool_]:
    """Return which rows have a cell that is far off."""
    found = np.zeros(len(rows), dtype=np.bool_)
    entries, residual = known
    starts, neighbours = entries.indptr.astype(np.int64), entries.indices.astype(np.int64)
    _suspicious(
        rows,
        there,
        centre,
        1.0 / scale,
        starts,
        neighbours,
        entries.data,
        1.0 / residual,
        limit,
        found,
    )
    return found


@njit(**IN_ORDER)
def _suspicious(
    rows, there, centre, per_scale, starts, neighbours, coefficients, per_residual, limit, found
):
    p = centre.size
    unit, sizes = np.empty(p), np.empty(p)
    for t in range(rows.shape[0]):
        for j in range(p):
            unit[j] = (rows[t, j] - centre[j]) * per_scale[j]
        number, largest = 0, 0.0
        for j in range(p):
            if there[t, j] and per_residual[j] > 0.0:
                expected = 0.0
                for k in range(starts[j], starts[j + 1]):
                    expected += coefficients[k] * unit[neighbours[k]]
                distance = abs(unit[j] - expected) * per_residual[j]
                sizes[number] = distance
                largest = max(largest, distance)
                number += 1
        # No row is smaller than this, whatever its median.
        if number == 0 or largest <= limit * sqrt(TYPICAL / (number + TYPICAL)):
            continue
        squared = (_ranked(sizes, number, number // 2) / MEDIAN) ** 2
        size = sqrt((number * squared + TYPICAL) / (number + TYPICAL))
        # Rounding may differ from the readable code, which has the last word.
        found[t] = largest > limit * size * (1.0 - 1e-9)


@njit(**INNER)
def _ranked(values, number, rank):
    """Return the value of some rank among the first few; their order changes (Hoare's search)."""
    low, high = 0, number - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]
