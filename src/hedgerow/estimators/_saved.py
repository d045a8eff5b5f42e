"""What a file must hold for a `HedgeGraph` to go on from it.

The checksum of a file guards against accidents. But another program can have written it, and
engines trust what they are given: a NaN among their sums would be an index somewhere. So all that
a learner could not have left behind is refused.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.storage import StorageError
from hedgerow.engines import Named
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.hedge import batch_ends, batch_size
from hedgerow.method.row_sample import RowSample, most_rows

# Name, kinds of numbers and dimensions, each of the length of a row.
_COUNTS = ("rows", "learned_rows")
_SCALARS = (*_COUNTS, "half_life", "weight", "squared_weight", "column_weight")
_VECTORS = ("mean", "column_mean", "column_squares", "curvature", "matched", "squared")
_MATRICES = ("products", "gradient", "average")
_NEVER_NEGATIVE = (*_SCALARS, "column_squares", "curvature", "squared")
SLACK = 1e-3  # far beyond rounding, in relations that hold between sums
_ROWS_AT_A_TIME = 64
_WITH_SUMS = {"pending", *_SCALARS, *_VECTORS, *_MATRICES}
_WITH_TABLE = {"pending", "table", "learned_rows"}
_SAMPLE = {f"sample_{name}" for name in RowSample._fields}


def check_header(header: Any, known: set[str], sound: Callable[..., object]) -> None:
    """Raise StorageError unless ``header`` has the parameters of a model, and a place for names.

    ``known`` are the names of parameters; ``sound`` is called with them and raises if they are bad.
    """
    require(isinstance(header, dict), "its header must be an object", header)
    for key in ("hedgerow", "parameters", "feature_names"):
        require(key in header, f"its header must have {key!r}", sorted(header))
    parameters = header["parameters"]
    require(isinstance(parameters, dict), "parameters must be an object", parameters)
    require(set(parameters) <= known, f"parameters must be among {sorted(known)}", parameters)
    with malformed_if(ValueError, TypeError, OverflowError):
        sound(**parameters)


def check_names(names: Any, n_columns: int) -> None:
    """Raise StorageError unless these are names of so many columns, or None."""
    if names is not None:
        are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
        require(are_names, "feature_names must be a list of texts", names)
        require(len(names) == n_columns, f"feature_names must be {n_columns}", len(names))


def count_columns(arrays: Named) -> int:
    """Return the number of columns, if there is a place that tells."""
    require("pending" in arrays, "it must have the array 'pending'", sorted(arrays))
    n_columns = int(array_of(arrays, "pending", "f", 2).shape[1])
    require(n_columns >= 2, "pending must have at least two columns", n_columns)
    return n_columns


def check_array_names(arrays: Named, more: set[str]) -> None:
    """Raise StorageError unless there are the arrays of a learner and ``more``, and no others."""
    known = names_of_learner(arrays) | more
    if _SAMPLE & set(arrays):
        known |= _SAMPLE
    for name in sorted(known - set(arrays)):
        require(False, f"it must have the array {name!r}", sorted(arrays))
    for name in sorted(set(arrays) - known):
        require(False, f"it must not have the array {name!r}", sorted(arrays))


def names_of_learner(arrays: Named) -> set[str]:
    """Return the names of arrays that a learner has."""
    return _WITH_TABLE if "table" in arrays else _WITH_SUMS


def check_learner(arrays: Named, half_life: float, largest: float) -> None:
    """Raise StorageError unless the arrays are those of a learner.

    ``largest`` is the size of the largest numbers that it can have been given.
    """
    pending, n_columns = arrays["pending"], count_columns(arrays)
    require(all_within(pending, largest), "pending must have numbers that can be squared")
    if "table" in arrays:
        _check_table(arrays, n_columns, half_life, largest)
    else:
        _check_sums(arrays, n_columns, len(pending), half_life)
        _check_moments(arrays, largest)
        _check_weights(arrays)
    learned = int(arrays["learned_rows"])
    size = batch_size(learned, half_life)
    require(len(pending) < size, f"pending must have fewer than {size} rows", len(pending))


def check_sample(arrays: Named, largest: float) -> None:
    """Raise StorageError unless rows that were kept, if any, are some of those that were learned.

    Which ones follows from how many there were.
    """
    if not _SAMPLE & set(arrays):
        return
    n_columns = count_columns(arrays)
    learned = int(arrays["learned_rows"]) + len(arrays["pending"])
    at = array_of(arrays, "sample_at", "i", 1)
    size = min(learned, most_rows(n_columns))
    require(len(at) == size, f"sample_at must be {size} numbers of rows", len(at))
    rising = bool((np.diff(at) > 0).all()) and (not size or (at[0] >= 0 and at[-1] < learned))
    require(rising, f"sample_at must be rising and below {learned}", at)
    rows = doubles_of(arrays, "sample_rows", (size, n_columns))
    require(all_within(rows, largest), "sample_rows must have numbers that can be squared")


def _check_table(arrays: Named, n_columns: int, half_life: float, largest: float) -> None:
    table = array_of(arrays, "table", "f", 2)
    require(table.shape[1] == n_columns, f"table must have {n_columns} columns", table.shape)
    require(all_within(table, largest), "table must have numbers that can be squared")
    require(half_life == NEVER, "half_life must be None with a table", half_life)
    learned = array_of(arrays, "learned_rows", "iu", 0)
    require(learned == len(table), f"learned_rows must be {len(table)}", learned)
    whole = len(table) == 0 or batch_ends(0, len(table))[-1:] == [len(table)]
    require(whole, "table must have whole batches of rows", len(table))


def _check_sums(arrays: Named, n_columns: int, n_pending: int, half_life: float) -> None:
    for dimensions, names in enumerate((_SCALARS, _VECTORS, _MATRICES)):
        for name in names:
            array = array_of(arrays, name, "iu" if name in _COUNTS else "f", dimensions)
            shape = (n_columns,) * dimensions
            require(array.shape == shape, f"{name} must be of shape {shape}", array.shape)
            if name != "half_life":
                require(all_within(array, np.inf), f"{name} must be finite")
            if name in _NEVER_NEGATIVE:
                require(not (array < 0).any(), f"{name} must not be negative")
    _check_counts(arrays, n_pending, half_life)


def _check_counts(arrays: Named, n_pending: int, half_life: float) -> None:
    """Compare the numbers of rows and their weights, which follow from each other."""
    found, learned, rows = (arrays[name][()] for name in ("half_life", "learned_rows", "rows"))
    require(found == half_life, f"half_life must be {half_life:g}, as its parameter is", found)
    require(int(rows) == int(learned) + n_pending, f"rows must be {learned} + {n_pending}", rows)
    weight, squared = float(arrays["weight"]), float(arrays["squared_weight"])
    before = float(arrays["column_weight"])
    require((rows > 0) == (weight > 0), "weight must be that of its rows", weight)
    require((learned > 0) == (before > 0), "column_weight must be that of its rows", before)
    if rows > 0:
        effective = effective_rows(int(rows), half_life)
        ratio = weight / effective * (weight / squared) if squared > 0 else 0.0
        close = abs(ratio - 1.0) <= SLACK
        require(close, f"weights must be those of {rows} rows", (weight, squared))
    # The last of 16 half-lives, and a batch, count up to 2**17 times as much as the first.
    require(weight <= 2.0**19 * half_life, "weight must be that of its rows", weight)
    if half_life == NEVER:
        expected = (float(rows), float(learned))
        require((weight, before) == expected, f"weights must be {expected}", (weight, before))
    require(before <= weight, f"column_weight must be up to {weight}", before)


def _check_moments(arrays: Named, largest: float) -> None:
    products, weight = arrays["products"], max(float(arrays["weight"]), 1.0)
    squares = np.diag(products)
    require(not (squares < 0).any(), "products must have a diagonal that is not negative")
    for name, values in (
        ("mean", arrays["mean"]),
        ("column_mean", arrays["column_mean"]),
        ("products", np.sqrt(squares / weight)),
        ("column_squares", np.sqrt(arrays["column_squares"] / weight)),
    ):
        within = all_within(values, largest * (1 + SLACK))
        require(within, f"{name} must come from numbers of size up to {largest:g}")
    roots = np.sqrt(squares) * (1 + SLACK)
    for start in range(0, len(products), _ROWS_AT_A_TIME):
        some = slice(start, start + _ROWS_AT_A_TIME)
        bound = roots[some, None] * roots
        possible = (np.abs(products[some]) <= bound).all()
        require(possible, "products must have no correlation beyond one")
        require(np.array_equal(products[some], products[:, some].T), "products must be symmetric")


def _check_weights(arrays: Named) -> None:
    """Compare gradients with their squares, and weights with the ball that they are in."""
    steps = float(arrays["learned_rows"]) + 1.0
    steepest = np.sqrt(steps * arrays["curvature"]) * (1 + SLACK) + SLACK
    for start in range(0, len(steepest), _ROWS_AT_A_TIME):
        some = slice(start, start + _ROWS_AT_A_TIME)
        gradient, average = np.abs(arrays["gradient"][some]), np.abs(arrays["average"][some])
        possible = (gradient <= steepest[some, None]).all()
        require(possible, "gradient must not exceed what curvature allows")
        require(average.max() <= 1 + SLACK, "average must have weights up to one")


def array_of(arrays: Named, name: str, kinds: str, dimensions: int) -> NDArray[Any]:
    """Return an array if it is of these kinds and dimensions; raise StorageError otherwise."""
    array = arrays[name]
    least = 4 if kinds == "f" else 8 if "i" in kinds else 1  # counts go on in the type they have
    require(
        array.dtype.kind in kinds and array.ndim == dimensions and array.dtype.itemsize >= least,
        f"{name} must be of {dimensions} dimensions and the right kind of numbers",
        f"{array.dtype} of shape {array.shape}",
    )
    return array


def all_within(array: NDArray[Any], most: float) -> bool:
    """Whether all numbers are finite, and none is larger."""
    if not array.size:
        return True
    low, high = float(array.min()), float(array.max())  # NaN if any number is
    return np.isfinite(low + high) and max(-low, high) <= most


@contextmanager
def malformed_if(*errors: type[Exception]) -> Iterator[None]:
    """Make a StorageError of these errors."""
    try:
        yield
    except errors as error:
        raise StorageError(f"malformed model, {error}") from None


def require(condition: Any, rule: str, found: Any = None) -> None:
    """Raise StorageError unless the condition holds."""
    if not condition:
        got = "" if found is None else f", got {found!s:.200}"
        raise StorageError(f"malformed model, {rule}{got}")


def doubles_of(arrays: Named, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """Return an array of numbers in double precision and of this shape; None is any length."""
    array = array_of(arrays, name, "f", len(shape))
    fits = all(asked in (None, found) for asked, found in zip(shape, array.shape))
    require(fits, f"{name} must be of shape {shape}", array.shape)
    require(array.dtype == np.float64, f"{name} must be in double precision", array.dtype)
    return array
