"""Scores of rows by the knots of their columns (`hedgerow.method.marginals`), compiled."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._threads import blocks, job_size, team
from hedgerow.method.forgetting import NEVER
from hedgerow.method.marginals import (
    KNOTS,
    LEAST_WEIGHT,
    OUTER,
    Marginals,
    knots_only,
    refreshed_when_due,
    weights_of_first,
    with_scores,
)
from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_PER_CELL = 16  # multiplications that take as long as to score a cell
_COLUMNS = 16  # that share two lines of memory
_MOST_COLUMNS = 256
_ROWS = 256  # of these columns that fit into the nearest cache, more or less
_PLACES = 1024  # evenly spaced among the values of the first rows: many more than knots
_NEAR = 2  # knots that may be near a place
_UNKNOWN = 255  # where there are more, a search finds the right one
_ROUNDING = 1e-15  # places are farther apart than that, as a share of values
_HALVES = tuple(np.uint64(KNOTS >> k) for k in range(1, KNOTS.bit_length()))  # 64, 32, ... 1
_NEAREST = 1e-300  # between knots that are no farther apart is a step: a slope could overflow


class Guides(NamedTuple):
    """By which values of columns find their scores."""

    lines: Array  # (p, KNOTS, 3); origin, score there and slope from each knot to the next
    scale: Array  # (p, 2); the first place, and the number of places per unit
    places: NDArray[np.uint8]  # (p, _PLACES); a knot near each, none above


def first_scores(first: Ordered, as_is: NDArray[np.bool_]) -> Array:
    """Return the scores of rows by their ranks among themselves; columns ``as_is`` are copied."""
    result = first.rows.copy()
    for n in np.unique(first.there[~as_is]):
        alike = np.flatnonzero(~as_is & (first.there == n))
        quantiles = _quantiles(n)
        size = job_size(len(alike), _COLUMNS, _MOST_COLUMNS)
        with team(_PER_CELL * n * len(alike)) as run:
            run(
                partial(
                    _score_by_rank, *some, alike, n, first.values, first.order, quantiles, result
                )
                for some in blocks(len(alike), size)
            )
    return result


def first_marginals(first: Ordered, as_is: NDArray[np.bool_], half_life: float) -> Marginals:
    """Return what the first rows say about each column."""
    known = knots_only(first, as_is)
    counts = weights_of_first(len(first.rows), half_life)
    kept = 0.5 ** (1.0 / half_life)
    size = job_size(len(as_is), _COLUMNS, _MOST_COLUMNS)
    with team(_PER_CELL * first.rows.size) as run:
        run(
            partial(_count_columns, *some, *first[:4], counts, kept, known)
            for some in blocks(len(as_is), size)
        )
    return _with_scores(known._replace(rows=len(first.rows)), half_life)


def score_rows(
    marginals: Marginals, rows: NDArray[np.floating], half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows before the next refresh, and what is known after them."""
    result, after = _scored(marginals, rows, half_life)
    return result, refreshed_when_due(after, half_life, partial(_with_scores, half_life=half_life))


def _with_scores(marginals: Marginals, half_life: float) -> Marginals:
    """Return the knots with the scores that the counts give them (`marginals.with_scores`).

    Where each row counts once, all middle ranks are halves of whole numbers.
    """
    at, between, n = marginals.at, marginals.between, marginals.rows
    alike = half_life == NEVER and bool((marginals.weight == n).all())
    if not alike or 2 * n > at.size:
        return with_scores(marginals)
    twice = 2.0 * np.cumsum(at + between, axis=1) - 2.0 * between - at + 1.0
    return marginals._replace(scores=_quantiles(n)[twice.astype(np.intp)])


def _quantiles(n: int) -> Array:
    """Return the normal scores of ranks among so many, 0, 1/2, 1, ... and half a rank beyond."""
    quantiles: Array = special.ndtri(np.arange(2 * n + 2) / 2 / (n + 1))
    return quantiles


def _scored(
    marginals: Marginals, rows: NDArray[np.floating], half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows, and the counts and moments with these rows, in place."""
    result = np.empty(rows.shape)
    n_columns = rows.shape[1]
    kept = 0.5 ** (1.0 / half_life)
    guides = Guides(
        np.zeros((n_columns, KNOTS, 3)),
        np.zeros((n_columns, 2)),
        np.empty((n_columns, _PLACES), dtype=np.uint8),
    )
    size = job_size(n_columns, _COLUMNS, _MOST_COLUMNS)
    with team(_PER_CELL * rows.size) as run:
        run(
            partial(_score_columns, *some, rows, kept, marginals, guides, result)
            for some in blocks(n_columns, size)
        )
    return result, marginals._replace(rows=marginals.rows + len(rows))


@njit(**IN_ORDER)
def _score_by_rank(first, last, columns, n_there, values, order, quantiles, result):
    """Write the scores of some columns; ``order`` tells where their rising values are."""
    scores = np.empty((_COLUMNS, result.shape[0]))
    for left in range(first, last, _COLUMNS):
        right = min(left + _COLUMNS, last)
        for i in range(left, right):
            j, below = columns[i], 0
            scores[i - left] = np.nan
            while below < n_there:
                up_to = below + 1
                while up_to < n_there and values[j, up_to] == values[j, below]:
                    up_to += 1
                for k in range(below, up_to):
                    scores[i - left, order[j, k]] = quantiles[below + up_to + 1]
                below = up_to
        for t in range(result.shape[0]):
            for i in range(left, right):
                result[t, columns[i]] = scores[i - left, t]


@njit(**IN_ORDER)
def _count_columns(first, last, rows, order, values, there, counts, kept, marginals):
    """Bring counts and moments of some columns up to date with the first rows."""
    cells, places = np.zeros(_COLUMNS), np.zeros(rows.shape[0], np.int64)
    mean, squares, weight = np.zeros(_COLUMNS), np.zeros(_COLUMNS), np.zeros(_COLUMNS)
    for left in range(first, last, _COLUMNS):
        right = min(left + _COLUMNS, last)
        for sums in (mean, squares, weight):
            sums[:] = 0.0
        for t in range(rows.shape[0]):
            for j in range(left, right):
                cells[j - left] = rows[t, j]
            _add_row(cells, kept, mean, squares, weight)
        marginals.mean[left:right] = mean[: right - left]
        marginals.squares[left:right] = squares[: right - left]
        marginals.weight[left:right] = weight[: right - left]
        for j in range(left, right):
            knots, k = marginals.knots[j], 0
            for i in range(there[j]):
                while knots[k + 1] <= values[j, i]:
                    k += 1
                places[order[j, i]] = k
            for t in range(rows.shape[0]):
                value, k = rows[t, j], places[t]
                if value == knots[k]:
                    marginals.at[j, k] += counts[t]
                elif value == value:
                    marginals.between[j, k] += counts[t]


@njit(**IN_ORDER)
def _score_columns(first, last, rows, kept, marginals, guides, result):
    """Write the scores of some columns; bring their counts and moments up to date."""
    cells, places = np.zeros((_ROWS, _COLUMNS)), np.zeros(_ROWS, np.int32)
    mean, squares, weight = np.zeros(_COLUMNS), np.zeros(_COLUMNS), np.zeros(_COLUMNS)
    for j in range(first, last):
        _make_guide(marginals.knots[j], marginals.scores[j], guides, j)
    for start in range(0, rows.shape[0], _ROWS):
        n_rows = min(_ROWS, rows.shape[0] - start)
        for left in range(first, last, _COLUMNS):
            number = min(_COLUMNS, last - left)
            mean[:number] = marginals.mean[left : left + number]
            squares[:number] = marginals.squares[left : left + number]
            weight[:number] = marginals.weight[left : left + number]
            for t in range(n_rows):
                for j in range(number):
                    cells[t, j] = rows[start + t, left + j]
                _add_row(cells[t], kept, mean, squares, weight)
            marginals.mean[left : left + number] = mean[:number]
            marginals.squares[left : left + number] = squares[:number]
            marginals.weight[left : left + number] = weight[:number]
            for j in range(number):
                _score(cells, j, n_rows, left + j, marginals, guides, places)
            for t in range(n_rows):
                for j in range(number):
                    result[start + t, left + j] = cells[t, j]


@njit(inline="always", **INNER)
def _add_row(cells, kept, mean, squares, weight):
    for j in range(_COLUMNS):
        value = cells[j]
        there = value == value
        weight[j] = weight[j] * kept + (1.0 if there else 0.0)
        gap = value - mean[j] if there else 0.0
        mean[j] += gap / max(weight[j], LEAST_WEIGHT)
        squares[j] = squares[j] * kept + (gap * (value - mean[j]) if there else 0.0)


@njit(**INNER)
def _make_guide(knots, scores, guides, j):
    """Write the lines from each knot to the next, and which knots are near each place."""
    lines, places = guides.lines[j], guides.places[j]
    last = 1
    while last + 1 < KNOTS and knots[last + 1] < np.inf:
        last += 1
    lines[0, 1] = scores[1]
    for k in range(1, last + 1):
        lines[k, 0], lines[k, 1], lines[k, 2] = knots[k], scores[k], 0.0
        if k < last and knots[k + 1] - knots[k] > _NEAREST:
            lines[k, 2] = (scores[k + 1] - scores[k]) / (knots[k + 1] - knots[k])
    low, high = knots[min(1 + OUTER, last)], knots[max(last - OUTER, 1)]
    width = (high - low) / _PLACES
    if not width > _ROUNDING * max(abs(low), abs(high)) or not width < np.inf:
        guides.scale[j] = low, 0.0
        places[:] = _UNKNOWN
        return
    guides.scale[j] = low, 1.0 / width
    # Knots that are surely below a place: rounding may put one into the place beside its own.
    seen = np.zeros(_PLACES + 3, np.uint8)
    for k in range(1, last + 1):
        place = min((knots[k] - low) / width, float(_PLACES))
        seen[np.int64(place) + 2 if place > 0.0 else 0] += np.uint8(1)
    total = 0
    for place in range(_PLACES + 3):
        total += seen[place]
        seen[place] = total
    for place in range(_PLACES):
        many = seen[place + 3] - seen[place] > _NEAR
        places[place] = _UNKNOWN if many else seen[place]


@njit(inline="always", **INNER)
def _score(cells, i, n_rows, j, marginals, guides, places):
    """Count a column's values, and replace them by their scores."""
    knots, at, between = marginals.knots[j], marginals.at[j], marginals.between[j]
    lines, near = guides.lines[j], guides.places[j]
    low, per_width = guides.scale[j]
    as_is = marginals.as_is[j]
    for t in range(n_rows):
        place = (cells[t, i] - low) * per_width
        places[t] = np.int32(place) if 0.0 <= place < _PLACES else np.int32(-1)
    for t in range(n_rows):
        value = cells[t, i]
        k = np.uint64(_UNKNOWN)
        if places[t] >= 0:
            k = np.uint64(near[np.uint32(places[t])])
        if k == np.uint64(_UNKNOWN):
            k = _search(knots, value)
        else:
            for _ in range(_NEAR):
                k += np.uint64(knots[k + np.uint64(1)] <= value)
        if value == knots[k]:
            at[k] += 1.0
        elif value == value:
            between[k] += 1.0
        if not as_is:
            cells[t, i] = lines[k, 1] + lines[k, 2] * (value - lines[k, 0])


@njit(inline="always", **INNER)
def _search(knots, value):
    """Return which knot is the last that is not larger, in as many steps whatever the value."""
    k = np.uint64(0)  # a number with a sign would be looked at whether it counts from the end
    for step in _HALVES:
        k += step * np.uint64(knots[k + step] <= value)
    return k
