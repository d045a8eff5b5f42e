"""Forgetting: weights, effective rows, and a HedgeGraph that follows a changing world."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method import hedge
from hedgerow.method.forgetting import NEVER, decline, effective_rows, row_weights
from hedgerow.method.hedge import batch_size
from hedgerow.method.moments import correlation, merge_moments, moments_of, scaled_moments
from hedgerow.method.scores import z_score

HALF_LIVES = st.floats(16, 1e6)


def weights_of(n_rows, half_life):
    return 0.5 ** (np.arange(n_rows)[::-1] / half_life)


@given(st.integers(0, 10**7), st.integers(1, 300), HALF_LIVES)
def test_a_row_weighs_twice_what_a_half_life_earlier_weighed(seen, n_rows, half_life):
    weights = row_weights(seen, n_rows, half_life)
    # Rounding of the number of half-lives since the first row.
    rounding = 4 * np.finfo(np.float64).eps * (1 + (seen + n_rows) / half_life)
    np.testing.assert_allclose(
        weights[0] / weights, 0.5 ** (np.arange(n_rows) / half_life), rtol=rounding
    )
    assert 1 <= weights[0] < 2**16


@given(st.integers(0, 10**7), st.integers(1, 256), HALF_LIVES)
def test_weights_go_on_across_the_end_of_a_period(seen, n_rows, half_life):
    before = row_weights(seen, n_rows + 1, half_life)
    factor = decline(seen, seen + n_rows, half_life)
    after = row_weights(seen + n_rows, 1, half_life)
    assert before[-1] * factor == pytest.approx(after[0], rel=1e-9)
    assert np.log2(factor) % 16 == 0


def test_without_forgetting_all_weights_are_one():
    assert (row_weights(10**9, 100, NEVER) == 1.0).all()
    assert decline(0, 10**9, NEVER) == 1.0
    assert effective_rows(10**15, NEVER) == 10**15


@given(st.integers(1, 3000), st.floats(16, 1e4))
def test_effective_rows_are_those_of_the_weights(n_rows, half_life):
    weights = weights_of(n_rows, half_life)
    expected = weights.sum() ** 2 / np.square(weights).sum()
    assert effective_rows(n_rows, half_life) == pytest.approx(expected, rel=1e-9)
    moments = moments_of(np.zeros((n_rows, 1)), weights)
    assert moments.effective_rows == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 10**7), HALF_LIVES)
def test_batches_are_short_against_the_half_life(seen, half_life):
    size = batch_size(seen, half_life)
    assert size == 8 or size <= half_life / 8
    assert size <= batch_size(seen)
    assert size <= batch_size(seen + size, half_life)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 80), st.floats(16, 200))
def test_weighted_moments_merge(seed, first, second, half_life):
    rows = np.random.default_rng(seed).standard_normal((first + second, 3)) + 7
    direct = moments_of(rows, weights_of(len(rows), half_life))
    old = moments_of(rows[:first], weights_of(first, half_life))
    merged = merge_moments(
        scaled_moments(old, 0.5 ** (second / half_life)),
        moments_of(rows[first:], weights_of(second, half_life)),
    )
    assert merged.rows == direct.rows
    for name in ("mean", "products", "weight", "squared_weight"):
        np.testing.assert_allclose(getattr(merged, name), getattr(direct, name), atol=1e-9)


def test_scores_of_unrelated_columns_are_standard_normal():
    """The variance of a weighted correlation is one over the effective number of rows."""
    rng = np.random.default_rng()
    scores = []
    for _ in range(20):
        moments = moments_of(rng.standard_normal((1000, 30)), weights_of(1000, 60.0))
        pairs = correlation(moments)[np.triu_indices(30, 1)]
        scores.append(z_score(pairs, moments.effective_rows - 2))
    # The mean of n squared normal scores varies by sqrt(2 / n); five times that is never seen. The
    # variance is one over the effective rows only up to terms of the next order.
    squares = np.square(np.concatenate(scores))
    assert abs(squares.mean() - 1) < 5 * np.sqrt(2 / squares.size) + 1 / moments.effective_rows


def test_multiplying_all_weights_changes_no_prediction():
    rng = np.random.default_rng()
    state = hedge.init(5)
    for batch in np.split(rng.standard_normal((400, 5)).cumsum(axis=1), 50):
        state = hedge.update(state, batch)
    half = hedge.scaled(state, 0.5)
    batch = rng.standard_normal((8, 5))
    after = hedge.update(state, batch, np.full(8, 2.0)).average
    np.testing.assert_allclose(hedge.update(half, batch).average, after, rtol=1e-12)


def two_worlds(rng, n_rows):
    """Rows in which 0 and 1 are joined, and rows in which 1 and 2 are."""
    first, second = rng.standard_normal((2, n_rows, 6))
    first[:, 1] += first[:, 0]
    second[:, 1] += second[:, 2]
    return first, second


def ends(graph):
    return [(edge.source, edge.target) for edge in graph.edges_]


def test_the_graph_follows_the_world_only_if_it_can_forget():
    first, second = two_worlds(np.random.default_rng(), 3000)
    forgetful = HedgeGraph(error="fwer", level=0.001, half_life=200).fit(first)
    faithful = HedgeGraph(error="fwer", level=0.001).fit(first)
    assert ends(forgetful) == ends(faithful) == [(0, 1)]
    assert ends(forgetful.partial_fit(second)) == [(1, 2)]
    assert set(ends(faithful.partial_fit(second))) >= {(0, 1), (1, 2)}


def test_mean_and_covariance_are_weighted():
    rng = np.random.default_rng()
    rows = rng.standard_normal((900, 3)) + rng.standard_normal((900, 1))
    rows += np.linspace(0, 1, 900)[:, None] * [1.0, -1.0, 0.5]
    graph = HedgeGraph(half_life=150, rows="independent", columns="normal").fit(rows)
    weights = weights_of(900, 150)
    assert len(graph.edges_) == 3  # so that the model has the covariance of the rows
    np.testing.assert_allclose(graph.location_, np.average(rows, axis=0, weights=weights))
    expected = np.cov(rows.T, aweights=weights, bias=True)
    np.testing.assert_allclose(graph.covariance_, expected, rtol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 900), max_size=6), st.sampled_from([16, 33.3, 500]))
def test_no_cut_and_no_question_changes_the_graph(cuts, half_life):
    rows = np.random.default_rng().standard_normal((900, 5)).cumsum(axis=1)
    whole = HedgeGraph(half_life=half_life).fit(rows)
    parts = HedgeGraph(half_life=half_life)
    for chunk in np.split(rows, sorted(set(cuts))):
        if len(chunk):
            parts.partial_fit(chunk)
            assert parts.location_.shape == (5,)
    kept, other = whole._stream.arrays(), parts._stream.arrays()
    assert all(np.array_equal(kept[name], other[name]) for name in kept)


def test_a_saved_graph_goes_on_forgetting(tmp_path):
    first, second = two_worlds(np.random.default_rng(), 1003)
    graph = HedgeGraph(half_life=100).fit(first)
    graph.save(tmp_path / "graph.hedge")
    loaded = HedgeGraph.load(tmp_path / "graph.hedge")
    assert loaded.half_life == 100
    assert loaded.n_samples_effective_ == graph.n_samples_effective_
    graph.partial_fit(second)
    loaded.partial_fit(second)
    for name in ("z", "q_value", "partial_corr"):
        assert np.array_equal(graph.edges_[name], loaded.edges_[name])


def test_a_query_counts_the_rows_of_an_unfinished_batch():
    first, second = two_worlds(np.random.default_rng(), 4000)
    graph = HedgeGraph(half_life=1000).fit(first)
    before = graph.location_
    graph.partial_fit(second[:1])
    weight = weights_of(4001, 1000).sum()
    np.testing.assert_allclose(graph.location_ - before, (second[0] - before) / weight)


@pytest.mark.parametrize("half_life", [0, 1e13, -1, 15, float("nan"), float("inf"), "100", True])
def test_a_bad_half_life_is_refused(half_life):
    rows = np.random.default_rng().standard_normal((50, 3))
    with pytest.raises(ValueError, match=r"half_life must be a number in \[16, 1e\+12\], got"):
        HedgeGraph(half_life=half_life).fit(rows)


def test_the_half_life_cannot_change_on_the_way():
    rows = np.random.default_rng().standard_normal((50, 3))
    graph = HedgeGraph(half_life=100).fit(rows)
    graph.set_params(half_life=200)
    with pytest.raises(ValueError, match="half_life must not change after the first row, got 200"):
        graph.partial_fit(rows)
    assert graph.fit(rows).partial_fit(rows).n_samples_seen_ == 100
    with pytest.raises(ValueError, match="half_life must not change after the first row, got None"):
        graph.set_params(half_life=None).partial_fit(rows)


def test_a_half_life_that_is_too_short_is_told():
    rows = np.random.default_rng().standard_normal((2000, 40))
    graph = HedgeGraph(half_life=16, rows="independent")
    with pytest.warns(GuaranteeWarning, match="46 effective rows are few"):
        assert graph.fit(rows).n_samples_effective_ == pytest.approx(46.2, abs=1)
