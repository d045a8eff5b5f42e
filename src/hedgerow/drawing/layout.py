"""Where the variables are drawn: each connected part by stress, the parts packed side by side.

The unit is the usual distance between two neighbouring points, in every part alike, so dense and
sparse parts, pairs and single variables can share one drawing.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

from hedgerow.drawing.pack import pack

Array = NDArray[np.float64]

_ROUNDS = 20
_GENTLE = 4.0  # a first rate that unfolds what grew folded, and leaves the rest where it was
_PAIRS = 2_000_000  # pairs pulled in a round: about a second in all


def layout(
    n: int,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    strength: Array,
    start: Array | None = None,
) -> Array:
    """Return (n, 2) positions, x to the right and y up; the same graph gives the same drawing.

    From ``start``, the positions of an earlier graph, each part moves only as far as its edges
    pull it, so that a reader who knew the earlier drawing still knows this one.

    Examples
    --------
    >>> xy = layout(3, np.array([0, 1]), np.array([1, 2]), np.array([0.5, 0.5]))
    >>> xy[:, 0].round(1) + 0.0
    array([-1.,  0.,  1.])
    """
    ends = np.r_[source, target], np.r_[target, source]
    lengths = _lengths(strength)
    graph = csr_array(coo_array((np.r_[lengths, lengths], ends), shape=(n, n)))
    n_parts, part = connected_components(graph, directed=False)
    sizes = np.bincount(part, minlength=n_parts)
    # Nodes of one part side by side, the largest part first: each part is then a slice.
    order = np.lexsort((np.arange(n), part, -sizes[part]))
    graph = csr_array(graph[order][:, order])
    xy = np.zeros((n, 2)) if start is None else start[order]
    stops = np.cumsum(np.sort(sizes[sizes > 1])[::-1])
    parts = [slice(int(start), int(stop)) for start, stop in zip(np.r_[0, stops], stops)]
    blocks = [_slice(graph, rows) for rows in parts]
    for rows, block in zip(parts, blocks):
        xy[rows] = _part(block, order[rows]) if start is None else _moved(block, xy[rows])
    pack(xy, parts, blocks, stay=start is not None)
    placed = np.empty_like(xy)
    placed[order] = xy - (xy.max(axis=0) + xy.min(axis=0)) / 2 if n and start is None else xy
    return placed


def layout_together(
    n: int, source: NDArray[Any], target: NDArray[Any], strength: NDArray[Any]
) -> NDArray[np.float64]:
    """Return places for the edges of several graphs, each as strong as where it is most so.

    Examples
    --------
    >>> both = np.array([0, 1]), np.array([1, 0]), np.array([0.2, 0.7])
    >>> alone = np.array([0]), np.array([1]), np.array([0.7])
    >>> bool((layout_together(2, *both) == layout(2, *alone)).all())
    True
    """
    ends = np.minimum(source, target) * n + np.maximum(source, target)
    each, which = np.unique(ends, return_inverse=True)
    most = np.zeros(len(each))
    np.maximum.at(most, which, strength)
    return layout(n, each // n, each % n, most)


def _lengths(strength: Array) -> Array:
    """Return how long edges should be: one for the usual strength, less for stronger ones."""
    usual = np.median(strength) if len(strength) else 1.0
    return np.clip((np.maximum(strength, 1e-12) / max(usual, 1e-12)) ** -0.75, 0.5, 3.0)


def _slice(graph: csr_array, rows: slice) -> csr_array:
    """Return the block of a part whose nodes lie side by side, without a search."""
    starts = graph.indptr[rows.start : rows.stop + 1]
    inside = slice(starts[0], starts[-1])
    block = graph.data[inside], graph.indices[inside] - rows.start, starts - starts[0]
    return csr_array(block, shape=(len(starts) - 1,) * 2)


def _part(part: csr_array, columns: NDArray[np.int64]) -> Array:
    """Draw one connected part around the origin."""
    rng = np.random.default_rng(0)
    pivots, distances = _distances(part, rng)
    xy = _scaled_distances(distances) + rng.normal(scale=0.05, size=(len(columns), 2))
    _lower_stress(xy, part, pivots, distances, distances.max() ** 2, rng)
    spacing = _spread(xy)
    ends = np.repeat(np.arange(len(xy)), np.diff(part.indptr)), part.indices
    xy = _upright(xy, *ends, 1 / part.data, columns)
    result: Array = (xy - xy.mean(axis=0)) / spacing
    return result


def _moved(part: csr_array, start: Array) -> Array:
    """Draw one connected part near where its nodes were."""
    rng = np.random.default_rng(0)
    pivots, distances = _distances(part, rng)
    xy = start + rng.normal(scale=0.01, size=start.shape)
    drawn = np.linalg.norm(xy[pivots, None] - xy, axis=2)
    apart = distances > 0
    share = drawn[apart] / distances[apart]
    xy *= share.sum() / (share**2).sum()  # the scale of least stress
    _lower_stress(xy, part, pivots, distances, _GENTLE, rng)
    xy = (xy - xy.mean(axis=0)) / _spread(xy)
    left, _, right = np.linalg.svd(xy.T @ (start - start.mean(axis=0)))
    result: Array = xy @ left @ right + start.mean(axis=0)
    return result


def _distances(part: csr_array, rng: np.random.Generator) -> tuple[NDArray[np.int64], Array]:
    """Return pivots and the distances of all nodes along edges to each of them."""
    n = part.shape[0]
    pivots = rng.permutation(n)[: max(10, _PAIRS // n)]
    return pivots, dijkstra(part, indices=pivots)


def _lower_stress(
    xy: Array,
    part: csr_array,
    pivots: NDArray[np.int64],
    distances: Array,
    rate: float,
    rng: np.random.Generator,
) -> None:
    """Move ``xy``, in place, at a rate that falls from ``rate``."""
    from hedgerow.drawing.stress import lower_stress  # numba is slow to import

    starts, neighbours = part.indptr.astype(np.int64), part.indices.astype(np.int64)
    rates = np.geomspace(rate, 0.1, _ROUNDS)
    orders = [rng.permuted(np.tile(np.arange(m), (_ROUNDS, 1)), axis=1) for m in distances.shape]
    lower_stress(xy, distances, pivots, starts, neighbours, part.data, rates, *orders)


def _scaled_distances(distances: Array) -> Array:
    """Start from classical scaling of the distances to the pivots, so that nothing is folded."""
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    vectors = np.linalg.eigh(centred @ centred.T)[1]
    xy = (vectors[:, :-3:-1].T @ centred).T
    if xy.shape[1] < 2:
        xy = np.c_[xy, np.zeros(len(xy))]
    result: Array = xy * (distances.max() / max(np.ptp(xy), 1e-12))
    return result


def _spread(xy: Array) -> float:
    """Push points that nearly coincide apart, in place; return the usual distance to the nearest.

    Variables with the same distances to all pivots would otherwise lie on top of each other.
    """
    area = np.pi * np.mean(np.sum((xy - xy.mean(axis=0)) ** 2, axis=1)) * 2
    least = min(0.7, 0.6 * sqrt(area / len(xy)))
    for _ in range(30):
        close = cKDTree(xy).query_pairs(least, output_type="ndarray")
        if not len(close):
            break
        gap = xy[close[:, 0]] - xy[close[:, 1]]
        distance = np.maximum(np.hypot(*gap.T), 1e-9)[:, None]
        push = 0.25 * (least - distance) * gap / distance
        np.add.at(xy, close[:, 0], push)
        np.add.at(xy, close[:, 1], -push)
    nearest = cKDTree(xy).query(xy, k=2)[0][:, 1]
    return max(float(np.median(nearest)), 1e-9)


def _upright(
    xy: Array,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    strength: Array,
    columns: NDArray[np.int64],
) -> Array:
    """Turn strong edges towards the axes and let the first columns lie at the top left.

    Stress knows no direction; this rule draws a grid of pixels as a grid, the right way up.
    """
    z = xy @ np.array([1.0, 1.0j])
    along = z[target] - z[source]
    turn = np.angle(np.sum(strength * along**4 / np.maximum(np.abs(along), 1e-9) ** 3)) / 4
    z *= np.exp(-1j * turn)
    rank = columns - columns.mean()
    wide, high = np.ptp(z.real), np.ptp(z.imag)
    if high > 1.1 * wide or (wide < 1.1 * high and abs(rank @ z.real) > abs(rank @ z.imag)):
        z *= 1j
    x = z.real if rank @ z.real >= 0 else -z.real
    y = z.imag if rank @ z.imag <= 0 else -z.imag
    return np.stack([x, y], axis=1)
