"""Rows with cells that are far off (`hedgerow.method.outliers`), compiled.

Few rows have any, so the readable code can judge their cells. No median is needed to tell which:
the largest cell of a row is far off if more than half of its cells are below a number that follows
from it.
"""

from functools import partial
from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.outliers import MEDIAN, TYPICAL, Regressions

Array = NDArray[np.float64]

_ROWS = 16  # at a time
_MOST_ROWS = 1024  # of a job
_ROUNDING = 1.0 + 1e-9  # may differ from that of the readable code, which has the last word


def suspicious(
    rows: Array,
    there: NDArray[np.bool_] | None,
    centre: Array,
    scale: Array,
    known: Regressions,
    limit: float,
) -> NDArray[np.bool_]:
    """Return which rows have a cell that is far off."""
    found = np.zeros(len(rows), dtype=np.bool_)
    if there is None:
        there = np.empty((0, 0), dtype=np.bool_)
    entries, residual = known
    starts, neighbours = entries.indptr.astype(np.int64), entries.indices.astype(np.int64)
    judges = (centre, 1.0 / scale, starts, neighbours, entries.data, 1.0 / residual, limit)
    with team(_ROWS * rows.size) as run:
        run(
            partial(_suspicious, rows[a:b], there[a:b], *judges, found[a:b])
            for a, b in blocks(len(rows), job_size(len(rows), _ROWS, _MOST_ROWS))
        )
    return found


@njit(**IN_ORDER)
def _suspicious(
    rows, there, centre, per_scale, starts, neighbours, coefficients, per_residual, limit, found
):
    p = centre.size
    unit, distance = np.zeros((p, _ROWS)), np.empty((p, _ROWS))
    number, largest, below = np.empty((3, _ROWS))
    for start in range(0, rows.shape[0], _ROWS):
        n_rows = min(_ROWS, rows.shape[0] - start)
        for t in range(n_rows):
            for j in range(p):
                unit[j, t] = (rows[start + t, j] - centre[j]) * per_scale[j]
        for j in range(p):
            if per_residual[j] > 0.0:
                _leave(j, unit, starts, neighbours, coefficients, per_residual[j], distance[j])
            else:
                distance[j] = np.inf
        if there.size:
            for t in range(n_rows):
                for j in range(p):
                    if not there[start + t, j]:
                        distance[j, t] = np.inf
        number[:] = 0.0
        largest[:] = 0.0
        for j in range(p):
            for t in range(_ROWS):
                is_there = distance[j, t] < np.inf
                number[t] += 1.0 if is_there else 0.0
                largest[t] = max(largest[t], distance[j, t] if is_there else 0.0)
        # The largest is far off if the row's size is small enough, which is to say its median.
        for t in range(_ROWS):
            size = (largest[t] / limit) ** 2 * (number[t] + TYPICAL) - TYPICAL
            largest[t] = MEDIAN * sqrt(max(size, 0.0) / max(number[t], 1.0)) * _ROUNDING
        below[:] = 0.0
        for j in range(p):
            for t in range(_ROWS):
                below[t] += 1.0 if distance[j, t] < largest[t] else 0.0
        for t in range(n_rows):
            found[start + t] = below[t] > number[t] // 2


@njit(inline="always", **INNER)
def _leave(j, unit, starts, neighbours, coefficients, per_residual, distance):
    """Write how far the cells of a column are from what its neighbours say."""
    for t in range(_ROWS):
        distance[t] = unit[j, t]
    for k in range(starts[j], starts[j + 1]):
        coefficient, other = coefficients[k], unit[neighbours[k]]
        for t in range(_ROWS):
            distance[t] -= coefficient * other[t]
    for t in range(_ROWS):
        distance[t] = abs(distance[t]) * per_residual
