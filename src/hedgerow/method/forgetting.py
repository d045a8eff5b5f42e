"""Forgetting: a row counts half as much for every half-life of rows that has come after it.

Nothing has to shrink for that. Later rows get larger weights instead, twice as large after each
half-life, and all that is ever asked of sums of weighted rows is their ratios. So that weights stay
ordinary numbers, every 16 half-lives all sums are divided by 2**16, which rounds nothing.

A half-life of infinity gives every row the weight one (docs/theory.md, section 14).
"""

from math import floor, tanh

import numpy as np
from numpy.typing import NDArray

NEVER = float("inf")  # the half-life of one who never forgets
SHORTEST_HALF_LIFE = 16
LONGEST_HALF_LIFE = 1e12  # rows; up to here sums of weighted squares stay finite
_PERIOD = 16  # half-lives after which sums are brought back to scale


def row_weights(rows_seen: int, n_rows: int, half_life: float) -> NDArray[np.float64]:
    """Return the weights of the next ``n_rows`` rows, which must end in the period they begin in.

    A batch that begins before the end of a period belongs to it.

    Examples
    --------
    >>> row_weights(rows_seen=200, n_rows=3, half_life=100).round(3)
    array([4.   , 4.028, 4.056])
    """
    lives = (rows_seen + np.arange(n_rows)) / half_life
    return np.exp2(lives - _PERIOD * _periods(rows_seen, half_life))


def decline(rows_before: int, rows_after: int, half_life: float) -> float:
    """Return what to multiply sums of weighted rows with after a batch, for the next one.

    Examples
    --------
    >>> decline(1500, 1599, half_life=100), decline(1599, 1600, half_life=100)
    (1.0, 1.52587890625e-05)
    """
    passed = _periods(rows_after, half_life) - _periods(rows_before, half_life)
    return 2.0 ** (-_PERIOD * passed)


def effective_rows(rows: int, half_life: float) -> float:
    """Return with how many rows of equal weight an average would be as precise.

    That is the squared sum of the weights over the sum of their squares; in the long run, about
    2.9 half-lives.

    Examples
    --------
    >>> round(effective_rows(50, half_life=1000), 1), round(effective_rows(10**6, half_life=1000))
    (50.0, 2885)
    """
    if half_life == NEVER:
        return float(rows)
    decay = np.log(2) / (2 * half_life)
    return tanh(rows * decay) / tanh(decay)


def _periods(rows: int, half_life: float) -> int:
    return floor(rows / half_life / _PERIOD)
