"""Scores of rows by the knots of their columns (`hedgerow.method.marginals`), compiled."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.marginals import (
    Marginals,
    knots_only,
    refreshed_when_due,
    weights_of_first,
    with_scores,
)

Array = NDArray[np.float64]

_COLUMNS = 8  # that share a line of memory, and whose knots fit beside it into the nearest cache
_MOST_COLUMNS = 256
_NEAREST = 1e-300  # between knots that are no farther apart is a step: a slope could overflow


def first_marginals(
    rows: NDArray[np.floating], as_is: NDArray[np.bool_], half_life: float
) -> Marginals:
    """Return what the first rows say about each column."""
    counts = weights_of_first(len(rows), half_life)
    return with_scores(_scored(knots_only(rows, as_is), rows, counts, half_life)[1])


def score_rows(
    marginals: Marginals, rows: NDArray[np.floating], half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows before the next refresh, and what is known after them."""
    result, after = _scored(marginals, rows, np.ones(len(rows)), half_life)
    return result, refreshed_when_due(after, half_life)


def _scored(
    marginals: Marginals, rows: NDArray[np.floating], counts: Array, half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows, and the counts and moments with these rows, in place.

    ``counts`` has how much each row counts.
    """
    result = np.empty(rows.shape)
    kept = 0.5 ** (1.0 / half_life)
    weights = np.empty(len(rows))  # made here: compiled, they would be rounded otherwise
    weight = marginals.weight
    for t in range(len(rows)):
        weight = weight * kept + 1.0
        weights[t] = weight
    lines = _lines(marginals)
    size = job_size(rows.shape[1], _COLUMNS, _MOST_COLUMNS)
    with team() as run:
        run(
            partial(_score_columns, *some, rows, counts, kept, weights, marginals, lines, result)
            for some in blocks(rows.shape[1], size)
        )
    return result, marginals._replace(weight=weight, rows=marginals.rows + len(rows))


def _lines(marginals: Marginals) -> Array:
    """Return origin, score there and slope of the line from each knot to the next, by column."""
    knots, scores = marginals.knots, marginals.scores
    finite = np.isfinite(knots)
    origins = np.where(finite, knots, 0.0)
    slopes = np.zeros_like(knots)
    rise, run = np.diff(scores, axis=1), np.diff(origins, axis=1)
    apart = run > _NEAREST
    np.divide(rise, run, out=slopes[:, :-1], where=finite[:, :-1] & finite[:, 1:] & apart)
    starts = scores.copy()
    starts[:, 0] = scores[:, 1]
    return np.stack([origins, starts, slopes], axis=1)


@njit(**IN_ORDER)
def _score_columns(first, last, rows, counts, kept, weights, marginals, lines, result):
    """Write the scores of some columns; bring their counts and moments up to date."""
    n_rows = rows.shape[0]
    places = np.empty((_COLUMNS, n_rows), np.int16)
    for left in range(first, last, _COLUMNS):
        right = min(left + _COLUMNS, last)
        mean, squares = marginals.mean[left:right], marginals.squares[left:right]
        for t in range(n_rows):
            _add_row(rows[t, left:right], kept, 1.0 / weights[t], mean, squares)
        for j in range(left, right):
            _find_places(marginals.knots[j], rows[:, j], places[j - left])
        for t in range(n_rows):
            for j in range(left, right):
                value, k = np.float64(rows[t, j]), places[j - left, t]
                if value == marginals.knots[j, k]:
                    marginals.at[j, k] += counts[t]
                else:
                    marginals.between[j, k] += counts[t]
                line = lines[j]
                result[t, j] = line[1, k] + line[2, k] * (value - line[0, k])
        for j in range(left, right):
            if marginals.as_is[j]:
                for t in range(n_rows):
                    result[t, j] = rows[t, j]


@njit(inline="always", **INNER)
def _add_row(row, kept, share, mean, squares):
    for j in range(row.size):
        gap = row[j] - mean[j]
        mean[j] += gap * share
        squares[j] = squares[j] * kept + gap * (row[j] - mean[j])


@njit(inline="always", **INNER)
def _find_places(knots, column, places):
    """Write which knot is the last that is not larger, in as many steps whatever the value."""
    for t in range(column.size):
        value = column[t]
        k = 64 * np.int64(knots[64] <= value)
        k += 32 * np.int64(knots[k + 32] <= value)
        k += 16 * np.int64(knots[k + 16] <= value)
        k += 8 * np.int64(knots[k + 8] <= value)
        k += 4 * np.int64(knots[k + 4] <= value)
        k += 2 * np.int64(knots[k + 2] <= value)
        k += np.int64(knots[k + 1] <= value)
        places[t] = k
