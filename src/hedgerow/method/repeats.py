"""Rows that come again exactly: how often, in a stream of any length, in little memory.

A row that is there twice is no second witness. Each row is hashed, and of all different rows those
with the smallest hashes are kept and counted (a bottom-k sample): a random choice of rows, each
with all its occurrences, whose mean number of times estimates that of all rows. Up to `KEPT`
different rows it is exact.

Rows that repeat one of the last few look like memory, and are counted as such too (`inflation`). So
there is a second count of each row without those that come soon after it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ordered import Ordered
from hedgerow.method.residuals import LAGS

Hashes = NDArray[np.uint64]
Counts = NDArray[np.int64]

KEPT = 1024
HALF, _FOLD = np.uint64(32), np.uint64(29)
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, as in Weyl's sequence


class Repeats(NamedTuple):
    """What is known of rows that come again."""

    hashes: Hashes  # (k,) of the rows that are kept, rising
    times: Counts  # (k,) how often each is there
    apart: Counts  # (k,) without those that come up to `LAGS` rows after the same row
    recent: Hashes  # of the last rows, up to `LAGS`


def no_repeats() -> Repeats:
    """Return what is known before the first row."""
    none = np.empty(0, dtype=np.uint64)
    return Repeats(none, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), none)


def with_rows(known: Repeats, found: Hashes) -> Repeats:
    """Return what is known after more rows, by their hashes; the same however they are cut.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((100, 3))
    >>> mean_times(with_rows(no_repeats(), hashes_of(np.repeat(rows, 2, axis=0))))
    (2.0, 1.0)
    >>> mean_times(with_rows(no_repeats(), hashes_of(np.concatenate([rows, rows]))))
    (2.0, 2.0)
    """
    if len(known.hashes) < KEPT < len(found):  # once as many are kept, few others are smaller
        known = with_rows(known, found[:KEPT])
        return with_rows(known, found[KEPT:])
    sequence = np.concatenate([known.recent, found])
    recent = sequence[-LAGS:]
    small = found[found <= known.hashes[-1]] if len(known.hashes) == KEPT else found
    if not len(small):
        return known._replace(recent=recent)
    kept = _different(np.concatenate([known.hashes, small]))[:KEPT]
    places = np.flatnonzero(found <= kept[-1])
    some = found[places]
    earlier = (places + len(known.recent))[:, None] - np.arange(1, LAGS + 1)
    soon = ((sequence[np.maximum(earlier, 0)] == some[:, None]) & (earlier >= 0)).any(axis=1)
    stay = np.searchsorted(known.hashes, kept[-1], side="right")
    which = np.searchsorted(kept, np.concatenate([known.hashes[:stay], some]))
    times = _sums(which, np.concatenate([known.times[:stay], np.ones_like(places)]), len(kept))
    apart = _sums(which, np.concatenate([known.apart[:stay], ~soon]), len(kept))
    return Repeats(kept, times, apart, recent)


def first_repeats(found: Hashes, first: Ordered) -> Repeats:
    """Return what is known after the first rows; nothing if some may be the same by chance."""
    if not identified(found, first):
        return no_repeats()
    different = _different(found)
    if len(different) < len(found) or len(found) > KEPT:
        return with_rows(no_repeats(), found)
    once = np.ones(len(found), dtype=np.int64)
    return Repeats(different, once, once, found[-LAGS:])


def mean_times(known: Repeats) -> tuple[float, float]:
    """Return how often a row is there, in the mean over rows: at all, and apart."""
    return _mean(known.times), _mean(known.apart)


def hashes_of(rows: NDArray[np.floating]) -> Hashes:
    """Return a hash of each row.

    Multilinear: the sum of the columns' bits, each times an odd number of its own. The bits are
    folded before, as short numbers have zeros at the end, and their sum is folded after.
    """
    bits = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint64)
    return folded((bits ^ (bits >> HALF)) @ factors_of_columns(rows.shape[1]))


def factors_of_columns(n_columns: int) -> Hashes:
    """Return an odd number for each column."""
    numbers = np.arange(1, n_columns + 1, dtype=np.uint64)
    return _mixed((numbers * _ODD) | np.uint64(1)) | np.uint64(1)


def folded(sums: Hashes) -> Hashes:
    """Return the sums of a row's bits, all of whose bits depend on all of theirs."""
    return _mixed(_mixed(sums))


def identified(found: Hashes, first: Ordered) -> bool:
    """Return whether some column tells all different rows apart.

    In a table without one, rows can be the same by chance, and nothing is made of it.

    >>> from hedgerow.method.ordered import in_order
    >>> for last in (2.0, 4.0):
    ...     rows = np.array([[1.0, 2.0], [3.0, 2.0], [1.0, last]])
    ...     print(identified(hashes_of(rows), in_order(rows)))
    True
    False
    """
    known = first.different + (first.there < len(first.rows))
    return bool(known.max(initial=0) >= len(_different(found)))


def _mixed(numbers: Hashes) -> Hashes:
    mixed: Hashes = (numbers ^ (numbers >> HALF)) * _ODD
    return mixed ^ (mixed >> _FOLD)


def _different(hashes: Hashes) -> Hashes:
    """Return the different ones of some hashes, rising."""
    rising = np.sort(hashes)
    return rising[np.append(True, rising[1:] > rising[:-1])] if len(rising) else rising


def _sums(which: NDArray[np.intp], counts: Counts, number: int) -> Counts:
    totals = np.zeros(number, dtype=np.int64)
    np.add.at(totals, which, counts)
    return totals


def _mean(times: Counts) -> float:
    total = int(times.sum())
    return float(int(np.square(times).sum()) / total) if total else 1.0
