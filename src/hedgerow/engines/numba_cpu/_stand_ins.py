"""Chosen neighbours for which another variable could stand in (`hedgerow.method.stand_ins`)."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._scores import score
from hedgerow.engines.numba_cpu._select import Neighbours
from hedgerow.engines.numba_cpu._small import correlations, inverse
from hedgerow.method.neighbours import COLLINEAR


class Choosers(NamedTuple):
    """Which nodes chose each variable: ``nodes[starts[j]:starts[j + 1]]`` chose j."""

    nodes: NDArray[np.int64]
    starts: NDArray[np.int64]


def choosers_of(found: Neighbours) -> Choosers:
    """Return the choosers of all variables."""
    n_columns, most = found.chosen.shape
    counts = np.arange(most) < found.sizes[:, None]
    variable, node = found.chosen[counts], np.nonzero(counts)[0]
    order = np.argsort(variable, kind="stable")
    starts = np.searchsorted(variable[order], np.arange(n_columns + 1))
    return Choosers(node[order].astype(np.int64), starts.astype(np.int64))


class _Pair(NamedTuple):
    """A node, one of its neighbours, and what the node's other neighbours say about the two."""

    node: int
    other: int
    rest: NDArray[np.int64]
    inverse: NDArray[np.float64]  # of the correlation matrix of the rest
    of_node: NDArray[np.float64]  # regression on the rest
    of_other: NDArray[np.float64]
    variance_of_node: float  # that the rest leaves
    variance_of_other: float
    partial: float


@njit(**IN_ORDER)
def weaken(first, last, products, per_scale, n_rows, thresholds, curves, choosers, found, scores):
    """Keep the weakest partial correlation of nodes ``first`` to ``last`` with each neighbour."""
    for node in range(first, last):
        size = found.sizes[node]
        freedom = n_rows - 2.0 - size
        for at in range(size):
            pair = _pair(node, at, products, per_scale, found)
            bound = thresholds[size - 1] ** 2 / freedom
            partial = found.partial[node, at]
            weakest = abs(partial)
            for variable in (node, pair.other):
                start, stop = choosers.starts[variable], choosers.starts[variable + 1]
                some = choosers.nodes[start:stop]
                weakest = min(weakest, _explained_away(pair, some, bound, products, per_scale))
            some = found.chosen[pair.other, : found.sizes[pair.other]]
            weakest = min(weakest, _explained_away(pair, some, bound, products, per_scale))
            if weakest < abs(partial):
                found.partial[node, at] = np.copysign(weakest, partial)
                found.stands_in[node, at] = True
                scores[node, pair.other] = score(
                    found.partial[node, at], max(freedom, 1.0), curves[size]
                )


@njit(inline="always", **INNER)
def _pair(node, at, products, per_scale, found):
    size = found.sizes[node]
    chosen = found.chosen[node, :size]
    rest = np.empty(size - 1, np.int64)
    for a in range(size - 1):
        rest[a] = chosen[a if a < at else a + 1]
    inverted = inverse(correlations(products, per_scale, rest))
    other = chosen[at]
    of_node = _regression(node, rest, inverted, products, per_scale)
    of_other = _regression(other, rest, inverted, products, per_scale)
    variance_of_node = max(_left(node, node, rest, of_node, products, per_scale), COLLINEAR)
    variance_of_other = max(_left(other, other, rest, of_other, products, per_scale), COLLINEAR)
    covariance = _left(node, other, rest, of_other, products, per_scale)
    partial = _correlation(covariance, variance_of_node, variance_of_other)
    return _Pair(
        node, other, rest, inverted, of_node, of_other, variance_of_node, variance_of_other, partial
    )


@njit(**INNER)
def _explained_away(pair, candidates, bound, products, per_scale):
    """Return the least that a stand-in among the candidates leaves of a partial correlation."""
    least = 1.0
    for k in candidates:
        if k == pair.node or k == pair.other or _is_in(k, pair.rest):
            continue
        own = _regression(k, pair.rest, pair.inverse, products, per_scale)
        variance = max(_left(k, k, pair.rest, own, products, per_scale), COLLINEAR)
        with_node = _left(k, pair.node, pair.rest, pair.of_node, products, per_scale)
        first = _correlation(with_node, variance, pair.variance_of_node)
        if first**2 <= bound * (1.0 - first**2):
            continue
        with_other = _left(k, pair.other, pair.rest, pair.of_other, products, per_scale)
        second = _correlation(with_other, variance, pair.variance_of_other)
        room = max((1.0 - first**2) * (1.0 - second**2), COLLINEAR**2)
        remains = np.copysign(1.0, pair.partial) * (pair.partial - first * second) / sqrt(room)
        least = min(least, max(remains, 0.0))
    return least


@njit(inline="always", **INNER)
def _is_in(k, some):
    at = 0
    while at < some.size and some[at] != k:
        at += 1
    return at < some.size


@njit(**INNER)
def _regression(variable, rest, inverted, products, per_scale):
    result = np.zeros(rest.size)
    for b in range(rest.size):
        related = products[rest[b], variable] * (per_scale[rest[b]] * per_scale[variable])
        for a in range(rest.size):
            result[a] += inverted[a, b] * related
    return result


@njit(**INNER)
def _left(i, j, rest, of_j, products, per_scale):
    """Return what the regression of j on the rest leaves of the correlation of i and j.

    Of another i than the pair and the rest, only the diagonal is read in row i.
    """
    value = products[j, i] * (per_scale[i] * per_scale[j])
    for a in range(rest.size):
        value -= of_j[a] * (products[rest[a], i] * (per_scale[rest[a]] * per_scale[i]))
    return value


@njit(inline="always", **INNER)
def _correlation(covariance, first, second):
    return min(max(covariance / sqrt(first * second), -1.0), 1.0)
