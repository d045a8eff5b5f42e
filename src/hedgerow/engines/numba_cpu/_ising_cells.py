"""Rows of yes or no, counted by the values of a few columns: from bits, 64 rows at a time."""

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from hedgerow.engines.numba_cpu._products import INNER

_FEW = 7  # columns: of more, most of their values come up in no row, and rows are gone through
_WORD = 64
_ALL = np.uint64(2**64 - 1)


def _instruction(typing_context, word):
    """Return how many bits of a word are set."""

    def instruction(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), instruction


_ones: Any = intrinsic(_instruction)


@njit(**INNER)
def counted(words, n_rows, given, x, y):
    """Return a design, and rows in each of its cells: all, those with x, with y, with both.

    A cell is a way in which the given columns can be; a line of the design is a one and their
    values. Cells without rows are left out.
    """
    if given.size <= _FEW:
        patterns, count = _by_words(words, n_rows, given, x, y)
    else:
        patterns, count = _by_rows(words, n_rows, given, x, y)
    return designed(patterns, given.size), count


@njit(**INNER)
def designed(patterns, n_given):
    """Return a one and the values of the given columns, for each pattern of bits."""
    design = np.ones((patterns.size, n_given + 1))
    for c in range(patterns.size):
        for a in range(n_given):
            design[c, a + 1] = (patterns[c] >> a) & 1
    return design


@njit(**INNER)
def _by_words(words, n_rows, given, x, y):
    n_patterns = 1 << given.size
    rows = np.zeros(n_patterns, np.uint64)  # of a word that have the pattern
    count = np.zeros((n_patterns, 4))
    for w in range(words.shape[1]):
        rows[0] = _ALL >> np.uint64(max((w + 1) * _WORD - n_rows, 0))
        known = 1
        for j in given:
            here = words[j, w]
            for k in range(known):
                rows[known + k] = rows[k] & here
                rows[k] &= ~here
            known *= 2
        for k in range(n_patterns):
            with_y = rows[k] & words[y, w]
            count[k, 0] += _ones(rows[k])
            count[k, 1] += _ones(rows[k] & words[x, w])
            count[k, 2] += _ones(with_y)
            count[k, 3] += _ones(with_y & words[x, w])
    patterns = np.flatnonzero(count[:, 0])
    return patterns, count[patterns]


@njit(**INNER)
def _by_rows(words, n_rows, given, x, y):
    cell, patterns = cells(words, n_rows, given)
    count = np.zeros((patterns.size, 4))
    for t in range(n_rows):
        in_cell, with_x, with_y = count[cell[t]], bit(words[x], t), bit(words[y], t)
        in_cell[0] += 1
        in_cell[1] += with_x
        in_cell[2] += with_y
        in_cell[3] += with_x & with_y
    return patterns, count


@njit(**INNER)
def cells(words, n_rows, given):
    """Return the number of each row's cell, and the pattern of each cell."""
    cell = np.zeros(n_rows, np.int32)
    patterns = np.zeros(1, np.int64)
    for a in range(given.size):
        number = np.full(2 * patterns.size, -1, np.int32)
        finer = np.empty(2 * patterns.size, np.int64)
        n_cells = 0
        for t in range(n_rows):
            here = bit(words[given[a]], t)
            place = 2 * cell[t] + here
            if number[place] < 0:
                number[place] = n_cells
                finer[n_cells] = patterns[cell[t]] | (here << a)
                n_cells += 1
            cell[t] = number[place]
        patterns = finer[:n_cells]
    return cell, patterns


@njit(inline="always", **INNER)
def bit(column, t):
    """Return the value of a column in a row."""
    return np.int64((column[t >> 6] >> np.uint64(t & 63)) & np.uint64(1))
