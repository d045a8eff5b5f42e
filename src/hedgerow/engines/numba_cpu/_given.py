"""Rows without what columns held fixed explain (`hedgerow.method.given`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.forgetting import NEVER
from hedgerow.method.given import TINY, Held, begun, fading

Array = NDArray[np.float64]


def without_given(
    rows: Array, design: Array, held: Held, half_life: float = NEVER
) -> tuple[Array, Held]:
    """Return contrasts of rows with what those before them predict, and what is known then."""
    triangle, shadows, origin, largest, left, spread = (x.copy() for x in begun(held, rows))
    result = rows - origin
    fade = fading(half_life)
    _contrasts(result, design, triangle, shadows, largest, left, spread, fade)
    return result, Held(triangle, shadows, origin, largest, left, spread)


@njit(**IN_ORDER)
def _contrasts(rows, design, triangle, shadows, largest, left, spread, fade):
    n_rows, n_columns = rows.shape
    n_directions = design.shape[1]
    alone = len(triangle) > 1
    root = np.sqrt(fade)
    x, before = np.empty(n_directions), np.empty(n_columns)
    for t in range(n_rows):
        for d in range(n_directions):
            largest[d] = max(largest[d], abs(design[t, d]))
        if fade < 1.0:
            triangle *= root
            shadows *= root
            left *= fade
            spread *= fade
        for own in range(len(triangle)):
            first, after = (own, own + 1) if alone else (0, n_columns)
            if alone and np.isnan(rows[t, own]):
                continue
            x[:] = design[t]
            share = 1.0
            before[first:after] = rows[t, first:after]
            for d in range(n_directions):
                if abs(x[d]) <= TINY * largest[d]:
                    continue
                kept = triangle[own, d, d]
                length = np.sqrt(kept * kept + x[d] * x[d])
                cos, sin = kept / length, x[d] / length
                share *= cos
                for e in range(d, n_directions):
                    old, new = triangle[own, d, e], x[e]
                    triangle[own, d, e] = cos * old + sin * new
                    x[e] = cos * new - sin * old
                for j in range(first, after):
                    old, new = shadows[d, j], rows[t, j]
                    shadows[d, j] = cos * old + sin * new
                    rows[t, j] = cos * new - sin * old
            for j in range(first, after):
                if share == 0.0:
                    rows[t, j] = np.nan
                    continue
                guess, size = before[j] - rows[t, j] / share, abs(rows[t, j])
                left[j] += size * size
                spread[0, j] += 1.0
                spread[1, j] += guess
                spread[2, j] += guess * guess
                spread[3, j] += size
                spread[4, j] += size * size
                spread[5, j] += guess * size
