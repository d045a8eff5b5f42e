"""A few of all rows, to draw pictures of: which ones depends on nothing but their numbers.

A row's number is hashed to a number u between 0 and 1, and the rows of the smallest -log(u) stay:
any of them with the same chance, whatever is in them, and the same ones however they are cut into
chunks. Where a row counts half as much after a half-life, -log(u) is divided by its weight, which
makes its chance to stay proportional to that (Efraimidis and Spirakis, 2006).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.forgetting import NEVER
from hedgerow.method.repeats import folded

Array = NDArray[np.float64]

MOST_ROWS = 256
_MOST_CELLS = 1 << 24  # of very many columns fewer rows are kept
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, as in Weyl's sequence
_BITS = 53  # of a double


class RowSample(NamedTuple):
    """Some rows, in their order."""

    at: NDArray[np.int64]  # (k,) their numbers, from 0 on
    rows: Array  # (k, p)


def no_rows(n_columns: int) -> RowSample:
    """Return the sample of no rows."""
    return RowSample(np.empty(0, dtype=np.int64), np.empty((0, n_columns)))


def most_rows(n_columns: int) -> int:
    """Return how many rows are kept at most."""
    return max(min(MOST_ROWS, _MOST_CELLS // n_columns), 1)


def with_rows(
    sample: RowSample, rows: NDArray[np.floating], before: int, half_life: float = NEVER
) -> RowSample:
    """Return the sample after more rows, before which there were so many others.

    Examples
    --------
    >>> rows = np.arange(2000.0)[:, None] + [0.0, 0.5]
    >>> whole = with_rows(no_rows(2), rows, 0)
    >>> cut = with_rows(with_rows(no_rows(2), rows[:700], 0), rows[700:], 700)
    >>> whole.rows.shape, bool((whole.rows == cut.rows).all())
    ((256, 2), True)
    """
    most = most_rows(rows.shape[1])
    at = before + np.arange(len(rows))
    known, new = _places(sample.at, half_life), _places(at, half_life)
    some = np.flatnonzero(new < known.max()) if len(known) == most else np.arange(len(rows))
    if not len(some):
        return sample
    some = some[_smallest(new[some], most)]
    both = np.concatenate([sample.at, at[some]])
    stay = _smallest(np.concatenate([known, new[some]]), most)
    stay = stay[np.argsort(both[stay])]
    old, fresh = stay[stay < len(known)], some[stay[stay >= len(known)] - len(known)]
    return RowSample(both[stay], np.concatenate([sample.rows[old], rows[fresh]]))


def _places(at: NDArray[np.int64], half_life: float) -> Array:
    """Return what decides which rows stay, the smallest."""
    bits = folded((at.astype(np.uint64) + np.uint64(1)) * _ODD) >> np.uint64(64 - _BITS)
    exponential = -np.log((bits + 0.5) / 2.0**_BITS)
    places: Array = np.log(exponential) - at * (np.log(2.0) / half_life)
    return places


def _smallest(values: Array, number: int) -> NDArray[np.intp]:
    if len(values) <= number:
        return np.arange(len(values))
    return np.argpartition(values, number)[:number]
