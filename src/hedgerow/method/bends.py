"""Bends: scores of columns that have a season are those of a mixture, one part for each phase.

Normal scores of ranks make a column normal that is not: values of a season and what varies about
it, added, are as unlike a normal column as the season is large. What is left when the season is
taken out of such scores is squeezed in some phases and stretched in others, in each column in
another way; and where columns nearly determine each other, that passes for edges.

If some increasing function of a column is the mean of its phase and a normal number, it has the
distribution of a mixture of normal ones, with these means. So a score is replaced by the quantile
of the mixture at the same place, and the means are found by doing it again and again
(docs/theory.md, section 18).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

KNOTS = np.linspace(-9.0, 9.0, 145)  # scores; of more rows than there are none is farther out
_FARTHEST = 64.0  # means of phases, in units of what varies: they are cut off here
_TIMES = 12  # after that spreads of phases are alike to a hundredth
_GRID = 161  # places at which the mixture is asked
_BEYOND = 9.0
LARGEST = _FARTHEST + _BEYOND


def bends_of(scored: Array, period: int, columns: NDArray[np.intp]) -> Array:
    """Return what each of the `KNOTS` becomes, by column; nothing if all of them stay.

    Parameters
    ----------
    scored : normal scores of the first rows, NaN where a cell is missing
    period : rows after which a phase comes again
    columns : those to bend

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.standard_normal(480) + 4.0 * np.tile(np.arange(4) == 0, 120)
    >>> scores = special.ndtri((np.argsort(np.argsort(values)) + 0.5) / 480)[:, None]
    >>> found = bent(scores, bends_of(scores, 4, np.array([0])))
    >>> levels = [found[phase::4].mean() for phase in range(4)]
    >>> print((np.array(levels) - levels[1]).round() + 0.0)
    [4. 0. 0. 0.]
    """
    bends = np.repeat(KNOTS[:, None], scored.shape[1], axis=1)
    for j in columns:
        there = np.flatnonzero(~np.isnan(scored[:, j]))
        phase, score = there % period, scored[there, j]
        counts = np.bincount(phase, minlength=period)
        if counts.min() > 0:
            bends[:, j] = _bend(score, phase, counts)
    return bends if len(columns) else bends[:0]


def bent(scored: Array, bends: Array) -> Array:
    """Return bent scores; as they are if there are no bends."""
    if not len(bends):
        return scored
    result = scored.copy()
    for j in np.flatnonzero((bends != KNOTS[:, None]).any(axis=0)):
        result[:, j] = np.interp(scored[:, j], KNOTS, bends[:, j])
    return result


def _bend(score: Array, phase: NDArray[np.intp], counts: NDArray[np.intp]) -> Array:
    """Return what the knots become for one column."""
    share, free = counts / len(score), max(len(score) - len(counts), 1)
    onto = KNOTS
    for _ in range(_TIMES):
        value = np.interp(score, KNOTS, onto)
        means = np.bincount(phase, weights=value) / counts
        left = float(np.square(value - means[phase]).sum()) / free
        means = (means - share @ means) / np.sqrt(max(left, 1.0 / _FARTHEST**2))
        # Chance alone makes the means differ by one over the rows of a phase, in the mean square.
        found = float(share @ np.square(means))
        chance = (len(counts) - 1) / len(score)
        kept = np.sqrt(1.0 - chance / found) if found > chance else 0.0
        means = (means * kept).clip(-_FARTHEST, _FARTHEST)
        onto = _quantiles(means, share)
    return onto


def _quantiles(means: Array, share: Array) -> Array:
    """Return where a mixture of normal distributions has the shares that the knots have."""
    grid = np.linspace(means.min() - _BEYOND, means.max() + _BEYOND, _GRID)
    apart = grid[:, None] - means
    below, above = special.ndtr(apart) @ share, special.ndtr(-apart) @ share
    score = np.where(below < 0.5, special.ndtri(below), -special.ndtri(above))
    return np.interp(KNOTS, score, grid)
