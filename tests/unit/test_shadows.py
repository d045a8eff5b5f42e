"""Edges that may be shadows of a third variable are counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from benchmarks.quality import cases
from hedgerow import HedgeGraph
from hedgerow.method import graph
from hedgerow.method.inflation import no_inflation
from hedgerow.method.one_pair import Known, neighbours
from hedgerow.method.shadows import counted, shadow_odds, shadows
from hedgerow.metrics import fdp

PLAIN = {"level": "balanced", "rows": "independent", "columns": "normal"}
NOTHING = np.empty(0, dtype=np.intp)
pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.estimators.GuaranteeWarning")


def correlations(size, n_rows, seed):
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((n_rows, size)) @ rng.standard_normal((size, size))
    return np.corrcoef(mixed + rng.standard_normal((n_rows, size)), rowvar=False)


def given_others(corr, variables, others):
    """Correlations of some variables given others, from the inverse of the matrix of both."""
    some = [*variables, *others]
    inside = np.linalg.inv(corr[np.ix_(some, some)])[: len(variables), : len(variables)]
    left = np.linalg.inv(inside)
    return left / np.sqrt(np.outer(np.diag(left), np.diag(left)))


def odds_by_hand(corr, n_rows, i, j, others, prior):
    """Weights of graphs of three variables: that of i - k - j over those that have i - j, as far as
    k takes evidence away.
    """
    freedom, odds = n_rows - 1 - len(others), 0.0
    for k in set(range(len(corr))) - {i, j, *others}:
        left = given_others(corr, (i, j, k), others)
        bayes = {
            (a, b): prior * (1 - left[a, b] ** 2 * n_rows / (n_rows + 1)) ** (-freedom / 2)
            for a, b in ((0, 1), (0, 2), (1, 2))
        }
        partial = given_others(left, (0, 1), (2,))[0, 1]
        closing = prior * (1 - partial**2 * n_rows / (n_rows + 1)) ** (-freedom / 2)
        behind = bayes[0, 2] * bayes[1, 2]
        joined = bayes[0, 1] * (1 + bayes[0, 2] + bayes[1, 2])
        odds += max(1 - closing / bayes[0, 1], 0) * behind / (joined + behind * closing)
    return odds


def test_three_equal_correlations_by_hand():
    """r = 0.6, 19 rows: 0.36 shrinks to 0.342, and evidence is 0.658⁻⁹ = 43.25 for each; given the
    third, 0.375² shrinks to 0.1336, which is worth 3.635.
    """
    corr = np.full((3, 3), 0.6) + 0.4 * np.eye(3)
    told = shadow_odds(corr, 19.0, 0, np.array([1]), NOTHING, prior=0.1)
    odds = (1 - 3.635 / 43.25) / (1 / (43.25 * 0.1) + 2 + 0.1 * 3.635)
    assert told == pytest.approx(odds, rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_odds_are_those_of_all_graphs_of_three(seed):
    corr, chosen = correlations(7, 25, seed), np.array([1, 4, 5])
    others = np.array([1, 2, 3, 5])
    told = shadow_odds(corr, 25.0, 0, others, chosen, prior=0.02)
    for j, odds in zip(others, told):
        rest = [k for k in chosen.tolist() if k != j]
        assert odds == pytest.approx(odds_by_hand(corr, 25, 0, int(j), rest, 0.02), rel=1e-9)


def test_the_end_with_fewer_neighbours_is_asked_and_of_two_the_one_that_speaks_for_the_edge():
    corr = correlations(9, 40, 7)
    known, pairs = Known(corr, None, 40, no_inflation(9)), np.array(np.triu_indices(9, 1))
    told = shadows(known, 1.0, *pairs, n_edges=10.0)
    density = 10 / 37  # one more than the pairs that there are
    prior = density / (1 - density) / np.sqrt(41)
    both = binom(7, density**2)  # of seven thirds, those that are joined to both ends ...
    thirds = both.mean() / both.sf(0)  # ... where any is
    for share, ends in zip(told, pairs.T.tolist()):
        chosen = [neighbours(known, end)[0].tolist() for end in ends]
        odds = [
            odds_by_hand(corr, 40, i, j, [k for k in some if k != j], prior)
            for (i, j), some in zip((ends, ends[::-1]), chosen)
            if len(some) == min(map(len, chosen))
        ]
        least = min(odds) / thirds
        assert share == pytest.approx(least / (1 + least), rel=1e-9)
    assert len({len(neighbours(known, k)[0]) for k in range(9)}) > 1


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 12), st.integers(6, 300), st.integers(0, 10**6), st.floats(0.1, 1.0))
def test_names_and_signs_do_not_matter(size, n_rows, seed, share):
    corr = correlations(size, n_rows, seed)
    rng = np.random.default_rng(seed)
    order, signs = rng.permutation(size), rng.choice([-1.0, 1.0], size)
    upper = np.triu_indices(size, 1)
    n_edges = share * len(upper[0])
    told = shadows(Known(corr, None, n_rows, no_inflation(size)), 1.0, *upper, n_edges)
    assert ((told >= 0) & (told < 1)).all()
    other = (corr * np.outer(signs, signs))[np.ix_(order, order)]
    place = np.argsort(order)
    again = shadows(
        Known(other, None, n_rows, no_inflation(size)), 1.0, *(place[end] for end in upper), n_edges
    )
    np.testing.assert_allclose(again, told, rtol=1e-6, atol=1e-12)


def test_in_the_long_run_it_is_known_who_stands_between():
    corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    odds = [shadow_odds(corr, m, 0, np.array([1, 2]), NOTHING, 1 / np.sqrt(m)) for m in (30, 3000)]
    (few_of_edge, few_of_shadow), (edge, shadow) = odds
    assert few_of_edge > edge
    assert few_of_shadow < shadow
    assert edge < 1e-12
    assert shadow > 20


q_values = st.sampled_from([1e-6, 0.01, 0.2, 0.5]) | st.floats(0, 1)


@given(st.lists(st.tuples(q_values, st.floats(0, 1)), min_size=1, max_size=40))
def test_no_level_has_fewer_false_edges_than_shadows(both):
    q, shares = np.array(both).T
    told = counted(q, shares)
    assert (told >= q).all()
    assert (counted(q, 0.0 * shares) == q).all()
    order = np.argsort(q, kind="stable")
    assert (np.diff(told[order]) >= 0).all()
    for level in told:
        within = told <= level
        assert shares[within].mean() <= level + 1e-12


@pytest.mark.parametrize("name", ["free_field", "common factor", "star, nearly singular"])
def test_the_estimate_is_not_far_below_the_truth_where_columns_are_much_alike(monkeypatch, name):
    def both():
        found = []
        for seed in range(60, 75):
            model, rows = cases.rows_of(name, 30, 15, seed)
            told = HedgeGraph(**PLAIN).fit(rows)
            if len(told.edges_):
                found.append((fdp(told.adjacency_, model.adjacency), told.level_))
        return np.mean(found, axis=0)

    false, estimate = both()
    assert estimate / 2 < false < 2 * estimate
    monkeypatch.setattr(graph, "counted", lambda q, shares: q)
    false, estimate = both()
    assert false > 2.5 * estimate


def test_where_all_columns_share_something_edges_stay_and_the_estimate_is_too_high():
    """All pairs are edges, weak ones, and mostly relations by way of others where few are given."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((2000, 60)) + 0.6 * rng.standard_normal((2000, 1))
    told = HedgeGraph(**PLAIN).fit(rows)
    assert len(told.edges_) > 0.8 * 60 * 59 / 2
    assert 0.05 < told.level_ < 0.2
