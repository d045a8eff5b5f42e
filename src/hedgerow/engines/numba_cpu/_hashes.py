"""Hashes of rows (`hedgerow.method.repeats`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER
from hedgerow.method.repeats import HALF, Hashes, factors_of_columns, folded


def hashes_of(rows: NDArray[np.floating]) -> Hashes:
    """Return a hash of each row."""
    bits = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint64)
    sums = np.empty(len(rows), dtype=np.uint64)
    _sum_bits(bits, factors_of_columns(rows.shape[1]), sums)
    return folded(sums)


@njit(**IN_ORDER)
def _sum_bits(bits, factors, sums):
    for t in range(bits.shape[0]):
        total = np.uint64(0)
        for j in range(factors.size):
            total += (bits[t, j] ^ (bits[t, j] >> HALF)) * factors[j]
        sums[t] = total
