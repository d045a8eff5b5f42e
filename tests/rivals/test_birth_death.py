"""The walk among graphs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from hedgerow.datasets import make
from hedgerow.rivals import BirthDeath
from hedgerow.rivals._birth_death import _move, forget, init, probabilities
from tests.rivals._pseudo import all_graphs, log_pseudo_likelihood, toggled


def standard(rows):
    rows = rows - rows.mean(axis=0)
    return rows / rows.std(axis=0)


def log_posterior(rows, graph, prior):
    edges, pairs = graph.sum() // 2, len(graph) * (len(graph) - 1) // 2
    chosen = edges * np.log(prior) + (pairs - edges) * np.log1p(-prior)
    return log_pseudo_likelihood(rows, graph) + chosen


def edge_probabilities(rows, prior):
    """Sum over all graphs."""
    graphs = np.array(list(all_graphs(rows.shape[1])))
    logs = np.array([log_posterior(rows, graph, prior) for graph in graphs])
    return np.tensordot(np.exp(logs - logsumexp(logs)), graphs, axes=1)


@pytest.mark.parametrize(("p", "m", "prior"), [(3, 25, 0.2), (4, 20, 0.5), (4, 60, 0.1)])
def test_probabilities_are_those_of_the_posterior(p, m, prior, draw):
    """The mean of 16 walks is within 6 of its own standard errors of the sum over all graphs.

    For each pair that fails by chance once in 40,000 times (Student's t with 15 degrees).
    """
    _, rows = draw("chain", p, m, seed=p * m)
    expected = edge_probabilities(standard(rows), prior)
    walks = np.array(
        [
            BirthDeath(prior, n_iterations=4_000, random_state=seed).fit(rows).score_matrix_
            for seed in range(16)
        ]
    )
    pairs = np.triu_indices(p, 1)
    error = (walks.mean(axis=0) - expected)[pairs] * 4 / walks.std(axis=0, ddof=1)[pairs]
    assert np.abs(error).max() < 6
    assert walks.std(axis=0).max() < 0.05  # or the line above would say little
    assert (expected[pairs] * (1 - expected[pairs])).max() > 0.01


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 30))
def test_rates_balance_the_posterior_in_every_graph(seed, moves):
    """Of each edge the odds of living to dead are the ratio of its birth rate to its death rate."""
    rng = np.random.default_rng(seed)
    rows = standard(rng.standard_normal((30, 5)) @ rng.standard_normal((5, 5)))
    walk = init(rows.T @ rows / 30, 30, np.log(0.2 / 0.8))
    sizes = _move(walk, rng.random((moves, 2)))
    assert sizes[-1] == walk.graph.sum() // 2
    assert np.allclose(walk.row_rate, walk.rate.sum(axis=1))
    for i, j in combinations(range(5), 2):
        with_edge, without = (
            log_posterior(rows, toggled(walk.graph, i, j, on), 0.2) for on in (True, False)
        )
        odds = with_edge - without
        leave = -odds if walk.graph[i, j] else odds
        assert np.log(walk.rate[i, j]) == pytest.approx(min(0.0, leave), rel=1e-6, abs=1e-6)
        assert walk.probability[i, j] == pytest.approx(1 / (1 + np.exp(-odds)), rel=1e-5)


def test_an_edge_counts_at_both_of_its_ends(exact_rows):
    """With two variables the log odds are twice those of one regression, plus the prior's."""
    rows = exact_rows(np.array([[1.0, 0.2], [0.2, 1.0]]), 100)
    probability = BirthDeath(0.5, n_iterations=100).fit(rows).score_matrix_[0, 1]
    empty, full = all_graphs(2)
    twice = log_pseudo_likelihood(rows, full) - log_pseudo_likelihood(rows, empty)
    assert np.log(probability / (1 - probability)) == pytest.approx(twice, rel=1e-6)


def test_a_grid_is_found(exact_rows):
    model = make("grid", 25)
    method = BirthDeath().fit(exact_rows(np.linalg.inv(model.precision.toarray()), 1_000))
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())
    assert method.n_edges_.shape == (5_000,)


def test_a_wide_prior_lets_false_edges_in(draw):
    """Nothing guards against the number of pairs but the prior."""
    _, rows = draw("chain", 60, 60, seed=3)
    wide, narrow = (BirthDeath(prior, 20_000).fit(rows).adjacency_.sum() for prior in (0.5, 0.02))
    assert wide > 2 * narrow


def test_the_seed_decides_the_walk(draw):
    _, rows = draw("chain", 8, 60, seed=4)
    first, again, other = (
        BirthDeath(n_iterations=500, random_state=seed).fit(rows) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.n_edges_, again.n_edges_)
    assert np.array_equal(first.score_matrix_, again.score_matrix_)
    assert not np.array_equal(first.n_edges_, other.n_edges_)


def test_certainty_is_not_a_problem():
    """Log odds of thousands: rates that underflow, and graphs that would last for ever."""
    rng = np.random.default_rng(5)
    base = rng.standard_normal((5_000, 3))
    rows = np.column_stack([base, base[:, 0] + 1e-3 * rng.standard_normal(5_000), base[:, 1]])
    method = BirthDeath(n_iterations=2_000).fit(rows)
    assert np.isfinite(method.score_matrix_).all()
    assert method.adjacency_.toarray()[0, 3]
    assert method.adjacency_.toarray()[1, 4]


def test_copies_of_one_column_are_joined():
    copies = np.repeat(np.random.default_rng(6).standard_normal((60, 1)), 4, axis=1)
    method = BirthDeath(n_iterations=2_000).fit(copies)
    assert np.isfinite(method.score_matrix_).all()
    assert method.adjacency_.sum() > 0


def test_sums_of_rates_forget_what_has_gone():
    """Rates fall from 1 to nearly 0 here, one after the other."""
    noise = np.random.default_rng(7).standard_normal((100, 6))
    rows = standard(noise[:, [0, 0, 0, 1, 1, 1]] + 0.1 * noise)
    walk = init(rows.T @ rows / 100, 100, 0.0)
    _move(walk, np.random.default_rng(8).random((50, 2)))
    assert walk.row_rate.min() < 1e-10
    assert np.allclose(walk.row_rate, walk.rate.sum(axis=1), rtol=1e-6, atol=0.0)


def test_the_first_half_is_forgotten(draw):
    """Of two moves, what is seen is the graph between them."""
    _, rows = draw("cycle", 5, 50, seed=11)
    rows = standard(rows)
    walk = init(rows.T @ rows / 50, 50, 0.0)
    _move(walk, np.random.default_rng(3).random((1, 2)))
    found = BirthDeath(0.5, n_iterations=2, random_state=3).fit(rows).score_matrix_
    assert np.allclose(found, walk.probability, rtol=1e-6)


def test_probabilities_are_means_over_time_since_the_walk_was_forgotten(draw):
    _, rows = draw("cycle", 6, 40, seed=9)
    rows = standard(rows)
    walk = init(rows.T @ rows / 40, 40, 0.0)
    uniform = np.random.default_rng(10).random((60, 2))
    _move(walk, uniform[:20])
    forget(walk)
    seen, time = np.zeros((6, 6)), 0.0
    for step in range(20, 60):
        lasts = 1.0 / walk.rate.sum()
        seen += lasts * walk.probability
        time += lasts
        _move(walk, uniform[step : step + 1])
    assert np.allclose(probabilities(walk), seen / time, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"edge_prior": 1}, r"edge_prior must be a number in \(0, 1\), got 1"),
        ({"n_iterations": 1}, "n_iterations must be an integer >= 2, got 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BirthDeath(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
