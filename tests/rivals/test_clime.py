"""CLIME and ACLIME: their linear programs, and what theory says of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from hedgerow.rivals import AdaptiveClime, Clime, GraphicalLasso, OutOfTime
from hedgerow.rivals._aclime import _diagonal
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._linear_program import least_l1
from tests.rivals._truth import graph_of

RIVALS = [Clime, AdaptiveClime]


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(2, 8), penalty=st.floats(0.01, 0.9))
def test_the_program_has_the_value_of_its_dual(seed, columns, penalty):
    """By duality: the most of ``e'u - penalty |u|₁`` such that no entry of ``S u`` exceeds 1."""
    rng = np.random.default_rng(seed)
    corr = np.corrcoef(rng.standard_normal((2 * columns, columns)), rowvar=False)
    unit = np.eye(columns)[0]
    solution = least_l1(corr, unit - penalty, unit + penalty, Clock(None))
    assert np.abs(corr @ solution - unit).max() <= penalty + 1e-6

    ones = np.ones(columns)
    signed = np.hstack([corr, -corr])
    dual = linprog(
        np.r_[penalty * ones - unit, penalty * ones + unit],
        A_ub=np.vstack([signed, -signed]),
        b_ub=np.r_[ones, ones],
    )
    np.testing.assert_allclose(np.abs(solution).sum(), -dual.fun, atol=1e-6)


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize(("shape", "corr"), [("star", 0.8), ("diamond", 0.6)])
def test_models_that_the_graphical_lasso_misses_are_found(rival, shape, corr, exact, request):
    """At the theory's threshold: four times the penalty times the largest column sum."""
    covariance = request.getfixturevalue(shape)(corr)
    precision = np.linalg.inv(covariance)
    rows, truth, penalty = exact(covariance), graph_of(covariance), 1e-3
    threshold = 4 * penalty * np.abs(precision).sum(axis=0).max() / np.diag(precision).min()
    found = rival(penalty, threshold).fit(rows).adjacency_.toarray()
    assert np.array_equal(found, truth)
    lasso = GraphicalLasso(penalty).fit(rows).adjacency_.toarray()
    assert not np.array_equal(lasso, truth)


@pytest.mark.parametrize("rival", RIVALS)
def test_precision_approaches_the_truth_as_the_penalty_falls(rival, exact, diamond):
    rows, truth = exact(diamond(0.4)), np.linalg.inv(diamond(0.4))
    errors = [
        np.abs(rival(penalty, threshold=0.0).fit(rows).precision_ - truth).max()
        for penalty in (0.1, 0.01, 0.001)
    ]
    assert errors[2] < errors[1] / 4 < errors[0] / 16


@pytest.mark.parametrize("rival", RIVALS)
def test_of_two_estimates_the_smaller_counts(rival, draw):
    _, rows = draw("grid", 9, 50, seed=0)
    corr, method = np.corrcoef(rows, rowvar=False), rival(threshold=0.0)
    columns = np.abs(method._columns(corr + 0.2**2 / np.log(9) * np.eye(9), 0.2, Clock(None)))
    assert not np.allclose(columns, columns.T)
    precision = method._solve(corr, 0.2, None, Clock(None))
    np.testing.assert_allclose(np.abs(precision), np.minimum(columns, columns.T))


def test_the_first_step_finds_the_diagonal(exact, diamond):
    covariance = diamond(0.6)
    truth = np.diag(np.linalg.inv(covariance))
    found = [_diagonal(covariance, 1e-4, node, Clock(None)) for node in range(4)]
    np.testing.assert_allclose(found, truth, rtol=0.01)


@pytest.mark.parametrize("rival", RIVALS)
def test_a_penalty_of_one_leaves_nothing(rival, draw):
    _, rows = draw("chain", 4, 50, seed=0)
    found = rival(penalty=2.0).fit(rows)
    assert found.adjacency_.nnz == 0
    np.testing.assert_allclose(np.diag(found.precision_) * found.scale_**2, 1.0)


@pytest.mark.parametrize("rival", RIVALS)
def test_fewer_rows_than_columns_are_no_obstacle(rival, draw):
    _, rows = draw("chain", 12, 8, seed=0)
    assert np.isfinite(rival().fit(rows).score_matrix_).all()


def test_a_program_can_be_stopped():
    with pytest.raises(OutOfTime):
        least_l1(np.eye(3), -np.ones(3), np.ones(3), Clock(1e-9))


@pytest.mark.parametrize("rival", RIVALS)
def test_bad_threshold(rival, draw):
    _, rows = draw("chain", 4, 50, seed=0)
    with pytest.raises(ValueError, match=r"threshold must be a number in \(0, 1\), got -0.1"):
        rival(threshold=-0.1).fit(rows)
