"""Rows that a seed decides, and how they are written in each kind of file."""

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TEXT = "site"  # a column that is left out
KINDS = (".csv", ".ndjson", ".csv.gz", ".parquet", ".tsv")


class Rows(NamedTuple):
    """A table whose graph changes on the way; in some rows a cell is no number."""

    names: list[str]
    values: NDArray[np.float64]
    bad: frozenset[int]

    def __len__(self) -> int:
        return len(self.values)

    def good(self, stop: int) -> int:
        """Return how many of the first rows can be learned from."""
        return stop - sum(k < stop for k in self.bad)

    def cells(self, k: int) -> dict[str, str]:
        """Return a row by names."""
        cells = dict(zip(self.names, map(repr, self.values[k].tolist())))
        if k in self.bad:
            cells[self.names[k % len(self.names)]] = "oops"
        return {**cells, TEXT: f"s{k % 3}"}

    def header(self, delimiter: str = ",") -> bytes:
        """Return the line of names."""
        return (delimiter.join([*self.names, TEXT]) + "\n").encode()

    def line(self, k: int, suffix: str = ".csv") -> bytes:
        """Return a row as text."""
        cells = self.cells(k)
        if suffix == ".ndjson":
            numbers = {name: _number(cells[name]) for name in self.names}
            return (json.dumps({**numbers, TEXT: cells[TEXT]}) + "\n").encode()
        return ("\t" if suffix == ".tsv" else ",").join(cells.values()).encode() + b"\n"


def draw(seed: list[int]) -> Rows:
    """Return the rows of a seed."""
    rng = np.random.default_rng(seed)
    p, n = int(rng.integers(5, 13)), int(rng.integers(400, 901))
    values = rng.standard_normal((n, p))
    for some in np.array_split(values, 4):  # views: each part has a chain of its own
        order = rng.permutation(p)
        for a, b in pairwise(order):
            some[:, b] += 1.5 * some[:, a]
    values = np.round(values, int(rng.integers(3, 17)))
    bad = rng.choice(n, int(rng.integers(0, 12)), replace=False)
    return Rows([f"c{j}" for j in range(p)], values, frozenset(bad.tolist()))


def write(path: Path, rows: Rows, start: int, stop: int, suffix: str) -> None:
    """Write some rows as a whole file."""
    if suffix == ".parquet":
        _write_parquet(path, rows, start, stop)
        return
    kind = suffix.removesuffix(".gz")
    data = head(rows, kind) + b"".join(rows.line(k, kind) for k in range(start, stop))
    path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)


def head(rows: Rows, suffix: str) -> bytes:
    """Return what a text begins with."""
    return b"" if suffix == ".ndjson" else rows.header("\t" if suffix == ".tsv" else ",")


def _write_parquet(path: Path, rows: Rows, start: int, stop: int) -> None:
    import pyarrow as pa  # unlike polars it starts no threads for this, which a fork would lose
    import pyarrow.parquet as pq

    values = rows.values[start:stop]
    columns = {}
    for j, name in enumerate(rows.names):
        cells = [rows.cells(k)[name] == "oops" for k in range(start, stop)]
        columns[name] = pa.array(values[:, j], mask=np.array(cells, dtype=bool))
    columns[TEXT] = pa.array([rows.cells(k)[TEXT] for k in range(start, stop)])
    pq.write_table(pa.table(columns), path)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
