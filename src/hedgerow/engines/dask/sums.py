"""Sums over what predictions leave of rows, which need all strips: the size of a row is theirs."""

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.blas import one_thread_if_few
from hedgerow.engines.dask.layout import Strip
from hedgerow.engines.dask.learning import Singles
from hedgerow.engines.numba_cpu.strips import add_sizes, sums_of_first, team, with_columns
from hedgerow.method.residuals import LAGS, Residuals


def first_sums(errors: list[Singles]) -> Residuals:
    """Return the sums over what weights left of the first rows."""
    left = np.concatenate(errors)
    before = np.zeros((len(left), LAGS), dtype=np.float32)
    with one_thread_if_few(len(left)):
        return sums_of_first(np.concatenate([before, left], axis=1), np.ones(left.shape[1]))


def with_sizes(sizes: Singles | None, errors: Singles, sums: Residuals, strip: Strip) -> Singles:
    """Return the sizes of rows with the columns of one more strip."""
    own = np.zeros(errors.shape[1] - LAGS, np.float32) if sizes is None else sizes.copy()
    with team() as run:
        add_sizes(errors, sums.scale[slice(*strip)], own, run)
    return own


def strip_of(sums: Residuals, strip: Strip) -> Residuals:
    """Return the sums of a strip."""
    own = slice(*strip)
    return sums._replace(
        lags=sums.lags[:, own],
        recent=sums.recent[:, own],
        scale=sums.scale[own],
        related=sums.related[own],
        beside=sums.beside[own],
        swings=sums.swings[own],
    )


def with_errors(
    sums: Residuals, errors: Singles, ends: NDArray[np.intp], sizes: Singles
) -> Residuals:
    """Return the sums of a strip with more rows."""
    sums = sums._replace(lags=sums.lags.copy(), beside=sums.beside.copy())
    errors = errors.copy()
    errors[:, :LAGS] = sums.recent.T
    with team() as run:
        return with_columns(sums, errors, np.ones(len(sizes)), ends, sizes, run)


def joined(parts: list[Residuals]) -> Residuals:
    """Return the sums of all strips side by side."""
    lags, recent, scale, related, beside, swings, *_ = zip(*parts)
    return Residuals(
        np.concatenate(lags, axis=1),
        np.concatenate(recent, axis=1),
        np.concatenate(scale),
        np.concatenate(related),
        np.concatenate(beside),
        np.concatenate(swings),
        parts[0].together,
        parts[0].weight,
    )
