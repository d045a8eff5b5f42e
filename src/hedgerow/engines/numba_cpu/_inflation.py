"""Factors of pairs from sums over residuals (`hedgerow.method.inflation`), compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import FAST, IN_ORDER
from hedgerow.method.inflation import (
    FARTHEST,
    FORGOTTEN,
    LARGEST_ECHO,
    Inflation,
    autocorrelations,
    echoes_of,
    largest_order,
    no_inflation,
    shared,
    some_columns,
    tail_factors,
    with_swings,
)
from hedgerow.method.residuals import Residuals

Array = NDArray[np.float64]

_AS_WRITTEN = IN_ORDER | {"fastmath": False}  # the bits of NumPy


def inflation_of(
    sums: Residuals,
    n_rows: float,
    *,
    tails: bool = True,
    memory: bool = True,
    divided: float = 1.0,
) -> Inflation:
    """Return the factors that sums over residuals give."""
    found = no_inflation(sums.lags.shape[1])
    if tails:
        found = found._replace(tails=tail_factors(sums, n_rows, divided))
    if memory:
        echoes = echoes_of(autocorrelations(sums.lags, n_rows, continued), n_rows)
        at_once = shared(echoes, sums.together, n_rows)
        found = found._replace(echoes=echoes, common=at_once, at_once=at_once)
    if tails:
        found = with_swings(found, sums.swings)
    return found._replace(typical=_typical(found))


def continued(measured: Array, n_rows: float) -> Array:
    """Return autocorrelations as an autoregression continues those that were measured.

    Its order is chosen first, and coefficients are made for that one alone.
    """
    varied = measured[0] > 0
    steps, n_columns = largest_order(n_rows), measured.shape[1]
    echoes, left = np.zeros((2, steps + 1, n_columns))
    _recursion(measured, echoes, left)
    criterion = n_rows * np.log(left) + 2.0 * np.arange(steps + 1)[:, None]
    order = np.where(varied, criterion.argmin(axis=0), 0)
    top = int(order.max(initial=0))
    farthest = int(min(FARTHEST, max(n_rows - 1, 1))) if top else 0
    coefficients = np.zeros((top + 1, n_columns))
    known = np.zeros((farthest + 1, n_columns))
    known[0] = 1.0
    used = _continue(measured, order, echoes, coefficients, known)
    return known[1 : used + 1]


@njit(**_AS_WRITTEN)
def _recursion(measured, echoes, left):
    """Write the last coefficient of the autoregression of each order, and what it leaves."""
    current = np.zeros(echoes.shape[0])
    for j in range(echoes.shape[1]):
        left[0, j] = 1.0
        for step in range(1, echoes.shape[0]):
            explained = 0.0
            for k in range(1, step):
                explained += current[k] * measured[step - k, j]
            echo = (measured[step, j] - explained) / left[step - 1, j]
            if not abs(echo) < 1.0:  # chance has made what no memory has
                left[step:, j] = np.inf
                break
            echo = min(max(echo, -LARGEST_ECHO), LARGEST_ECHO)
            _next_order(current, step, echo)
            echoes[step, j] = echo
            left[step, j] = left[step - 1, j] * (1.0 - echo * echo)


@njit(inline="always", **_AS_WRITTEN)
def _next_order(current, step, echo):
    """Turn the coefficients of an autoregression into those of the next order."""
    low, high = 1, step - 1
    while low < high:
        a, b = current[low], current[high]
        current[low], current[high] = a - echo * b, b - echo * a
        low, high = low + 1, high - 1
    if low == high:
        current[low] -= echo * current[low]
    current[step] = echo


@njit(**_AS_WRITTEN)
def _continue(measured, order, echoes, coefficients, known):
    """Write autocorrelations until all are forgotten; return how many lags that takes."""
    n_columns, top = order.size, coefficients.shape[0] - 1
    current = np.zeros(top + 1)
    for j in range(n_columns):
        for step in range(1, order[j] + 1):
            _next_order(current, step, echoes[step, j])
        coefficients[1 : order[j] + 1, j] = current[1 : order[j] + 1]
    quiet = 0
    for lag in range(1, known.shape[0]):
        for k in range(1, min(lag, top) + 1):
            for j in range(n_columns):
                known[lag, j] += coefficients[k, j] * known[lag - k, j]
        forgotten = True
        for j in range(n_columns):
            if lag <= order[j]:
                known[lag, j] = measured[lag, j]
            forgotten &= abs(known[lag, j]) < FORGOTTEN
        quiet = quiet + 1 if forgotten else 0
        if quiet >= top:
            return lag
    return known.shape[0] - 1


def _typical(inflation: Inflation) -> float:
    if not inflation.matters or len(inflation.tails) < 2:
        return 1.0
    some = inflation.part(some_columns(len(inflation.tails)))
    factors = np.empty(len(some.tails) * (len(some.tails) - 1) // 2)
    _of_pairs(some.tails, some.echoes, factors)
    return float(np.median(factors))


@njit(**IN_ORDER)
def _of_pairs(tails, echoes, factors):
    place = 0
    for i in range(tails.size):
        for j in range(i + 1, tails.size):
            echo = 1.0 + _product(echoes[i], echoes[j])
            factors[place] = max(tails[i] * tails[j], 1.0) * max(echo, 1.0)
            place += 1


@njit(**FAST)
def _product(a, b):
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total
