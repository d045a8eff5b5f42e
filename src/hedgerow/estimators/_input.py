"""What every estimator does with the rows it is given: accept tables, refuse bad ones by name."""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

_NAMED_IN_FULL = 5


def read_rows(
    estimator: BaseEstimator,
    X: Any,
    *,
    reset: bool,
    min_rows: int = 1,
    dtypes: Sequence[type[np.floating]] = (np.float64, np.float32),
) -> NDArray[np.floating]:
    """Return ``X`` as a finite, C-contiguous array of at least two columns.

    ``X`` is an array, a data frame (pandas, polars, or any that narwhals knows) or an Arrow
    table. Names and number of columns are kept on the estimator when ``reset`` is true, and
    compared with those kept otherwise. An array whose type is in ``dtypes`` is not copied.
    """
    _refuse_non_numeric(X)
    rows = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=list(dtypes),
        order="C",
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
        ensure_min_features=2 if reset else 1,
    )
    _refuse_non_finite(rows, column_labels(estimator))
    return rows


def column_labels(estimator: BaseEstimator) -> NDArray[np.object_]:
    """Return the names of the columns seen, or their numbers where they have no names."""
    labels = getattr(estimator, "feature_names_in_", range(estimator.n_features_in_))
    return np.asarray(labels, dtype=object)


def refuse_constant(low: NDArray[Any], high: NDArray[Any], labels: NDArray[np.object_]) -> None:
    """Raise if a column's lowest value is its highest: it has no partial correlations."""
    constant = np.flatnonzero(low == high)
    if constant.size:
        columns = listed(f"{labels[j]!r} (always {low[j]:g})" for j in constant)
        raise ValueError(f"X must have columns that vary, got constant columns: {columns}")


def listed(items: Iterable[str]) -> str:
    """Join with commas; of a long list, give the start and say how many follow.

    >>> listed("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    items = list(items)
    rest = len(items) - _NAMED_IN_FULL
    text = ", ".join(items[:_NAMED_IN_FULL])
    return f"{text} and {rest} more" if rest > 0 else text


def _refuse_non_numeric(X: Any) -> None:
    """Raise for columns that are not numbers, even where text could be read as numbers."""
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        bad = _frame_columns_not_numeric(frame)
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "USO":
        bad = [
            str(j) for j in range(X.shape[1]) if any(isinstance(v, str | bytes) for v in X[:, j])
        ]
    else:
        return
    if bad:
        raise ValueError(f"X must have numeric columns, got columns that are not: {listed(bad)}")


def _frame_columns_not_numeric(frame: nw.DataFrame[Any]) -> list[str]:
    # Columns of mixed Python objects are left to the conversion that follows.
    accepted = (nw.Boolean, nw.Object, nw.Unknown)
    return [
        f"{name!r} ({dtype})"
        for name, dtype in frame.schema.items()
        if not (dtype.is_numeric() or isinstance(dtype, accepted))
    ]


def _refuse_non_finite(rows: NDArray[np.floating], labels: NDArray[np.object_]) -> None:
    # The sum is finite only if every entry is, and costs no array; it may overflow by itself.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum()):
            return
    missing, infinite = np.isnan(rows), np.isinf(rows)
    per_column = missing.sum(axis=0) + infinite.sum(axis=0)
    if per_column.any():
        columns = listed(f"{labels[j]!r} ({per_column[j]})" for j in np.flatnonzero(per_column))
        raise ValueError(
            f"X must be finite, got {missing.sum()} NaN (missing) and {infinite.sum()} inf values "
            f"in columns: {columns}"
        )
