"""Tested edges from strips of products and weights: `numba_cpu._edges` on a cluster.

All sums, counts and lists are those of one machine, tile by tile of 64 nodes, and put together in
the same order here.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.asking import ask_hedge
from hedgerow.engines.dask.choosing import Choosing, Rule, Scored
from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.entries import Asking
from hedgerow.engines.dask.evidence import Evidence
from hedgerow.engines.dask.exchange import columns_of, rows_of
from hedgerow.engines.dask.given_both import scores_given_both
from hedgerow.engines.dask.layout import Strip
from hedgerow.engines.dask.sheet import sheet
from hedgerow.engines.numba_cpu import strips
from hedgerow.engines.numba_cpu.strips import (
    TILE,
    Bytes,
    Degrees,
    Neighbours,
    blocks,
    calm,
    product_of,
    score_polynomials,
    team,
)
from hedgerow.engines.shared.listing import (
    Asked,
    Judged,
    cuts_of,
    levels_in_company,
    weighed,
    worse,
)
from hedgerow.method.company import ends_of_bins
from hedgerow.method.engine import Array, Edges, Indices
from hedgerow.method.groups import GROUP_ENDS, shared_part
from hedgerow.method.inflation import Inflation, calming
from hedgerow.method.intervals import standard_errors
from hedgerow.method.levels import MIN_ROWS, agreement_margins, asks_both
from hedgerow.method.neighbours import NO_HUBS, step_thresholds
from hedgerow.method.scores import two_sided, z_score
from hedgerow.method.shared import followed

Singles = NDArray[np.float32]
Exact = Callable[[Indices, Indices], Array]


class Pairs(NamedTuple):
    """Scores of the pairs of a strip's nodes with later ones."""

    first: int
    above: Singles  # (w, p - first); the pair's
    below: Singles  # (p - first, w); Hedge's
    codes: Bytes  # (w, p - first); of their company


def find_edges(evidence: Evidence, error: str, loosest: float, hubs: Indices = NO_HUBS) -> Edges:
    """Test every pair of columns, all of which vary (`edges.judge_pairs`)."""
    cluster, layout, inflation = evidence.cluster, evidence.layout, evidence.inflation
    n_columns = layout.n_columns
    n_rows = max(evidence.effective_rows / inflation.per_effective, MIN_ROWS)
    thresholds = step_thresholds(n_columns, n_rows)
    curves = score_polynomials(n_rows, len(thresholds))
    factors = cluster.given("factors of columns", inflation)
    ends = ends_of_bins(n_rows)
    needed = Rule(evidence.per_scale, evidence.squares, n_rows, thresholds, hubs, curves, ends)
    rule = cluster.given("what tests need", needed)
    known = cluster, layout, evidence.products, rule
    chooser = Choosing(*known)
    groups, found = chooser.choose(len(thresholds))
    if error == "fwer":
        found = Asking(*known, found).stand_ins()
    fewer = _given_fewer(evidence, chooser.score(groups, found), found)
    del groups
    witness = ask_hedge(cluster, layout, evidence.products, evidence.weights, rule, n_rows)
    pairs = _beside_each_other(evidence, fewer, witness, factors)
    del fewer, witness
    sizes, residual, chosen, degrees = cluster.answer(cluster.task("sizes", _sizes, found))
    shared = _shared(evidence, pairs, n_rows)
    tests = _Tests(Asking(*known, found), sizes, n_rows)
    exact = _calmed(inflation, tests.given_fewer)
    judged = _judge(evidence, pairs, degrees, exact, n_rows, error, loosest)
    if asks_both(n_columns, n_rows, error):
        pairs = _with_new_scores(evidence, pairs, scores_given_both(*known, found), factors)
        exact = _calmed(inflation, tests.given_both)
        more = _judge(evidence, pairs, degrees, exact, n_rows, error, loosest)
        judged = worse(judged, more, sizes, error)
    keep = judged.q_value <= loosest
    source, target = np.divmod(judged.pair[keep], n_columns)
    z = judged.z[keep]
    values = tests.estimates(source, target)
    used = np.maximum(sizes[source], sizes[target])
    spread = standard_errors(evidence.effective_rows, inflation, source, target, used)
    of_tests = z, two_sided(z), judged.q_value[keep]
    return Edges(source, target, values, *of_tests, spread, residual, chosen, shared=shared)


class _Tests:
    """Exact values for the pairs that may be edges."""

    def __init__(self, asking: Asking, sizes: Indices, n_rows: float) -> None:
        self.asking = asking
        self.sizes = sizes
        self.n_rows = n_rows

    def given_fewer(self, source: Indices, target: Indices) -> Array:
        """Return exact scores given the neighbours of the node that has fewer of them."""
        first, second = self.sizes[source], self.sizes[target]
        fewer, equal = first < second, np.flatnonzero(first == second)
        nodes = np.where(fewer, source, target), source[equal]
        others = np.where(fewer, target, source), target[equal]
        both = self._given(np.concatenate(nodes), np.concatenate(others))  # strips are asked once
        z, other = np.split(both, [len(source)])
        z[equal] = np.where(np.abs(other) < np.abs(z[equal]), other, z[equal])
        return z

    def given_both(self, source: Indices, target: Indices) -> Array:
        """Return exact scores of the debiased statistic."""
        used = np.maximum(self.sizes[source], self.sizes[target])
        return z_score(self.estimates(source, target), self.n_rows - 2 - used)

    def estimates(self, source: Indices, target: Indices) -> Array:
        """Return the debiased statistic."""
        return self.asking.estimates(source, target, self.sizes)

    def _given(self, nodes: Indices, others: Indices) -> Array:
        values, number = self.asking.partial_correlations(nodes, others, self.sizes)
        return z_score(values, self.n_rows - 2 - number)


def _sizes(found: Neighbours) -> tuple[Indices, Array, Indices, Degrees]:
    return found.sizes, found.residual, strips.chosen_by(found), strips.degrees_of(found)


def _calmed(inflation: Inflation, exact: Exact) -> Exact:
    return lambda source, target: calming(inflation, source, target) * exact(source, target)


def _given_fewer(evidence: Evidence, scores: list[Future], found: Future) -> list[Future]:
    """Return promises of what is above the diagonal, given the node that has fewer."""
    cluster, strips = evidence.cluster, evidence.layout.strips
    tiles = _cut_up(cluster, strips, scores)
    scores.clear()
    name = f"compare scores of strip {{}} of {len(strips)}"
    result = [
        cluster.task(name.format(k + 1), _keep_given_fewer, strip, tiles.pop(0), found)
        for k, strip in enumerate(strips)
    ]
    cluster.wait(result)
    return result


def _cut_up(cluster: Cluster, strips: list[Strip], scores: list[Future]) -> list[list[Future]]:
    """Return, for each strip, promises of its scores with its nodes and later ones, both ways.

    First come its columns, then its rows: a tile of each later strip. Strip after strip is cut up,
    and can go.
    """
    result: list[list[Future]] = []
    for (first, _), one in zip(strips, scores):
        for tiles, strip in zip(result, strips):
            tiles.append(cluster.task("scores of two strips", _rows, one, *strip))
        own = cluster.task("scores of a strip", _rows, one, first, strips[-1][1])
        result.append([own])
    return result


def _rows(some: Scored, first: int, last: int) -> Scored:
    return Scored(*(rows_of(each, first, last) for each in some))


def _keep_given_fewer(strip: Strip, tiles: list[Scored], found: Neighbours) -> Scored:
    first, last = strip
    n_columns = len(found.sizes)
    both = []
    for of_tiles in zip(*tiles):
        whole = sheet(n_columns, n_columns, of_tiles[0].dtype)
        whole[first:, first:last] = of_tiles[0]
        start = last
        for tile in of_tiles[1:]:
            stop = start + tile.shape[1]
            whole[first:last, start:stop] = tile
            start = stop
        both.append(whole)
    for some in blocks(last, TILE, first):
        strips.keep_given_fewer(*some, found.sizes, *both)
    return Scored(*(whole[first:last, first:].copy() for whole in both))


def _beside_each_other(
    evidence: Evidence, above: list[Future], witness: list[Future], factors: Future
) -> list[Future]:
    """Return promises of pairs of scores, as sure as factors let them be."""
    cluster, strips = evidence.cluster, evidence.layout.strips
    result = []
    for k, (first, last) in enumerate(strips):
        below = [
            cluster.task("scores of two strips", columns_of, witness[m], first, last)
            for m in range(k, len(strips))
        ]
        name = f"pairs of strip {k + 1} of {len(strips)}"
        result.append(cluster.task(name, _calm, first, above[k], below, factors, True))
    cluster.wait(result)
    return result


def _calm(first: int, above: Scored, below: list[Singles], factors: Inflation, both: bool) -> Pairs:
    scores, last = _sheet_of(Pairs(first, above.scores, np.concatenate(below), above.codes))
    with team() as run:
        calm(factors, scores, run, below=both, strip=(first, last))
    parts = scores[first:last, first:].copy(), scores[first:, first:last].copy()
    return Pairs(first, *parts, above.codes)


def _sheet_of(pairs: Pairs) -> tuple[Singles, int]:
    """Return a sheet of scores with those of a strip, and where the strip ends."""
    first, above, below, _ = pairs
    last, n_columns = first + len(above), first + above.shape[1]
    scores: Singles = sheet(n_columns, n_columns, np.float32)
    scores[first:, first:last] = below
    width = last - first
    square = np.where(np.tri(width, k=0, dtype=np.bool_), below[:width], above[:, :width])
    scores[first:last, first:last] = square
    scores[first:last, last:] = above[:, width:]
    return scores, last


def _shared(evidence: Evidence, pairs: list[Future], n_rows: float) -> float:
    """Return how strongly most columns share something (`numba_cpu._shared`)."""
    cluster, n_columns = evidence.cluster, evidence.layout.n_columns

    def product(direction: Array) -> Array:
        known = cluster.given("direction of columns", direction)
        parts = cluster.answers(
            [cluster.task("what most columns share", _product, one, known) for one in pairs]
        )
        return np.asarray(np.sum(parts, axis=0))

    return followed(product, n_columns, n_rows)


def _product(pairs: Pairs, direction: Array) -> Array:
    first, last = pairs.first, pairs.first + len(pairs.above)
    result: Array = product_of(first, first, last, pairs.above, direction)
    return result


def _with_new_scores(
    evidence: Evidence, pairs: list[Future], scores: list[Future], factors: Future
) -> list[Future]:
    """Return promises of pairs with other scores above the diagonal."""
    cluster, layout = evidence.cluster, evidence.layout
    of_run = dict(zip(layout.all_runs, scores))
    result = []
    for k, strip in enumerate(layout.strips):
        own = [of_run[run] for run in layout.runs(strip)]
        name = f"pairs of strip {k + 1} of {len(layout.strips)}, given both"
        result.append(cluster.task(name, _calm_new, strip, own, pairs[k], factors))
    return result


def _calm_new(strip: Strip, own: list[Singles], pairs: Pairs, factors: Inflation) -> Pairs:
    above = Scored(np.concatenate(own)[:, strip[0] :], pairs.codes)
    return _calm(strip[0], above, [pairs.below], factors, False)


def _judge(
    evidence: Evidence,
    pairs: list[Future],
    degrees: Degrees,
    exact: Exact,
    n_rows: float,
    error: str,
    loosest: float,
) -> Judged:
    """Return all pairs that can have a q-value up to ``loosest``."""
    cluster, n_columns = evidence.cluster, evidence.layout.n_columns
    sums = cluster.answers([cluster.task("sum up pairs", _sums, one) for one in pairs])
    shared = shared_part(*np.sum([tile for some in sums for tile in some], axis=0))
    asked = Asked(shared, agreement_margins(n_columns, n_rows, error), n_columns, error)
    known: tuple[Any, ...] = (*degrees, asked.shared, GROUP_ENDS)

    def counted(name: str, function: Callable[..., Any]) -> list[Any]:
        counts = cluster.answers(
            [cluster.task(name, _count, function, one, known) for one in pairs]
        )
        return [sum(part) for part in zip(*counts)]

    worth = weighed(counted("count groups", strips.group_sizes), n_columns, error)
    known = (*known, *asked.margins, worth.classes)
    by_class, by_agreement = counted("count pairs", strips.histograms)
    cuts = cuts_of(worth, by_class, by_agreement, error, loosest)
    lists = cluster.answers(
        [cluster.task("list pairs", _list, one, (*known, *cuts)) for one in pairs]
    )
    source, target, witness, own = (np.concatenate(some) for some in zip(*lists))
    z = exact(source, target)
    of_pairs = strips.parts_of(own, source, target, degrees)
    q_value = levels_in_company(z, witness, *of_pairs, asked, worth)
    return Judged(source * n_columns + target, z, q_value)


def _sums(pairs: Pairs) -> list[tuple[float, float]]:
    scores, last = _sheet_of(pairs)
    return [strips.central_sums(*some, scores) for some in blocks(last, TILE, pairs.first)]


def _count(function: Callable[..., Any], pairs: Pairs, known: tuple[Any, ...]) -> list[Indices]:
    """Return the sums of counts over the tiles of a strip."""
    return [sum(part) for part in zip(*_of_tiles(function, pairs, known))]


def _list(pairs: Pairs, known: tuple[Any, ...]) -> list[NDArray[Any]]:
    return [np.concatenate(part) for part in zip(*_of_tiles(strips.listed, pairs, known))]


def _of_tiles(function: Callable[..., Any], pairs: Pairs, known: tuple[Any, ...]) -> list[Any]:
    """Return what a function returns of each tile of a strip."""
    scores, last = _sheet_of(pairs)
    codes = sheet(len(scores), len(scores), np.int8)
    codes[pairs.first : last, pairs.first :] = pairs.codes
    return [function(*some, scores, codes, *known) for some in blocks(last, TILE, pairs.first)]
