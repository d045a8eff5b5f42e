"""Columns with many neighbours: bounds that hold, and are told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from hedgerow import HedgeGraph
from hedgerow.datasets import Model, make
from hedgerow.method.edges import scores_given_fewer
from hedgerow.method.hubs import bounds, fewest_neighbours, hubs
from hedgerow.method.inflation import no_inflation
from hedgerow.method.one_pair import Known
from hedgerow.report.of_model import data_of

INDEPENDENT = {"rows": "independent", "columns": "normal"}


def symmetric(upper, size):
    z = np.zeros((size, size))
    z[np.triu_indices(size, 1)] = upper
    return z + z.T


@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.floats(0.001, 0.4))
def test_stricter_levels_and_smaller_scores_give_smaller_bounds(seed, size, level):
    rng = np.random.default_rng(seed)
    z = symmetric(3 * rng.standard_normal(size * (size - 1) // 2), size)
    usual = bounds(z, size, 1.0, level)
    assert (bounds(z, size, 1.0, level / 2) <= usual).all()
    assert (bounds(0.9 * z, size, 1.0, level) <= usual).all()
    assert (bounds(z, 2 * size, 2.0, level) <= usual).all()


@given(st.integers(0, 2**32 - 1), st.integers(4, 20))
def test_a_bound_never_exceeds_the_number_of_scores_that_are_not_zero(seed, size):
    rng = np.random.default_rng(seed)
    z = symmetric(rng.choice([0.0, 50.0], size * (size - 1) // 2), size)
    assert (bounds(z, size, 1.0, 0.05) == (z != 0).sum(axis=1)).all()


def test_bound_by_hand():
    """Five scores of 4 beside one of 0: the sum of the k smallest squares must exceed its limit."""
    z = np.zeros((7, 7))
    z[0, 1:6] = z[1:6, 0] = 4.0
    x = np.log(7 / 0.05)
    limits = [n + 2 * np.sqrt(7 * x) + 2 * x for n in range(6, 0, -1)]
    sums = [80.0, 64.0, 48.0, 32.0, 16.0, 0.0]
    expected = next(k for k in range(6) if sums[k] <= limits[k])
    assert bounds(z, 7.0, 1.0, 0.05)[0] == expected == 4


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.9])
def test_scores_without_an_edge_make_no_neighbours(shared):
    """Scores of the inequality's own kind, however correlated: it must hold for each variable."""
    rng = np.random.default_rng(5)
    size, level, n_tables = 40, 0.2, 400
    own, common = np.sqrt(1 - shared), np.sqrt(shared)
    others = rng.standard_normal((n_tables, size - 1)) * own
    others += common * rng.standard_normal((n_tables, 1))
    corr = np.full((size - 1, size - 1), shared)
    np.fill_diagonal(corr, 1.0)
    eigenvalues = np.linalg.eigvalsh(corr)
    wrong = 0
    for scores in others:
        z = np.zeros((size, size))
        z[0, 1:] = scores
        wrong += bounds(z, (eigenvalues**2).sum(), eigenvalues[-1], level)[0] > 0
    # Expected at most 400 * 0.2 / 40 = 2; 12 or more have a probability below 1e-5.
    assert wrong < 12


def star(size):
    return make("star", size, seed=0)


def test_a_hub_is_seen_before_its_edges():
    rows = star(60).sample(120, seed=3)
    graph = HedgeGraph(**INDEPENDENT).fit(rows)
    (hub,) = graph.hubs_
    assert hub.column == 0
    assert hub.edges < 5 < hub.at_least <= 59
    assert graph.fewest_neighbours_[0] == hub.at_least
    assert not graph.fewest_neighbours_[1:].any()


def test_bounds_are_not_exceeded_where_variables_are_chained_to_a_hub():
    """Leaves of leaves: much is related to the hub by way of others, and is no neighbour."""
    inner, outer = 20, 40
    precision = np.eye(1 + inner + outer)
    for k in range(1, 1 + inner):
        precision[0, k] = precision[k, 0] = -0.2
    for k in range(1 + inner, 1 + inner + outer):
        leaf = 1 + k % inner
        precision[k, leaf] = precision[leaf, k] = -0.25
    model = Model("two floors", csc_array(precision))
    degrees = (precision != 0).sum(axis=1) - 1
    seen = []
    for seed in range(20):
        graph = HedgeGraph(**INDEPENDENT).fit(model.sample(500, seed=seed))
        assert (graph.fewest_neighbours_ <= degrees).all()
        seen.append(graph.fewest_neighbours_[0])
    assert np.mean(seen) > 8


def test_nothing_is_a_hub_where_nothing_is_connected():
    rows = np.random.default_rng(8).standard_normal((200, 40))
    graph = HedgeGraph(**INDEPENDENT).fit(rows)
    assert graph.hubs_ == []
    assert "Hub" not in graph.summary()


def test_columns_that_are_set_aside_have_no_neighbours():
    rows = star(40).sample(300, seed=1)
    constant, copy = np.ones((300, 1)), rows[:, :1]
    with pytest.warns():
        graph = HedgeGraph(**INDEPENDENT).fit(np.hstack([rows, constant, copy]))
    assert graph.fewest_neighbours_[0] > 10
    assert not graph.fewest_neighbours_[40:].any()


def test_two_rows_say_nothing():
    corr = np.eye(5)
    assert not fewest_neighbours(Known(corr, None, 2.0, no_inflation(5)), 0.05).any()
    assert len(fewest_neighbours(Known(corr[:1, :1], None, 50.0, no_inflation(1)), 0.05)) == 1


def test_typical_columns_are_no_hubs():
    assert not len(hubs(np.full(10, 4), np.full(10, 4)))
    assert hubs(np.r_[8, np.full(9, 4)], np.zeros(10, dtype=int)).tolist() == [0]


def test_names_levels_and_words():
    rows = star(60).sample(200, seed=3)
    table = pd.DataFrame(rows, columns=[f"gene {k}" for k in range(60)])
    graph = HedgeGraph(level=0.1).fit(table)
    (hub,) = graph.hubs_
    assert hub.column == "gene 0"
    said = f"Hub, with 90 % confidence: gene 0 has at least {hub.at_least} neighbours"
    assert said in graph.summary()
    assert any(sentence.startswith(said) for sentence in data_of(graph, warnings=[]).said)
    stricter = graph.set_params(level=0.001)
    assert stricter.fewest_neighbours_[0] < hub.at_least


def test_balanced_graphs_tell_of_hubs_with_95_percent():
    rows = star(60).sample(200, seed=3)
    plain, balanced = (HedgeGraph(level=level).fit(rows) for level in (0.05, "balanced"))
    assert np.array_equal(plain.fewest_neighbours_, balanced.fewest_neighbours_)


def test_hubs_behind_yes_or_no():
    graph = HedgeGraph().fit((star(40).sample(600, seed=4) > 0).astype(float))
    assert [hub.column for hub in graph.hubs_] == [0]


def test_engines_agree_on_scores():
    from hedgerow.engines import numba_cpu

    corr = np.corrcoef(make("watts_strogatz", 30, seed=1).sample(150, seed=2), rowvar=False)
    compiled = numba_cpu.scores_given_fewer(corr, 150.0)
    assert compiled == pytest.approx(scores_given_fewer(corr, 150.0), abs=1e-4, rel=1e-5)
