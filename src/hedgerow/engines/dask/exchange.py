"""What strips need of each other: rows and columns of their matrices."""

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.layout import Layout
from hedgerow.engines.dask.learning import Taught
from hedgerow.engines.dask.sheet import sheet
from hedgerow.method.engine import Array, Indices


class Rows(NamedTuple):
    """Some rows of a matrix of pairs."""

    nodes: Indices
    values: NDArray[Any]


def part(whole: Any, name: str) -> Any:
    """Return one field of what a task returned, or a field of that, to be kept without others."""
    return attrgetter(name)(whole)


def columns_of(matrix: NDArray[Any], first: int, last: int) -> NDArray[Any]:
    """Return some columns of a strip, in memory of their own."""
    return matrix[:, first:last].copy()


def rows_of(matrix: NDArray[Any], first: int, last: int) -> NDArray[Any]:
    """Return some rows of a matrix, in memory of their own."""
    return matrix[first:last].copy()


def on_a_sheet(n_columns: int, known: list[Rows], dtype: Any) -> NDArray[Any]:
    """Return a sheet with some rows filled in."""
    whole: NDArray[Any] = sheet(n_columns, n_columns, dtype)
    for nodes, values in known:
        whole[nodes] = values
    return whole


def in_batches(costs: NDArray[Any], most: float) -> list[slice]:
    """Return slices of a list of costs, none of which costs more, unless it is of one.

    Examples
    --------
    >>> in_batches(np.array([3, 4, 2, 9, 1]), most=8)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    result, start, total = [], 0, 0.0
    for at, cost in enumerate(costs.tolist()):
        if at > start and total + cost > most:
            result.append(slice(start, at))
            start, total = at, 0.0
        total += cost
    return [*result, slice(start, len(costs))] if len(costs) else []


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


def fields(cluster: Cluster, strip: int, learned: Future) -> Taught:
    """Return promises of the fields of what a strip was ``taught``."""
    names = {"products": "sums", "weights": "weights"}
    return Taught(
        *(
            cluster.task(f"{names[name]} of strip {strip + 1}", part, learned, f"taught.{name}")
            for name in Taught._fields
        )
    )
