"""What the tests are made from, as promises: strips of products and of Hedge's weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import diagonal, whole_rows
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.dask.learning import Taught, Totals
from hedgerow.engines.dask.sheet import sheet
from hedgerow.engines.numba_cpu.strips import first_copies
from hedgerow.method.engine import Array, Indices, Repeats
from hedgerow.method.inflation import Inflation
from hedgerow.method.learned import folded
from hedgerow.method.moments import beyond_rounding, per_root, so_small

Singles = NDArray[np.float32]


class Evidence(NamedTuple):
    """Moments of all rows, and weights."""

    cluster: Cluster
    layout: Layout
    products: list[Future]  # for each strip, (w, p)
    weights: list[Future]  # (w, p)
    mean: Array
    squares: Array  # of the columns: the diagonal of the products
    weight: float
    squared_weight: float
    inflation: Inflation

    @property
    def spread(self) -> Array:
        """Standard deviation of each column."""
        return np.sqrt(self.squares / (self.weight or 1.0))

    @property
    def per_scale(self) -> Array:
        """One over the root of each column's sum of squares; zero where it never varied."""
        return per_root(self.squares, beyond_rounding(self.mean, self.spread))

    @property
    def effective_rows(self) -> float:
        """Number of rows of equal weight with which averages would be as precise."""
        return self.weight * (self.weight / (self.squared_weight or 1.0))


def evidence_of(
    cluster: Cluster, layout: Layout, taught: list[Taught], totals: Totals, inflation: Inflation
) -> Evidence:
    """Return the evidence from promises of what strips were taught."""
    lower, weights = (list(field) for field in zip(*taught))
    products = whole_rows(cluster, layout, lower)
    diagonals = [
        cluster.task("squares of columns", diagonal, one, first)
        for one, (first, _) in zip(products, layout.strips)
    ]
    squares = np.concatenate(cluster.answers(diagonals))
    moments = totals.mean, squares, totals.weight, totals.squared_weight
    return Evidence(cluster, layout, products, weights, *moments, inflation)


def repeats(evidence: Evidence, copy: float) -> Repeats:
    """Compare all columns; a correlation that exceeds ``copy`` makes one repeat the other."""
    cluster, strips = evidence.cluster, evidence.layout.strips
    per_scale = cluster.given("scales", evidence.per_scale)
    found = cluster.answers(
        [
            cluster.task(f"copies in strip {k + 1}", _originals, strip, products, per_scale, copy)
            for k, (strip, products) in enumerate(zip(strips, evidence.products))
        ]
    )
    original, sign = (np.concatenate(some) for some in zip(*found))
    mean, spread = evidence.mean, evidence.spread
    return Repeats(beyond_rounding(mean, spread), original, sign, so_small(mean, spread))


def _originals(
    strip: Strip, products: Array, per_scale: Array, copy: float
) -> tuple[Indices, Array]:
    first, last = strip
    n_columns = len(per_scale)
    whole = sheet(n_columns, n_columns, np.float64)
    whole[first:last] = products
    original = np.arange(n_columns)
    first_copies(first, last, whole, per_scale, copy, original)
    own = original[first:last]
    return own, np.sign(products[np.arange(last - first), own])


def part(evidence: Evidence, columns: Indices, repeats: Repeats) -> Evidence:
    """Return the evidence on some columns; weight on a repeated one goes to its original."""
    cluster, old = evidence.cluster, evidence.layout
    layout = old._replace(n_columns=len(columns))
    known = cluster.given("columns that are tested", columns), cluster.given("copies", repeats)
    kept = []
    for k, (strip, products, weights) in enumerate(
        zip(old.strips, evidence.products, evidence.weights)
    ):
        name = f"columns of strip {k + 1} that are tested"
        kept.append(
            (
                cluster.task(name, _products_of, strip, products, *known),
                cluster.task(name, _weights_of, strip, weights, *known),
            )
        )
    starts = np.searchsorted(columns, [first for first, _ in old.strips] + [old.n_columns])
    products, weights = [], []
    for k, (first, last) in enumerate(layout.strips):
        some = [m for m in range(len(kept)) if starts[m] < last and starts[m + 1] > first]
        for result, field in ((products, 0), (weights, 1)):
            pieces = [
                (kept[m][field], max(first - starts[m], 0), min(last, starts[m + 1]) - starts[m])
                for m in some
            ]
            futures, bounds = [one for one, *_ in pieces], [tuple(x) for _, *x in pieces]
            result.append(cluster.task(f"tested strip {k + 1}", _stacked, futures, bounds))
    return evidence._replace(
        layout=layout,
        products=products,
        weights=weights,
        mean=evidence.mean[columns],
        squares=evidence.squares[columns],
        inflation=evidence.inflation.part(columns),
    )


def _products_of(strip: Strip, products: Array, columns: Indices, _: Repeats) -> Array:
    return products[np.ix_(_own(strip, columns), columns)]


def _weights_of(strip: Strip, weights: Singles, columns: Indices, repeats: Repeats) -> Singles:
    result: Singles = folded(weights, repeats, strip[0])[np.ix_(_own(strip, columns), columns)]
    return result


def _own(strip: Strip, columns: Indices) -> Indices:
    first, last = strip
    return columns[(columns >= first) & (columns < last)] - first


def _stacked(pieces: list[Array], bounds: list[tuple[int, int]]) -> Array:
    return np.concatenate([one[start:stop] for one, (start, stop) in zip(pieces, bounds)])
