"""Neighbourhood selection: its lasso, its rules, and what theory says of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from hedgerow.rivals import NeighbourhoodSelection
from hedgerow.rivals._lasso import TOLERANCE, descend
from tests.rivals._truth import graph_of, lasso_incoherence


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    columns=st.integers(2, 10),
    rows=st.integers(5, 60),
    penalty=st.floats(0.02, 0.8),
)
def test_descent_agrees_with_scikit_learn(seed, columns, rows, penalty):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    corr, weights = Z.T @ Z / rows, np.zeros(columns)
    descend(corr, 0, penalty, weights)
    expected = Lasso(alpha=penalty, tol=1e-12, max_iter=100_000).fit(Z[:, 1:], Z[:, 0]).coef_

    def objective(weights):
        return ((Z[:, 0] - Z[:, 1:] @ weights) ** 2).mean() / 2 + penalty * np.abs(weights).sum()

    # Where columns are nearly collinear many weights are as good, so values are compared. After a
    # sweep of steps below TOLERANCE no condition fails by more than columns * TOLERANCE, and both
    # solutions' l1 norms are at most 1 / (2 penalty).
    assert objective(weights[1:]) <= objective(expected) + columns * TOLERANCE / penalty


@pytest.mark.parametrize("rule", ["or", "and"])
@pytest.mark.parametrize(("shape", "corr"), [("star", 0.9), ("diamond", 0.45)])
def test_an_incoherent_model_is_found(shape, corr, rule, exact, request):
    covariance = request.getfixturevalue(shape)(corr)
    assert lasso_incoherence(covariance) < 1
    found = NeighbourhoodSelection(1e-3, rule).fit(exact(covariance))
    assert np.array_equal(found.adjacency_.toarray(), graph_of(covariance))


@pytest.mark.parametrize("rule", ["or", "and"])
def test_a_coherent_model_is_not_found_at_any_penalty(rule, exact, diamond):
    covariance = diamond(0.55)
    assert lasso_incoherence(covariance) > 1
    rows = exact(covariance)
    for penalty in np.geomspace(1e-3, 0.9, 40):
        found = NeighbourhoodSelection(penalty, rule).fit(rows).adjacency_.toarray()
        assert not np.array_equal(found, graph_of(covariance))


def test_the_penalty_of_theory_joins_independent_columns_rarely():
    """In at most one of 20 sets; more than 25 of 200 would happen once in 100,000 tests."""
    rng = np.random.default_rng()
    joined = sum(
        NeighbourhoodSelection().fit(rng.standard_normal((200, 8))).adjacency_.nnz > 0
        for _ in range(200)
    )
    assert joined <= 25


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), penalty=st.floats(0.05, 0.5))
def test_and_asks_for_more_than_or(seed, penalty):
    rows = np.random.default_rng(seed).standard_normal((30, 6))
    some, both = (NeighbourhoodSelection(penalty, rule).fit(rows) for rule in ("or", "and"))
    chosen = some.weights_ != 0
    assert np.array_equal(some.adjacency_.toarray(), chosen | chosen.T)
    assert np.array_equal(both.adjacency_.toarray(), chosen & chosen.T)
    assert (both.score_matrix_ <= some.score_matrix_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "xor"}, "rule must be one of 'or', 'and', got 'xor'"),
        ({"level": 1.5}, "level must be a number in (0, 1), got 1.5"),
        (
            {"penalty": "best"},
            "penalty must be one of 'theory', 'ebic', 'stars', 'cv', got 'best'",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    rows = np.random.default_rng(0).standard_normal((20, 3))
    with pytest.raises(ValueError) as caught:
        NeighbourhoodSelection(**parameters).fit(rows)
    assert str(caught.value) == message
