"""Forecasts: what the rows before say of each row, where all columns remember alike, is taken out.

If every column remembers in the same way, one filter in time takes the memory of all of them away,
and changes no relation between columns: as the contrasts of `drift` do, it turns rows
sum over s of a_s A e_(t-s) into others of that kind, with the same A. What is left is new in each
row, and says as much as independent rows do. Where columns remember differently a filter mixes
them in other proportions, and the graph is another. So they are asked twice: the first rows whether
anything in what is left remembers in its own way, or foretells another column; and all rows, when
edges are asked for, whether columns still remember alike (docs/theory.md, section 36).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special
from scipy.signal import fftconvolve, lfilter

from hedgerow.method.inflation import largest_order
from hedgerow.method.residuals import LAGS
from hedgerow.method.spectra import as_many_independent, autocovariances, of_unit_length

Array = NDArray[np.float64]

MOST_GROWTH = 1e3  # of numbers, by a forecast; with more, little would be left but rounding
# Rows that are worth less than by this for their memory would hardly be worth more without it.
WORTH_IT = 1.05
# Of taking columns that remember alike for unlike ones: in the first rows, which alone are asked
# whether columns foretell each other, and each time that edges are asked for.
_CHANCE_AT_FIRST = 0.05
_CHANCE_LATER = 0.01
# With so much noise for each column and product, the sum of squared logarithms is what it is with
# none, to a few hundredths (simulated; docs/theory.md, section 36). Of more columns at a time sums
# are known to less than they are off by.
_MOST_NOISE = 0.3
_MOST_AT_ONCE = 128
_BEYOND_CHANCE = 3.0  # standard errors
_FARTHEST = 4096  # rows after which nothing is left of one
_ROUNDING = 1e-10


class Forecast(NamedTuple):
    """How to tell the next row, in units of columns, from those before it."""

    coefficients: Array  # (k,); of the row before, the one before that, ...
    left: float  # share of the variance that is not told
    past: Array  # (k, p); the latest rows


def first_fresh(rows: Array) -> tuple[Array, Forecast] | None:
    """Return what is new in each of the first rows, and the forecast after them.

    None if a forecast is not worth while. Rows have about the variance that they had.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 20))
    >>> first_fresh(rows) is None
    True
    >>> for t in range(1, 400):
    ...     rows[t] = 0.8 * rows[t - 1] + 0.6 * rows[t]
    >>> fresh, forecast = first_fresh(rows)
    >>> print(forecast.coefficients.round(1), round(forecast.left, 1))
    [0.8] 0.4
    >>> print(np.corrcoef(fresh[1:, 0], fresh[:-1, 0])[0, 1].round(1) + 0.0)
    0.0
    """
    echoes, amount = _common_echoes(rows)
    orders = _of_all_orders(echoes, largest_order(len(rows)))
    # Schwarz's criterion: what one order too few leaves of memory counts in tests.
    lost = [amount * np.log(left) + len(found) * np.log(amount) for found, left in orders]
    orders = orders[: int(np.argmin(lost)) + 1]
    coefficients, left = orders[-1]
    if 1.0 + 2.0 * float(np.square(echoes[1 : len(coefficients) + 1]).sum()) < WORTH_IT:
        return None
    fresh = np.empty_like(rows)
    for t in range(len(rows)):
        told, share = orders[min(t, len(orders) - 1)]
        fresh[t] = _new(rows[: t + 1], 1, told, share)[0]
    return fresh, Forecast(coefficients, left, rows[len(rows) - len(coefficients) :].copy())


def whitened(rows: Array) -> Array:
    """Return what is new in each of the first rows, or the rows if no forecast is worth while."""
    found = first_fresh(rows)
    return rows if found is None else found[0]


def remembers(rows: Array) -> bool:
    """Return whether rows resemble the ones before them by more than chance, in the mean column."""
    if np.isnan(rows).any() or len(rows) < 2:
        return False
    n_rows, unit = len(rows), of_unit_length(rows - rows.mean(axis=0))
    if not unit.size:
        return False
    echo = np.einsum("tj,tj->", unit[1:], unit[:-1]) / unit.shape[1] * n_rows / (n_rows - 1)
    clear = float(echo / _BEYOND_CHANCE) ** 2 * n_rows
    # Of no more columns than there are, which need not be asked how related they are.
    return echo > 0 and clear * min(unit.shape) > 1 and clear * as_many_independent(unit) > 1


def later_fresh(rows: Array, forecast: Forecast) -> tuple[Array, Forecast]:
    """Return what is new in the next rows, and the forecast after them."""
    coefficients, left, past = forecast
    known = np.concatenate([past, rows])
    fresh = _new(known, len(rows), coefficients, left)
    return fresh, forecast._replace(past=known[len(known) - len(past) :].copy())


def growth(forecast: Forecast) -> float:
    """Return by how much numbers can be larger when the forecast is taken out."""
    return _growth(forecast.coefficients, forecast.left)


def echo_of_errors(forecast: Forecast) -> float:
    """Return how many times as large the variance of errors in single rows is, in what is new."""
    return float((1.0 + np.square(forecast.coefficients).sum()) / forecast.left)


def alike_at_first(residual: Array) -> bool:
    """Return whether nothing in residuals of what is new remembers, or foretells, in its own way.

    Products of residuals k rows apart, of all pairs of columns, are d_k times those of the same
    row, and chance, if memory is common. Their squares then sum to a known number, in the mean, and
    none is larger than the largest of so many. Of many columns some are asked, evenly spaced.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 10))
    >>> alike_at_first(rows)
    True
    >>> rows[1:, 0] += 0.5 * rows[:-1, 1]
    >>> alike_at_first(rows)
    False
    """
    n_rows = len(residual)
    lengths = np.sqrt(np.square(residual).sum(axis=0))
    columns = np.flatnonzero(lengths)[:: -(-residual.shape[1] // _MOST_AT_ONCE)]
    unit = residual[:, columns] / lengths[columns]
    n_columns, farthest = len(columns), min(LAGS, n_rows // 4)
    if n_columns < 2 or farthest < 1:
        return False
    together = unit.T @ unit
    number = n_columns * (n_columns - 1)
    # What chance makes of correlations is no part of those that there are.
    squares = n_columns + max(np.square(together).sum() - n_columns - number / n_rows, 0.0)
    fourths = n_columns + max((together**4).sum() - n_columns - 3 * number / n_rows**2, 0.0)
    apart = [
        (unit[lag:].T @ unit[: n_rows - lag]) * n_rows / np.sqrt(n_rows - lag)
        for lag in range(1, farthest + 1)
    ]
    common = np.array([np.diag(products).mean() for products in apart])
    wider = _wider(common, n_rows, n_columns**2 / squares)
    chances: list[float] = []
    for products, mean in zip(apart, common, strict=True):
        own = np.square(np.diag(products) - mean).sum()
        others = np.square(products - mean * together) / wider
        chances += [
            _chance(own / wider, n_columns - 1.0, 2.0 * fourths),
            _chance(float(others.sum()), float(n_columns**2), 2.0 * squares**2),
            n_columns**2 * float(special.chdtrc(1.0, others.max())),
        ]
    return min(chances) * len(chances) > _CHANCE_AT_FIRST


def alike_later(as_they_are: Array, fresh: Array, variance: float) -> bool:
    """Return whether rows and what is new in them are related alike, as if columns remember alike.

    Parameters
    ----------
    as_they_are, fresh : correlation matrices, or covariances
    variance : of what chance makes a product of two columns differ by, of `differing`

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> mixed = rng.standard_normal((6, 6))
    >>> rows = rng.standard_normal((2, 1000, 6))
    >>> one, other = (np.cov(each @ mixed, rowvar=False) for each in rows)
    >>> alike_later(one, other, 2 / 1000)
    True
    >>> rows[1, :, 0] *= 1.5
    >>> alike_later(one, np.cov(rows[1] @ mixed, rowvar=False), 2 / 1000)
    False
    """
    found, free = unlikeness(as_they_are, fresh, variance)
    return free > 0 and bool(special.chdtrc(free, found) > _CHANCE_LATER)


def unlikeness(as_they_are: Array, fresh: Array, variance: float) -> tuple[float, int]:
    """Return what is chi-square if rows and what is new are related alike, and its freedom.

    That is zero if nothing can be told.
    """
    n_columns = len(fresh)
    size = int(min(n_columns, _MOST_AT_ONCE, _MOST_NOISE / variance))
    varies = (np.diag(fresh) > 0) & (np.diag(as_they_are) > 0)
    columns = np.flatnonzero(varies)
    # In an order that does not depend on where columns stand.
    columns = columns[np.argsort(np.diag(fresh)[columns] / np.diag(as_they_are)[columns])]
    if size < 2 or len(columns) < 2:
        return 0.0, 0
    places = [np.ix_(some, some) for some in np.array_split(columns, -(-len(columns) // size))]
    ratios = [_ratios(as_they_are[some], fresh[some]) for some in places]
    logs = np.log(np.maximum(np.concatenate(ratios), np.finfo(np.float64).tiny))
    free = sum(len(some) * (len(some) + 1) // 2 for some in ratios) - 1
    return float(np.square(logs - logs.mean()).sum() / (2.0 * variance)), free


def differing(forecast: Forecast, n_rows: float, tails: float, left: float) -> float:
    """Return the variance, by chance, of what products of two columns differ by.

    That is of their mean products in rows as they are and in what is new, of columns that are not
    related. ``tails`` and ``left`` are factors for rows of unlike size, and for memory in what is
    new (`inflation`).
    """
    return tails * (_memory(forecast) - 1.0 + max(left - 1.0, 0.0)) / n_rows


def _growth(coefficients: Array, left: float) -> float:
    return float((1.0 + np.abs(coefficients).sum()) / np.sqrt(left))


def _common_echoes(rows: Array) -> tuple[Array, float]:
    """Return the mean autocorrelations of columns, and how many rows of one column tell them."""
    n_rows, unit = len(rows), of_unit_length(rows)
    pairs = n_rows - np.arange(min(LAGS, n_rows - 1) + 1)
    echoes = autocovariances(unit)[: len(pairs)] * n_rows / pairs
    return echoes, max(n_rows * as_many_independent(unit), 2.0)


def _of_all_orders(echoes: Array, most: int) -> list[tuple[Array, float]]:
    """Return coefficients, and what they leave, of forecasts from 0, 1, 2, ... rows.

    By Durbin and Levinson's recursion.
    """
    found, left = np.zeros(0), 1.0
    orders = [(found, left)]
    for order in range(1, min(most, len(echoes) - 1) + 1):
        more = float(echoes[order] - found @ echoes[order - 1 : 0 : -1]) / left
        left *= 1.0 - more**2
        found = np.append(found - more * found[::-1], more)
        # It goes on without end, or is what chance has made.
        if left <= 0.0 or _growth(found, left) > MOST_GROWTH:
            break
        orders.append((found, left))
    return orders


def _new(known: Array, number: int, coefficients: Array, left: float) -> Array:
    """Return the last rows, so many, without what those before them tell."""
    end = len(known)
    fresh = known[end - number :].copy()
    for back, share in enumerate(coefficients, start=1):
        fresh -= share * known[end - number - back : end - back]
    fresh /= np.sqrt(left)
    return fresh


def _memory(forecast: Forecast) -> float:
    """Return the sum of squared autocorrelations of rows that the forecast whitens."""
    follows = lfilter([1.0], np.append(1.0, -forecast.coefficients), np.eye(1, _FARTHEST)[0])
    echoes = fftconvolve(follows, follows[::-1])
    return float(np.square(echoes).sum() / np.square(follows).sum() ** 2)


def _ratios(as_they_are: Array, fresh: Array) -> Array:
    """Return the variances of what is new over those of rows, in directions that share nothing.

    In units of columns: of those that are nearly determined by others, rounding is left out.
    """
    spread = np.sqrt(np.diag(as_they_are))
    sizes, directions = linalg.eigh(as_they_are / spread / spread[:, None])
    clear = sizes > _ROUNDING * sizes[-1]
    into = directions[:, clear] / np.sqrt(sizes[clear])
    between = into.T @ (fresh / spread / spread[:, None]) @ into
    result: Array = linalg.eigvalsh(between)
    return result


def _wider(common: Array, n_rows: float, amount: float) -> float:
    """Return by how much chance is wider for memory that is common and was left (Bartlett)."""
    beyond = np.square(common) / n_rows - 1.0 / (n_rows * amount)
    return 1.0 + 2.0 * max(float(beyond.sum()), 0.0)


def _chance(found: float, mean: float, variance: float) -> float:
    """Return how likely a larger sum of squares of this mean and variance is, taken for gamma."""
    return float(special.chdtrc(2.0 * mean**2 / variance, 2.0 * mean / variance * found))
