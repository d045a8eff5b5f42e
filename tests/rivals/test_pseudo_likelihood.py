"""Fractional marginal pseudo-likelihood."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from hedgerow.datasets import make
from hedgerow.rivals import PseudoLikelihood
from hedgerow.rivals._evidence import gain_by_size
from tests.rivals._pseudo import all_graphs, log_score, toggled


def standard(rows):
    rows = rows - rows.mean(axis=0)
    return rows / rows.std(axis=0)


def marginal_likelihood_ratio(x, y):
    """Integrate a regression of y on x, and none, over weight and variance, by quadrature.

    The prior for k neighbours is σ^(-2(k + 1)), divided by the integral of the n-th root of the
    likelihood. The weight is integrated by its Gaussian, the logarithm of the variance on a line.
    """
    n = len(y)

    def log_integral(power, neighbours):
        squares = y @ y - neighbours * (x @ y) ** 2 / (x @ x)

        def density(log_variance):
            variance = np.exp(log_variance)
            value = (2 * np.pi * variance) ** (-power * n / 2)
            value *= np.exp(-power * squares / (2 * variance))
            if neighbours:
                value *= np.sqrt(2 * np.pi * variance / (power * (x @ x)))
            return value * variance ** -(neighbours + 1) * variance  # of d log variance

        return np.log(integrate.quad(density, -15, 60, limit=500)[0])

    with_x, without = (log_integral(1.0, k) - log_integral(1.0 / n, k) for k in (1, 0))
    return with_x - without


def test_a_neighbour_is_worth_what_integration_says():
    rng = np.random.default_rng(0)
    rows = standard(rng.standard_normal((12, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]]))
    r = np.corrcoef(rows.T)[0, 1]
    expected = marginal_likelihood_ratio(rows[:, 0], rows[:, 1])
    worth = gain_by_size(12, 2)[0] - 11 / 2 * np.log1p(-(r**2))
    assert worth == pytest.approx(expected, rel=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(15, 300))
def test_scores_are_log_odds_given_the_rest_of_the_graph(seed, m):
    """Against determinants of scatter matrices, for every pair of the graph found."""
    rng = np.random.default_rng(seed)
    rows = standard(rng.standard_normal((m, 5)) @ rng.standard_normal((5, 5)))
    method = PseudoLikelihood().fit(rows)
    graph = method.adjacency_.toarray()
    for i, j in combinations(range(5), 2):
        with_edge, without = (log_score(rows, toggled(graph, i, j, on)) for on in (True, False))
        assert method.score_matrix_[i, j] == pytest.approx(with_edge - without, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_climb_ends_at_the_best_of_all_graphs(seed, draw):
    """On a chain with many rows there is only one peak."""
    _, rows = draw("chain", 4, 500, seed=seed, strength=0.4)
    best = max(all_graphs(4), key=lambda graph: log_score(standard(rows), graph))
    assert np.array_equal(PseudoLikelihood().fit(rows).adjacency_.toarray(), best)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31))
def test_rules_are_nested(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((40, 8)) @ rng.standard_normal((8, 8))
    strict, wide, climbed = (
        PseudoLikelihood(rule).fit(rows).adjacency_.toarray() for rule in ("and", "or", "hc")
    )
    assert not (strict & ~wide).any()
    assert not (climbed & ~wide).any()


@pytest.mark.parametrize("rule", ["and", "or"])
def test_edges_of_every_rule_have_positive_scores(rule, draw):
    _, rows = draw("grid", 16, 200, seed=1)
    method = PseudoLikelihood(rule).fit(rows)
    assert np.array_equal(method.score_matrix_ > 0, method.adjacency_.toarray())


@pytest.mark.parametrize("family", ["brownian_path", "grid", "hubs", "cliques"])
def test_graphs_are_found_as_rows_grow(family, exact_rows):
    model = make(family, 36)
    rows = exact_rows(np.linalg.inv(model.precision.toarray()), 5_000)
    method = PseudoLikelihood().fit(rows)
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())


def test_neighbours_that_matter_only_together_are_missed_unless_they_ask(exact_rows):
    """y is the difference of near copies: either alone says next to nothing about it.

    Single steps from y's side go nowhere; but y says much about either copy given the other.
    """
    common, half, noise = np.eye(3) * [1.0, 0.02, 0.02]
    a, b = common + half, common - half
    factors = np.array([a - b + noise, a, b])
    rows = exact_rows(factors @ factors.T, 200)
    best = max(all_graphs(3), key=lambda graph: log_score(standard(rows), graph))
    assert best.sum() == 6
    assert not PseudoLikelihood("and").fit(rows).adjacency_.toarray()[0].any()
    assert np.array_equal(PseudoLikelihood("hc").fit(rows).adjacency_.toarray(), best)


def test_copies_of_a_column_do_no_harm(draw):
    _, rows = draw("chain", 6, 100, seed=0)
    method = PseudoLikelihood().fit(np.column_stack([rows, rows[:, 2]]))
    assert np.isfinite(method.score_matrix_).all()
    assert method.adjacency_.toarray()[2, 6]


def test_the_rule_is_named_if_it_is_wrong():
    with pytest.raises(ValueError, match="rule must be one of 'hc', 'and', 'or', got 'xor'"):
        PseudoLikelihood("xor").fit(np.random.default_rng(0).standard_normal((9, 3)))
