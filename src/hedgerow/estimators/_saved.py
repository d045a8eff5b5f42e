"""What a file must hold for a `HedgeGraph` to go on from it.

The checksum of a file guards against accidents. But another program can have written it, and
engines trust what they are given: a NaN among their sums would be an index somewhere. So all that
a learner could not have left behind is refused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.base.storage import StorageError
from hedgerow.engines import Named
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.hedge import batch_ends, batch_size

# Name, kinds of numbers and dimensions, each of the length of a row.
_COUNTS = ("rows", "learned_rows")
_SCALARS = (*_COUNTS, "half_life", "weight", "squared_weight", "column_weight")
_VECTORS = ("mean", "column_mean", "column_squares", "curvature", "matched", "squared")
_MATRICES = ("products", "gradient", "average")
_NEVER_NEGATIVE = (*_SCALARS, "column_squares", "curvature", "squared")
_SLACK = 1e-3  # far beyond rounding, in relations that hold between sums
_ROWS_AT_A_TIME = 64


def check_header(header: Any, known: set[str], sound: Callable[..., object]) -> None:
    """Raise StorageError unless ``header`` has the parameters of a model, and a place for names.

    ``known`` are the names of parameters; ``sound`` is called with them and raises if they are bad.
    """
    _require(isinstance(header, dict), "its header must be an object", header)
    for key in ("hedgerow", "parameters", "feature_names"):
        _require(key in header, f"its header must have {key!r}", sorted(header))
    parameters = header["parameters"]
    _require(isinstance(parameters, dict), "parameters must be an object", parameters)
    _require(set(parameters) <= known, f"parameters must be among {sorted(known)}", parameters)
    try:
        sound(**parameters)
    except (ValueError, TypeError, OverflowError) as error:
        raise StorageError(f"malformed model, {error}") from None


def check_names(names: Any, n_columns: int) -> None:
    """Raise StorageError unless these are names of so many columns, or None."""
    if names is not None:
        are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
        _require(are_names, "feature_names must be a list of texts", names)
        _require(len(names) == n_columns, f"feature_names must be {n_columns}", len(names))


def check_arrays(arrays: Named, half_life: float) -> int:
    """Raise StorageError unless the arrays are those of a learner; return its number of columns."""
    pending = _array(arrays, "pending", "f", 2)
    n_columns = int(pending.shape[1])
    _require(n_columns >= 2, "pending must have at least two columns", n_columns)
    _require(_all_within(pending, LARGEST_NUMBER), "pending must have numbers that can be squared")
    if "table" in arrays:
        _check_table(arrays, n_columns, half_life)
    else:
        _check_sums(arrays, n_columns, len(pending), half_life)
    learned = int(arrays["learned_rows"])
    size = batch_size(learned, half_life)
    _require(len(pending) < size, f"pending must have fewer than {size} rows", len(pending))
    return n_columns


def _check_table(arrays: Named, n_columns: int, half_life: float) -> None:
    table = _array(arrays, "table", "f", 2)
    only = {"table", "learned_rows", "pending"}
    _require(set(arrays) == only, f"with a table there must be {sorted(only)}", sorted(arrays))
    _require(table.shape[1] == n_columns, f"table must have {n_columns} columns", table.shape)
    _require(_all_within(table, LARGEST_NUMBER), "table must have numbers that can be squared")
    _require(half_life == NEVER, "half_life must be None with a table", half_life)
    learned = _array(arrays, "learned_rows", "iu", 0)
    _require(learned == len(table), f"learned_rows must be {len(table)}", learned)
    whole = len(table) == 0 or batch_ends(0, len(table))[-1:] == [len(table)]
    _require(whole, "table must have whole batches of rows", len(table))


def _check_sums(arrays: Named, n_columns: int, n_pending: int, half_life: float) -> None:
    for dimensions, names in enumerate((_SCALARS, _VECTORS, _MATRICES)):
        for name in names:
            array = _array(arrays, name, "iu" if name in _COUNTS else "f", dimensions)
            shape = (n_columns,) * dimensions
            _require(array.shape == shape, f"{name} must be of shape {shape}", array.shape)
            if name != "half_life":
                _require(_all_within(array, np.inf), f"{name} must be finite")
            if name in _NEVER_NEGATIVE:
                _require(not (array < 0).any(), f"{name} must not be negative")
    _check_counts(arrays, n_pending, half_life)
    _check_moments(arrays)
    _check_learner(arrays)


def _check_counts(arrays: Named, n_pending: int, half_life: float) -> None:
    """Compare the numbers of rows and their weights, which follow from each other."""
    found, learned, rows = (arrays[name][()] for name in ("half_life", "learned_rows", "rows"))
    _require(found == half_life, f"half_life must be {half_life:g}, as its parameter is", found)
    _require(int(rows) == int(learned) + n_pending, f"rows must be {learned} + {n_pending}", rows)
    weight, squared = float(arrays["weight"]), float(arrays["squared_weight"])
    before = float(arrays["column_weight"])
    _require((rows > 0) == (weight > 0), "weight must be that of its rows", weight)
    _require((learned > 0) == (before > 0), "column_weight must be that of its rows", before)
    if rows > 0:
        effective = effective_rows(int(rows), half_life)
        ratio = weight / effective * (weight / squared) if squared > 0 else 0.0
        close = abs(ratio - 1.0) <= _SLACK
        _require(close, f"weights must be those of {rows} rows", (weight, squared))
    # The last of 16 half-lives, and a batch, count up to 2**17 times as much as the first.
    _require(weight <= 2.0**19 * half_life, "weight must be that of its rows", weight)
    if half_life == NEVER:
        expected = (float(rows), float(learned))
        _require((weight, before) == expected, f"weights must be {expected}", (weight, before))
    _require(before <= weight, f"column_weight must be up to {weight}", before)


def _check_moments(arrays: Named) -> None:
    products, weight = arrays["products"], max(float(arrays["weight"]), 1.0)
    squares = np.diag(products)
    _require(not (squares < 0).any(), "products must have a diagonal that is not negative")
    for name, values, most in (
        ("mean", arrays["mean"], LARGEST_NUMBER),
        ("column_mean", arrays["column_mean"], LARGEST_NUMBER),
        ("products", np.sqrt(squares / weight), LARGEST_NUMBER),
        ("column_squares", np.sqrt(arrays["column_squares"] / weight), LARGEST_NUMBER),
    ):
        within = _all_within(values, most * (1 + _SLACK))
        _require(within, f"{name} must come from numbers of size up to {most:g}")
    roots = np.sqrt(squares) * (1 + _SLACK)
    for start in range(0, len(products), _ROWS_AT_A_TIME):
        some = slice(start, start + _ROWS_AT_A_TIME)
        bound = roots[some, None] * roots
        possible = (np.abs(products[some]) <= bound).all()
        _require(possible, "products must have no correlation beyond one")
        _require(np.array_equal(products[some], products[:, some].T), "products must be symmetric")


def _check_learner(arrays: Named) -> None:
    """Compare gradients with their squares, and weights with the ball that they are in."""
    steps = float(arrays["learned_rows"]) + 1.0
    steepest = np.sqrt(steps * arrays["curvature"]) * (1 + _SLACK) + _SLACK
    for start in range(0, len(steepest), _ROWS_AT_A_TIME):
        some = slice(start, start + _ROWS_AT_A_TIME)
        gradient, average = np.abs(arrays["gradient"][some]), np.abs(arrays["average"][some])
        possible = (gradient <= steepest[some, None]).all()
        _require(possible, "gradient must not exceed what curvature allows")
        _require(average.max() <= 1 + _SLACK, "average must have weights up to one")


def _array(arrays: Named, name: str, kinds: str, dimensions: int) -> NDArray[Any]:
    _require(name in arrays, f"it must have the array {name!r}", sorted(arrays))
    array = arrays[name]
    sound = array.dtype.kind in kinds and array.ndim == dimensions
    _require(
        sound and (kinds != "f" or array.dtype.itemsize >= 4),
        f"{name} must be of {dimensions} dimensions and the right kind of numbers",
        f"{array.dtype} of shape {array.shape}",
    )
    return array


def _all_within(array: NDArray[Any], most: float) -> bool:
    """Whether all numbers are finite, and none is larger."""
    if not array.size:
        return True
    low, high = float(array.min()), float(array.max())  # NaN if any number is
    return np.isfinite(low + high) and max(-low, high) <= most


def _require(condition: Any, rule: str, found: Any = None) -> None:
    if not condition:
        got = "" if found is None else f", got {found!s:.200}"
        raise StorageError(f"malformed model, {rule}{got}")
