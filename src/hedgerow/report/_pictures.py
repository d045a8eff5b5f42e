"""What a page is given to draw columns, and rows in time, from."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.base.checks import integer_at_least


def checked_about(kinds: Any, missing: Any, n_names: int) -> tuple[list[str], list[int]]:
    """Return the kind of each variable and its number of missing cells; or none of them at all."""
    for name, values in (("kinds", kinds), ("missing", missing)):
        if len(values) not in (0, n_names):
            raise ValueError(f"{name} must be one for each variable ({n_names}), got {len(values)}")
    for j, number in enumerate(missing):
        integer_at_least(f"missing[{j}]", number, 0)
    return [str(kind) for kind in kinds], [int(number) for number in missing]


def checked_histograms(histograms: Sequence[Any], n_names: int) -> list[tuple[Any, ...]]:
    """Return a histogram for each variable, or none at all."""
    if len(histograms) not in (0, n_names):
        raise ValueError(
            f"histograms must be one for each variable ({n_names}), got {len(histograms)}"
        )
    return [_checked(j, *histogram) for j, histogram in enumerate(histograms)]


def checked_autocorrelation(values: Any) -> list[float]:
    """Return autocorrelations, each in [-1, 1]."""
    array = np.asarray(values, dtype=np.float64)
    wrong = array[~(np.abs(array) <= 1)]
    if array.ndim != 1 or wrong.size:
        raise ValueError(f"autocorrelation must be numbers in [-1, 1], got {values!r:.80}")
    known: list[float] = array.tolist()
    return known


def _checked(j: int, start: float, stop: float, counts: Any, values: Any = ()) -> tuple[Any, ...]:
    array, at = np.asarray(counts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    counted = array.ndim == 1 and len(array) and ((array >= 0) & (array < np.inf)).all()
    if not counted or not -np.inf < start <= stop < np.inf:
        raise ValueError(
            f"histograms[{j}] must have start <= stop and counts that are not negative, "
            f"got {start!r}, {stop!r}, {counts!r:.80}"
        )
    if len(at) and not (at.shape == array.shape and np.isfinite(at).all()):
        raise ValueError(
            f"histograms[{j}] must have a value for each of {len(array)} counts, got {values!r:.80}"
        )
    return float(start), float(stop), array.tolist(), at.tolist()
