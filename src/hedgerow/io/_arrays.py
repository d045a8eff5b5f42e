"""Files that hold one matrix: NumPy's ``.npy`` and AnnData's ``.h5ad``."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from hedgerow.io._source import Batch, Column, DataError, numbered, optional, rows_at_once

Rows = Callable[[int, int], Any]  # a slice of rows, all columns


class Matrix:
    """Rows of a matrix, from a function that reads a slice of them."""

    place = "row"

    def __init__(self, n_rows: int, names: list[str], rows: Rows) -> None:
        self._n_rows = n_rows
        self.total: int | None = n_rows
        self.columns = [Column(name, None) for name in names]
        self._rows = rows

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        at_once = rows_at_once(len(self.columns))
        for start in range(0, self._n_rows, at_once):
            stop = min(start + at_once, self._n_rows)
            rows = np.asarray(self._rows(start, stop)[:, chosen], dtype=np.float64)
            yield Batch(rows, np.arange(start + 1, stop + 1), stop)


def open_npy(path: Path, stack: ExitStack) -> Matrix:
    """Open a NumPy array without reading it; nothing in it is ever run."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        # NumPy's own words here advise to allow pickles, which is bad advice.
        raise DataError("the file must hold one NumPy array of numbers") from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "iufb":
        found = f"{array.ndim}-dimensional {array.dtype}" if hasattr(array, "ndim") else "several"
        raise DataError(f"the array must be two-dimensional and of numbers, got {found}")
    return Matrix(len(array), numbered(array.shape[1]), lambda start, stop: array[start:stop])


def open_h5ad(path: Path, stack: ExitStack) -> Matrix:
    """Open the matrix X of an AnnData file, dense or sparse, with the names of its variables."""
    h5py = optional("h5py", "h5ad")
    try:
        file = stack.enter_context(h5py.File(path, "r"))
        matrix = file["X"]
        names = _variable_names(file["var"])
        shape, rows = _dense(matrix) if isinstance(matrix, h5py.Dataset) else _sparse(matrix)
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"the file must be AnnData with X and var, got {error}") from error
    if len(names) != shape[1]:
        raise DataError(f"X must have a column for each variable ({len(names)}), got {shape[1]}")
    return Matrix(shape[0], names, rows)


def _variable_names(var: Any) -> list[str]:
    names = var[var.attrs["_index"]]
    return [str(name) for name in names.asstr()[:]]


def _dense(matrix: Any) -> tuple[tuple[int, int], Rows]:
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise ValueError(f"X must be two-dimensional and of numbers, got {matrix.dtype}")
    return matrix.shape, lambda start, stop: matrix[start:stop]


def _sparse(group: Any) -> tuple[tuple[int, int], Rows]:
    kind = group.attrs["encoding-type"]
    n_rows, n_columns = map(int, group.attrs["shape"])
    shape = (n_rows, n_columns)
    if kind == "csc_matrix":
        # Rows cannot be cut from columns one by one: the stored values are read at once.
        columns = csc_array(tuple(group[part][:] for part in ("data", "indices", "indptr")), shape)
        columns.check_format(full_check=True)
        whole = csr_array(columns)
        return shape, lambda start, stop: whole[start:stop].toarray()
    if kind != "csr_matrix":
        raise ValueError(f"X must be csr_matrix, csc_matrix or array, got {kind!r}")
    return shape, lambda start, stop: _csr_rows(group, n_columns, start, stop).toarray()


def _csr_rows(group: Any, n_columns: int, start: int, stop: int) -> csr_array:
    bounds = group["indptr"][start : stop + 1]
    stored = slice(bounds[0], bounds[-1])
    parts = group["data"][stored], group["indices"][stored], bounds - bounds[0]
    rows = csr_array(parts, shape=(stop - start, n_columns))
    # Compiled code trusts the indices.
    rows.check_format(full_check=True)
    return rows
