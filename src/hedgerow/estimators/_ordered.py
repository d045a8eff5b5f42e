"""Columns of data frames whose categories have an order, as numbers."""

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np


def with_codes(X: Any) -> Any:
    """Return a frame with numbers for ordered categories: 1, 2, ..., or 0 and 1 if there are two.

    These are ordered categoricals of pandas and enums of polars. Anything else is left as it is.

    Examples
    --------
    >>> import polars as pl
    >>> mood = pl.Series("mood", ["fair", None, "bad"], dtype=pl.Enum(["bad", "fair", "good"]))
    >>> with_codes(mood.to_frame())["mood"].to_list()
    [2, None, 1]
    """
    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return X
    for name, dtype in frame.schema.items():
        if dtype in (nw.Categorical, nw.Enum):
            X = _with_codes(X, name, is_enum=dtype == nw.Enum)
    return X


def _with_codes(X: Any, name: str, *, is_enum: bool) -> Any:
    column = X[name]
    if type(X).__module__.startswith("pandas") and column.dtype.ordered:
        codes = column.cat.codes.to_numpy().astype(np.float64)
        codes[codes < 0] = np.nan
        X = X.copy(deep=False)
        X[name] = codes + (len(column.dtype.categories) > 2)
    elif type(X).__module__.startswith("polars") and is_enum:
        codes = column.to_physical().cast(int) + int(len(column.dtype.categories) > 2)
        X = X.with_columns(codes.alias(name))
    return X
