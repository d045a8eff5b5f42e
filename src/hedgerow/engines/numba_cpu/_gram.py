"""The matrix of summed products: its lower triangle, row after row; mirrored when asked for."""

from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, SUM_TILE, add_products

_BLOCK = 64
_ROWS = 256  # added at a time: they stay in the cache while all columns of a block are done


@njit(**IN_ORDER)
def add_gram(first, last, rows, products):
    """Add the products of columns ``first`` to ``last`` with all up to them to ``products``.

    ``first`` is a multiple of ``SUM_TILE``. The upper triangle is not kept up to date.
    """
    whole = last - (last - first) % SUM_TILE
    for start in range(0, rows.shape[0], _ROWS):
        some = rows[start : start + _ROWS]
        add_products(some[:, first:whole], some, products[first:whole], whole)
    for i in range(whole, last):
        for t in range(rows.shape[0]):
            factor = rows[t, i]
            for j in range(i + 1):
                products[i, j] += factor * rows[t, j]


@njit(**IN_ORDER)
def mirror(first, last, products):
    """Copy rows ``first`` to ``last`` of the lower triangle to the upper one."""
    for start in range(0, last, _BLOCK):
        for i in range(first, last):
            for j in range(start, min(start + _BLOCK, i)):
                products[j, i] = products[i, j]
