"""Cells that the rest of their row contradicts: errors of typing, units, sensors.

One such cell in a hundred is enough to break what the neighbours of a column explain, however large
the number of rows. Its score is no larger than that of the column's largest value, so it cannot be
told by its size; but a cell that its neighbours predict well, and that is many standard errors
away, is not of the model that the graph is of. It counts as missing.

A cell that is wrong makes its neighbours look wrong. So of cells that are related only the one
farthest off is judged, and the others again without it. Where a whole row is large, as in heavy
tails, a cell must be far off in units of the others of its row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

from hedgerow.method.neighbours import refit_sparse

Array = NDArray[np.float64]

# Standard errors. Of normal cells, one in 150,000 is farther off. Where the first rows have more of
# such cells than chance explains, cells are taken to be wrong from there on ...
FAR_OFF = 4.5
# ... and where they have not, from here on only: of normal cells, one in 500 million.
BEYOND_DOUBT = 6.0
# Cells that chance puts there, being generous: the size of a row is uncertain as well.
_BY_CHANCE = 2e-5
_DOUBT = 1e-3
MEDIAN = 0.6745  # of the sizes of standard normal numbers
TYPICAL = 16.0  # cells of typical size that a row's own count beside
# A column with more of such cells has them by its nature, and is not judged.
_BY_NATURE = 0.05


class Regressions(NamedTuple):
    """Each column from its neighbours, in units of its standard deviation."""

    coefficients: csr_array  # row i: of column i
    residual: Array  # (p,); standard deviation of what they leave; infinite: not judged


def regressions(corr: Array, n_rows: float, thresholds: Array) -> Regressions:
    """Return the regression of each column on the neighbours that forward selection finds."""
    coefficients, residual = refit_sparse(corr, n_rows, thresholds)
    return Regressions(coefficients, np.sqrt(residual))


def far_off(
    unit_rows: Array, there: NDArray[np.bool_], known: Regressions, limit: float = FAR_OFF
) -> NDArray[np.bool_]:
    """Return which cells are far from what their neighbours say, and farthest among these.

    Parameters
    ----------
    unit_rows : rows without gaps, in units of standard deviations from the mean
    there : cells that were there, and not filled in
    limit : how many standard errors are far

    Examples
    --------
    >>> alike = np.zeros((5, 5))
    >>> alike[0, 1] = alike[1, 0] = 0.9
    >>> known = Regressions(csr_array(alike), np.array([0.4, 0.4, 1.0, 1.0, 1.0]))
    >>> rows = np.array([[0.1, 0.2, 0.5, -0.7, 1.0], [3.0, -1.0, 0.5, -0.7, 1.0]])
    >>> far_off(rows, rows == rows, known).nonzero()
    (array([1]), array([0]))
    """
    expected = (known.coefficients @ unit_rows.T).T
    distance = np.abs(unit_rows - expected) / known.residual
    judged = there & np.isfinite(known.residual)
    distance = np.where(judged, distance / _size(distance, judged)[:, None], 0.0)
    far = distance > limit
    some = np.flatnonzero(far.any(axis=1))
    if len(some):
        linked = known.coefficients.astype(np.bool_)
        linked = (linked + linked.T).tocsr()
        for t in some:
            for j in np.flatnonzero(far[t]):
                around = linked.indices[linked.indptr[j] : linked.indptr[j + 1]]
                far[t, j] = distance[t, j] >= distance[t, around].max(initial=0.0)
    return far


def suspicious(
    rows: Array,
    there: NDArray[np.bool_] | None,
    centre: Array,
    scale: Array,
    known: Regressions,
    limit: float,
) -> NDArray[np.bool_]:
    """Return which rows have a cell that is far off; None: all cells are ``there``."""
    if there is None:
        there = np.ones_like(rows, dtype=np.bool_)
    return np.asarray(far_off((rows - centre) / scale, there, known, limit).any(axis=1))


def more_than_chance(far: NDArray[np.bool_], judged: NDArray[np.bool_]) -> bool:
    """Return whether so many of the cells that were judged are far off that some must be wrong."""
    number = int(far.sum())
    most = np.ceil(special.pdtrik(1.0 - _DOUBT, _BY_CHANCE * np.count_nonzero(judged)))
    return number > 0 and bool(number > most)


def _size(distance: Array, judged: NDArray[np.bool_]) -> Array:
    """Return how large the rows are, by the medians of their cells: a few wrong ones do not count.

    The median of few is uncertain, and is drawn toward what is typical.
    """
    number = judged.sum(axis=1)
    ordered = np.sort(np.where(judged, distance, np.inf), axis=1)
    middle = ordered[np.arange(len(ordered)), np.minimum(number // 2, ordered.shape[1] - 1)]
    squares = np.where(number > 0, np.square(middle / MEDIAN), 0.0)
    size: Array = np.sqrt((number * squares + TYPICAL) / (number + TYPICAL))
    return size


def without_those_by_nature(known: Regressions, far: NDArray[np.bool_]) -> Regressions:
    """Return the regressions with columns not judged in which too many cells are far off."""
    if not far.any():
        return known
    often = far.mean(axis=0) > _BY_NATURE
    return known._replace(residual=np.where(often, np.inf, known.residual))


def without_those_adrift(known: Regressions, adrift: NDArray[np.bool_]) -> Regressions:
    """Return the regressions with columns not judged that are adrift, or are told by such.

    Walks resemble each other by chance, and part again: what one said of another is no guide.
    """
    told = np.asarray(abs(known.coefficients) @ adrift.astype(np.float64)) > 0.0
    return known._replace(residual=np.where(adrift | told, np.inf, known.residual))
