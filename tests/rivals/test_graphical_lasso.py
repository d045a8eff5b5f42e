"""The penalised likelihood: scikit-learn's solver and QUIC, against each other and theory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.covariance import graphical_lasso

from hedgerow.rivals import GGLasso, GraphicalLasso, OutOfTime, Quic
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._likelihood import components
from hedgerow.rivals._quic import TOLERANCE, quic, violation
from tests.rivals._truth import graph_of, likelihood_incoherence

SOLVERS = [GraphicalLasso, Quic]
NO_LIMIT = Clock(None)


def correlations(seed, columns, rows, mixed=1.0):
    """Return correlations of random rows whose columns are mixed with each other."""
    rng = np.random.default_rng(seed)
    mixing = np.eye(columns) + mixed * rng.standard_normal((columns, columns)) / columns
    return np.corrcoef(rng.standard_normal((rows, columns)) @ mixing, rowvar=False)


def assert_same_optimum(first, second):
    """The objective curves by at least 1/λ², which bounds how far apart two solutions can be."""
    curvature = np.linalg.eigvalsh(first)[-1] ** -2
    furthest = 2 * TOLERANCE * len(first) / curvature
    np.testing.assert_allclose(first, second, rtol=0, atol=furthest)


@pytest.mark.parametrize("rival", SOLVERS)
@pytest.mark.parametrize(("shape", "corr"), [("star", 0.45), ("diamond", 0.2)])
def test_an_incoherent_model_is_found(rival, shape, corr, exact, request):
    covariance = request.getfixturevalue(shape)(corr)
    assert likelihood_incoherence(covariance) < 1
    found = rival(penalty=1e-3).fit(exact(covariance))
    assert np.array_equal(found.adjacency_.toarray(), graph_of(covariance))


@pytest.mark.parametrize("rival", SOLVERS)
@pytest.mark.parametrize(("shape", "corr"), [("star", 0.6), ("diamond", 0.3)])
def test_a_coherent_model_is_not_found_however_many_rows(rival, shape, corr, exact, request):
    covariance = request.getfixturevalue(shape)(corr)
    assert likelihood_incoherence(covariance) > 1
    found = rival(penalty=1e-3).fit(exact(covariance)).adjacency_.toarray()
    assert not np.array_equal(found, graph_of(covariance))


def test_no_penalty_finds_a_strong_diamond(exact, diamond):
    truth = graph_of(diamond(0.45))
    rows = exact(diamond(0.45))
    for penalty in np.geomspace(1e-4, 0.9, 40):
        assert not np.array_equal(Quic(penalty).fit(rows).adjacency_.toarray(), truth)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    columns=st.integers(2, 12),
    rows=st.integers(3, 60),
    penalty=st.floats(0.02, 0.9),
)
def test_quic_meets_the_conditions_of_optimality(seed, columns, rows, penalty):
    corr = correlations(seed, columns, rows)
    precision = quic(corr, penalty, None, NO_LIMIT)
    assert np.array_equal(precision, precision.T)
    assert np.linalg.eigvalsh(precision)[0] > 0
    assert violation(precision, corr - np.linalg.inv(precision), penalty) <= 2 * TOLERANCE


def test_a_matrix_that_is_not_optimal_is_noticed():
    corr = correlations(0, 5, 50)
    precision = quic(corr, 0.1, None, NO_LIMIT)
    precision[0, 0] += 1e-3
    assert violation(precision, corr - np.linalg.inv(precision), 0.1) > 1e-4


@pytest.mark.parametrize("penalty", [0.4, 0.1, 0.03])
@pytest.mark.parametrize("rows", [10, 40, 400])
def test_quic_agrees_with_scikit_learn(rows, penalty):
    corr = correlations(1, 16, rows, mixed=2.0)
    _, expected = graphical_lasso(corr, penalty, tol=1e-10, enet_tol=1e-12, max_iter=3000)
    assert_same_optimum(quic(corr, penalty, None, NO_LIMIT), expected)


def test_strong_correlations_are_no_obstacle(draw):
    _, rows = draw("brownian_path", 24, 60, seed=0)
    corr = np.corrcoef(rows, rowvar=False)
    precision = quic(corr, 0.05, None, NO_LIMIT)
    assert violation(precision, corr - np.linalg.inv(precision), 0.05) <= 2 * TOLERANCE


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), penalty=st.floats(0.1, 0.6))
def test_components_apart_solve_the_whole(seed, penalty):
    corr = correlations(seed, 8, 30)
    apart = Quic()._solve(corr, penalty, None, NO_LIMIT)
    assert_same_optimum(apart, quic(corr, penalty, None, NO_LIMIT))


def test_components_are_those_of_large_correlations():
    corr = np.eye(6)
    corr[0, 3] = corr[3, 0] = 0.5
    corr[3, 5] = corr[5, 3] = -0.4
    corr[1, 2] = corr[2, 1] = 0.2
    assert [nodes.tolist() for nodes in components(corr, 0.3)] == [[0, 3, 5]]
    assert [nodes.tolist() for nodes in components(corr, 0.1)] == [[0, 3, 5], [1, 2]]


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_start_does_not_change_the_solution(seed):
    corr = correlations(seed, 8, 30)
    start = quic(corr, 0.3, None, NO_LIMIT)
    warm, cold = (quic(corr, 0.1, first, NO_LIMIT) for first in (start, None))
    assert_same_optimum(warm, cold)


def test_quic_can_be_stopped_inside():
    with pytest.raises(OutOfTime):
        quic(correlations(0, 8, 30), 0.1, None, Clock(1e-9))


def test_precision_is_in_the_units_of_the_columns(draw):
    _, rows = draw("chain", 5, 200, seed=0)
    units = np.array([1.0, 10.0, 1e-3, 5.0, 1.0])
    plain, scaled = (Quic(0.1).fit(X).precision_ for X in (rows, rows * units))
    np.testing.assert_allclose(scaled * units * units[:, None], plain, rtol=1e-6, atol=1e-9)


def test_three_solvers_find_the_same_optimum(draw):
    _, rows = draw("grid", 16, 200, seed=2)
    package = GGLasso().fit(rows)
    for rival in SOLVERS:
        same = rival(package.penalty_).fit(rows)
        np.testing.assert_allclose(same.score_matrix_, package.score_matrix_, atol=2e-3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": "aic"}, "penalty must be one of 'ebic', 'stars', 'cv', got 'aic'"),
        ({"penalty": 0.0}, "penalty must be a finite number > 0, got 0.0"),
        ({"random_state": -1}, "random_state must be an integer >= 0, got -1"),
    ],
)
@pytest.mark.parametrize("rival", SOLVERS)
def test_bad_parameters(rival, parameters, message, draw):
    _, rows = draw("chain", 4, 20, seed=0)
    with pytest.raises(ValueError) as caught:
        rival(**parameters).fit(rows)
    assert str(caught.value) == message


def test_gglasso_refuses_a_gamma_outside(draw):
    _, rows = draw("chain", 4, 20, seed=0)
    with pytest.raises(ValueError, match=r"gamma must be a number in \(0, 1\), got 2"):
        GGLasso(gamma=2).fit(rows)
