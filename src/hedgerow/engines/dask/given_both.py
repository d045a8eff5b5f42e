"""Scores given the neighbours of both nodes, which need whole rows of products: where rows are few.

A run of nodes needs its rows and those of its neighbours. Every strip is asked once for the rows of
many runs, as many as all threads may have in hand, and each run gets its own.
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.choosing import Rule
from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import Rows, in_batches, on_a_sheet
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.numba_cpu import strips
from hedgerow.engines.numba_cpu.strips import Neighbours
from hedgerow.method.engine import Array, Indices

Singles = NDArray[np.float32]


def scores_given_both(
    cluster: Cluster, layout: Layout, products: list[Future], rule: Future, found: Future
) -> list[Future]:
    """Return promises of the scores of the debiased statistic, for each run, (nodes, p)."""
    runs = layout.all_runs
    counted = cluster.task("rows that nodes need", _numbers, runs, layout.strips, found)
    numbers = cluster.answer(counted)
    result: list[Future] = []
    for batch in in_batches(numbers.sum(axis=1), layout.rows * cluster.threads):
        own = runs[batch]
        name = f"rows of strip {{}} for nodes {own[0][0]} to {own[-1][1]}"
        some = cluster.beside(products, name, _rows_of, layout.strips, own, found)
        for at, run in enumerate(own):
            name = f"nodes {run[0]} to {run[1]}"
            asked = np.flatnonzero(numbers[batch][at])
            rows = [cluster.task(f"rows for {name}", _item, some[k], at) for k in asked]
            of_run = run, rows, rule, found
            result.append(cluster.task(f"score given both, {name}", _scores, *of_run))
        del some, rows
        cluster.wait(result[batch])
    return result


def _needed(run: Strip, found: Neighbours) -> Indices:
    """Return a run's nodes, and their neighbours."""
    own = slice(*run)
    chosen = found.chosen[own]
    near = chosen[np.arange(chosen.shape[1]) < found.sizes[own, None]]
    return np.union1d(np.arange(*run), near)


def _numbers(runs: list[Strip], strips: list[Strip], found: Neighbours) -> Indices:
    """Return how many rows each run needs of each strip."""
    ends = [0, *(last for _, last in strips)]
    return np.array([np.diff(np.searchsorted(_needed(run, found), ends)) for run in runs])


def _rows_of(products: Array, strip: Strip, runs: list[Strip], found: Neighbours) -> list[Rows]:
    first, last = strip
    result = []
    for run in runs:
        needed = _needed(run, found)
        own = needed[(needed >= first) & (needed < last)]
        result.append(Rows(own, products[own - first]))
    return result


def _item(some: list[Rows], at: int) -> Rows:
    return some[at]


def _scores(run: Strip, rows: list[Rows], rule: Rule, found: Neighbours) -> Singles:
    """Return the scores of a run, above the diagonal."""
    n_columns, (first, last) = len(rule.per_scale), run
    products = on_a_sheet(n_columns, rows, np.float64)
    scores = on_a_sheet(n_columns, [], np.float32)
    strips.scores_given_both(
        first, last, products, rule.per_scale, rule.n_rows, rule.curves, found, scores
    )
    return scores[first:last].copy()
