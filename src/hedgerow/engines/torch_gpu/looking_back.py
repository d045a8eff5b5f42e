"""What Hedge leaves of the columns, and sums over it (`hedgerow.method.residuals`).

The rows are all here, so all of them are gone through with the weights that they have led to.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.method.directions import partners
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.residuals import (
    LAGS,
    Residuals,
    related,
    squared_correlations,
    together,
)
from hedgerow.method.swings import MOST_COLUMNS, swings_of

_CHUNK_BYTES = 1 << 30


def sums_of(errors: Tensor) -> Residuals:
    """Return sums over residuals, one row of ``errors`` for each column."""
    p, m = errors.shape
    some = errors.split(max(1, _CHUNK_BYTES // (32 * m)))
    lags = torch.cat([_products(each) for each in some], dim=1)
    scale = torch.where(lags[0] > 0, lags[0] / m, torch.inf)
    per_scale = (1.0 / scale)[:, None].split(len(some[0]))
    sizes = sum((each.square() * per).sum(0) for each, per in zip(some, per_scale))
    beside = torch.cat([_beside(each.square() * per, sizes) for each, per in zip(some, per_scale)])
    squares = _squared_correlations(errors, scale).cpu().numpy()
    recent = torch.zeros((LAGS, p), dtype=torch.float64, device=errors.device)
    recent[max(LAGS - m, 0) :] = errors[:, max(m - LAGS, 0) :].T
    return Residuals(
        lags=lags.cpu().numpy(),
        recent=recent.cpu().numpy(),
        scale=scale.cpu().numpy(),
        related=related(squares, m),
        beside=beside.cpu().numpy(),
        swings=_swings(errors),
        together=_together(errors),
        weight=float(m),
    )


def _products(errors: Tensor) -> Tensor:
    """Return the sums of products of residuals so many rows apart, a row for each lag."""
    p, m = errors.shape
    result = torch.zeros((LAGS + 1, p), dtype=torch.float64, device=errors.device)
    for lag in range(min(LAGS + 1, m)):
        result[lag] = (errors[:, lag:] * errors[:, : m - lag]).sum(1, dtype=torch.float64)
    return result


def _beside(squares: Tensor, sizes: Tensor) -> Tensor:
    """Return the sums of squares times all others of their row."""
    return (squares * (sizes - squares)).sum(1)


def _squared_correlations(errors: Tensor, scale: Tensor) -> Tensor:
    """Return the sum of each column's squared correlations with some others."""
    p, m = errors.shape
    some = torch.tensor(partners(p), device=errors.device)
    per_scale = (scale * m).rsqrt().float()[:, None]
    others = errors[some] * per_scale[some]
    squares = ((errors @ others.T) * per_scale).square().double()
    squares[some, torch.arange(len(some), device=errors.device)] = 0.0
    return squares.sum(1)


def _together(errors: Tensor) -> float:
    """Return what products of residuals remember, by the first rows of some columns."""
    some = torch.tensor(partners(len(errors)), device=errors.device)
    unit = _units(errors[some, :FIRST_ROWS])
    return together(unit, squared_correlations(unit))


def _swings(errors: Tensor) -> NDArray[np.float64]:
    """Return what groups of columns have of swings, by the first rows, unless they are many."""
    if len(errors) > MOST_COLUMNS:
        return np.empty((len(errors), 0))
    return swings_of(_units(errors[:, :FIRST_ROWS]))


def _units(errors: Tensor) -> NDArray[np.float64]:
    """Return residuals, a column for each variable, whose squares sum to one."""
    first = errors.T.double().cpu().numpy()
    lengths = np.sqrt(np.square(first).sum(axis=0))
    unit: NDArray[np.float64] = np.divide(
        first, lengths, out=np.zeros_like(first), where=lengths > 0
    )
    return unit
