"""Kin: rows that are alike though they stand apart, as those of one person, batch or place.

Rows of a group share what they do not share with others: a person's habits, a batch's settings, a
weekday, the weather of a place. So they are no independent witnesses, and edges may be what groups
have in common. Where a group stands together it looks like memory, and is counted as such; where
rows were shuffled, nothing in their order tells.

But rows of a group point the same way. Of two rows that have nothing to do with each other, the
cosine of the angle between them is as often above its mean as below, whatever relates the columns,
if the columns are symmetric; and scores of ranks are. Groups make large cosines, and no small ones.
So the third moment of cosines, over all pairs of rows that stand apart, tells (docs/theory.md,
section 32).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.bursts import MOST_COLUMNS
from hedgerow.method.directions import (
    about_means,
    common,
    pointing,
    products_without_common,
)
from hedgerow.method.ordered import those

Array = NDArray[np.float64]

STRETCHES = 16  # that rows are cut into, and ...
_NEAR = 3  # ... how far these may be apart for pairs of their rows not to count
LEAST_ROWS = 4 * STRETCHES
LEAST_COLUMNS = 16  # with fewer, a single curved relation looks like groups
_TOGETHER = 8.0  # columns that groups differ in, at least; curved relations are between two
_MOST_MISSING = 0.02  # share of a column's cells
_MOST_SKEWED = 0.2  # columns of steps, too, have a third moment if they are
_CHANCE = 1e-6  # of groups in rows that have none


class Kin(NamedTuple):
    """How much alike rows are that stand apart."""

    likeness: float  # third moment of cosines beyond chance; 0 if it may be chance
    columns: NDArray[np.intp]  # in which groups differ, most of all first


NONE = Kin(0.0, np.empty(0, dtype=np.intp))


def kin_of(rows: Array, columns: NDArray[np.intp]) -> Kin:
    """Return whether rows that stand apart are more alike than chance makes them.

    Beyond `MOST_COLUMNS` nothing is looked at.

    Parameters
    ----------
    rows : scores, in their order, NaN for missing cells
    columns : that are asked, if they are nearly complete and symmetric

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 40))
    >>> kin_of(rows, np.arange(40)).likeness
    0.0
    >>> persons = rng.integers(30, size=300)
    >>> kin_of(rows + rng.standard_normal((30, 40))[persons], np.arange(40)).likeness > 0.0
    True
    """
    n_rows = len(rows)
    if n_rows < LEAST_ROWS or not LEAST_COLUMNS <= len(columns) <= MOST_COLUMNS:
        return NONE
    standard, usable = _standard(rows if len(columns) == rows.shape[1] else rows[:, columns])
    columns = columns[usable]
    if len(columns) < LEAST_COLUMNS:
        return NONE
    unit = pointing(those(standard, usable).astype(np.float32))
    cosine = _cosines(unit)
    number, first, second, third = _sums_of_powers(cosine)
    mean, square = first.sum() / number.sum(), second.sum() / number.sum()
    square -= mean**2
    # Hermite's third polynomial: what is left of cubes without what a mean would explain.
    parts = third - 3.0 * mean * (second - mean * first) - mean**3 * number
    parts -= 3.0 * square * (first - mean * number)
    # Sums over pairs of stretches are independent, and each as often above zero as below.
    limit = -special.stdtrit(len(parts), _CHANCE)
    if not parts.sum() > limit * np.sqrt(np.square(parts).sum()):
        return NONE
    beyond = np.square(cosine) - np.float32(square)
    beyond[~_apart(_stretches(n_rows))] = 0.0
    share = np.maximum(np.einsum("sj,sj->j", unit, beyond @ unit), 0.0)
    if share.sum() ** 2 < _TOGETHER * np.square(share).sum():
        return NONE
    order = np.argsort(-share, kind="stable")
    return Kin(float(parts.sum() / number.sum()), columns[order[share[order] > share.mean()]])


def _stretches(n_rows: int) -> NDArray[np.intp]:
    """Return the stretch that each row is in."""
    return np.arange(n_rows) * STRETCHES // n_rows


def _apart(stretch: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which pairs count."""
    far: NDArray[np.bool_] = np.abs(stretch[:, None] - stretch) > _NEAR
    return far


def _sums_of_powers(cosine: NDArray[np.float32]) -> Array:
    """Return numbers of pairs, and sums of cosines, squares and cubes, by stretches that count.

    A stretch at a time, with all that come after it, which takes no more room than is at hand.
    """
    stretch = _stretches(len(cosine))
    begins = np.searchsorted(stretch, np.arange(STRETCHES + 1))
    sums = []
    for k in range(STRETCHES - _NEAR - 1):
        far = begins[k + _NEAR + 1]
        some = cosine[begins[k] : begins[k + 1], far:]
        number, ones = np.full(some.shape[1], float(len(some))), np.ones_like(some[:, 0])
        squares = some * some
        totals = np.stack([number, ones @ some, ones @ squares, ones @ (squares * some)])
        sums.append(np.add.reduceat(totals, begins[k + _NEAR + 1 : -1] - far, axis=1))
    return np.concatenate(sums, axis=1)


def _standard(rows: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return columns with mean 0 and spread 1, and which of them can be asked.

    Cells that are missing are zero. Which ones these are may depend on other columns, which is a
    third moment as well, so that a column must not miss many.

    Not about their medians: where columns share a factor these are off by much more than chance
    makes of it, and all rows would be off with them.
    """
    standard, there = about_means(rows)
    skewness = np.abs(np.einsum("tj,tj,tj->j", standard, standard, standard)) / np.maximum(there, 1)
    complete = there >= (1.0 - _MOST_MISSING) * len(rows)
    return standard, standard.any(axis=0) & complete & (skewness < _MOST_SKEWED)


def _cosines(unit: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosines of angles between rows, no direction far more common than others."""
    products = products_without_common(unit, common(unit))
    length = np.sqrt(np.maximum(np.diag(products), 0.0))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    products *= inverse
    products *= inverse[:, None]
    return products
