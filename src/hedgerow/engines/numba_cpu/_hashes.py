"""Hashes of rows (`hedgerow.method.repeats`), compiled."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.engines.numba_cpu._threads import blocks, team
from hedgerow.method.repeats import HALF, Hashes, factors_of_columns, folded

_CELLS = 1 << 20  # that one thread takes at a time


def hashes_of(rows: NDArray[np.floating]) -> Hashes:
    """Return a hash of each row."""
    bits = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint64)
    sums, factors = np.empty(len(rows), dtype=np.uint64), factors_of_columns(rows.shape[1])
    size = max(1, _CELLS // rows.shape[1])
    with team() as run:
        run(partial(_sum_bits, *some, bits, factors, sums) for some in blocks(len(rows), size))
    return folded(sums)


@njit(**IN_ORDER)
def _sum_bits(first, last, bits, factors, sums):
    for t in range(first, last):
        total = np.uint64(0)
        for j in range(factors.size):
            total += (bits[t, j] ^ (bits[t, j] >> HALF)) * factors[j]
        sums[t] = total
