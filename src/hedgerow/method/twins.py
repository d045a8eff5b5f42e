"""Twins: rows that nearly repeat another one, though they stand apart.

Rows that come again exactly are counted (`repeats`). But a row may come again with one cell changed
(a time, a number of its own), rounded, or with a little noise added: no hash tells, and it is no
second witness either.

The distance of a row from its nearest other, over that from the second nearest, tells. Where rows
are scattered smoothly in d dimensions, however they are related, this ratio to the power d is
uniform (Facco, d'Errico, Rodriguez and Laio, 2017); d itself is known from neighbours that are
farther away. Twins make many ratios that hardly one row in a hundred has (docs/theory.md, section
38).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]

LEAST_ROWS, LEAST_COLUMNS = 40, 4
_COLUMNS = 128  # at most, evenly spaced
_NEAR = 8  # rows that stand so near each other are alike if rows remember
_BETWEEN = (10, 20)  # neighbours that tell how many dimensions rows fill
_ASKED = 64  # rows that are asked for these
_SELDOM = 0.01  # of ratios, in rows without twins, if they fill half as many dimensions
_CHANCE = 1e-3
_FEWEST = 4


class Twins(NamedTuple):
    """Rows that nearly repeat another one."""

    number: int  # 0 if that may be chance
    one: int  # row of the nearest two
    other: int


NONE = Twins(0, -1, -1)


def twins_of(rows: Array) -> Twins:
    """Return how many rows nearly repeat another one.

    Parameters
    ----------
    rows : scores, in their order, without gaps

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((60, 10))
    >>> twins_of(rows)
    Twins(number=0, one=-1, other=-1)
    >>> again = rows[:20] + 0.01 * np.random.default_rng(1).standard_normal((20, 10))
    >>> twins_of(np.concatenate([rows, again])).number
    40
    """
    rows = rows[:, :: -(-max(rows.shape[1], 1) // _COLUMNS)]
    spread = rows.std(axis=0)
    rows = rows[:, spread > 0] / spread[spread > 0]
    n_rows, n_columns = rows.shape
    if n_rows < LEAST_ROWS or n_columns < LEAST_COLUMNS:
        return NONE
    squares = np.square(rows).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * (rows @ rows.T), 0.0)
    for back in range(_NEAR + 1):
        np.fill_diagonal(apart[back:], np.inf)
        np.fill_diagonal(apart[:, back:], np.inf)
    farther = np.partition(apart[:: -(-n_rows // _ASKED)], _BETWEEN, axis=1)[:, _BETWEEN]
    if not (farther[:, 1] > farther[:, 0]).all() or not farther[:, 0].all():
        return NONE  # of few values, or exactly repeated
    dimensions = np.median(2.0 * np.log(2.0) / np.log(farther[:, 1] / farther[:, 0]))
    nearest = apart.argmin(axis=1)
    first = apart[np.arange(n_rows), nearest]
    apart[np.arange(n_rows), nearest] = np.inf
    ratio = first / np.maximum(apart.min(axis=1), np.finfo(np.float64).tiny)
    twins = ratio ** (dimensions / 4.0) < _SELDOM  # a ratio of squares, half the dimensions
    number = int(twins.sum())
    if number < max(_FEWEST, stats.poisson.isf(_CHANCE, _SELDOM * n_rows)):
        return NONE
    one = int(np.where(twins, first, np.inf).argmin())
    return Twins(number, *sorted((one, int(nearest[one]))))
