"""Covariances of residuals where rows are few, strip by strip (`numba_cpu._few_rows`)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.choosing import Rule
from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.layout import Strip
from hedgerow.engines.dask.passing import Beside, go_on, negative, whole_tiles
from hedgerow.engines.numba_cpu.strips import (
    ROUNDING,
    TILE,
    Basis,
    basis_of,
    blocks,
    factor_rows,
    nodes_of_a_slab,
    residual_products,
    tried,
)
from hedgerow.method.engine import Array, Indices

Singles = NDArray[np.float32]


class Piece(NamedTuple):
    """Some rows of F, and the largest variance that they leave out."""

    rows: Singles
    left_out: float


def tiles_of_few_rows(
    cluster: Cluster,
    strips: list[Strip],
    names: list[str],
    products: list[Future],
    weights: list[Future],
    rule: Future,
    n_rows: float,
) -> list[list[Future]] | None:
    """Return promises of the covariances of each strip with earlier ones; None if rows are many."""
    columns = tried(strips[-1][1], n_rows)
    if not len(columns):
        return None
    among = [
        cluster.task("correlations of some columns", _among, products[k], strip, columns, rule)
        for k, strip in enumerate(strips)
    ]
    basis = cluster.task("choose a basis", _basis, columns, among)
    pieces = [
        cluster.task(f"factor of strip {k + 1}", _piece, products[k], first, basis, rule)
        for k, (first, _) in enumerate(strips)
    ]
    left_out = cluster.answers([cluster.task("left out", _left_out, piece) for piece in pieces])
    if max(left_out) > ROUNDING:
        return None
    left = [cluster.task(name, _begin, piece) for name, piece in zip(names, pieces)]
    for (before, _), piece in zip(strips, pieces):
        left = [
            cluster.task(names[k], _go_on, left[k], weights[k], piece, before)
            for k in range(len(strips))
        ]
    width = cluster.task("rank", _rank, basis)
    return [
        [
            cluster.task(names[k], _beside, strips[k], left[k], strips[m], left[m], width)
            for m in range(k + 1)
        ]
        for k in range(len(strips))
    ]


def _among(products: Array, strip: Strip, columns: Indices, rule: Rule) -> Array:
    """Return the correlations of those columns that are in a strip with all of them."""
    first, last = strip
    own = columns[(columns >= first) & (columns < last)]
    scale = rule.per_scale
    found: Array = products[np.ix_(own - first, columns)] * np.outer(scale[own], scale[columns])
    return found


def _basis(columns: Indices, among: list[Array]) -> Basis | None:
    return basis_of(columns, np.concatenate(among))


def _piece(products: Array, first: int, basis: Basis | None, rule: Rule) -> Piece:
    if basis is None:
        return Piece(np.zeros((0, 0), dtype=np.float32), np.inf)
    rows = np.zeros((len(products), len(basis.chosen)), dtype=np.float32)
    own = rule.per_scale[first : first + len(products)]
    left_out = [
        factor_rows(products[a:b], own[a:b], rule.per_scale, *basis, rows[a:b])
        for a, b in blocks(len(products), TILE)
    ]
    return Piece(rows, max(left_out))


def _left_out(piece: Piece) -> float:
    return piece.left_out


def _rank(basis: Basis) -> int:
    return len(basis.chosen)


def _begin(piece: Piece) -> Singles:
    return negative(piece.rows)


def _go_on(left: Singles, weights: Singles, piece: Piece, before: int) -> Singles:
    return go_on(left, weights, piece.rows, before)


def _beside(strip: Strip, left: Singles, other: Strip, others: Singles, rank: int) -> Beside:
    (first, last), (before, end) = strip, other
    result = np.zeros((last - first, end - before), dtype=np.float32)
    variance = np.empty(last - first)
    for start, stop in blocks(last - first, nodes_of_a_slab(rank)):
        residual_products(
            first + start,
            first + stop,
            left[start : start + whole_tiles(stop - start)],
            others[: end - before],
            before,
            rank,
            result[start:stop],
            variance[start:stop],
        )
    return Beside(result, variance)
