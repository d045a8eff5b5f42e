"""Scores of columns with missing cells: those that ranks among all cells would give.

The score of a cell comes from its rank among the cells that are there. If another column decides
which are missing, those that are there are not like all: where the large ones are missing more
often, scores of the others are too high, most of all at the upper end. Scores are then a bent
function of the column, its neighbours do not explain each other through it any more, and no number
of rows mends that. But what was filled in tells where the missing cells are. With s the score among
the cells that are there, a share w of all, and G the distribution of the missing ones, the score
among all is z = Φ⁻¹(w Φ(s) + (1 - w) G(z)). G is that of the filled-in values, blurred by what
filling leaves unknown (docs/theory.md, section 21).

Shapes: for columns (p,), at `POINTS` (p, k).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Cells = NDArray[np.bool_]

POINTS = np.linspace(-4.0, 4.0, 65)  # scores at which shifts are kept, and values counted
_LEAST_BLUR = float(POINTS[1] - POINTS[0]) / 12**0.5  # of a value that was counted at a point
_ROUNDS = 3  # of z, which is on both sides of its equation; each leaves a share (1 - w) of an error


def no_shift(n_columns: int) -> Array:
    """Return what is added to scores if no cell is missing: nothing."""
    return np.zeros((n_columns, len(POINTS)))


def values_at_points(filled: Array, gone: Cells) -> Array:
    """Return how many filled-in values of each column are next to each point.

    >>> gone = np.array([[True], [True], [False]])
    >>> values_at_points(np.array([[0.01], [9.0], [0.0]]), gone)[0, [31, 32, 64]]
    array([0., 1., 1.])
    """
    row, column = np.nonzero(gone)
    place = np.searchsorted((POINTS[1:] + POINTS[:-1]) / 2, filled[row, column])
    counts = np.zeros((filled.shape[1], len(POINTS)))
    np.add.at(counts, (column, place), 1.0)
    return counts


def shifts(counts: Array, share: Array, variance: Array, before: Array) -> Array:
    """Return what to add to scores among the cells that are there, at each point.

    Parameters
    ----------
    counts : filled-in values next to each point
    share : of the cells that are there
    variance : of what filling leaves unknown, in the mean over missing cells
    before : the shifts to begin with

    Examples
    --------
    Missing cells like the others, a tenth of all, move nothing but the far ends:

    >>> like = np.diff(special.ndtr(np.r_[-np.inf, (POINTS[1:] + POINTS[:-1]) / 2, np.inf]))[None]
    >>> shifts(1000 * like, np.array([0.9]), np.zeros(1), no_shift(1))[0, 8:-8:8].round(3) + 0.0
    array([ 0.001,  0.   ,  0.   ,  0.   ,  0.   ,  0.   , -0.001])
    """
    total = counts.sum(axis=1)
    blur = np.sqrt(variance + _LEAST_BLUR**2)
    result = before.copy()
    for j in np.flatnonzero((total > 0) & (share > 0) & (share < 1)):
        at = np.flatnonzero(counts[j])
        for _ in range(_ROUNDS):
            z = POINTS + result[j]
            missing = special.ndtr((z[:, None] - POINTS[at]) / blur[j]) @ counts[j, at] / total[j]
            below = share[j] * special.ndtr(POINTS) + (1.0 - share[j]) * missing
            result[j] = special.ndtri(below) - POINTS
    return result


def shifted(rows: Array, shift: Array) -> Array:
    """Return scores moved by what belongs to them; beyond the outer points by theirs."""
    moved = rows.copy()
    for j in np.flatnonzero(shift.any(axis=1)):
        moved[:, j] += np.interp(rows[:, j], POINTS, shift[j])
    return moved
