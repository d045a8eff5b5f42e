"""Scores of rows by the knots of their columns (`hedgerow.method.marginals`), compiled."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method import marginals as method
from hedgerow.method.marginals import (
    KNOTS,
    LEAST_WEIGHT,
    Marginals,
    knots_only,
    refreshed_when_due,
    weights_of_first,
    with_scores,
)

Array = NDArray[np.float64]

_COLUMNS = 8  # that share a line of memory, and whose knots fit beside it into the nearest cache
_MOST_COLUMNS = 256
_ROWS = 256  # of these columns that fit there too
_HALVES = tuple(np.uint64(KNOTS >> k) for k in range(1, KNOTS.bit_length()))  # 64, 32, ... 1
_NEAREST = 1e-300  # between knots that are no farther apart is a step: a slope could overflow


def first_scores(rows: NDArray[np.floating], as_is: NDArray[np.bool_]) -> Array:
    """Return the scores of rows by their ranks among themselves; columns ``as_is`` are copied."""
    result = np.array(rows, dtype=np.float64)
    ranked = np.flatnonzero(~as_is)
    if len(ranked):
        n_rows = len(rows)
        twice_ranks = np.arange(1, 2 * n_rows + 1)
        quantiles = special.ndtri(twice_ranks / 2 / (n_rows + 1))
        whole = ~np.isnan(result[:, ranked]).any(axis=0)
        gaps, ranked = ranked[~whole], ranked[whole]
        result[:, gaps] = method.first_scores(rows[:, gaps], np.zeros(len(gaps), dtype=np.bool_))
        columns = result.T[ranked]
        order = columns.argsort(axis=1)
        size = job_size(len(ranked), _COLUMNS, _MOST_COLUMNS)
        with team() as run:
            run(
                partial(_score_by_rank, *some, ranked, columns, order, quantiles, result)
                for some in blocks(len(ranked), size)
            )
    return result


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
    lines = _lines(marginals)
    size = job_size(rows.shape[1], _COLUMNS, _MOST_COLUMNS)
    with team() as run:
        run(
            partial(_score_columns, *some, rows, counts, kept, marginals, lines, result)
            for some in blocks(rows.shape[1], size)
        )
    return result, marginals._replace(rows=marginals.rows + len(rows))


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
def _score_by_rank(first, last, ranked, columns, order, quantiles, result):
    """Write the scores of some columns; ``order`` tells where their values are, from the least."""
    n_rows = result.shape[0]
    scores = np.empty((_COLUMNS, n_rows))
    for left in range(first, last, _COLUMNS):
        right = min(left + _COLUMNS, last)
        for i in range(left, right):
            below = 0
            while below < n_rows:
                value = columns[i, order[i, below]]
                up_to = below + 1
                while up_to < n_rows and columns[i, order[i, up_to]] == value:
                    up_to += 1
                for k in range(below, up_to):
                    scores[i - left, order[i, k]] = quantiles[below + up_to]
                below = up_to
        for t in range(n_rows):
            for i in range(left, right):
                result[t, ranked[i]] = scores[i - left, t]


@njit(**IN_ORDER)
def _score_columns(first, last, rows, counts, kept, marginals, lines, result):
    """Write the scores of some columns; bring their counts and moments up to date."""
    values, scores = np.empty((2, _COLUMNS, _ROWS))
    for left in range(first, last, _COLUMNS):
        right = min(left + _COLUMNS, last)
        mean, squares = marginals.mean[left:right], marginals.squares[left:right]
        weight = marginals.weight[left:right]
        for start in range(0, rows.shape[0], _ROWS):
            some = rows[start : start + _ROWS, left:right]
            for t in range(some.shape[0]):
                _add_row(some[t], kept, mean, squares, weight, values[:, t])
            for j in range(left, right):
                column, own = values[j - left, : some.shape[0]], scores[j - left]
                at, between = marginals.at[j], marginals.between[j]
                _score(column, counts[start:], marginals.knots[j], lines[j], at, between, own)
                if marginals.as_is[j]:
                    own[: column.size] = column
            for t in range(some.shape[0]):
                for j in range(left, right):
                    result[start + t, j] = scores[j - left, t]


@njit(inline="always", **INNER)
def _add_row(row, kept, mean, squares, weight, values):
    for j in range(row.size):
        value = np.float64(row[j])
        values[j] = value
        there = value == value
        weight[j] = weight[j] * kept + (1.0 if there else 0.0)
        gap = value - mean[j] if there else 0.0
        mean[j] += gap / max(weight[j], LEAST_WEIGHT)
        squares[j] = squares[j] * kept + (gap * (value - mean[j]) if there else 0.0)


@njit(inline="always", **INNER)
def _score(column, counts, knots, line, at, between, scores):
    """Write the scores of a column's values, and count them."""
    for t in range(column.size):
        value = column[t]
        k = _place(knots, value)
        if value == knots[k]:
            at[k] += counts[t]
        elif value == value:
            between[k] += counts[t]
        scores[t] = line[1, k] + line[2, k] * (value - line[0, k])


@njit(inline="always", **INNER)
def _place(knots, value):
    """Return which knot is the last that is not larger, in as many steps whatever the value."""
    k = np.uint64(0)  # a number with a sign would be looked at whether it counts from the end
    for step in _HALVES:
        k += step * np.uint64(knots[k + step] <= value)
    return k
