"""Scores of rows by the knots of their columns (`hedgerow.method.marginals`), on the device.

Columns go through it some at a time, in double precision; only knots are found on the host. Counts
are whole numbers, and sums go from row to row as on the processor. No row is ever forgotten here.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import special
from torch import Tensor

from hedgerow.engines.numba_cpu.strips import blocks, team
from hedgerow.engines.torch_gpu import devices
from hedgerow.engines.torch_gpu.strips import strips_of_columns, to_device, to_host
from hedgerow.method.forgetting import NEVER
from hedgerow.method.marginals import (
    KNOTS,
    LEAST_WEIGHT,
    Marginals,
    knots_only,
    refreshed_when_due,
    with_scores,
)
from hedgerow.method.ordered import Ordered

Array = NDArray[np.float64]

_PER_CELL = 128  # bytes: so many numbers of each cell are on the device at a time, ...
_PER_KNOT = 64  # ... and of each knot
_NEAREST = 1e-300  # between knots that are no farther apart is a step: a slope could overflow
_COLUMNS = 4096  # whose knots one thread finds


class _Cells(NamedTuple):
    """Some columns, one in each row."""

    values: Tensor  # (b, n)
    knots: Tensor  # (b, KNOTS)
    place: Tensor  # (b, n) the last knot that is not larger
    there: Tensor  # (b, n)


def first_scores(first: Ordered, as_is: NDArray[np.bool_]) -> Array:
    """Return the scores of rows by their ranks among themselves; columns ``as_is`` are copied."""
    result = np.array(first.rows)
    for n in np.unique(first.there[~as_is]):
        alike = np.flatnonzero(~as_is & (first.there == n))
        quantiles = torch.tensor(_quantiles(n), device=devices.main())
        for some in strips_of_columns(len(alike), _PER_CELL * len(result)):
            columns = _as_slice(alike[some])
            cells = to_device(first.rows[:, columns]).T.contiguous()
            values, order = torch.sort(cells, dim=1)
            scores = _scores_by_rank(values, order, n, quantiles)
            result[:, columns] = scores.T.contiguous().cpu().numpy()
    return result


def first_marginals(
    first: Ordered, as_is: NDArray[np.bool_], half_life: float = NEVER
) -> Marginals:
    """Return what the first rows say about each column."""
    p = len(as_is)
    with team() as run:
        knots = run(partial(_knots_of, first, as_is, *some) for some in blocks(p, _COLUMNS))
    at, between, scores = (np.zeros((p, KNOTS)) for _ in range(3))
    mean, squares, weight = np.zeros((3, p))
    known = Marginals(
        as_is, np.concatenate(knots), at, between, scores, mean, squares, weight, len(first.rows)
    )
    for some in _strips(known, first.rows):
        rows = to_device(first.rows[:, some])
        _add_moments(rows, known, some)
        _count(_cells_of(rows, known, some), known, some)
    return _with_scores(known)


def score_rows(
    marginals: Marginals, rows: NDArray[np.floating], half_life: float
) -> tuple[Array, Marginals]:
    """Return the scores of rows before the next refresh, and what is known after them."""
    result = np.empty(rows.shape)
    for some in _strips(marginals, rows):
        values = to_device(rows[:, some]).double()
        _add_moments(values, marginals, some)
        cells = _cells_of(values, marginals, some)
        _count(cells, marginals, some)
        scores = _interpolated(cells, to_device(marginals.scores[some])).T
        as_is = to_device(marginals.as_is[some])
        to_host(torch.where(as_is, values, scores), result[:, some])
    after = marginals._replace(rows=marginals.rows + len(rows))
    return result, refreshed_when_due(after, half_life, _with_scores)


def _strips(marginals: Marginals, rows: NDArray[np.floating]) -> list[slice]:
    bytes_each = _PER_CELL * len(rows) + _PER_KNOT * KNOTS
    return list(strips_of_columns(len(marginals.as_is), bytes_each))


def _scores_by_rank(values: Tensor, order: Tensor, n_there: int, quantiles: Tensor) -> Tensor:
    """Return the scores of columns, one in each row, whose rising values stand at these places.

    Equal values have the score of their middle rank.
    """
    place = torch.arange(values.shape[1], device=values.device)
    rises = torch.ones_like(values, dtype=torch.bool)
    rises[:, 1:] = values[:, 1:] != values[:, :-1]  # NaN is no value
    below = torch.where(rises, place, 0).cummax(1).values
    ends = torch.where(rises, place, values.shape[1]).flip(1).cummin(1).values.flip(1)
    up_to = torch.nn.functional.pad(ends[:, 1:], (0, 1), value=values.shape[1])
    up_to = up_to.clamp(max=n_there)
    scores = quantiles[(below + up_to + 1).clamp(max=len(quantiles) - 1)]
    scores = torch.where(place < n_there, scores, torch.nan)
    return torch.empty_like(values).scatter_(1, order, scores)


def _knots_of(first: Ordered, as_is: NDArray[np.bool_], start: int, stop: int) -> Array:
    some = slice(start, stop)
    rows, order, values, there, different = first
    part = Ordered(rows[:, some], order[some], values[some], there[some], different[some])
    return knots_only(part, as_is[some]).knots


def _cells_of(rows: Tensor, marginals: Marginals, some: slice) -> _Cells:
    knots, values = to_device(marginals.knots[some]), rows.T.contiguous()
    place = torch.searchsorted(knots, values, right=True) - 1
    return _Cells(values, knots, place.clamp(max=KNOTS - 2), values == values)


def _count(cells: _Cells, marginals: Marginals, some: slice) -> None:
    """Bring the counts of some columns up to date, in place."""
    exact = cells.values == cells.knots.gather(1, cells.place)
    for counts, here in ((marginals.at, exact), (marginals.between, cells.there & ~exact)):
        known = to_device(counts[some])
        to_host(known.scatter_add_(1, cells.place, here.double()), counts[some])


def _add_moments(rows: Tensor, marginals: Marginals, some: slice) -> None:
    """Bring the moments of some columns up to date, in place, row by row."""
    known = marginals.mean, marginals.squares, marginals.weight
    mean, squares, weight = (to_device(each[some]) for each in known)
    for row in rows:
        there = row == row
        weight += there
        gap = torch.where(there, row - mean, 0.0)
        mean += gap / weight.clamp(min=LEAST_WEIGHT)
        squares += torch.where(there, gap * (row - mean), 0.0)
    for new, old in zip((mean, squares, weight), known):
        to_host(new, old[some])


def _interpolated(cells: _Cells, scores: Tensor) -> Tensor:
    """Return scores between those of the knots around each cell; constant beyond the last ones."""
    values, knots, place, there = cells
    low, high = knots.gather(1, place), knots.gather(1, place + 1)
    left, right = scores.gather(1, place), scores.gather(1, place + 1)
    slopes = (place > 0) & torch.isfinite(high) & (high - low > _NEAREST)
    slope = torch.where(slopes, (right - left) / (high - low), 0.0)
    inside = left + slope * (values - torch.where(place > 0, low, values))
    result = torch.where(place > 0, inside, right)
    return torch.where(there, result, torch.nan)


def _with_scores(marginals: Marginals) -> Marginals:
    """Return the knots with the scores that the counts give them (`marginals.with_scores`).

    Where no cell is missing, all middle ranks are halves of whole numbers.
    """
    at, between, n = marginals.at, marginals.between, marginals.rows
    if not (marginals.weight == n).all() or 2 * n > at.size:
        return with_scores(marginals)
    quantiles, scores = torch.tensor(_quantiles(n), device=devices.main()), np.empty(at.shape)
    for some in strips_of_columns(len(at), _PER_KNOT * KNOTS):
        here, after = to_device(at[some]), to_device(between[some])
        twice = 2.0 * (here + after).cumsum(1) - 2.0 * after - here + 1.0
        to_host(quantiles[twice.long()], scores[some])
    return marginals._replace(scores=scores)


def _quantiles(n: int) -> Array:
    """Return the normal scores of ranks among so many, 0, 1/2, 1, ... and half a rank beyond."""
    quantiles: Array = special.ndtri(np.arange(2 * n + 2) / 2 / (n + 1))
    return quantiles


def _as_slice(numbers: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Return numbers that rise, as a slice if they follow each other."""
    first, last = int(numbers[0]), int(numbers[-1])
    return slice(first, last + 1) if last - first + 1 == len(numbers) else numbers
