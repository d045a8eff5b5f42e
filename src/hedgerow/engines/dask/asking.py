"""Hedge's scores of all pairs, strip by strip (`numba_cpu._witness`).

With A = I - W and the correlations C, the residuals of a strip have covariances A C Aᵀ with all
others. The rows of A C are made as the strips of C pass by, one after the other, and then
multiplied with those of A.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.choosing import Rule
from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import Rows, columns_of, on_a_sheet
from hedgerow.engines.dask.few_rows import tiles_of_few_rows
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.dask.passing import Beside, go_on, negative, whole_tiles
from hedgerow.engines.numba_cpu.strips import (
    blocks,
    covariances_with,
    given,
    nodes_of_a_slab,
    witness_scores,
)
from hedgerow.method.engine import Array

Singles = NDArray[np.float32]

_AT_ONCE = 64  # rows of products that become correlations


def ask_hedge(
    cluster: Cluster,
    layout: Layout,
    products: list[Future],
    weights: list[Future],
    rule: Future,
    n_rows: float,
) -> list[Future]:
    """Return promises of Hedge's scores, strips that end with the diagonal."""
    strips = layout.strips
    number = len(strips)
    singles = (
        cluster.task(f"correlations of strip {k + 1}", _correlations, products[k], first, rule)
        for k, (first, _) in enumerate(strips)
    )
    names = [f"ask Hedge, strip {k + 1} of {number}" for k in range(number)]
    # Promises, or the promise of all.
    tiles: list[Any] | None = tiles_of_few_rows(
        cluster, strips, names, products, weights, rule, n_rows
    )
    if tiles is None and layout.together:
        known = list(singles)
        tiles = [
            cluster.task(names[k], _at_once, k, strips, known, weights[k], weights[: k + 1])
            for k in range(number)
        ]
        del known
    elif tiles is None:
        tiles = _one_after_the_other(cluster, strips, names, singles, products, weights, rule)
    own = [cluster.task("variances", _own_variance, row) for row in tiles]
    variance = cluster.task("all variances", _joined, own)
    result = []
    for k, (first, last) in reversed(list(enumerate(strips))):
        others = [
            cluster.task("weights of two strips", columns_of, weights[m], first, last)
            for m in range(k)
        ]
        name = f"Hedge's scores of strip {k + 1} of {number}"
        strip = (first, last)
        values = tiles.pop()
        result.append(
            cluster.task(name, _scores, strip, values, weights[k], others, variance, rule)
        )
    result.reverse()
    cluster.wait(result, "asking Hedge")
    return result


def _one_after_the_other(
    cluster: Cluster,
    strips: list[Strip],
    names: list[str],
    singles: Iterator[Future],
    products: list[Future],
    weights: list[Future],
    rule: Future,
) -> list[Any]:
    """Return promises of all tiles of each strip.

    Every strip of correlations, and then of weights, meets all strips before the next does: so
    workers have one or two that are not their own, and never all.
    """
    left = [
        cluster.task(name, _begin, products[k], strips[k][0], rule) for k, name in enumerate(names)
    ]
    for one, (before, _) in zip(singles, strips):
        left = [
            cluster.task(names[k], go_on, left[k], weights[k], one, before)
            for k in range(len(strips))
        ]
    tiles: list[Any] = [[] for _ in strips]
    for m, (before, _) in enumerate(strips):
        for k in range(m, len(strips)):
            first = strips[k][0]
            tiles[k].append(
                cluster.task(names[k], _beside, left[k], first, weights[m], before, k == m)
            )
    return tiles


def _correlations(products: Array, first: int, rule: Rule) -> Singles:
    """Return the correlations of a strip in single precision."""
    per_scale = rule.per_scale
    result = np.empty(products.shape, dtype=np.float32)
    for start, stop in blocks(len(products), _AT_ONCE):
        own = per_scale[first + start : first + stop, None]
        result[start:stop] = products[start:stop] * (own * per_scale)
    return result


def _begin(products: Array, first: int, rule: Rule) -> Singles:
    return negative(_correlations(products, first, rule))


def _at_once(
    k: int, strips: list[Strip], singles: list[Singles], own: Singles, weights: list[Singles]
) -> list[Beside]:
    """Do all of a strip that else takes a task for each other strip."""
    left = negative(singles[k])
    for (before, _), some in zip(strips, singles):
        left = go_on(left, own, some, before)
    first = strips[k][0]
    return [
        _beside(left, first, some, before, before == first)
        for (before, _), some in zip(strips, weights)
    ]


def _own_variance(tiles: list[Beside]) -> Array:
    return tiles[-1].variance


def _beside(left: Singles, first: int, others: Singles, before: int, same: bool) -> Beside:
    n_columns = others.shape[1]
    number = min(len(left), n_columns - first)
    result = np.zeros((number, len(others)), dtype=np.float32)
    variance = np.empty(number if same else 0)
    for start, stop in blocks(number, nodes_of_a_slab(n_columns)):
        padded = start + whole_tiles(stop - start)
        covariances_with(
            first + start,
            first + stop,
            left[start:padded],
            others,
            before,
            result[start:stop],
            variance[start:stop],
        )
    return Beside(result, variance)


def _scores(
    strip: Strip,
    tiles: list[Beside],
    own: Singles,
    others: list[Singles],
    variance: Array,
    rule: Rule,
) -> Singles:
    first, last = strip
    n_columns = len(variance)
    average = on_a_sheet(n_columns, [Rows(np.arange(first, last), own)], np.float32)
    start = 0
    for some in others:
        average[start : start + len(some), first:last] = some
        start += len(some)
    result = on_a_sheet(n_columns, [], np.float32)
    result[first:last, :last] = np.concatenate([tile.covariances for tile in tiles], axis=1)
    weights = given(average)
    freedom = float(max(rule.n_rows - 2, 1))
    for nodes in blocks(last, nodes_of_a_slab(n_columns), first):
        witness_scores(*nodes, variance, freedom, rule.curves[0], *weights, result)
    return result[first:last, :last].copy()


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts)
