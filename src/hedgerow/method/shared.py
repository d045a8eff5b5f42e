"""What is left of most columns together: a common cause that is no column, seen in many weak z.

If pairs without an edge have nothing to do with each other, their scores are noise, and no
direction of columns stands out among them: the largest eigenvalue of their matrix is that of noise
(Marchenko and Pastur; Johnstone 2001). A batch, a day, a total, rows of another kind, or very many
weak relations add a little to the scores of nearly all pairs. None of it is clear by itself, and
together it is a direction in which many columns take part; where rows are many, false edges come
from it.

Scores of clear pairs are left out. What a few columns have to themselves, as a hub that was not
found and its leaves, is a direction of few columns (docs/theory.md, section 41).
"""

from collections.abc import Callable
from math import cbrt, floor, log2, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CLEAR = 3.5  # scores beyond this are those of edges, or may be
_CHANCE = 3.27  # of Tracy and Widom's distribution for real matrices, exceeded once in a thousand
_MANY = 0.125  # of columns, at least, that take part
_TIMES = 32  # that a direction is followed: those that stand out are found within
# Scores and directions are rounded to whole numbers of parts so small that sums of products are
# exact: whoever adds them up, in whatever order, gets the same bits.
PARTS = 2.0**16  # of a score
_EXACT = 2.0**53  # whole numbers below this are exact


def strength_of(scores: Array, n_rows: float) -> float:
    """Return how strongly most columns share something, in units of the largest by chance.

    Zero if what stands out is of few columns.

    Parameters
    ----------
    scores : (p, p), symmetric; of pairs given neighbours, with zeros on the diagonal
    n_rows : number of independent rows that say as much

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 50))
    >>> cause = rng.standard_normal((400, 1)) * rng.standard_normal(50)
    >>> for table in (rows, rows + 0.3 * cause):
    ...     scores = np.corrcoef(table.T) * 20.0
    ...     np.fill_diagonal(scores, 0.0)
    ...     print(strength_of(scores, 400) > 1.5)
    False
    True
    """
    left = np.where(np.abs(scores) > CLEAR, 0.0, np.rint(PARTS * scores))
    return followed(lambda direction: left @ direction, len(left), n_rows)


def followed(product: Callable[[Array], Array], n_columns: int, n_rows: float) -> float:
    """Return the strength of the direction that stands out.

    ``product`` is that of the matrix of unclear scores, in `PARTS`, with a vector of whole numbers.
    """
    direction, length, parts = _start(n_columns), 0.0, _parts_of_directions(n_columns)
    for _ in range(_TIMES + 1):
        before, moved = direction, product(np.rint(parts * direction))
        length = float(np.linalg.norm(moved))
        if not length:
            return 0.0
        direction = moved / length
    if float((before**4).sum()) * n_columns * _MANY > 1.0:
        return 0.0
    return length / (PARTS * parts) / largest_by_chance(n_columns, n_rows)


def _start(n_columns: int) -> Array:
    """Return the direction that is followed first: it has a part in every other."""
    waves = np.cos(2.0 * np.arange(1.0, n_columns + 1.0) ** 2)
    result: Array = waves / np.linalg.norm(waves)
    return result


def _parts_of_directions(n_columns: int) -> float:
    """Return how many parts a number of a direction has.

    The numbers of a direction of length one add up to the root of how many they are, at most; half
    a part may be added to each in rounding, and a direction has more parts than it has numbers.
    """
    largest_sum = CLEAR * PARTS * 2.0 * sqrt(n_columns)
    return 2.0 ** floor(log2(_EXACT / largest_sum))


def largest_by_chance(n_columns: int, n_rows: float) -> float:
    """Return the largest eigenvalue that scores of so many unrelated columns have.

    >>> round(largest_by_chance(100, 1000), 1)
    25.4
    """
    root, rows = sqrt(n_columns), sqrt(n_rows)
    width = (1.0 + root / rows) * cbrt(1.0 / rows + 1.0 / root)
    return 2.0 * root + n_columns / rows + _CHANCE * width
