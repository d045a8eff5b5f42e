"""One greedy step, then the lasso."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from hedgerow.datasets import make
from hedgerow.rivals import HybridMB
from hedgerow.rivals._hybrid_mb import hybrid_weights, lasso_at

seeds = st.integers(0, 2**31)


def standard_rows(seed, m=60, p=8):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((m, p)) @ rng.standard_normal((p, p))
    rows -= rows.mean(axis=0)
    return rows / rows.std(axis=0)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(0.01, 0.5))
def test_a_point_of_the_path_is_the_lasso_of_its_penalty(seed, penalty):
    rows = standard_rows(seed)
    corr = rows.T @ rows / len(rows)
    weights, share = lasso_at(corr, 0, lambda here, _, __: penalty - here)
    lasso = Lasso(penalty, fit_intercept=False, tol=1e-12, max_iter=100_000)
    expected = lasso.fit(rows[:, 1:], rows[:, 0]).coef_
    assert np.allclose(weights[1:], expected, atol=1e-3)
    assert share == pytest.approx(np.mean((rows[:, 0] - rows @ weights) ** 2), abs=1e-8)


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(0.1, 3.0))
def test_the_radius_is_kept_relative_to_the_residual(seed, radius):
    corr = np.corrcoef(standard_rows(seed).T)
    gram, towards = corr[1:, 1:], corr[1:, 0]
    weights, share = lasso_at(corr, 0, HybridMB(radius)._stopping_rule(60, 8))
    least_squares = np.linalg.solve(gram, towards)
    residual = np.sqrt(1.0 - towards @ least_squares)
    if np.abs(least_squares).sum() > radius * residual:
        assert np.abs(weights).sum() == pytest.approx(radius * np.sqrt(share), rel=1e-3)
    else:
        assert np.allclose(weights[1:], least_squares, atol=1e-2)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_without_a_radius_the_penalty_follows_the_residual(seed):
    """At a lasso's solution no gradient exceeds the penalty, and those in use are equal to it."""
    corr = np.corrcoef(standard_rows(seed).T)
    weights, share = lasso_at(corr, 0, HybridMB()._stopping_rule(60, 8))
    gradient = np.abs(corr[0] - corr @ weights)[1:]
    penalty = np.sqrt(2 * np.log(8) / 60 * share)
    assert gradient.max() < penalty + 1e-5
    assert np.allclose(gradient[weights[1:] != 0], penalty, atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_the_first_variable_is_free_and_the_residual_is_right(seed):
    corr = np.corrcoef(standard_rows(seed).T)
    weights, left = hybrid_weights(corr, 0, lambda penalty, _, share: 0.2 * share**0.5 - penalty)
    first = 1 + np.abs(corr[0, 1:]).argmax()
    contrast = -weights
    contrast[0] = 1.0
    assert abs(corr[first] @ contrast) < 1e-10
    assert left == pytest.approx(contrast @ corr @ contrast, abs=1e-8)


@pytest.mark.parametrize("family", ["brownian_path", "ar1", "free_field"])
def test_walk_summable_models_are_found_however_ill_conditioned(family, exact_rows):
    model = make(family, 36)
    rows = exact_rows(np.linalg.inv(model.precision.toarray()), 2_000)
    assert np.array_equal(HybridMB().fit(rows).adjacency_.toarray(), model.adjacency.toarray())


@pytest.mark.parametrize("start", [1.0, 1e2, 1e4])
def test_a_walk_that_began_long_ago_needs_no_larger_radius(start, exact_rows):
    """For the plain lasso the weights to be found grow in sum, relative to the residual."""
    steps = np.arange(20)
    covariance = start + np.minimum.outer(steps, steps)
    precision = np.linalg.inv(covariance)
    weights = -precision[10] / precision[10, 10]
    weights[10] = 0.0
    plain = np.abs(weights) @ np.sqrt(np.diag(covariance)) * np.sqrt(precision[10, 10])
    assert plain > 1.4 * np.sqrt(start)
    method = HybridMB(radius=2.0, min_edge_strength=0.5).fit(exact_rows(covariance, 500))
    assert np.array_equal(method.adjacency_.toarray(), np.abs(np.subtract.outer(steps, steps)) == 1)


def test_scores_are_partial_correlations_once_the_radius_is_no_bound(exact_rows):
    """Hub and leaves have different residuals, of which scores must be free."""
    precision = make("star", 6, strength=0.3).precision.toarray()
    rows = exact_rows(np.linalg.inv(precision), 200)
    scores = HybridMB(radius=1e3, min_edge_strength=0.3).fit(rows).score_matrix_
    scale = np.sqrt(np.diag(precision))
    expected = np.abs(precision) / scale / scale[:, None] * ~np.eye(6, dtype=bool)
    assert np.allclose(scores, expected, atol=1e-4)


def test_what_the_source_asks_to_know_can_be_told(draw):
    model, rows = draw("brownian_path", 30, 2_000, seed=2)
    method = HybridMB(radius=2.0, min_edge_strength=model.strength).fit(rows)
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())


def test_fewer_rows_than_variables(draw):
    _, rows = draw("chain", 60, 30, seed=0)
    assert HybridMB().fit(rows).adjacency_.sum() < 60
    assert np.isfinite(HybridMB(radius=50.0, min_edge_strength=0.5).fit(rows).score_matrix_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"radius": 0}, "radius must be a finite number > 0, got 0"),
        ({"min_edge_strength": 2}, r"min_edge_strength must be a number in \(0, 1\), got 2"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        HybridMB(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
