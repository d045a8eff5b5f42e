"""What Hedge's residuals tell about the rows: how long they remember, and how unlike in size.

A test of the pair (i, j) is in essence the mean of products r_i r_j of residuals. How precise that
mean is depends on two things that independent normal rows have none of: residuals that resemble
those of the rows before (sums of products ``LAGS`` rows apart), and rows in which all residuals are
large together (sums of products of squares). Both are sums over rows for each column; nothing is
kept for pairs.

The residuals are prediction errors, made before the row is learned from. But Hedge's first
predictions are poor, which would look like rows of unlike size. So the first rows are gone through
again once they have been learned, with the weights that they have led to.

`hedgerow.method.inflation` makes factors of these sums (docs/theory.md, section 17).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.directions import partners
from hedgerow.method.swings import swings_of

Array = NDArray[np.float64]

LAGS = 32
# Residuals of a smaller mean square, in squared spreads, may be the rounding of single precision;
# and products of squares, in units of such ones, would be beyond its range.
LEAST_SCALE = 1e-12


class Residuals(NamedTuple):
    """Sums over the residuals of weighted rows."""

    lags: Array  # (LAGS + 1, p); row k: of products of residuals k rows apart
    recent: Array  # (LAGS, p); the latest residuals, times the root of their row's weight
    scale: Array  # (p,); mean square of the first rows' residuals, infinite if that is rounding
    related: Array  # (p,); mean squared correlation with others' residuals, in the first rows
    beside: Array  # (p,); of squared residuals times those of all others, in units of their scales
    swings: Array  # (p, k); what groups of columns have of their own of it, in the first rows
    together: float  # what a pair's products of residuals remember, in the first rows
    weight: float  # of the rows


def first_residuals(residual: Array, row_weights: Array) -> Residuals:
    """Return the sums over the first rows."""
    n_columns = residual.shape[1]
    weight = float(row_weights.sum())
    scale = (row_weights[:, None] * np.square(residual)).sum(axis=0) / weight
    scale = np.where(scale > LEAST_SCALE, scale, np.inf)
    unit = residual * np.sqrt(row_weights[:, None] / (scale * weight))
    squares = squared_correlations(unit)
    empty = Residuals(
        lags=np.zeros((LAGS + 1, n_columns)),
        recent=np.zeros((LAGS, n_columns)),
        scale=scale,
        related=related(squares, len(residual)),
        beside=np.zeros(n_columns),
        swings=swings_of(unit),
        together=together(unit, squares),
        weight=0.0,
    )
    return with_more(empty, residual, row_weights)


def with_more(sums: Residuals, residual: Array, row_weights: Array) -> Residuals:
    """Return the sums with more rows."""
    rooted = residual * np.sqrt(row_weights)[:, None]
    known = np.concatenate([sums.recent, rooted])
    lags = sums.lags + lagged_products(known)
    squares = np.square(residual) / sums.scale
    others = squares.sum(axis=1, keepdims=True) - squares
    beside = sums.beside + (row_weights[:, None] * squares * others).sum(axis=0)
    weight = sums.weight + float(row_weights.sum())
    return sums._replace(lags=lags, recent=known[-LAGS:], beside=beside, weight=weight)


def lagged_products(known: Array) -> Array:
    """Return sums of products of the rows after the first `LAGS` with those 0, 1, ... before."""
    later = known[LAGS:]
    return np.array(
        [(later * known[LAGS - lag : len(known) - lag]).sum(axis=0) for lag in range(LAGS + 1)]
    )


def lagged(unit: Array) -> Array:
    """Return, for each column, sums of products of the first rows that are 0, 1, ... `LAGS` apart.

    Parameters
    ----------
    unit : rows of about variance one; zeros where a cell is missing

    Examples
    --------
    >>> lagged(np.array([[1.0], [2.0], [3.0]]))[:4].ravel()
    array([14.,  8.,  3.,  0.])
    """
    return lagged_products(np.concatenate([np.zeros((LAGS, unit.shape[1])), unit]))


def together(
    unit: Array, squares: Array, lagged: Callable[[Array, int], Array] | None = None
) -> float:
    """Return what products of two columns' residuals remember, in the mean over pairs.

    That is the sum over lags k of 2 (1 - k / n) times the mean of r_i(t) r_j(t) r_i(t+k) r_j(t+k),
    as a share of that of lag 0, and without what rows far apart have of it. It is the sum of
    products of autocorrelations if columns remember independently of each other, and more if they
    forget at the same time: rows of one person after those of another.

    Parameters
    ----------
    unit : the first rows' residuals; squares of each column sum to one, or all are zero
    squares : for each column, the sum of its squared correlations with `partners`
    lagged : `products_apart`, or what does the same

    Examples
    --------
    >>> noise = np.random.default_rng(0).standard_normal((2, 400, 50))
    >>> persons = np.repeat(noise[1, :40], 10, axis=0) + noise[0]
    >>> for rows in (noise[0], persons):
    ...     print(round(first_residuals(rows, np.ones(400)).together, 1))
    0.0
    2.2
    """
    n_rows, n_columns = unit.shape
    some = partners(n_columns)
    unit = unit[:, some]
    farthest = min(LAGS, n_rows // 4)
    if farthest < 1 or unit.shape[1] < 2:
        return 0.0
    found = (lagged or products_apart)(unit, farthest)
    lags = np.arange(1, farthest + 1)
    of_all = float(squares[some].sum())  # which is also the sum over all pairs of rows
    near = found[0] + 2.0 * found[1:].sum()
    between = n_rows**2 - n_rows - 2.0 * (n_rows - lags).sum()
    far = (of_all - near) / between
    beyond = 2.0 * (found[1:] - (n_rows - lags) * far).sum()
    return float(beyond / found[0]) if found[0] > 0 else 0.0


def products_apart(unit: Array, farthest: int) -> Array:
    """Return sums, over pairs of columns, of products of their products 0, 1, ... rows apart."""
    squares = np.square(unit)
    result = np.empty(farthest + 1)
    for lag in range(farthest + 1):
        late, early = slice(lag, None), slice(None, len(unit) - lag)
        of_rows = (unit[late] * unit[early]).sum(axis=1)
        result[lag] = np.square(of_rows).sum() - (squares[late] * squares[early]).sum()
    return result


def typical_autocorrelation(sums: Residuals) -> Array:
    """Return the median over columns of the residuals' autocorrelations at 1, 2, ... `LAGS` rows.

    >>> steps = np.tile([[1.0], [1.0], [-1.0], [-1.0]], (50, 1))
    >>> typical_autocorrelation(first_residuals(steps, np.ones(200)))[:4].round(1)
    array([ 0., -1., -0.,  1.])
    """
    varied = sums.lags[0] > 0
    if not varied.any():
        return np.zeros(LAGS)
    median: Array = np.median(sums.lags[1:, varied] / sums.lags[0, varied], axis=1)
    return median.clip(-1.0, 1.0)  # rounding can go beyond


def scaled_residuals(sums: Residuals, factor: float) -> Residuals:
    """Return the sums as if all row weights so far had been multiplied."""
    return sums._replace(
        lags=sums.lags * factor,
        recent=sums.recent * np.sqrt(factor),
        beside=sums.beside * factor,
        weight=sums.weight * factor,
    )


def related(squares: Array, n_rows: int) -> Array:
    """Return each column's mean squared correlation with `partners`, beyond that of chance."""
    n_columns = len(squares)
    some = partners(n_columns)
    others = len(some) - np.isin(np.arange(n_columns), some)
    beyond: Array = np.maximum(squares / np.maximum(others, 1) - 1.0 / n_rows, 0.0)
    return beyond


def squared_correlations(unit: Array) -> Array:
    """Return the sum of each column's squared correlations with `partners`."""
    some = partners(unit.shape[1])
    squares = np.square(unit.T @ unit[:, some])
    squares[some, np.arange(len(some))] = 0.0
    total: Array = squares.sum(axis=1)
    return total
