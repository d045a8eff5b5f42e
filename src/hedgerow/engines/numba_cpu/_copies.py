"""Columns that repeat an earlier one."""

from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER


@njit(**IN_ORDER)
def first_copies(first, last, products, per_scale, copy, original):
    """Write for each of some columns the first one that is correlated with it more than ``copy``.

    Columns ``first`` to ``last``. Where there is none, what stands in ``original`` stays.
    """
    for i in range(first, last):
        for j in range(i):
            if abs(products[i, j] * (per_scale[i] * per_scale[j])) > copy:
                original[i] = j
                break
