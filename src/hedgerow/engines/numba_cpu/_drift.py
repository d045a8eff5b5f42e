"""Rows compared with those shortly before them (`hedgerow.method.drift`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.drift import WINDOW, Level

Array = NDArray[np.float64]


def without_level(rows: Array, level: Level) -> tuple[Array, Level]:
    """Return contrasts of rows with the level before each, or steps; and the level after them."""
    mean, amounts, start, total, left, before = level
    mean, total, left, before = mean.copy(), total.copy(), left.copy(), before.copy()
    result = np.empty(rows.shape)
    amounts = _contrasts(rows, mean, amounts, 1.0 / WINDOW, start, total, left, before, result)
    return result, Level(mean, amounts, start, total, left, before)


@njit(**IN_ORDER)
def _contrasts(rows, mean, amounts, share, start, total, left, before, result):
    makes_steps = before.size > 0
    factor = np.sqrt(0.5)
    for t in range(rows.shape[0]):
        if not makes_steps:
            factor = np.sqrt(amounts / (amounts + 1.0))
        for j in range(rows.shape[1]):
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
