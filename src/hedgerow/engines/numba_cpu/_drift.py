"""Rows compared with those shortly before them (`hedgerow.method.drift`), compiled."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.drift import WINDOW, Level

Array = NDArray[np.float64]

_COLUMNS, _MOST_COLUMNS = 256, 4096  # of one job


def without_level(rows: Array, level: Level) -> tuple[Array, Level]:
    """Return contrasts of rows with the level before each, or steps; and the level after them."""
    mean, amounts, start, total, left, before = level
    mean, total, left, before = mean.copy(), total.copy(), left.copy(), before.copy()
    result, share = np.empty(rows.shape), 1.0 / WINDOW
    known = mean, amounts, share, start, total, left, before, result
    size = job_size(rows.shape[1], _COLUMNS, _MOST_COLUMNS)
    with team() as run:
        after = run(
            partial(_contrasts, *some, rows, *known) for some in blocks(rows.shape[1], size)
        )
    return result, Level(mean, after[0], start, total, left, before)


@njit(**IN_ORDER)
def _contrasts(first, last, rows, mean, amounts, share, start, total, left, before, result):
    """Write contrasts of some columns; return to how many rows their level then amounts."""
    makes_steps = before.size > 0
    factor = np.sqrt(0.5)
    for t in range(rows.shape[0]):
        if not makes_steps:
            factor = np.sqrt(amounts / (amounts + 1.0))
        for j in range(first, last):
            gap = rows[t, j] - mean[j]
            contrast = gap * factor
            if makes_steps:
                contrast = (rows[t, j] - before[j]) * factor
                before[j] = rows[t, j]
            mean[j] += share * gap
            since = rows[t, j] - start[j]
            total[0, j] += since
            total[1, j] += since * since
            left[j] += contrast * contrast
            result[t, j] = contrast
        amounts /= (1.0 - share) ** 2 + share**2 * amounts
    return amounts
