"""Returning: rows that resemble those so many rows before, and not those between.

The same hour of the day before, the same person in the last round, the pixel above in a picture
that is read line by line. Memory is counted up to 32 rows; what comes back after more is in no
factor, and relations by chance pass for edges.

A season comes back again and again, and is taken out. What fades from one round to the next is no
season (docs/theory.md, section 40).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.residuals import LAGS
from hedgerow.method.spectra import (
    as_many_independent,
    autocovariances,
    evenly_spaced,
    of_unit_length,
)

Array = NDArray[np.float64]

_LEAST_ROWS = 4 * LAGS
_BESIDE = LAGS // 2  # rows from there on, to either side, are not what comes back
_CHANCE = 1e-3  # of any number of rows, where nothing comes back
_NORMAL_SPREAD = 1.4826  # standard deviations of a normal number, for each of its median size


class Returning(NamedTuple):
    """After how many rows what was there comes back, and how much alike it is."""

    after: int  # 0 if nothing does
    likeness: float  # mean autocorrelation of columns


NONE = Returning(0, 0.0)


def returning(rows: Array) -> Returning:
    """Return the number of rows, beyond those of memory, after which rows are most alike.

    Of very many columns some are looked at (`spectra.evenly_spaced`).

    Parameters
    ----------
    rows : in their order, without a season; NaN for missing cells

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 12))
    >>> returning(rows)
    Returning(after=0, likeness=0.0)
    >>> rows[60:] += rows[:-60].copy()
    >>> returning(rows).after
    60
    """
    rows = rows[:, evenly_spaced(rows.shape[1])]
    n_rows = len(rows)
    if n_rows < _LEAST_ROWS or not rows.shape[1]:
        return NONE
    there = ~np.isnan(rows)
    away = np.where(there, rows, 0.0)
    away = np.where(there, away - away.sum(axis=0) / np.maximum(there.sum(axis=0), 1), 0.0)
    unit = of_unit_length(away)
    if not unit.size:
        return NONE
    number = np.arange(n_rows, 0, -1)
    alike = autocovariances(unit) * n_rows / number
    lags = np.arange(LAGS + 1, n_rows // 2)
    memory = 1.0 + 2.0 * np.square(alike[1:LAGS]).sum()
    scaled = alike[lags] * np.sqrt(number[lags] * as_many_independent(unit) / memory)
    spread = max(1.0, _NORMAL_SPREAD * float(np.median(np.abs(scaled))))
    most = int(scaled.argmax())
    after, likeness = int(lags[most]), float(alike[lags[most]])
    if scaled[most] < -special.ndtri(_CHANCE / len(lags)) * spread:
        return NONE
    beside = np.r_[after - 2 * _BESIDE : after - _BESIDE, after + _BESIDE : after + 2 * _BESIDE]
    return Returning(after, likeness) if 2.0 * alike[beside].max() < likeness else NONE
