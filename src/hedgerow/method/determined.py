"""Columns that others determine exactly: a total beside its parts.

Scores of ranks do not show it, as the score of a sum is not the sum of scores. So the values of the
first rows are asked, where there are more of them than columns.
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.moments import correlation, moments_of, varies

# Shares of variance below this are rounding: sums over rows are exact to 1e-13 or so for each.
_NOTHING = 1e-9
_TAKES_PART = 1e-6  # squared coefficient, of all of a relation, of a column that is part of it


def determined_columns(rows: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return which columns take part in an exact linear relation.

    Examples
    --------
    >>> parts = np.random.default_rng(0).standard_normal((20, 3))
    >>> determined_columns(np.column_stack([parts, parts[:, 0] + parts[:, 1]]))
    array([ True,  True, False,  True])
    """
    found = np.zeros(rows.shape[1], dtype=np.bool_)
    gone = np.isnan(rows).any(axis=1)
    if gone.any():
        rows = rows[~gone]
    if len(rows) <= rows.shape[1] + 1:
        return found
    moments = moments_of(np.asarray(rows, dtype=np.float64))
    some = np.flatnonzero(varies(moments))
    if len(some) < 2:
        return found
    corr = correlation(moments)
    if len(some) < len(corr):
        corr = corr[np.ix_(some, some)]
    try:  # the common case, and quick
        np.linalg.cholesky(corr - _NOTHING * np.eye(len(some)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(corr)
        relations = vectors[:, values < _NOTHING]
        found[some] = np.square(relations).sum(axis=1) > _TAKES_PART
    return found
