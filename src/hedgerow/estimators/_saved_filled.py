"""What a file must hold of gaps that were filled in, and of the sizes of rows.

The same rule as in `_saved`: what no learner could have left behind is refused.
"""

import numpy as np

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.engines import Named
from hedgerow.estimators._filled_rows import PREFIX
from hedgerow.estimators._saved import SLACK, all_within, array_of, doubles_of, require
from hedgerow.method.gap_scores import POINTS
from hedgerow.method.gaps import Expected
from hedgerow.method.residuals import LAGS
from hedgerow.method.row_sizes import RowSizes
from hedgerow.method.telling import Telling

_SIZES = {f"size_{name}" for name in RowSizes._fields}
_COUNTS = {
    f"{PREFIX}{name}"
    for name in (
        *("rows", "missing", "outlying", "cells", "covariance", "weight", "there", "since"),
        *("both_gone", "ranked", "guesses", "shift"),
        *(f"told_{name}" for name in Telling._fields),
    )
}
_PER_ONE = f"{PREFIX}per_one"  # models of 0.2 do not have it
_EXPECTED = {f"{PREFIX}expected_{name}" for name in Expected._fields}
_JUDGES = {
    f"{PREFIX}judge_{name}"
    for name in ("centre", "scale", "residual", "starts", "neighbours", "coefficients", "limit")
}


def names_of_filled(arrays: Named) -> set[str]:
    """Return the names of arrays that there must be, once rows were learned from."""
    names = _SIZES | _COUNTS | ({_PER_ONE} & set(arrays))
    for some in (_EXPECTED, _JUDGES):
        names |= some if some & set(arrays) else set()
    return names


def check_filled(arrays: Named, normal: bool, rows: int) -> None:
    """Raise StorageError unless the arrays are those that filled and divided rows leave."""
    _check_sizes(arrays, normal)
    n_columns = len(arrays["as_is"])
    seen = array_of(arrays, f"{PREFIX}rows", "iu", 0)
    require(int(seen) == rows, f"{PREFIX}rows must be {rows}", seen)
    since = array_of(arrays, f"{PREFIX}since", "iu", 0)
    require(0 <= int(since) <= rows, f"{PREFIX}since must be in [0, {rows}]", since)
    for name in ("missing", "outlying"):
        number = array_of(arrays, f"{PREFIX}{name}", "iu", 1)
        possible = len(number) == n_columns and ((number >= 0) & (number <= rows)).all()
        require(possible, f"{PREFIX}{name} must be numbers of rows", number)
    cells = array_of(arrays, f"{PREFIX}cells", "iu", 2)
    inside = cells.shape[1] == 2 and ((cells >= 0) & (cells < [rows, n_columns])).all()
    require(inside, f"{PREFIX}cells must be rows and columns", cells)
    weight = doubles_of(arrays, f"{PREFIX}weight", ())
    require(0 < weight < np.inf, f"{PREFIX}weight must be positive", weight)
    if _PER_ONE in arrays:
        per_one = float(doubles_of(arrays, _PER_ONE, ()))
        require(1 <= per_one <= 1 + 2 * LAGS, f"{_PER_ONE} must be up to {1 + 2 * LAGS}", per_one)
    there = doubles_of(arrays, f"{PREFIX}there", (n_columns,))
    possible = ((there >= 0) & (there <= weight * (1 + SLACK))).all()
    require(possible, f"{PREFIX}there must be in [0, {weight:g}]", there)
    _check_together(arrays, n_columns)
    _check_model(arrays, n_columns)


def _check_together(arrays: Named, n_columns: int) -> None:
    some = (arrays[f"{PREFIX}missing"] + arrays[f"{PREFIX}outlying"]).any()
    size = n_columns if some else 0
    both = doubles_of(arrays, f"{PREFIX}both_gone", (size, size))
    if size:
        weight = arrays[f"{PREFIX}weight"]
        gone, slack = weight - arrays[f"{PREFIX}there"], SLACK * weight
        sound = all_within(both, np.inf) and (both >= 0).all() and (both == both.T).all()
        sound = sound and (np.abs(np.diag(both) - gone) <= slack).all()
        least = np.minimum(gone, gone[:, None]) + slack
        require(sound and (both <= least).all(), f"{PREFIX}both_gone must be weights of rows")
    for name in Telling._fields:
        told = doubles_of(arrays, f"{PREFIX}told_{name}", (n_columns,))
        require(all_within(told, np.inf), f"{PREFIX}told_{name} must be finite")
    squares = arrays[f"{PREFIX}told_squares"]
    require((squares >= 0).all(), f"{PREFIX}told_squares must not be negative", squares)


def _check_model(arrays: Named, n_columns: int) -> None:
    modelled = f"{PREFIX}expected_centre" in arrays
    size = n_columns if modelled else 0
    covariance = doubles_of(arrays, f"{PREFIX}covariance", (size, size))
    require(all_within(covariance, np.inf), f"{PREFIX}covariance must be finite")
    require((np.diag(covariance) >= 0).all(), f"{PREFIX}covariance must have a positive diagonal")
    symmetric = np.allclose(covariance, covariance.T, rtol=SLACK, atol=0.0)
    require(symmetric, f"{PREFIX}covariance must be symmetric")
    ranked = array_of(arrays, f"{PREFIX}ranked", "b", 1)
    require(len(ranked) == n_columns, f"{PREFIX}ranked must be {n_columns}", len(ranked))
    points = (size, len(POINTS) if modelled else 0)
    for name in ("guesses", "shift"):
        table = doubles_of(arrays, f"{PREFIX}{name}", points)
        require(all_within(table, np.inf), f"{PREFIX}{name} must be finite")
    require((arrays[f"{PREFIX}guesses"] >= 0).all(), f"{PREFIX}guesses must not be negative")
    if modelled:
        _check_sparse(arrays, "expected_", "precision", n_columns)
    if f"{PREFIX}judge_centre" in arrays:
        _check_sparse(arrays, "judge_", "coefficients", n_columns)
        residual = doubles_of(arrays, f"{PREFIX}judge_residual", (n_columns,))
        require((residual > 0).all(), f"{PREFIX}judge_residual must be positive", residual)
        limit = doubles_of(arrays, f"{PREFIX}judge_limit", ())
        require(0 < limit < np.inf, f"{PREFIX}judge_limit must be positive", limit)


def _check_sparse(arrays: Named, kind: str, entries: str, n_columns: int) -> None:
    name = f"{PREFIX}{kind}"
    centre = doubles_of(arrays, f"{name}centre", (n_columns,))
    scale = doubles_of(arrays, f"{name}scale", (n_columns,))
    require(all_within(centre, np.inf), f"{name}centre must be finite")
    require((scale > 0).all(), f"{name}scale must be positive", scale)
    starts = array_of(arrays, f"{name}starts", "iu", 1)
    neighbours = array_of(arrays, f"{name}neighbours", "iu", 1)
    values = doubles_of(arrays, f"{name}{entries}", (len(neighbours),))
    rises = len(starts) == n_columns + 1 and (np.diff(starts) >= 0).all()
    whole = rises and starts[0] == 0 and starts[-1] == len(neighbours)
    require(whole, f"{name}starts must rise from 0 to {len(neighbours)}", starts)
    known = ((neighbours >= 0) & (neighbours < n_columns)).all()
    require(known, f"{name}neighbours must be columns", neighbours)
    require(all_within(values, np.inf), f"{name}{entries} must be finite")


def _check_sizes(arrays: Named, normal: bool) -> None:
    n_columns = len(arrays["as_is"])
    columns = array_of(arrays, "size_columns", "i", 1)
    number = len(columns)
    centre = doubles_of(arrays, "size_centre", (n_columns,))
    shape = doubles_of(arrays, "size_shape", (number, number))
    typical, trust, votes = (
        doubles_of(arrays, f"size_{name}", ()) for name in ("typical", "trust", "votes")
    )
    require(not (normal and number), "normal rows must not be divided by their sizes")
    known = ((columns >= 0) & (columns < n_columns)).all() and (np.diff(columns) > 0).all()
    require(known, "size_columns must be columns, in order", columns)
    for name, values in (("centre", centre), ("shape", shape), ("typical", typical)):
        require(all_within(values, np.inf), f"size_{name} must be finite")
    largest = 2 * LARGEST_NUMBER
    require(all_within(centre, largest), f"size_centre must be of size up to {largest:g}")
    require(0 <= trust < 1, "size_trust must be in [0, 1)", trust)
    most = max(number, 1) * (1 + SLACK)
    require(0 < votes <= most, f"size_votes must be in (0, {most:g}]", votes)
