"""What people hand in for a table: made one where that is plain, refused with what to do if not."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hedgerow.base.words import listed
from hedgerow.estimators._warnings import DataWarning, warn


def as_table(X: Any) -> Any:
    """Return a table, or what may be one; raise for paths, dicts, records and the like.

    Examples
    --------
    >>> as_table("measurements.csv")
    Traceback (most recent call last):
        ...
    TypeError: X must be a table, got the path 'measurements.csv'; pandas.read_csv, or \
hedgerow.io.open_table, reads a file
    """
    _refuse_no_table(X)
    if _is_of("pyarrow", X, "RecordBatch"):
        import pyarrow

        return pyarrow.Table.from_batches([X])
    if _is_of("pandas", X, "DataFrame"):
        _refuse_repeated(X)
        return _with_nan(X)
    return X


def warn_of_names(X: Any) -> None:
    """Warn if the names of a pandas frame are no text: scikit-learn takes none of these."""
    if not _is_of("pandas", X, "DataFrame"):
        return
    names = list(X.columns)
    if any(isinstance(name, str) for name in names) or names == list(range(len(names))):
        return
    warn(
        DataWarning,
        f"names of columns must be text to be kept, got {listed(map(repr, names))}: edges have the "
        f"numbers of columns; X.columns = [str(name) for name in X.columns] makes them text",
    )


def _refuse_no_table(X: Any) -> None:
    if isinstance(X, str | os.PathLike):
        raise TypeError(
            f"X must be a table, got the path {os.fspath(X)!r}; pandas.read_csv, or "
            f"hedgerow.io.open_table, reads a file"
        )
    first = X[0] if isinstance(X, list | tuple) and X else X
    records = isinstance(X, np.ndarray) and X.dtype.names is not None
    named = isinstance(first, Mapping) and not hasattr(first, "shape")  # no sparse matrix
    if records or named:
        kind = "array of records" if records else "dict" if first is X else "list of dicts"
        raise TypeError(f"X must be a table, got {kind}; pandas.DataFrame(X) makes one")
    if X is None or isinstance(X, Iterator):
        raise TypeError(f"X must be a table, got {type(X).__name__}")


def _refuse_repeated(X: Any) -> None:
    repeated = listed(repr(name) for name in dict.fromkeys(X.columns[X.columns.duplicated()]))
    if repeated:
        raise ValueError(f"X must have column names that differ, got more than once: {repeated}")


def _with_nan(X: Any) -> Any:
    """Return a pandas frame with NaN for what is missing in columns of objects, as pandas.NA."""
    for name in X.columns[[dtype.kind == "O" for dtype in X.dtypes]]:
        missing = X[name].isna()
        if missing.any():
            X = X.copy(deep=False)
            X[name] = X[name].where(~missing, np.nan)
    return X


def _is_of(package: str, X: Any, name: str) -> bool:
    return type(X).__module__.partition(".")[0] == package and type(X).__name__ == name
