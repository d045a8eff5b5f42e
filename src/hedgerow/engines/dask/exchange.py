"""What strips need of each other: rows and columns of their matrices."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.dask.learning import Taught
from hedgerow.engines.dask.sheet import sheet
from hedgerow.method.engine import Array, Indices


class Rows(NamedTuple):
    """Some rows of a matrix of pairs."""

    nodes: Indices
    values: NDArray[Any]


def part(whole: Any, name: str) -> Any:
    """Return one field of what a task returned, to be kept without the others."""
    return getattr(whole, name)


def some_rows(matrix: NDArray[Any], first: int, index: Indices) -> Rows:
    """Return rows of a strip that begins with row ``first``."""
    return Rows(index, matrix[index - first])


def columns_of(matrix: NDArray[Any], first: int, last: int) -> NDArray[Any]:
    """Return some columns of a strip, in memory of their own."""
    return matrix[:, first:last].copy()


def on_a_sheet(n_columns: int, known: list[Rows], dtype: Any) -> NDArray[Any]:
    """Return a sheet with some rows filled in; the rows themselves if they are all."""
    if len(known) == 1 and len(known[0].nodes) == n_columns:
        return known[0].values
    whole: NDArray[Any] = sheet(n_columns, n_columns, dtype)
    for nodes, values in known:
        whole[nodes] = values
    return whole


def rows_from(
    cluster: Cluster, strips: list[Strip], matrices: list[Future], index: Indices
) -> list[Future]:
    """Return promises of rows, from the strips that have them."""
    width = strips[0][1]
    return [
        cluster.task(f"rows of strip {k + 1}", some_rows, matrices[k], strips[k][0], some)
        for k in np.unique(index // width)
        if len(some := index[index // width == k])
    ]


def all_rows(strips: list[NDArray[Any]]) -> Rows:
    """Return all rows of a matrix."""
    return Rows(np.arange(strips[0].shape[1]), np.concatenate(strips))


def whole_rows(cluster: Cluster, layout: Layout, lower: list[Future]) -> list[Future]:
    """Return strips of a symmetric matrix from strips that end with the diagonal."""
    strips = layout.strips
    result = []
    for k, (first, last) in enumerate(strips):
        below = [
            cluster.task("products of two strips", columns_of, lower[m], first, last)
            for m in range(k + 1, len(strips))
        ]
        name = f"products of strip {k + 1} of {len(strips)}"
        result.append(cluster.task(name, _mirrored, lower[k], first, below))
    return result


def _mirrored(lower: Array, first: int, below: list[Array]) -> Array:
    width = len(lower)
    last = first + width
    n_columns = last + sum(map(len, below))
    result = np.empty((width, n_columns))
    result[:, :last] = lower[:, :last]
    square = result[:, first:last]
    upper = np.triu_indices(width, 1)
    square[upper] = square.T[upper]
    start = last
    for tile in below:
        result[:, start : start + len(tile)] = tile.T
        start += len(tile)
    return result


def diagonal(lower: Array, first: int) -> Array:
    """Return the diagonal of a strip."""
    return lower[np.arange(len(lower)), first + np.arange(len(lower))]


def fields(cluster: Cluster, strip: int, taught: Future) -> Taught:
    """Return promises of the fields of what a strip was taught."""
    names = {"products": "sums", "weights": "weights"}
    return Taught(
        *(
            cluster.task(f"{names[name]} of strip {strip + 1}", part, taught, name)
            for name in Taught._fields
        )
    )
