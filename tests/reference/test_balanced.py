"""Balanced graphs where the truth is known: closest to it, few rows or many, and nearly none found
where there is nothing.

The rows are others each time. All bounds are five or more standard errors of the means, as measured
over runs like these, away from what is expected: a run without a fault fails once in a million.
"""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from hedgerow import HedgeGraph, metrics
from hedgerow.datasets import FAMILIES, make
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method.edges import scores_given_fewer
from hedgerow.method.scores import two_sided

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]

COLUMNS = 32
FEW, MANY = 2 * COLUMNS, 40 * COLUMNS
LEVELS = (0.05, 0.2, "balanced")
TABLES = 6  # of each family
NOISES = 300


class Means(NamedTuple):
    """Over all tables: of each level, and of the balanced graph alone."""

    f1: dict
    edges: dict
    false_share: float
    level: float


@pytest.fixture(scope="module")
def means():
    """Return means by number of rows."""
    rng = np.random.default_rng()
    return {n_rows: _means(n_rows, rng) for n_rows in (FEW, MANY)}


def _means(n_rows, rng):
    f1, edges, told = [], [], []
    for family in FAMILIES:
        for _ in range(TABLES):
            model = make(family, COLUMNS, seed=rng)
            learner = HedgeGraph().fit(model.sample(n_rows, rng))
            graphs = [learner.set_params(level=level).adjacency_ for level in LEVELS]
            f1.append([metrics.f1(graph, model.adjacency) for graph in graphs])
            edges.append([graph.nnz / 2 for graph in graphs])
            told.append((metrics.fdp(graphs[-1], model.adjacency), learner.level_))
    by_level = (dict(zip(LEVELS, np.mean(each, axis=0))) for each in (f1, edges))
    return Means(*by_level, *np.mean(told, axis=0))


def test_with_few_rows_a_balanced_graph_has_more_edges_and_is_nearer_to_the_truth(means):
    f1, edges, *_ = means[FEW]
    assert edges["balanced"] > 2 * edges[0.05]
    assert f1["balanced"] > f1[0.05] + 0.15
    assert f1["balanced"] > f1[0.2] + 0.03


def test_with_many_rows_a_balanced_graph_is_nearly_the_truth(means):
    f1 = means[MANY].f1
    assert f1["balanced"] > 0.97
    assert f1["balanced"] > f1[0.2] + 0.015
    assert f1["balanced"] > f1[0.05] - 0.015


@pytest.mark.parametrize(("n_rows", "off"), [(FEW, 0.16), (MANY, 0.04)])
def test_the_level_is_about_the_share_of_false_edges(means, n_rows, off):
    assert abs(means[n_rows].false_share - means[n_rows].level) < off


@pytest.mark.parametrize("n_rows", [FEW // 2, 4 * COLUMNS])
def test_noise_has_no_edges_nineteen_times_of_twenty(n_rows):
    rng = np.random.default_rng()
    model = HedgeGraph(level="balanced")
    tables = (rng.standard_normal((n_rows, COLUMNS)) for _ in range(NOISES))
    found = sum(len(model.fit(table).edges_) > 0 for table in tables)
    assert found <= stats.binom.isf(1e-6, NOISES, 0.06)  # chosen neighbours add a little to 0.05


def test_few_columns_are_no_reason_for_more_edges_than_there_are():
    """With so few pairs, the next one must not be taken because it happens to be the next."""
    rng = np.random.default_rng()
    f1 = []
    for columns in np.repeat([3, 5, 8], 100):
        model = make("chain", columns, seed=rng)
        found = HedgeGraph(level="balanced").fit(model.sample(2000, rng)).adjacency_
        f1.append(metrics.f1(found, model.adjacency))
    assert np.mean(f1) > 0.945  # 0.97 is expected, with a standard error of 0.005


def test_pairs_between_cliques_are_tested_with_more_care_than_is_counted():
    """Of two ends with as many neighbours the weaker result counts, and in cliques most have."""
    upper, n_small, n_pairs = np.triu_indices(64, 1), 0, 0
    for seed in range(12):
        rng = np.random.default_rng([64, seed])
        model = make("cliques", 64, seed=rng)
        corr = np.corrcoef(model.sample(64, rng), rowvar=False)
        apart = ~model.adjacency.toarray()[upper].astype(bool)
        p_values = two_sided(scores_given_fewer(corr, 64))[apart]
        n_small, n_pairs = n_small + np.sum(p_values < 0.005), n_pairs + len(p_values)
    assert n_small < 0.6 * 0.005 * n_pairs
