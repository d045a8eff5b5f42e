"""Kin: rows that are alike though they stand apart, as those of one person, batch or place.

Rows of a group share what they do not share with others: a person's habits, a batch's settings, a
weekday, the weather of a place. So they are no independent witnesses, and edges may be what groups
have in common. Where a group stands together it looks like memory, and is counted as such; where
rows were shuffled, nothing in their order tells.

But rows of a group point the same way. Of two rows that have nothing to do with each other, the
cosine of the angle between them is as often above its mean as below, whatever relates the columns,
if the columns are symmetric; and scores of ranks are. Groups make large cosines, and no small ones.
So the third moment of cosines, over all pairs of rows that stand apart, tells (docs/theory.md,
section 32). Where columns nearly determine each other rows differ in few directions, and are asked
again with all of these made as common.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

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
_FEW_DIRECTIONS = 0.5  # of as many as there are columns: fewer, and they are made as common ...
_MOST_COLUMNS_AGAIN = 512  # ... of so many columns


class Kin(NamedTuple):
    """How much alike rows are that stand apart."""

    likeness: float  # third moment of cosines beyond chance; 0 if it may be chance
    columns: NDArray[np.intp]  # in which groups differ, most of all first


NONE = Kin(0.0, np.empty(0, dtype=np.intp))


def kin_of(
    rows: Array, columns: NDArray[np.intp], continuous: NDArray[np.intp] | None = None
) -> Kin:
    """Return whether rows that stand apart are more alike than chance makes them.

    Beyond `MOST_COLUMNS` nothing is looked at.

    Parameters
    ----------
    rows : scores, in their order, NaN for missing cells
    columns : that are asked, if they are nearly complete and symmetric
    continuous : those that are asked again, where columns nearly determine each other; all, if it
        is not told

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
    standard = those(standard, usable)
    smooth = np.arange(len(columns))
    if continuous is not None:
        smooth = np.flatnonzero(np.isin(columns, continuous))
    again = len(smooth) >= LEAST_COLUMNS and len(columns) <= _MOST_COLUMNS_AGAIN
    again = again and _directions(standard) < _FEW_DIRECTIONS * len(columns)
    chance = _CHANCE / 2.0 if again else _CHANCE
    found = _alike(standard, chance, of_three=False)
    if again and not found.likeness:
        columns = columns[smooth]
        found = _alike(_as_common(standard[:, smooth]), chance, of_three=True)
    return found._replace(columns=columns[found.columns]) if found.likeness else NONE


def _alike(standard: Array, chance: float, *, of_three: bool) -> Kin:
    """Return how much alike rows are, and in which columns, if chance does not make it.

    The cube of a cosine is a sum over three columns, of which two or all can be the same. Only
    those ``of_three`` different ones are counted, if told so.
    """
    unit = pointing(standard.astype(np.float32))
    cosine = _cosines(unit)
    number, first, second, third = _sums_of_powers(cosine)
    mean, square = first.sum() / number.sum(), second.sum() / number.sum()
    square -= mean**2
    # Hermite's third polynomial: what is left of cubes without what a mean would explain.
    parts = third - 3.0 * mean * (second - mean * first) - mean**3 * number
    parts -= 3.0 * square * (first - mean * number)
    if of_three:
        parts -= _of_two(unit)
    # Sums over pairs of stretches are independent, and each as often above zero as below.
    limit = -special.stdtrit(len(parts), chance)
    if not parts.sum() > limit * np.sqrt(np.square(parts).sum()):
        return NONE
    beyond = np.square(cosine) - np.float32(square)
    beyond[~_apart(_stretches(len(standard)))] = 0.0
    share = np.maximum(np.einsum("sj,sj->j", unit, beyond @ unit), 0.0)
    if share.sum() ** 2 < _TOGETHER * np.square(share).sum():
        return NONE
    order = np.argsort(-share, kind="stable")
    return Kin(float(parts.sum() / number.sum()), order[share[order] > share.mean()])


def _of_two(unit: NDArray[np.float32]) -> Array:
    """Return what one column or two have of cubes of cosines, in sums as `_sums_of_powers` has.

    Squares are taken about their mean, as what that makes is gone with the mean of cosines.
    """
    begins = np.searchsorted(_stretches(len(unit)), np.arange(STRETCHES + 1))
    stretches = [unit[begins[k] : begins[k + 1]].astype(np.float64) for k in range(STRETCHES)]
    typical = 1.0 / unit.shape[1]
    moments = np.array([(np.square(rows) - typical).T @ rows for rows in stretches])
    single = np.diagonal(moments, axis1=1, axis2=2)
    flat = moments.reshape(STRETCHES, -1)
    together = 3.0 * flat @ flat.T - 2.0 * single @ single.T
    result: Array = together[np.triu_indices(STRETCHES, _NEAR + 1)]
    return result


def _directions(standard: Array) -> float:
    """Return how many directions rows would have that differ as much, if all were as common.

    So few rows would seem to have fewer: of n that differ in all directions, n.
    """
    unit = pointing(standard.astype(np.float32))
    gram = unit @ unit.T if len(unit) < unit.shape[1] else unit.T @ unit
    squares, total = np.square(gram).sum(), np.trace(gram)
    return float(total**2 / max(squares - total**2 / len(unit), total))


def _as_common(standard: Array) -> Array:
    """Return rows all of whose directions are as common, but for those that chance may have made.

    What is done to a row depends on products of all rows, which are the same if one of them is
    turned into its mirror image.
    """
    n_rows, n_columns = standard.shape
    of_rows = n_rows < n_columns
    gram = (standard @ standard.T if of_rows else standard.T @ standard) / n_rows
    values, vectors = linalg.eigh(gram, check_finite=False)
    root = (vectors / np.sqrt(np.maximum(values, 0.0) + n_columns / n_rows)) @ vectors.T
    result: Array = root @ standard if of_rows else standard @ root
    return result


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
