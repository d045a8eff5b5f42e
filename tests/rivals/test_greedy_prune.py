"""Greedy choice, then pruning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.datasets import make
from hedgerow.rivals import GreedyPrune
from hedgerow.rivals._prune import least_strength, strengths


@pytest.mark.parametrize("family", ["brownian_path", "free_field", "path_cliques", "chain"])
def test_attractive_models_are_found_however_ill_conditioned(family, exact_rows):
    model = make(family, 25)
    rows = exact_rows(np.linalg.inv(model.precision.toarray()), 2_000)
    assert np.array_equal(GreedyPrune().fit(rows).adjacency_.toarray(), model.adjacency.toarray())


def test_noise_is_pruned(draw):
    """Without pruning, every step leaves a variable.

    The threshold is half of κ², 250 times what one variable explains by chance.
    """
    model, rows = draw("brownian_path", 30, 2_000, seed=4)
    truth = model.adjacency.toarray()
    careless = GreedyPrune(n_steps=8, threshold=1e-12).fit(rows).adjacency_.toarray()
    assert (careless & ~truth).sum() > truth.sum()
    pruned = GreedyPrune(n_steps=8, threshold=model.strength**2 / 2).fit(rows)
    assert np.array_equal(pruned.adjacency_.toarray(), truth)


def test_neighbours_that_matter_together_need_more_steps_than_neighbours(exact_rows):
    """a and b are near copies, y is their difference, and so is the decoy, with more noise."""
    common, half, y_noise, decoy_noise = np.eye(4) * [1.0, 0.2, 0.1, 0.2]
    a, b = common + half, common - half
    factors = np.array([a - b + y_noise, a, b, a - b + decoy_noise])
    rows = exact_rows(factors @ factors.T, 1_000)
    truth = {1, 2}
    assert set(np.flatnonzero(GreedyPrune(n_steps=2).fit(rows).adjacency_.toarray()[0])) != truth
    assert set(np.flatnonzero(GreedyPrune(n_steps=3).fit(rows).adjacency_.toarray()[0])) == truth


def test_both_nodes_must_choose_each_other(exact_rows):
    """With one step, the middle of a chain takes its stronger neighbour only."""
    corr = np.array([[1.0, 0.8, 0.4], [0.8, 1.0, 0.5], [0.4, 0.5, 1.0]])
    graph = GreedyPrune(n_steps=1).fit(exact_rows(corr, 500)).adjacency_.toarray()
    assert np.array_equal(graph, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 4))
def test_strength_is_the_share_of_variance_that_is_lost(seed, size):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((30, 6)) @ rng.standard_normal((6, 6))
    rows -= rows.mean(axis=0)
    members = rng.choice(np.arange(1, 6), size, replace=False)
    nothing = [np.array([], dtype=int)] * 5
    found = strengths(np.corrcoef(rows.T), [members, *nothing])
    assert not found[1:].any()

    def left(chosen):
        return (
            np.linalg.lstsq(rows[:, chosen], rows[:, 0])[1][0]
            if len(chosen)
            else sum(rows[:, 0] ** 2)
        )

    for j in members:
        ratio = left(members) / left(members[members != j])
        assert found[0, j] ** 2 == pytest.approx(1.0 - ratio, rel=1e-6, abs=1e-9)


def test_the_threshold_is_that_of_the_extended_bic(draw):
    _, rows = draw("chain", 8, 300, seed=0)
    method = GreedyPrune().fit(rows)
    assert 300 * np.log1p(method.threshold_) == pytest.approx(np.log(300) + 2 * np.log(8))
    given = GreedyPrune(threshold=method.threshold_).fit(rows)
    assert np.array_equal(given.adjacency_.toarray(), method.adjacency_.toarray())
    kept = method.score_matrix_[method.adjacency_.toarray()]
    assert kept.min() > least_strength(300, 8)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_steps": 0}, "n_steps must be an integer >= 1, got 0"),
        ({"threshold": -0.1}, "threshold must be a finite number > 0, got -0.1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        GreedyPrune(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
