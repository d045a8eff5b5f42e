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
from scipy import special

from hedgerow.method.ordered import those

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
    rows = those(rows, spread > 0) / spread[spread > 0]
    n_rows, n_columns = rows.shape
    if n_rows < LEAST_ROWS or n_columns < LEAST_COLUMNS:
        return NONE
    limit = _limit_of_ratios(rows)
    fewest = max(_FEWEST, special.pdtrik(1.0 - _CHANCE, _SELDOM * n_rows))
    if (_possible_ratios(rows) < limit).sum() < fewest:
        return NONE
    nearest, first, second = _nearest(rows)
    twins = first / np.maximum(second, np.finfo(np.float64).tiny) < limit
    number = int(twins.sum())
    if number < fewest:
        return NONE
    one = int(np.where(twins, first, np.inf).argmin())
    return Twins(number, *sorted((one, int(nearest[one]))))


def _limit_of_ratios(rows: Array) -> float:
    """Return what ratios of squared distances seldom fall below; zero if rows do not tell."""
    asked = np.arange(0, len(rows), -(-len(rows) // _ASKED))
    farther = np.sort(_apart(rows, asked), axis=1)[:, _BETWEEN]
    if not (farther[:, 1] > farther[:, 0]).all() or not farther[:, 0].all():
        return 0.0  # of few values, or exactly repeated
    dimensions = np.median(2.0 * np.log(2.0) / np.log(farther[:, 1] / farther[:, 0]))
    return float(_SELDOM ** (4.0 / dimensions))  # half the dimensions


def _possible_ratios(rows: Array) -> Array:
    """Return what each row's ratio is at least, at half the cost: by distances that are rounded."""
    single = rows.astype(np.float32)
    _, first, second = _nearest(single)
    squares = np.square(single).sum(axis=1)
    # By so much squares and products of rows of single precision can be off, each.
    off = (rows.shape[1] + 2) * np.finfo(np.float32).eps * (squares + squares.max())
    least: Array = np.maximum(first - 2.0 * off, 0.0) / (second + 2.0 * off)
    return least


def _nearest(rows: NDArray[np.floating]) -> tuple[NDArray[np.intp], Array, Array]:
    """Return the nearest other row of each, and its squared distance and the second nearest's."""
    places = np.arange(len(rows))
    apart = _apart(rows, places)
    nearest = apart.argmin(axis=1)
    first = apart[places, nearest]
    apart[places, nearest] = np.inf
    return nearest, first, apart.min(axis=1)


def _apart(rows: NDArray[np.floating], asked: NDArray[np.intp]) -> NDArray[np.floating]:
    """Return squared distances of some rows from all; infinite from those that stand near them."""
    squares = np.square(rows).sum(axis=1)
    some = rows if len(asked) == len(rows) else rows[asked]
    apart: NDArray[np.floating] = some @ rows.T
    apart *= -2.0
    apart += squares[asked, None]
    apart += squares
    np.maximum(apart, 0.0, out=apart)
    near = asked[:, None] + np.arange(-_NEAR, _NEAR + 1)
    apart[np.arange(len(asked))[:, None], near.clip(0, len(rows) - 1)] = np.inf
    return apart
