"""Times that a data frame has for its rows, in its index: whether rows are in their order."""

from typing import Any

import numpy as np

from hedgerow.estimators._assumptions import INDEPENDENT
from hedgerow.estimators._warnings import GuaranteeWarning, warn


def warn_of_times(X: Any, rows: str) -> None:
    """Warn if rows that may be related in time are not in the order of a pandas index of times."""
    index = getattr(X, "index", None)
    if rows == INDEPENDENT or getattr(getattr(index, "dtype", None), "kind", "") != "M":
        return
    times = (X.index if X.index.tz is None else X.index.tz_convert(None)).to_numpy()
    n_back = int((np.diff(times) < np.timedelta64(0)).sum())
    n_same = len(times) - len(np.unique(times))
    if n_back:
        warn(
            GuaranteeWarning,
            f"times in the index go back in {n_back:,} of {len(times):,} rows: what rows remember "
            f"cannot be measured so; sort them (X.sort_index()), or say rows='independent'",
        )
    if n_same:
        warn(
            GuaranteeWarning,
            f"{n_same:,} of {len(times):,} rows have the time of another in the index: rows of "
            f"several things at one time, or that repeat, are not independent",
        )
