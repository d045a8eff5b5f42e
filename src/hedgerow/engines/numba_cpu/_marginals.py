"""Scores of rows by the knots of their columns (`hedgerow.method.marginals`), compiled."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.marginals import KNOTS, Marginals, first_marginals, refreshed_when_due

__all__ = ["first_marginals", "score_rows"]

Array = NDArray[np.float64]

_COLUMNS = 8  # that share a line of memory, and whose knots fit beside it into the nearest cache
_MOST_COLUMNS = 256
_HALF = KNOTS // 2


def score_rows(
    marginals: Marginals, rows: NDArray[np.floating], half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows before the next refresh, and what is known after them."""
    result = np.empty(rows.shape)
    kept = 0.5 ** (1.0 / half_life)
    size = job_size(rows.shape[1], _COLUMNS, _MOST_COLUMNS)
    with team() as run:
        run(
            partial(_score_columns, *some, rows, kept, marginals, result)
            for some in blocks(rows.shape[1], size)
        )
    weight = marginals.weight
    for _ in range(len(rows)):
        weight = weight * kept + 1.0
    after = marginals._replace(weight=weight, rows=marginals.rows + len(rows))
    return result, refreshed_when_due(after, half_life)


@njit(**IN_ORDER)
def _score_columns(first, last, rows, kept, marginals, result):
    """Write the scores of some columns; bring their counts and moments up to date."""
    for left in range(first, last, _COLUMNS):
        right, weight = min(left + _COLUMNS, last), marginals.weight
        for t in range(rows.shape[0]):
            weight = weight * kept + 1.0
            for j in range(left, right):
                value = np.float64(rows[t, j])
                gap = value - marginals.mean[j]
                marginals.mean[j] += gap / weight
                added = gap * (value - marginals.mean[j])
                marginals.squares[j] = marginals.squares[j] * kept + added
                knots, scores = marginals.knots[j], marginals.scores[j]
                k = _place(knots, value)
                if value == knots[k]:
                    marginals.at[j, k] += 1.0
                else:
                    marginals.between[j, k] += 1.0
                result[t, j] = value if marginals.as_is[j] else _score(knots, scores, k, value)


@njit(inline="always", **INNER)
def _place(knots, value):
    """Return which knot is the last that is not larger, in as many steps whatever the value."""
    k, step = 0, _HALF
    while step > 0:
        k += step if knots[k + step] <= value else 0
        step >>= 1
    return k


@njit(inline="always", **INNER)
def _score(knots, scores, k, value):
    if k == 0:
        return scores[1]
    if value == knots[k]:
        return scores[k]
    share = (value - knots[k]) / (knots[k + 1] - knots[k])
    return scores[k] + share * (scores[k + 1] - scores[k])
