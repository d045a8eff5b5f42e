"""A matrix as large as that of all pairs, of which only the part that is written takes memory.

Compiled functions address pairs by their numbers in the whole matrix. A task has a strip of it, or
some rows. So it gets a sheet for the whole, zero throughout, and fills in what it has: the system
hands out memory page by page as it is touched. What computes is then the same function as on one
machine, to the last bit.
"""

import mmap
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Of a mapping that is mostly never touched, no memory is set aside beforehand.
_ONLY_WHAT_IS_TOUCHED = getattr(mmap, "MAP_NORESERVE", 0x4000)  # Python tells since 3.13


def sheet(n_rows: int, n_columns: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return zeros, in pages that are there once they are written to.

    Examples
    --------
    >>> whole = sheet(10**5, 10**5, np.float32)  # 40 GB, if all were written
    >>> whole[7] = 1.0
    >>> float(whole[7, 99_999]), float(whole[8, 0])
    (1.0, 0.0)
    """
    kind = np.dtype(dtype)
    size = max(n_rows * n_columns * kind.itemsize, 1)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _ONLY_WHAT_IS_TOUCHED
    memory = mmap.mmap(-1, size, flags=flags)
    # A huge page would take two megabytes for each row of a narrow strip of columns.
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, kind, n_rows * n_columns).reshape(n_rows, n_columns)
