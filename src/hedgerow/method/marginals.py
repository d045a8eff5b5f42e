"""From columns of any shape to columns that are nearly normal: normal scores of their ranks.

The tests ask for normal columns. What order says about a column survives any change of its units,
so each value is replaced by the normal quantile of its rank. In one pass the ranks are not known,
but they hardly change once some hundred rows have been seen:

- The first rows (`FIRST_ROWS`) wait until all are there, and get scores of their own ranks.
- They leave knots, values of each column at evenly spaced scores. From then on rows are only
  counted: how many are at each knot, how many between two. A value's score is interpolated between
  the scores of the knots around it, as the counts were when their number last doubled.

A value between knots, beyond them, or tied with many others, has the score of its middle rank. So a
column of few values has few scores, and one outlying cell has the score of the largest, not more.
What is proved and what is measured about it: docs/theory.md, section 16.

Shapes: rows (n, p); ``knots``, ``at``, ``between`` and ``scores`` (p, k).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from hedgerow.method.forgetting import NEVER, row_weights
from hedgerow.method.moments import beyond_rounding, columns_of
from hedgerow.method.ordered import Ordered, in_pieces

Array = NDArray[np.float64]
Rows = NDArray[np.floating]

FIRST_ROWS = 512
_INNER, OUTER = 110, 8  # knots among the first rows, and beyond them on either side
KNOTS = _INNER + 2 * OUTER + 2  # two at infinity: 128, which seven steps of a search tell apart
# How far the outer ones are, in distances of the first rows' extreme to their median.
_OUTWARD = 0.125 * 2.0 ** np.arange(OUTER)[:, None]
# A table of few rows whose columns cannot be told from normal ones, all of them together, at this
# level is left as it is: ranks would cost power, and there is next to nothing to mend.
_DOUBT = 0.05
_QUARTILE = float(special.ndtri(0.75))
LEAST_WEIGHT = 1e-300  # of a column of which no cell was there; anything but zero


class Marginals(NamedTuple):
    """What is known of each column by itself."""

    as_is: NDArray[np.bool_]  # columns whose values are taken as they are
    knots: Array  # rising, the first -infinity; infinity fills up where there are fewer
    at: Array  # weight of the rows whose value is a knot
    between: Array  # weight of the rows between a knot and the next
    scores: Array  # of the knots, as of the last doubling
    mean: Array  # (p,), in the user's units, as are the ...
    squares: Array  # (p,), ... weighted sums of squared deviations from it
    weight: Array  # (p,), of the cells in these two
    rows: int  # seen


class Seen(NamedTuple):
    """Mean and spread of the cells of each column that are not missing."""

    mean: Array
    squares: Array  # weighted sums of squared deviations
    weight: Array


def first_scores(first: Ordered, as_is: NDArray[np.bool_]) -> Array:
    """Return the scores of rows by their ranks among themselves; columns ``as_is`` are copied.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rows = np.array([[3.0], [1000.0], [1.0]])
    >>> first_scores(in_order(rows), np.array([False])).round(2).ravel()
    array([ 0.  ,  0.67, -0.67])
    """
    ranks = stats.rankdata(first.rows, axis=0, nan_policy="omit")
    return np.where(as_is, first.rows, special.ndtri(ranks / (first.there + 1)))


def look_normal(first: Ordered, as_is: NDArray[np.bool_]) -> bool:
    """Return whether no column, but for those ``as_is``, can be told from a normal one.

    Scores or values, it is the same for all columns: of two that nearly agree, scores of the one
    and values of the other would differ.
    """
    if not first.complete:
        return False
    return bool(cannot_be_told_from_normal(first, ~as_is)[~as_is].all())


def cannot_be_told_from_normal(first: Ordered, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which columns cannot be told from normal ones, of all that are ``tested``."""
    result: NDArray[np.bool_] = normality(first) * tested.sum() > _DOUBT
    return result


def flat(rows: Rows) -> NDArray[np.bool_]:
    """Return which columns vary by no more than rounding errors, whose ranks say nothing."""
    found = np.empty(rows.shape[1], dtype=np.bool_)
    for some in in_pieces(len(found)):
        columns = seen_columns(rows[:, some])
        scale = np.sqrt(columns.squares / np.maximum(columns.weight, 1.0))
        found[some] = ~beyond_rounding(columns.mean, scale)
    return found


def seen_columns(rows: Rows, row_weights: Array | None = None) -> Seen:
    """Return mean and spread of the cells that are there; zeros where none is.

    Rows count once if they have no weights.
    """
    if not np.isnan(rows).any():
        columns = columns_of(rows, row_weights)
        return Seen(columns.mean, columns.squares, np.full(rows.shape[1], columns.weight))
    there = ~np.isnan(rows)
    row_weights = np.ones(len(rows)) if row_weights is None else row_weights
    weight = row_weights @ there
    per_weight = 1.0 / np.where(weight > 0, weight, 1.0)
    mean = row_weights @ np.where(there, rows, 0.0) * per_weight
    gaps = np.where(there, rows - mean, 0.0)
    return Seen(mean, row_weights @ np.square(gaps), weight)


def normality(first: Ordered) -> Array:
    """Return the p-value of each column's test of Shapiro and Francia for being normal.

    The squared correlation of ordered values with normal scores is near one for normal columns;
    the logarithm of what is missing has about the normal distribution of Royston (1993).

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> values = special.ndtri((np.arange(100) + 0.5) / 100)
    >>> normality(in_order(np.column_stack([values, np.exp(values)]))).round(3)
    array([1., 0.])
    """
    n = len(first.rows)
    if n < 5:  # the approximation begins there
        return np.ones(len(first.there))
    missing = np.maximum(1.0 - straightness(first), np.finfo(np.float64).tiny)
    log_n = np.log(n)
    centre = -1.2725 + 1.0521 * (np.log(log_n) - log_n)
    spread = 1.0308 - 0.26758 * (np.log(log_n) + 2.0 / log_n)
    p_values: Array = special.ndtr(-(np.log(missing) - centre) / spread)
    return p_values


def straightness(first: Ordered) -> Array:
    """Return the squared correlation of each column's ordered values with normal scores."""
    result = np.ones(len(first.there))
    for n in np.unique(first.there[first.there > 0]):
        alike = first.there == n
        expected = special.ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
        expected -= expected.mean()
        values = first.values[alike, :n] if not alike.all() else first.values[:, :n]
        values = values - values.mean(axis=1, keepdims=True)  # still rising
        values /= np.maximum(np.maximum(values[:, -1:], -values[:, :1]), 1e-300)
        room = np.einsum("jt,jt->j", values, values) * (expected @ expected)
        matched = np.square(values @ expected)
        result[alike] = np.divide(matched, room, out=np.ones(len(values)), where=room > 0)
    return np.minimum(result, 1.0)


def straightness_of(marginals: Marginals) -> Array:
    """Return the same of all rows that were counted: values at knots with the knots' scores."""
    result = np.empty(len(marginals.knots))
    for some in in_pieces(len(result)):
        finite = np.isfinite(marginals.knots[some])
        share = marginals.between[some] / 2
        weight = marginals.at[some] + share
        weight[:, 1:] += share[:, :-1]
        values = np.where(finite, marginals.knots[some], 0.0)
        weight = np.where(finite, weight, 0.0)
        result[some] = _squared_correlation(values, marginals.scores[some], weight)
    return result


def outside(first: Ordered) -> Array:
    """Return how many times as large a column's variance is as the middle half of its rows says.

    One for a normal column, and one where the middle half is a single value.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> normal = special.ndtri((np.arange(200) + 0.5) / 200)
    >>> outside(in_order(np.column_stack([normal, np.exp(normal)]))).round(1)
    array([1. , 3.5])
    """
    cells = [first.of_column(j) for j in range(len(first.there))]
    middle = [np.subtract(*np.quantile(x, [0.75, 0.25])) if len(x) else 0.0 for x in cells]
    return _over(np.array([x.var() if len(x) else 0.0 for x in cells]), np.array(middle))


def outside_of(marginals: Marginals) -> Array:
    """Return the same of all rows that were counted: quartiles are where scores say they are."""
    finite = np.isfinite(marginals.knots)
    middle = [
        np.ptp(np.interp([-_QUARTILE, _QUARTILE], scores[known], knots[known]))
        for scores, knots, known in zip(marginals.scores, marginals.knots, finite)
    ]
    return _over(marginals.squares / np.maximum(marginals.weight, LEAST_WEIGHT), np.array(middle))


def _over(variance: Array, middle: Array) -> Array:
    """Return variances over those of normal columns with these distances of their quartiles."""
    room = np.square(middle / (2.0 * _QUARTILE))
    result: Array = np.divide(variance, room, out=np.ones_like(variance), where=room > 0)
    return result


def _squared_correlation(values: Array, scores: Array, weight: Array) -> Array:
    """Return it for each row of two matrices; one where nothing varies."""
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    values = values - (weight * values).sum(axis=1, keepdims=True) / total
    scores = scores - (weight * scores).sum(axis=1, keepdims=True) / total
    values = values / np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)
    room = (weight * values**2).sum(axis=1) * (weight * scores**2).sum(axis=1)
    matched = np.square((weight * values * scores).sum(axis=1))
    result: Array = np.divide(matched, room, out=np.ones(len(values)), where=room > 0)
    return np.minimum(result, 1.0)


def first_marginals(
    first: Ordered, as_is: NDArray[np.bool_], half_life: float = NEVER
) -> Marginals:
    """Return what the first rows say about each column."""
    weights = weights_of_first(len(first.rows), half_life)
    return with_scores(counted(knots_only(first, as_is), first.rows, half_life, weights))


def weights_of_first(n_rows: int, half_life: float = NEVER) -> Array:
    """Return how much each of the first rows counts when the last of them has come: that one, once.

    Later rows all count once until the next refresh. Within `FIRST_ROWS` no more than half is
    forgotten, or too few rows would be left to tell the scores of the knots.

    >>> weights_of_first(3, half_life=1000).round(4)
    array([0.9986, 0.9993, 1.    ])
    """
    grown = row_weights(0, n_rows, max(half_life, FIRST_ROWS))
    weights: Array = grown / grown[-1]
    return weights


def knots_only(first: Ordered, as_is: NDArray[np.bool_]) -> Marginals:
    """Return the knots that the first rows leave, and no row counted.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> first = in_order(np.array([[2.0], [1.0], [3.0]]))
    >>> knots_only(first, np.array([False])).knots[0, [0, 1, 8, 9, 10, 11, 12, -1]]
    array([   -inf, -15.   ,   0.875,   1.   ,   2.   ,   3.   ,   3.125,
               inf])
    """
    knots = np.empty((len(as_is), KNOTS))
    for n in np.unique(first.there):
        alike = first.there == n
        values = first.values[alike, :n] if n else np.zeros((alike.sum(), 1))
        knots[alike] = _knots(values.T, first.different[alike])
    return _nothing_counted(as_is, knots)


def _knots(values: Array, different: NDArray[np.int64]) -> Array:
    """Return the knots of columns whose values are rising."""
    n_rows, n_columns = values.shape
    middle = (values[(n_rows - 1) // 2] + values[n_rows // 2]) / 2
    low = values[0] + _OUTWARD[::-1] * (values[0] - middle)
    high = values[-1] + _OUTWARD * (values[-1] - middle)
    around = np.concatenate([low, values[_evenly_spaced(n_rows)], high])
    rising = (np.diff(around, axis=0) > 0).all(axis=0)
    few = different <= _INNER
    knots = np.full((n_columns, KNOTS), np.inf)
    knots[:, 0] = -np.inf
    knots[rising, 1 : 1 + len(around)] = around.T[rising]
    for j in np.flatnonzero(few | ~rising):
        inner = values[:, j] if few[j] else around[:, j]
        apart = np.unique(np.concatenate([low[:, j], inner, high[:, j]]))
        knots[j, 1:] = np.inf
        knots[j, 1 : 1 + len(apart)] = apart
    return knots


def _nothing_counted(as_is: NDArray[np.bool_], knots: Array) -> Marginals:
    at, between, scores = np.zeros((3, *knots.shape))
    mean, squares, weight = np.zeros((3, len(knots)))
    return Marginals(as_is, knots, at, between, scores, mean, squares, weight, 0)


def _evenly_spaced(n_rows: int) -> NDArray[np.intp]:
    """Return which of so many ordered values have evenly spaced scores, and no two the same."""
    most = special.ndtri(n_rows / (n_rows + 1))
    ranks = special.ndtr(np.linspace(-most, most, _INNER)) * (n_rows + 1)
    places: NDArray[np.intp] = np.unique(np.rint(ranks).astype(np.intp) - 1)
    return places


def next_refresh(rows: int, half_life: float = NEVER) -> int:
    """Return at how many rows the scores of the knots are next brought up to date.

    When their number has doubled, or, if rows are forgotten, after each half-life.

    >>> [next_refresh(rows) for rows in (512, 1023, 1024)], next_refresh(512, half_life=2000)
    ([1024, 1024, 2048], 2000)
    """
    if half_life == NEVER:
        return FIRST_ROWS << (rows // FIRST_ROWS).bit_length()
    period = max(FIRST_ROWS, int(half_life))
    return (rows // period + 1) * period


def scored(marginals: Marginals, rows: Rows) -> Array:
    """Return the scores of rows, interpolated between those of the knots."""
    result = np.array(rows, dtype=np.float64)
    for j in np.flatnonzero(~marginals.as_is):
        knots, scores = marginals.knots[j], marginals.scores[j]
        there = ~np.isnan(result[:, j])
        values = result[there, j]
        place = np.maximum(_places(knots, values), 1)
        inside = values > knots[place]
        step = np.where(inside, (values - knots[place]) / (knots[place + 1] - knots[place]), 0)
        result[there, j] = scores[place] + step * (scores[place + 1] - scores[place])
    return result


def counted(
    marginals: Marginals, rows: Rows, half_life: float = NEVER, weights: Array | None = None
) -> Marginals:
    """Return the counts and moments with more rows, each of which counts once or as its weight."""
    each = np.ones(len(rows)) if weights is None else weights
    at, between = marginals.at.copy(), marginals.between.copy()
    for knots, column, here, after in zip(marginals.knots, rows.T, at, between):
        there = ~np.isnan(column)
        place = _places(knots, column[there])
        exact = column[there] == knots[place]
        np.add.at(here, place[exact], each[there][exact])
        np.add.at(after, place[~exact], each[there][~exact])
    mean, squares, weight = marginals.mean.copy(), marginals.squares.copy(), marginals.weight
    kept = 0.5 ** (1.0 / half_life)
    for row in rows:  # one after another, so that no cut of the rows changes a bit
        there = ~np.isnan(row)
        weight = weight * kept + there
        gap = np.where(there, row - mean, 0.0)
        mean += gap / np.maximum(weight, LEAST_WEIGHT)
        squares = squares * kept + gap * np.where(there, row - mean, 0.0)
    seen = marginals.rows + len(rows)
    return marginals._replace(
        at=at, between=between, mean=mean, squares=squares, weight=weight, rows=seen
    )


def with_scores(marginals: Marginals) -> Marginals:
    """Return the knots with the scores that the counts give them."""
    at, between = marginals.at, marginals.between
    up_to = np.cumsum(at + between, axis=1)
    # Half of the rows at a knot are below its middle rank, and all those between it and the next
    # are above.
    middle = up_to - between - at / 2 + 0.5
    return marginals._replace(scores=special.ndtri(middle / (up_to[:, -1:] + 1.0)))


def refreshed_when_due(
    marginals: Marginals,
    half_life: float = NEVER,
    up_to_date: Callable[[Marginals], Marginals] = with_scores,
) -> Marginals:
    """Return the state, its scores up to date if it has come to a number of `next_refresh`.

    If rows are forgotten, what was counted then counts half. ``up_to_date`` is `with_scores`, or
    what does the same.
    """
    if marginals.rows != next_refresh(marginals.rows - 1, half_life):
        return marginals
    after = up_to_date(marginals)
    if half_life == NEVER:
        return after
    return after._replace(at=after.at / 2, between=after.between / 2)


def _places(knots: Array, values: Array) -> NDArray[np.intp]:
    """Return which knot is the last that is not larger than each value."""
    return np.searchsorted(knots, values, side="right") - 1
