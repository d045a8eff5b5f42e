"""Tested edges from moments and weights, in memory for one more matrix of single precision.

That matrix is filled and refilled: first with every node's scores given its own neighbours; then,
above the diagonal, with the one score of each pair, and below it with Hedge's. Beside it is a byte
for what the company of each pair says (`_company`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu import _counts, _pairs
from hedgerow.engines.numba_cpu._calm import calm
from hedgerow.engines.numba_cpu._company import Bytes, Degrees, degrees_of, parts_of
from hedgerow.engines.numba_cpu._copies import first_copies
from hedgerow.engines.numba_cpu._evidence import Evidence, Weights
from hedgerow.engines.numba_cpu._few_rows import (
    ROUNDING,
    basis_of,
    factor_rows,
    residual_products,
    residual_rows,
    tried,
)
from hedgerow.engines.numba_cpu._products import WHOLE_TILES, zeros
from hedgerow.engines.numba_cpu._scores import score_polynomials
from hedgerow.engines.numba_cpu._select import Neighbours, chosen_by, no_neighbours, select_nodes
from hedgerow.engines.numba_cpu._shared import strength_of
from hedgerow.engines.numba_cpu._stand_ins import choosers_of, weaken
from hedgerow.engines.numba_cpu._threads import Run, blocks, team
from hedgerow.engines.numba_cpu._witness import residual_covariances, witness_scores
from hedgerow.engines.shared.listing import (
    Asked,
    Judged,
    cuts_of,
    levels_in_company,
    weighed,
    worse,
)
from hedgerow.method.company import ends_of_bins
from hedgerow.method.engine import Edges, Repeats
from hedgerow.method.groups import GROUP_ENDS, shared_part
from hedgerow.method.inflation import Inflation, calming
from hedgerow.method.intervals import standard_errors
from hedgerow.method.levels import MIN_ROWS, agreement_margins, asks_both
from hedgerow.method.moments import per_scale, too_small, varies
from hedgerow.method.neighbours import NO_HUBS, step_thresholds
from hedgerow.method.scores import two_sided, z_score
from hedgerow.progress import part_of_a_stage, report

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Scores = NDArray[np.float32]
Exact = Callable[[Indices, Indices], Array]

_PER_PAIR = 256  # multiplications that take as long as to choose, ask and test
_NODES = 16  # whose neighbours are chosen at a time
TILE = 64  # rows of a matrix that are read beside its columns


class Correlations(NamedTuple):
    """The correlation of i and j is products[i, j] * per_scale[i] * per_scale[j]."""

    products: Array
    per_scale: Array


Ask = Callable[[Correlations, float, Array, Weights, Scores, Run], None]


def repeats(evidence: Evidence, copy: float) -> Repeats:
    """Compare all columns; a correlation that exceeds ``copy`` makes one repeat the other."""
    moments = evidence.moments
    corr = Correlations(moments.products, per_scale(moments))
    original = np.arange(len(corr.per_scale))
    with team(len(original) ** 2) as run:
        run(
            partial(first_copies, *some, *corr, copy, original)
            for some in blocks(len(original), TILE)
        )
    sign = np.sign(moments.products[np.arange(len(original)), original])
    return Repeats(varies(moments), original, sign, too_small(moments))


def find_edges(
    evidence: Evidence,
    error: str,
    loosest: float,
    hubs: Indices = NO_HUBS,
    ask: Ask | None = None,
) -> Edges:
    """Test every pair of columns, all of which vary (`edges.judge_pairs`).

    ``ask`` writes the second opinion on all pairs; Hedge's, unless something else is given.
    """
    ask = ask or ask_hedge
    moments, weights, inflation = evidence
    corr = Correlations(moments.products, per_scale(moments))
    n_rows = max(moments.effective_rows / inflation.per_effective, MIN_ROWS)
    n_columns = len(moments.mean)
    thresholds = step_thresholds(n_columns, n_rows)
    curves = score_polynomials(n_rows, len(thresholds))
    found = no_neighbours(n_columns, len(thresholds))
    scores = np.empty((n_columns, n_columns), dtype=np.float32)
    codes = np.empty((n_columns, n_columns), dtype=np.int8)
    rule = (n_rows, thresholds, hubs, curves, ends_of_bins(n_rows))
    with team(_PER_PAIR * n_columns**2) as run:
        run(
            [
                partial(select_nodes, *some, *corr, *rule, found, scores, codes)
                for some in blocks(n_columns, _NODES)
            ],
            partial(report, "choosing neighbours"),
        )
        if error == "fwer":
            choosers = choosers_of(found)
            run(
                partial(weaken, *some, *corr, n_rows, thresholds, curves, choosers, found, scores)
                for some in blocks(n_columns, _NODES)
            )
        run(
            partial(_pairs.keep_given_fewer, *some, found.sizes, scores, codes)
            for some in blocks(n_columns, TILE)
        )
        company = codes, degrees_of(found)
        ask(corr, n_rows, curves[0], weights, scores, run)
        calm(inflation, scores, run, below=True)
        shared = strength_of(scores, n_rows, run)
        exact = _calmed(inflation, partial(_given_fewer, corr, found, n_rows))
        judged = _judge(scores, company, exact, n_rows, error, loosest, run)
        if asks_both(n_columns, n_rows, error):
            run(
                partial(_pairs.scores_given_both, *some, *corr, n_rows, curves, found, scores)
                for some in blocks(n_columns, _NODES)
            )
            calm(inflation, scores, run, below=False)
            exact = _calmed(inflation, partial(_given_both, corr, found, n_rows))
            more = _judge(scores, company, exact, n_rows, error, loosest, run)
            judged = worse(judged, more, found.sizes, error)
    keep = judged.q_value <= loosest
    source, target = np.divmod(judged.pair[keep], n_columns)
    z = judged.z[keep]
    estimates = _pairs.estimates(source, target, *corr, found)
    used = np.maximum(found.sizes[source], found.sizes[target])
    spread = standard_errors(moments.effective_rows, inflation, source, target, used)
    tests = z, two_sided(z), judged.q_value[keep]
    about = found.residual, chosen_by(found)
    return Edges(source, target, estimates, *tests, spread, *about, shared=shared)


def scores_given_fewer(corr: Array, n_rows: float) -> Array:
    """Return z of every pair (`edges.scores_given_fewer`), in single precision."""
    n_columns = len(corr)
    scores = np.empty((n_columns, n_columns), dtype=np.float32)
    codes = np.empty((n_columns, n_columns), dtype=np.int8)
    thresholds = step_thresholds(n_columns, n_rows)
    found = no_neighbours(n_columns, len(thresholds))
    curves = score_polynomials(n_rows, len(thresholds))
    rule = (n_rows, thresholds, NO_HUBS, curves, ends_of_bins(n_rows))
    whole = Correlations(corr, np.ones(n_columns))
    with team(_PER_PAIR * n_columns**2) as run:
        run(
            partial(select_nodes, *some, *whole, *rule, found, scores, codes)
            for some in blocks(n_columns, _NODES)
        )
        run(
            partial(_pairs.keep_given_fewer, *some, found.sizes, scores, codes)
            for some in blocks(n_columns, TILE)
        )
    return scores[np.triu_indices(n_columns, 1)].astype(np.float64)


def ask_hedge(
    corr: Correlations, n_rows: float, curve: Array, weights: Weights, scores: Scores, run: Run
) -> None:
    """Write Hedge's scores below the diagonal."""
    n_columns = len(scores)
    variance = np.empty(n_columns)
    # The later rows take longer: begun first, they do not keep others waiting.
    some_nodes = list(blocks(n_columns, nodes_of_a_slab(n_columns)))[::-1]
    factor = factor_of(corr, n_rows, run)
    if factor is None:
        run(
            [
                partial(residual_covariances, *nodes, *corr, *weights, scores, variance)
                for nodes in some_nodes
            ],
            partial(report, "asking Hedge"),
        )
    else:
        _covariances_of_few_rows(factor, weights, scores, variance, some_nodes, run)
    freedom = float(max(n_rows - 2, 1))
    run(
        partial(witness_scores, *nodes, variance, freedom, curve, *weights, scores)
        for nodes in some_nodes
    )


def factor_of(corr: Correlations, n_rows: float, run: Run) -> Scores | None:
    """Return F with F Fᵀ = C, if rows are few (`_few_rows`); else None."""
    products, scale = corr
    columns = tried(len(scale), n_rows)
    if not len(columns):
        return None
    among = products[np.ix_(columns, columns)] * np.outer(scale[columns], scale[columns])
    basis = basis_of(columns, among)
    if basis is None:
        return None
    factor = np.zeros((len(scale), len(basis.chosen)), dtype=np.float32)
    left_out = run(
        partial(factor_rows, products[a:b], scale[a:b], scale, *basis, factor[a:b])
        for a, b in blocks(len(scale), TILE)
    )
    return factor if max(left_out) <= ROUNDING else None


def _covariances_of_few_rows(
    factor: Scores,
    weights: Weights,
    scores: Scores,
    variance: Array,
    some_nodes: list[tuple[int, int]],
    run: Run,
) -> None:
    """Write the covariances of residuals below the diagonal, and their variances."""
    n_columns, size = factor.shape
    n_whole = -(-n_columns // WHOLE_TILES) * WHOLE_TILES
    left = zeros(n_whole, size, np.float32)
    with part_of_a_stage(0.0, 2 / 3):  # all products of two rows, and then half of them
        run(
            [partial(residual_rows, *nodes, factor, *weights, left) for nodes in some_nodes],
            partial(report, "asking Hedge"),
        )
    with part_of_a_stage(2 / 3, 1.0):
        run(
            [
                partial(
                    residual_products,
                    *nodes,
                    left[nodes[0] : -(-nodes[1] // WHOLE_TILES) * WHOLE_TILES],
                    left[: nodes[1]],
                    0,
                    size,
                    scores[slice(*nodes)],
                    variance[slice(*nodes)],
                )
                for nodes in some_nodes
            ],
            partial(report, "asking Hedge"),
        )


def nodes_of_a_slab(n_columns: int) -> int:
    """Return how many nodes share a pass over all correlations; a multiple of whole tiles.

    More would be a little faster, but every thread holds two rows for each.
    """
    return WHOLE_TILES * min(max(n_columns // 96, 2), 10)


def _judge(
    scores: Scores,
    company: tuple[Bytes, Degrees],
    exact: Exact,
    n_rows: float,
    error: str,
    loosest: float,
    run: Run,
) -> Judged:
    """Return all pairs that can have a q-value up to ``loosest``."""
    n_columns, (codes, degrees) = len(scores), company
    tiles = list(blocks(n_columns, TILE))
    sums = np.sum(run(partial(_counts.central_sums, *some, scores) for some in tiles), axis=0)
    asked = Asked(shared_part(*sums), agreement_margins(n_columns, n_rows, error), n_columns, error)
    known: tuple[Any, ...] = (scores, codes, *degrees, asked.shared, GROUP_ENDS)
    sizes = run(partial(_counts.group_sizes, *some, *known) for some in tiles)
    worth = weighed([sum(part) for part in zip(*sizes)], n_columns, error)
    known = (*known, *asked.margins, worth.classes)
    counts = run(partial(_counts.histograms, *some, *known) for some in tiles)
    by_class, by_agreement = (sum(part) for part in zip(*counts))
    cuts = cuts_of(worth, by_class, by_agreement, error, loosest)
    lists = run(partial(_counts.listed, *some, *known, *cuts) for some in tiles)
    source, target, witness, own = (np.concatenate(part) for part in zip(*lists))
    z = exact(source, target)
    of_pairs = parts_of(own, source, target, degrees)
    q_value = levels_in_company(z, witness, *of_pairs, asked, worth)
    return Judged(source * n_columns + target, z, q_value)


def _calmed(inflation: Inflation, exact: Exact) -> Exact:
    """Return the function that divides exact scores by the roots of their factors."""
    return lambda source, target: calming(inflation, source, target) * exact(source, target)


def _given_fewer(
    corr: Correlations, found: Neighbours, n_rows: float, source: Indices, target: Indices
) -> Array:
    """Return exact scores given the neighbours of the node that has fewer of them."""

    def given(nodes: Indices, others: Indices) -> Array:
        values, number = _pairs.partial_correlations(nodes, others, *corr, found)
        return z_score(values, n_rows - 2 - number)

    first, second = found.sizes[source], found.sizes[target]
    z = given(np.where(first < second, source, target), np.where(first < second, target, source))
    equal = np.flatnonzero(first == second)
    other = given(source[equal], target[equal])
    z[equal] = np.where(np.abs(other) < np.abs(z[equal]), other, z[equal])
    return z


def _given_both(
    corr: Correlations, found: Neighbours, n_rows: float, source: Indices, target: Indices
) -> Array:
    """Return exact scores of the debiased statistic."""
    used = np.maximum(found.sizes[source], found.sizes[target])
    return z_score(_pairs.estimates(source, target, *corr, found), n_rows - 2 - used)
