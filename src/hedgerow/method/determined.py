"""Columns that others determine exactly: a total beside its parts, or shares of one.

Scores of ranks do not show it, as the score of a sum is not the sum of scores. So the values of the
first rows are asked, where there are more of them than columns. Shares that were rounded add up to
nearly the same; of all columns together that can be seen, too.
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.moments import correlation, moments_of, varies

# Shares of variance below this are rounding: sums over rows are exact to 1e-13 or so for each.
_NOTHING = 1e-9
_ROUNDED = 1e-3  # of the sum of variances, what the total of rounded shares has at most
_FEWEST_SHARES = 3  # of two, one is the other with another sign
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


def shares_of_total(
    rows: NDArray[np.floating],
    determined: NDArray[np.bool_],
    asked: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return which columns add up to the same total in every row, none of it below zero.

    Only those that are ``asked`` count: levels of one category, yes or no, do the same.

    Examples
    --------
    >>> amounts = np.random.default_rng(0).exponential(size=(50, 4))
    >>> shares = np.column_stack([amounts / amounts.sum(axis=1, keepdims=True), amounts[:, 0] + 1])
    >>> determined = determined_columns(shares)
    >>> shares_of_total(shares, determined)
    array([ True,  True,  True,  True, False])
    >>> shares_of_total(shares[:, :4].round(2), np.zeros(4, dtype=np.bool_)).all()
    np.True_
    """
    gone = np.isnan(rows).any(axis=1)
    complete = np.asarray(rows[~gone] if gone.any() else rows, dtype=np.float64)
    none = np.zeros(rows.shape[1], dtype=np.bool_)
    if len(complete) <= _FEWEST_SHARES:
        return none
    asked = np.ones_like(none) if asked is None else asked
    amounts = np.flatnonzero((complete >= 0.0).all(axis=0) & asked)
    for some, most in ((amounts[determined[amounts]], _NOTHING), (amounts, _ROUNDED)):
        variances = complete[:, some].var(axis=0)
        constant = complete[:, some].sum(axis=1).var() <= most * variances.sum()
        if len(some) >= _FEWEST_SHARES and constant and variances.any():
            none[some] = True
            break
    return none
