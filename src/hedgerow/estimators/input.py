"""What every estimator does with the rows it is given: accept tables, refuse bad ones by name."""

from collections.abc import Hashable, Iterable, Sequence, Sized
from numbers import Real
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from hedgerow.base.blas import one_thread_if_few
from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.base.words import listed
from hedgerow.estimators._ordered import with_codes
from hedgerow.estimators._tables import as_table, warn_of_names


def read_rows(
    estimator: BaseEstimator,
    X: Any,
    *,
    reset: bool,
    names: Iterable[Hashable] | None = None,
    min_rows: int = 1,
    dtypes: Sequence[type[np.generic]] = (np.float64, np.float32),
    gaps: bool = False,
    advice: str = "",
) -> NDArray[np.floating]:
    """Return ``X`` as a C-contiguous array of at least two columns, of numbers that can be squared.

    ``X`` is an array, a data frame (pandas, polars, or any that narwhals knows) or an Arrow
    table. Names and number of columns are kept on the estimator when ``reset`` is true, and
    compared with those kept otherwise; ``names`` are for an ``X`` that has none. An array whose
    type is in ``dtypes`` is not copied. With ``gaps``, cells may be missing: NaN. If they may not,
    an error ends with ``advice``.
    """
    X = _without_mask(as_table(X), gaps=gaps, advice=advice)
    if not (isinstance(X, np.ndarray) and X.dtype.kind in "biuf"):  # numbers, and no frame
        X = with_codes(X)
        _refuse_non_numeric(X)
    rules: dict[str, Any] = {
        "dtype": list(dtypes),
        "order": "C",
        "ensure_all_finite": False,
        "ensure_min_samples": min_rows,
        "ensure_min_features": 2 if reset else 1,
    }
    rows: NDArray[np.floating]
    try:
        if names is None:
            if reset:
                warn_of_names(X)
            rows = validate_data(estimator, X, reset=reset, **rules)
        else:
            rows = check_array(X, estimator=estimator, input_name="X", **rules)
            _take_names(estimator, X, rows.shape[1], list(names), reset=reset)
    except TypeError as error:
        raise TypeError(f"{error}{_first_not_a_number(X)}") from error
    _refuse_too_large(rows, column_labels(estimator), gaps=gaps, advice=advice)
    return rows


def column_labels(estimator: BaseEstimator) -> NDArray[np.object_]:
    """Return the names of the columns seen, or their numbers where they have no names."""
    numbers = getattr(estimator, "_column_numbers", range(estimator.n_features_in_))
    return np.asarray(getattr(estimator, "feature_names_in_", numbers), dtype=object)


def _take_names(
    estimator: BaseEstimator, X: Any, n_columns: int, names: list[Hashable], *, reset: bool
) -> None:
    """Keep the names that somebody gives to the columns of ``X``; raise if others are known."""
    expected = n_columns if reset else estimator.n_features_in_
    if n_columns != expected:
        raise ValueError(
            f"X has {n_columns} features, but {type(estimator).__name__} is expecting {expected} "
            f"features as input"
        )
    if len(names) != n_columns:
        raise ValueError(
            f"feature_names must be one for each of {n_columns} columns, got {len(names)}"
        )
    frame = nw.from_native(X, pass_through=True)
    kept = [] if reset else list(getattr(estimator, "feature_names_in_", []))
    for whose, known in (
        ("those of X", frame.columns if isinstance(frame, nw.DataFrame) else []),
        ("those given before", kept),
    ):
        if known == names:  # of a million, it is worth while to ask that first
            continue
        for j, (old, new) in enumerate(zip(known, names)):
            if old != new:
                raise ValueError(
                    f"feature_names must be {whose}, got {new!r} for column {j}, {old!r}"
                )
    estimator.n_features_in_ = n_columns
    estimator.feature_names_in_ = np.fromiter(names, dtype=object, count=n_columns)


def take_columns(
    estimator: BaseEstimator,
    n_columns: int,
    own: Sequence[Hashable] | None,
    given: Iterable[Hashable] | None,
) -> None:
    """Keep number and names of columns of rows that are elsewhere: their own, or those given."""
    estimator.__dict__.pop("feature_names_in_", None)
    estimator.n_features_in_ = n_columns
    names = list(own or ()) if given is None else list(given)
    if given is not None and len(names) != n_columns:
        raise ValueError(
            f"feature_names must be one for each of {n_columns} columns, got {len(names)}"
        )
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.fromiter(names, dtype=object, count=n_columns)


def refuse_constant(low: NDArray[Any], high: NDArray[Any], labels: NDArray[np.object_]) -> None:
    """Raise if a column's lowest value is its highest: it has no partial correlations."""
    constant = np.flatnonzero(low == high)
    if constant.size:
        columns = listed(f"{labels[j]!r} (always {low[j]:g})" for j in constant)
        raise ValueError(f"X must have columns that vary, got constant columns: {columns}")


def has_gaps(rows: NDArray[np.floating]) -> bool:
    """Return whether a cell is missing.

    >>> has_gaps(np.array([[1.0, np.nan]])), has_gaps(np.array([[1.0, 2.0]]))
    (True, False)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(rows.sum()) and np.isnan(rows).any())  # a sum takes no array


def refuse_gaps(rows: NDArray[np.floating], labels: NDArray[np.object_], device: str) -> None:
    """Raise if cells are missing, on a device that cannot fill them in."""
    if has_gaps(rows):
        missing = np.isnan(rows).sum(axis=0)
        columns = listed(f"{labels[j]!r} ({missing[j]})" for j in np.flatnonzero(missing))
        raise ValueError(
            f"X must have no missing cells on a GPU (device={device!r}), got {missing.sum()} in "
            f"columns: {columns}; device='cpu' fills them in"
        )


def _without_mask(X: Any, *, gaps: bool, advice: str) -> Any:
    """Return what a masked array holds, NaN for masked cells; raise if there may be none."""
    if isinstance(X, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in X):
        X = np.ma.array(X)
    if not isinstance(X, np.ma.MaskedArray):
        return X
    masked = np.ma.getmaskarray(X)
    if gaps:
        return np.where(masked, np.nan, X.data.astype(np.float64))
    if masked.any():
        per_column = masked.sum(axis=0) if masked.ndim == 2 else np.atleast_1d(masked.sum())
        columns = listed(f"{j} ({per_column[j]})" for j in np.flatnonzero(per_column))
        raise ValueError(
            f"X must be finite, got {masked.sum()} masked (missing) values in columns: {columns}"
            f"{advice}"
        )
    return X.data


def _refuse_non_numeric(X: Any) -> None:
    """Raise for columns that are not numbers, even where text could be read as numbers."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("X must be a table in memory, got a lazy one; collect() reads it")
    advice = ""
    if isinstance(frame, nw.DataFrame):
        bad = _frame_columns_not_numeric(frame)
        if any(dtype in (nw.String, nw.Categorical) for dtype in frame.schema.values()):
            advice = "; drop them, or give their categories an order"
    elif isinstance(X, np.ndarray) and X.dtype.kind in "mM":  # a time without value is a number
        bad = [f"all ({X.dtype})"]
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "USO":
        bad = [
            str(j) for j in range(X.shape[1]) if any(isinstance(v, str | bytes) for v in X[:, j])
        ]
    else:
        return
    if bad:
        raise ValueError(
            f"X must have numeric columns, got columns that are not: {listed(bad)}{advice}"
        )


def _frame_columns_not_numeric(frame: nw.DataFrame[Any]) -> list[str]:
    # Columns of mixed Python objects without text are left to the conversion that follows.
    accepted = (nw.Boolean, nw.Object, nw.Unknown)
    bad = []
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or isinstance(dtype, accepted)):
            bad.append(f"{name!r} ({dtype})")
        elif dtype == nw.Object and (found := _no_numbers(frame[name].to_list())):
            bad.append(f"{name!r} ({found} among numbers)")
    return bad


def _no_numbers(cells: list[Any]) -> str:
    """Return which kind of object that is no number there is among some, if there is one."""
    if any(isinstance(cell, str | bytes) for cell in cells):
        return "text"
    return "lists" if any(isinstance(cell, Sized) for cell in cells) else ""


def _first_not_a_number(X: Any) -> str:
    """Return where the first object is that stopped a conversion to numbers, if one is found."""
    cells = getattr(X, "to_numpy", lambda: X)()
    if not isinstance(cells, np.ndarray) or cells.ndim != 2 or cells.dtype != object:
        return ""
    labels = list(getattr(X, "columns", range(cells.shape[1])))
    for (row, column), value in np.ndenumerate(cells):
        if not (value is None or isinstance(value, Real)):
            return f"; X must have numbers, got {value!r} in column {labels[column]!r}, row {row}"
    return ""


def _refuse_too_large(
    rows: NDArray[np.floating], labels: NDArray[np.object_], *, gaps: bool, advice: str
) -> None:
    """Raise for infinity, NaN if there may be no ``gaps``, and numbers too large to be squared."""
    if rows.dtype.kind != "f":
        return
    # No entry is larger than the root of the sum of squares, which costs no array. In single
    # precision it overflows earlier than need be: then a closer look finds nothing.
    flat = rows.reshape(-1)
    with one_thread_if_few(rows.shape[1]), np.errstate(over="ignore", invalid="ignore"):
        if np.dot(flat, flat) <= LARGEST_NUMBER**2:
            return
    missing, infinite = np.isnan(rows), np.isinf(rows)
    if gaps:
        missing[:] = False
    per_column = missing.sum(axis=0) + infinite.sum(axis=0)
    if per_column.any():
        columns = listed(f"{labels[j]!r} ({per_column[j]})" for j in np.flatnonzero(per_column))
        found = f"{infinite.sum()} inf values"
        if not gaps:
            found = f"{missing.sum()} NaN (missing) and {found}"
        advice = advice if missing.any() else ""
        raise ValueError(f"X must be finite, got {found} in columns: {columns}{advice}")
    _refuse_beyond(np.abs(rows) > np.float64(LARGEST_NUMBER), rows, labels)


def _refuse_beyond(
    beyond: NDArray[np.bool_], rows: NDArray[np.floating], labels: NDArray[np.object_]
) -> None:
    if beyond.any():
        i, j = np.argwhere(beyond)[0]
        columns = listed(repr(label) for label in labels[beyond.any(axis=0)])
        raise ValueError(
            f"X must have numbers of size up to {LARGEST_NUMBER:g}, whose squares can be summed, "
            f"got {rows[i, j]:g} in column {labels[j]!r}, row {i} (the first of {beyond.sum()}, in "
            f"columns: {columns})"
        )
