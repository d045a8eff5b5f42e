"""Files that hold one matrix: NumPy's ``.npy`` and AnnData's ``.h5ad``."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from hedgerow.base.words import listed
from hedgerow.io.source import (
    NOT_NUMERIC,
    Batch,
    Column,
    DataError,
    numbered,
    optional,
    readable,
    rows_at_once,
)

MOST_VARIABLES = 10_000_000  # a file can declare any number without holding one
# In a batch, however many columns there are: half as many as wait before any is learned from.
_LEAST_ROWS = 256

Rows = Callable[[int, int], Any]  # a slice of rows, all columns


class Matrix:
    """Rows of a matrix, from a function that reads a slice of them."""

    place = "row"

    def __init__(self, n_rows: int, columns: list[Column], rows: Rows) -> None:
        self._n_rows = n_rows
        self.total: int | None = n_rows
        self.columns = columns
        self.beside: list[int] = []
        self._rows = rows

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        at_once = max(rows_at_once(len(self.columns)), _LEAST_ROWS)
        every = chosen == list(range(len(self.columns)))
        for start in range(0, self._n_rows, at_once):
            stop = min(start + at_once, self._n_rows)
            rows = self._rows(start, stop)
            beside = [rows[:, j].tolist() for j in self.beside]
            numbers = np.arange(start + 1, stop + 1)
            used = rows if every else rows[:, chosen]
            yield Batch(np.array(used, np.float64), numbers, stop, beside=beside)


def open_npy(path: Path, stack: ExitStack) -> Matrix:
    """Open a NumPy array without reading it; nothing in it is ever run."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # of many kinds, since what is no array is tried as an archive
        # NumPy's own words here advise to allow pickles, which is bad advice.
        raise DataError("the file must hold one NumPy array of numbers") from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "iufb":
        found = f"{array.ndim}-dimensional {array.dtype}" if hasattr(array, "ndim") else "several"
        raise DataError(f"the array must be two-dimensional and of numbers, got {found}")
    columns = [Column(name, None) for name in numbered(array.shape[1])]
    return Matrix(len(array), columns, lambda start, stop: array[start:stop])


def open_h5ad(
    path: Path, stack: ExitStack, *, layer: str | None = None, obs: Sequence[str] = ()
) -> Matrix:
    """Open a matrix of an AnnData file, dense or sparse, with the names of its variables.

    The matrix is X, or the layer called ``layer``. Columns of ``obs``, given by names or patterns
    with ``*`` and ``?``, are further variables, after those of the matrix.
    """
    h5py = optional("h5py", "h5ad")
    with readable("the file must be AnnData with X and var"):
        file = stack.enter_context(h5py.File(path, "r"))
        matrix, where = _matrix(file, layer, h5py)
        names = _variable_names(file["var"])
        shape, rows = _dense(matrix) if isinstance(matrix, h5py.Dataset) else _sparse(matrix)
        if len(names) != shape[1]:
            raise DataError(
                f"{where} must have a column for each variable ({len(names)}), got {shape[1]}"
            )
        more = [
            (name, _obs_values(file["obs"], name, shape[0], h5py)) for name in _asked(file, obs)
        ]
    for name, values in more:
        if values is None and name in obs:
            raise DataError(f"column {name!r} of obs cannot be learned from: {NOT_NUMERIC}")
    columns = [Column(name, None) for name in names]
    columns += [Column(name, None if values else NOT_NUMERIC) for name, values in more]
    return Matrix(shape[0], columns, _beside(rows, [values for _, values in more]))


def _matrix(file: Any, layer: str | None, h5py: Any) -> tuple[Any, str]:
    """Return X or a layer, and how to call it."""
    layers = list(file["layers"]) if "layers" in file else []
    known = f"there are {listed(map(repr, layers))}" if layers else "the file has none"
    if layer is not None:
        if layer not in layers:
            raise DataError(f"no layer is called {layer!r}; {known}")
        return file["layers"][layer], f"layer {layer!r}"
    matrix = file.get("X")
    # Where there is no X, files have nothing, a dataset without a shape, or an empty group.
    is_data = isinstance(matrix, h5py.Dataset) and matrix.shape is not None
    if not is_data and not (isinstance(matrix, h5py.Group) and len(matrix)):
        message = "the file must be AnnData with X and var, got no X"
        if not layers:
            raise DataError(f"{message}, and no layers")
        raise DataError(
            f"{message}; of layers {known}", ("layer", layers[0]), "reads a layer instead"
        )
    return matrix, "X"


def _variable_names(var: Any) -> list[str]:
    names = var[var.attrs["_index"]]
    if names.size > MOST_VARIABLES:
        raise ValueError(f"{names.size} variables; there must be at most {MOST_VARIABLES}")
    return [str(name) for name in names.asstr()[:]]


def _asked(file: Any, obs: Sequence[str]) -> list[str]:
    """Return the columns of obs that are asked for, in the order of the file."""
    if not obs:
        return []
    if "obs" not in file:
        raise DataError("columns of obs must be in the file, got a file without obs")
    names = [_decoded(name) for name in file["obs"].attrs["column-order"]]
    asked: set[str] = set()
    for word in obs:
        matches = {name for name in names if name == word} or {
            name for name in names if fnmatchcase(name, word)
        }
        if not matches:
            close = get_close_matches(word, names, n=1)
            there = f"there are {listed(map(repr, names))}" if names else "it has none"
            hint = f"did you mean {close[0]!r}?" if close else there
            raise DataError(f"no column of obs is called {word!r}; {hint}")
        asked |= matches
    return [name for name in names if name in asked]


def _decoded(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _obs_values(obs: Any, name: str, n_rows: int, h5py: Any) -> Rows | None:
    """Return a way to the numbers of a column of obs, or None if it has none."""
    stored, mask = obs[name], None
    # Categories are kept as numbers that mean nothing; older files mark them by an attribute.
    if "categories" in stored.attrs:
        return None
    if isinstance(stored, h5py.Group):
        if stored.attrs.get("encoding-type") not in ("nullable-integer", "nullable-boolean"):
            return None
        stored, mask = stored["values"], stored["mask"]
    if stored.dtype.kind not in "iufb":
        return None
    for part in (stored, mask):
        if part is not None and part.shape != (n_rows,):
            raise DataError(
                f"column {name!r} of obs must have a value for each row ({n_rows}), "
                f"got the shape {part.shape}"
            )
    return lambda start, stop: _masked(stored[start:stop], mask, start, stop)


def _masked(values: Any, mask: Any, start: int, stop: int) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    return numbers if mask is None else np.where(mask[start:stop], np.nan, numbers)


def _beside(rows: Rows, more: list[Rows | None]) -> Rows:
    """Return rows with further columns on their right; those without values are never chosen."""

    def read(start: int, stop: int) -> Any:
        with readable(f"rows {start + 1} to {stop} cannot be read"):
            left = rows(start, stop)
            if not more:
                return left
            empty = np.full(stop - start, np.nan)
            right = [values(start, stop) if values else empty for values in more]
            return np.column_stack([left, *right])

    return read


def _dense(matrix: Any) -> tuple[tuple[int, int], Rows]:
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise ValueError(f"X must be two-dimensional and of numbers, got {matrix.dtype}")
    return matrix.shape, lambda start, stop: matrix[start:stop]


def _sparse(group: Any) -> tuple[tuple[int, int], Rows]:
    kind = group.attrs["encoding-type"]
    n_rows, n_columns = map(int, group.attrs["shape"])
    shape = (n_rows, n_columns)
    n_bounds = {"csr_matrix": n_rows, "csc_matrix": n_columns}.get(kind, 0) + 1
    if kind.endswith("_matrix") and group["indptr"].shape != (n_bounds,):
        raise ValueError(f"indptr must have {n_bounds} entries, got {group['indptr'].shape}")
    if kind == "csc_matrix":
        # Rows cannot be cut from columns one by one: the stored values are read at once.
        bounds = _bounds(group, 0, n_columns)
        columns = csc_array((group["data"][:], group["indices"][:], bounds), shape)
        columns.check_format(full_check=True)
        whole = csr_array(columns)
        return shape, lambda start, stop: whole[start:stop].toarray()
    if kind != "csr_matrix":
        raise ValueError(f"X must be csr_matrix, csc_matrix or array, got {kind!r}")
    return shape, lambda start, stop: _csr_rows(group, n_columns, start, stop).toarray()


def _csr_rows(group: Any, n_columns: int, start: int, stop: int) -> csr_array:
    bounds = _bounds(group, start, stop)
    stored = slice(bounds[0], bounds[-1])
    parts = group["data"][stored], group["indices"][stored], bounds - bounds[0]
    rows = csr_array(parts, shape=(stop - start, n_columns))
    # Compiled code trusts the indices.
    rows.check_format(full_check=True)
    return rows


def _bounds(group: Any, start: int, stop: int) -> Any:
    """Return where the stored values of some rows begin and end; SciPy's own check has gaps."""
    bounds = group["indptr"][start : stop + 1]
    if bounds[0] < 0 or bounds[-1] > len(group["data"]) or np.any(bounds[1:] < bounds[:-1]):
        raise ValueError(f"indptr must increase from 0 to at most {len(group['data'])}")
    return bounds
