"""Rows without what columns held fixed explain (`hedgerow.method.given`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.forgetting import NEVER
from hedgerow.method.given import ENOUGH, TINY, Held, begun, fading

Array = NDArray[np.float64]


def without_given(
    rows: Array, design: Array, held: Held, half_life: float = NEVER, most: float = np.inf
) -> tuple[Array, Held]:
    """Return contrasts of rows with what those before them predict, and what is known then."""
    triangle, shadows, origin, largest, left, spread = (x.copy() for x in begun(held, rows))
    result = rows - origin
    fade = fading(half_life)
    _contrasts(result, design, triangle, shadows, largest, left, spread, fade, most)
    return result, Held(triangle, shadows, origin, largest, left, spread)


@njit(**IN_ORDER)
def _contrasts(rows, design, triangle, shadows, largest, left, spread, fade, most):
    n_rows, n_columns = rows.shape
    root = np.sqrt(fade)
    before, trial = np.empty(n_columns), np.empty(n_columns)
    share = np.empty(len(triangle))
    for t in range(n_rows):
        for d in range(design.shape[1]):
            largest[d] = max(largest[d], abs(design[t, d]))
        if fade < 1.0:
            triangle *= root
            shadows *= root
            left *= fade
            spread *= fade
        factor = 1.0
        if most < np.inf:
            trial[:] = rows[t]
            _turn(trial, design[t], 1.0, triangle, shadows, largest, share, False)
            factor = _factor(trial, share, left, spread, most)
        row = rows[t]
        for j in range(n_columns):
            row[j] *= factor
            before[j] = row[j]
        _turn(row, design[t], factor, triangle, shadows, largest, share, True)
        for j in range(n_columns):
            kept = share[j if len(triangle) > 1 else 0]
            if kept == 0.0:
                row[j] = np.nan
            if np.isnan(row[j]):
                continue
            guess, size = (before[j] - row[j] / kept) / factor, abs(row[j])
            left[j] += size * size
            spread[0, j] += 1.0
            spread[1, j] += guess
            spread[2, j] += guess * guess
            spread[3, j] += size
            spread[4, j] += size * size
            spread[5, j] += guess * size


@njit(**INNER)
def _turn(row, design, factor, triangle, shadows, largest, share, keep):
    """Turn a row until its design is zero, and what it is turned against, if that is wanted."""
    alone = len(triangle) > 1
    x = np.empty(len(design))
    for own in range(len(triangle)):
        first, after = (own, own + 1) if alone else (0, len(row))
        share[own] = 1.0
        if alone and np.isnan(row[own]):
            continue
        for d in range(len(x)):
            x[d] = design[d] * factor
        for d in range(len(x)):
            if abs(x[d]) <= TINY * largest[d]:
                continue
            kept = triangle[own, d, d]
            length = np.sqrt(kept * kept + x[d] * x[d])
            cos, sin = kept / length, x[d] / length
            share[own] *= cos
            for e in range(d, len(x)):
                old, new = triangle[own, d, e], x[e]
                x[e] = cos * new - sin * old
                if keep:
                    triangle[own, d, e] = cos * old + sin * new
            for j in range(first, after):
                old, new = shadows[d, j], row[j]
                row[j] = cos * new - sin * old
                if keep:
                    shadows[d, j] = cos * old + sin * new


@njit(**INNER)
def _factor(contrast, share, left, spread, most):
    """Return what to multiply a row with, so that it is not much larger than those before it."""
    number, total = 0, 0.0
    for j in range(len(contrast)):
        shown = share[j if len(share) > 1 else 0] > 0.0
        if shown and spread[0, j] >= ENOUGH and left[j] > 0.0 and not np.isnan(contrast[j]):
            number += 1
            total += contrast[j] * contrast[j] / (left[j] / spread[0, j])
    if number == 0:
        return 1.0
    return min(1.0, most / max(np.sqrt(total / number), TINY))
