"""From a partial correlation to a normal score, and from a score to its p-value."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

_TINY = np.finfo(np.float64).eps


def z_score(correlation: Array, freedom: NDArray[np.floating] | float) -> Array:
    """Return the normal score with the tail probability that a partial correlation has."""
    freedom = np.maximum(freedom, 1)
    room = np.maximum(1.0 - correlation**2, _TINY**2)
    tail = special.stdtr(freedom, -np.abs(correlation) * np.sqrt(freedom / room))
    score = np.abs(special.ndtri(np.maximum(tail, np.finfo(np.float64).tiny)))
    result: Array = np.sign(correlation) * score
    return result


def two_sided(z: Array) -> Array:
    """Return the two-sided p-value of a normal score."""
    result: Array = 2.0 * special.ndtr(-np.abs(z))
    return result
