"""Forecasts: what the rows before say of each row, where all columns remember alike, is taken out.

If every column remembers in the same way, one filter in time takes the memory of all of them away,
and changes no relation between columns: as the contrasts of `drift` do, it turns rows
sum over s of a_s A e_(t-s) into others of that kind, with the same A. What is left is new in each
row, and says as much as independent rows do. Where columns remember differently a filter mixes
them in other proportions, and the graph is another. So they are asked twice: the first rows whether
anything in what is left remembers in its own way, or foretells another column; and all rows, when
edges are asked for, whether columns still remember alike (`alike`; docs/theory.md, section 36).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve, lfilter

from hedgerow.method.inflation import largest_order
from hedgerow.method.residuals import LAGS
from hedgerow.method.spectra import (
    as_many_independent,
    autocovariances,
    evenly_spaced,
    of_unit_length,
)

Array = NDArray[np.float64]

MOST_GROWTH = 1e3  # of numbers, by a forecast; with more, little would be left but rounding
# Rows that are worth less than by this for their memory would hardly be worth more without it.
WORTH_IT = 1.05
_BEYOND_CHANCE = 3.0  # standard errors
_FARTHEST = 4096  # rows after which nothing is left of one


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
    """Return whether rows resemble the ones before them by more than chance, in the mean column.

    Of very many columns some are looked at (`spectra.evenly_spaced`).
    """
    rows = rows[:, evenly_spaced(rows.shape[1])]
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
