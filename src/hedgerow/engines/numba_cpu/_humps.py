"""The excess mass of a second hump (`hedgerow.method.populations`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.populations import DENSITIES, middle

_AS_WRITTEN = IN_ORDER | {"fastmath": False}  # the bits of NumPy


def second_hump(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the excess mass of a second hump, and a value in the gap between the two."""
    ordered = np.sort(values)
    low, high = middle(ordered)
    if not high > low:
        return 0.0, low
    mass, left, right = _second_hump(ordered, low, high, DENSITIES)
    return mass, float((ordered[left] + ordered[right]) / 2)


@njit(**_AS_WRITTEN)
def _second_hump(ordered, low, high, densities):
    """Return the mass, and the places of the two values around the gap."""
    n = ordered.size
    before, after, gain = np.empty((3, n))
    to_left, to_right, cut = (0.0, 0, 0), (0.0, 0, 0), (0.0, 0, 0)
    for density in densities:
        end, least = 0, np.inf
        for i in range(n):
            due = density * (ordered[i] - low) / (high - low)
            before[i], after[i] = i / n - due, (i + 1) / n - due
            least = min(least, before[i])
            gain[i] = after[i] - least
            end = i if gain[i] > gain[end] else end
        begin = before[: end + 1].argmin()
        for i in range(begin):
            if gain[i] > to_left[0]:
                to_left = (gain[i], i, begin)
        most, place = -np.inf, n - 1
        for i in range(n - 1, end, -1):
            most = max(most, after[i])
            gain[i] = most - before[i]
            place = i if gain[i] >= gain[place] else place
        if end < n - 1 and gain[place] > to_right[0]:
            to_right = (gain[place], end, place)
        highest = begin
        for i in range(begin + 1, end + 1):
            if after[highest] - before[i] > cut[0]:
                cut = (after[highest] - before[i], highest, i)
            highest = i if after[i] > after[highest] else highest
    best = to_left
    for other in (to_right, cut):
        best = other if other[0] > best[0] else best
    return best
