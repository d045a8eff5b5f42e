"""Read a matrix from a file, without running anything that the file may contain."""

import csv
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy import sparse


def read_matrix(path: Path) -> Any:
    """Return the matrix in a ``.npy``, ``.npz`` or ``.csv`` file, sparse if it was saved sparse."""
    if path.suffix == ".csv":
        return _read_csv(path)
    if path.suffix not in (".npy", ".npz"):
        raise ValueError(f"file name must end in .npy, .npz or .csv, got {path.name!r}")
    try:
        return _read_numpy(path)
    except (ValueError, EOFError, KeyError, BadZipFile) as error:
        # NumPy's own words here advise to allow pickles, which is bad advice.
        raise ValueError(
            "file must hold one NumPy array or SciPy sparse array of numbers"
        ) from error


def _read_numpy(path: Path) -> Any:
    content = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return content
    with content as archive:
        if "format" not in archive:
            (only,) = archive.values()
            return only
    matrix = sparse.load_npz(path)
    if matrix.format in ("csr", "csc", "bsr"):
        # Compiled code trusts the indices of these formats.
        matrix.check_format(full_check=True)
    return matrix


def _read_csv(path: Path) -> np.ndarray:
    """Read numbers between commas, below a line of names if there is one."""
    rows: list[np.ndarray] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, cells in enumerate(csv.reader(file), start=1):
            try:
                row = np.array(cells, dtype=np.float64)
            except ValueError as error:
                if number == 1:
                    continue
                raise ValueError(f"line {number} must hold numbers, {error}") from error
            if rows and row.size != rows[0].size:
                raise ValueError(f"line {number} must hold {rows[0].size} numbers, got {row.size}")
            rows.append(row)
    if not rows:
        raise ValueError("file must hold a matrix, got no line of numbers")
    return np.stack(rows)
