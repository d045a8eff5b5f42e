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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LAGS = 32
LEAST_SCALE = 1e-30  # residuals of a smaller mean square, in squared spreads, are rounding
_PARTNERS = 256


class Residuals(NamedTuple):
    """Sums over the residuals of weighted rows."""

    lags: Array  # (LAGS + 1, p); row k: of products of residuals k rows apart
    recent: Array  # (LAGS, p); the latest residuals, times the root of their row's weight
    scale: Array  # (p,); mean square of the first rows' residuals, infinite if that is rounding
    related: Array  # (p,); mean squared correlation with others' residuals, in the first rows
    beside: Array  # (p,); of squared residuals times those of all others, in units of their scales
    weight: float  # of the rows


def first_residuals(residual: Array, row_weights: Array) -> Residuals:
    """Return the sums over the first rows."""
    n_columns = residual.shape[1]
    weight = float(row_weights.sum())
    scale = (row_weights[:, None] * np.square(residual)).sum(axis=0) / weight
    scale = np.where(scale > LEAST_SCALE, scale, np.inf)
    nothing = np.zeros(n_columns)
    empty = Residuals(
        lags=np.zeros((LAGS + 1, n_columns)),
        recent=np.zeros((LAGS, n_columns)),
        scale=scale,
        related=_related(residual * np.sqrt(row_weights[:, None] / (scale * weight))),
        beside=nothing,
        weight=0.0,
    )
    return with_more(empty, residual, row_weights)


def with_more(sums: Residuals, residual: Array, row_weights: Array) -> Residuals:
    """Return the sums with more rows."""
    rooted = residual * np.sqrt(row_weights)[:, None]
    known = np.concatenate([sums.recent, rooted])
    lags = sums.lags.copy()
    for lag in range(LAGS + 1):
        lags[lag] += (rooted * known[LAGS - lag : len(known) - lag]).sum(axis=0)
    squares = np.square(residual) / sums.scale
    others = squares.sum(axis=1, keepdims=True) - squares
    beside = sums.beside + (row_weights[:, None] * squares * others).sum(axis=0)
    weight = sums.weight + float(row_weights.sum())
    return sums._replace(lags=lags, recent=known[-LAGS:], beside=beside, weight=weight)


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


def partners(n_columns: int) -> NDArray[np.intp]:
    """Return the columns that all are compared with: not too many, evenly spaced."""
    return np.arange(0, n_columns, -(-n_columns // _PARTNERS))


def _related(unit: Array) -> Array:
    """Return each column's mean squared correlation with others, beyond that of chance."""
    n_rows, n_columns = unit.shape
    some = partners(n_columns)
    squares = np.square(unit.T @ unit[:, some])
    squares[some, np.arange(len(some))] = 0.0
    others = len(some) - np.isin(np.arange(n_columns), some)
    mean: Array = squares.sum(axis=1) / np.maximum(others, 1)
    beyond: Array = np.maximum(mean - 1.0 / n_rows, 0.0)
    return beyond
