"""Matrix products of some rows with others, as fast as BLAS and always added in the same order.

BLAS divides work among threads as it likes, and the division can change the last bits of a sum.
Here a thread calls these functions for the rows that are its own, and every number is added up in
an order that depends on the sizes alone. The work is done in tiles whose sums or coefficients fit
into the processor's registers.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import DTypeLike, NDArray

# C has no business here: what it would call us by takes a tenth of a second to compile, each.
_COMMON: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
# Sums in the order written.
IN_ORDER = _COMMON | {"fastmath": {"contract"}}
# The same for functions that compiled functions call, and only those: what Python would call them
# by is left out as well. Called from Python they end the process.
INNER = IN_ORDER | {"no_cpython_wrapper": True}
# Sums may be reordered, which vector instructions need; NaN and infinity keep their meaning.
# Functions with these options are always inlined. Of others there would be two copies, one alone
# and one inside the caller, with sums in different orders; and which of them runs depends on
# whether this process compiled the caller or loaded it from the cache.
FAST = INNER | {"fastmath": {"reassoc", "contract", "nsz"}, "forceinline": True}

LINE = 64  # bytes that travel together from memory to the processor
_LINES_APART = 64  # rows that start a multiple of so many lines apart compete for the same places
# Sums or coefficients of a tile, and what they meet, are as many as there are registers: sixteen.
DOT_TILE = 4  # `dot_products` takes so many rows of the first factor at a time ...
SUM_TILE = 3  # ... and so many of the second; `add_products` so many columns of coefficients
_STEP = 4  # rows that `add_products` adds at a time
WHOLE_TILES = DOT_TILE * SUM_TILE
_PANEL = 2048  # columns at a time


def zeros(n_rows: int, n_columns: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return zeros with at least ``n_columns`` columns, at a distance that suits the cache."""
    return np.zeros((n_rows, with_room.py_func(n_columns, np.dtype(dtype).itemsize)), dtype=dtype)


@njit(**INNER)
def with_room(n_columns, item_size=4):
    """Return a number of columns, whole lines of memory, at which rows do not compete."""
    per_line = LINE // item_size
    lines = (n_columns + per_line - 1) // per_line
    while not 4 <= lines % _LINES_APART <= _LINES_APART - 4:
        lines += 1
    return lines * per_line


@njit(inline="always", **INNER)
def padded(n_rows):
    """Return the least number of rows, from ``n_rows`` on, that whole tiles of both kinds fill."""
    return (n_rows + WHOLE_TILES - 1) // WHOLE_TILES * WHOLE_TILES


@njit(**FAST)
def dot_products(a, b, n_columns, result):
    """Write a @ b.T, for the first columns of both, to ``result``.

    The numbers of their rows are multiples of ``DOT_TILE`` and of ``SUM_TILE``.
    """
    _clear(result)
    for left in range(0, n_columns, _PANEL):
        right = min(left + _PANEL, n_columns)
        for t in range(0, a.shape[0], DOT_TILE):
            _add_dots(a, b, result, t, left, right)


@njit(**INNER)
def add_products(coefficients, rows, total, n_columns):
    """Add coefficients.T @ rows, for the first columns, to ``total``, one row after another.

    The number of rows of ``total`` is a multiple of ``SUM_TILE``.
    """
    whole = rows.shape[0] - rows.shape[0] % _STEP
    for left in range(0, n_columns, _PANEL):
        right = min(left + _PANEL, n_columns)
        for t in range(0, whole, _STEP):
            _add_some(coefficients, rows, total, t, left, right)
        for t in range(whole, rows.shape[0]):
            _add_one(coefficients, rows, total, t, left, right)


@njit(inline="always", **INNER)
def _clear(result):
    for t in range(result.shape[0]):
        for i in range(result.shape[1]):
            result[t, i] = 0


@njit(**FAST)
def _add_dots(a, b, result, t, left, right):
    a0, a1 = a[t, left:right], a[t + 1, left:right]
    a2, a3 = a[t + 2, left:right], a[t + 3, left:right]
    for i in range(0, b.shape[0], SUM_TILE):
        b0, b1, b2 = b[i, left:right], b[i + 1, left:right], b[i + 2, left:right]
        s00 = s01 = s02 = s10 = s11 = s12 = result.dtype.type(0)
        s20 = s21 = s22 = s30 = s31 = s32 = result.dtype.type(0)
        for k in range(a0.size):
            x0, x1, x2 = b0[k], b1[k], b2[k]
            y = a0[k]
            s00, s01, s02 = s00 + y * x0, s01 + y * x1, s02 + y * x2
            y = a1[k]
            s10, s11, s12 = s10 + y * x0, s11 + y * x1, s12 + y * x2
            y = a2[k]
            s20, s21, s22 = s20 + y * x0, s21 + y * x1, s22 + y * x2
            y = a3[k]
            s30, s31, s32 = s30 + y * x0, s31 + y * x1, s32 + y * x2
        _add_three(result, t, i, s00, s01, s02)
        _add_three(result, t + 1, i, s10, s11, s12)
        _add_three(result, t + 2, i, s20, s21, s22)
        _add_three(result, t + 3, i, s30, s31, s32)


@njit(inline="always", **INNER)
def _add_three(result, t, i, s0, s1, s2):
    result[t, i] += s0
    result[t, i + 1] += s1
    result[t, i + 2] += s2


@njit(**INNER)
def _add_some(coefficients, rows, total, t, left, right):
    x0, x1 = rows[t, left:right], rows[t + 1, left:right]
    x2, x3 = rows[t + 2, left:right], rows[t + 3, left:right]
    for i in range(0, total.shape[0], SUM_TILE):
        c0 = _four(coefficients, t, i)
        c1 = _four(coefficients, t, i + 1)
        c2 = _four(coefficients, t, i + 2)
        t0, t1, t2 = total[i, left:right], total[i + 1, left:right], total[i + 2, left:right]
        for j in range(x0.size):
            y0, y1, y2, y3 = x0[j], x1[j], x2[j], x3[j]
            t0[j] = _plus(t0[j], c0, y0, y1, y2, y3)
            t1[j] = _plus(t1[j], c1, y0, y1, y2, y3)
            t2[j] = _plus(t2[j], c2, y0, y1, y2, y3)


# Inlined by Numba, before vector instructions are chosen: half as fast otherwise.
@njit(inline="always", **INNER)
def _four(c, t, i):
    return c[t, i], c[t + 1, i], c[t + 2, i], c[t + 3, i]


@njit(inline="always", **INNER)
def _plus(s, c, y0, y1, y2, y3):
    c0, c1, c2, c3 = c
    return s + c0 * y0 + c1 * y1 + c2 * y2 + c3 * y3


@njit(inline="always", **INNER)
def _add_one(coefficients, rows, total, t, left, right):
    x = rows[t, left:right]
    for i in range(total.shape[0]):
        c, sums = coefficients[t, i], total[i, left:right]
        for j in range(x.size):
            sums[j] = sums[j] + c * x[j]


@njit(**FAST)
def single_product(a, b):
    """Return the sum of products of two rows in single precision."""
    total = np.float32(0.0)
    for k in range(a.size):
        total += a[k] * b[k]
    return total
