"""The statistic, its exact error, and the tests built on it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from hedgerow.method.company import company_of
from hedgerow.method.edges import debiased, given_ends, given_fewer, judge_pairs
from hedgerow.method.levels import (
    agreement_margins,
    asks_both,
    plausible_bias,
    smallest_levels,
    stays_asked,
)
from hedgerow.method.multiplicity import false_shares
from hedgerow.method.neighbours import refit
from hedgerow.method.priors import pair_priors
from hedgerow.method.scores import two_sided, z_score


def random_correlation(seed, n_columns):
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((n_columns, 2 * n_columns))
    covariance = factor @ factor.T
    scale = np.sqrt(np.diag(covariance))
    return covariance / scale / scale[:, None]


def neighbourhood_weights(corr):
    precision = np.linalg.inv(corr)
    weights = -precision / np.diag(precision)[:, None]
    np.fill_diagonal(weights, 0.0)
    return precision, weights


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_true_weights_give_the_partial_correlations(seed, n_columns):
    corr = random_correlation(seed, n_columns)
    precision, weights = neighbourhood_weights(corr)
    scale = np.sqrt(np.diag(precision))
    expected = precision / scale / scale[:, None]
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(debiased(corr, weights), expected, atol=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.floats(0, 0.3))
def test_the_error_of_the_statistic_is_the_one_derived(seed, n_columns, size):
    """docs/theory.md, section 10: exact, whatever the weights."""
    corr = random_correlation(seed, n_columns)
    precision, true = neighbourhood_weights(corr)
    missed = size * np.random.default_rng(seed).standard_normal(true.shape)
    np.fill_diagonal(missed, 0.0)
    used = true - missed
    product = missed @ corr @ missed.T
    excess = np.diag(product)
    variance = 1 / np.diag(precision) + excess
    target = precision / np.outer(np.diag(precision), np.diag(precision))
    error = -product - used * excess - (used * excess).T
    expected = (target + error) / np.sqrt(np.outer(variance, variance))
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(debiased(corr, used), np.clip(expected, -1, 1), atol=1e-9)


def test_sparse_and_dense_weights_agree():
    corr = random_correlation(3, 20)
    weights = refit(corr, n_rows=200).coefficients
    assert isinstance(weights, csr_array)
    np.testing.assert_allclose(debiased(corr, weights), debiased(corr, weights.toarray()))


@given(st.floats(-0.999, 0.999), st.integers(1, 500))
def test_z_score_has_the_tail_of_the_t_test(r, freedom):
    t = abs(r) * np.sqrt(freedom / (1 - r * r))
    z = z_score(np.array([r]), freedom)[0]
    assert 2 * stats.norm.sf(abs(z)) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9)
    assert z * r >= 0


def test_z_score_of_a_perfect_relation_is_finite():
    assert np.isfinite(z_score(np.array([-1.0, 0.0, 1.0]), 50)).all()


@settings(max_examples=20)
@given(st.integers(5, 2000), st.integers(2, 500))
def test_more_rows_leave_less_bias(n_rows, n_columns):
    assert plausible_bias(n_columns, n_rows + 1) < plausible_bias(n_columns, n_rows)
    assert plausible_bias(n_columns + 1, n_rows) > plausible_bias(n_columns, n_rows)


def test_z_without_an_edge_is_standard_normal_or_smaller():
    """A chain: pairs two or more apart are related, but not given their neighbours."""
    rng = np.random.default_rng()
    pairs = np.triu_indices(6, 1)
    apart = pairs[1] - pairs[0] > 1
    fewer, both = [], []
    for _ in range(200):
        corr = np.corrcoef(np.cumsum(rng.standard_normal((400, 6)), axis=1).T)
        fitted = refit(corr, 400)
        fewer.append(given_fewer(fitted, 400, pairs)[apart])
        both.append(z_score(debiased(corr, fitted.coefficients)[pairs], 396)[apart])
    # 2000 values each, mildly dependent within a sample: generous bounds that can still fail.
    assert stats.kstest(np.concatenate(both), "norm").pvalue > 1e-5
    assert np.mean(np.abs(np.concatenate(fewer)) > 1.96) < 0.05 + 4 * np.sqrt(0.05 / 2000)


def test_a_leaf_is_judged_given_its_own_neighbours():
    """A hub is determined by its many leaves, so given those no leaf matters to it any more."""
    rng = np.random.default_rng()
    hub = rng.standard_normal((600, 1))
    rows = np.hstack([hub, 0.8 * hub + 0.6 * rng.standard_normal((600, 30))])
    corr = np.corrcoef(rows.T)
    fitted = refit(corr, 600)
    pairs = np.triu_indices(31, 1)
    z = given_fewer(fitted, 600, pairs)
    with_hub = pairs[0] == 0
    given_all = np.linalg.inv(corr)
    exact = -given_all[0, 1:] / np.sqrt(given_all[0, 0] * np.diag(given_all)[1:])
    assert z[with_hub].min() > 10
    assert np.abs(z[~with_hub]).max() < 6
    assert np.median(z_score(exact, 600 - 31)) < 5


@pytest.mark.parametrize("n_rows", [100, 1000])
def test_a_familywise_promise_never_reports_more_than_a_discovery_rate(n_rows):
    rng = np.random.default_rng()
    rows = np.cumsum(rng.standard_normal((n_rows, 15)), axis=1)
    corr = np.corrcoef(rows.T)
    weights = np.zeros_like(corr)
    fdr = judge_pairs(corr, n_rows, weights, "fdr")
    fwer = judge_pairs(corr, n_rows, weights, "fwer")
    assert np.all(np.abs(fwer.z) <= np.abs(fdr.z))
    assert (fwer.q_value <= 0.05).sum() <= (fdr.q_value <= 0.05).sum()


@pytest.mark.parametrize("n_rows", [20, 100, 1000])
def test_a_balanced_graph_is_tested_without_the_precautions(n_rows):
    rng = np.random.default_rng()
    rows = np.cumsum(rng.standard_normal((n_rows, 15)), axis=1)
    corr, weights = np.corrcoef(rows.T), np.zeros((15, 15))
    fdr = judge_pairs(corr, n_rows, weights, "fdr")
    balanced = judge_pairs(corr, n_rows, weights, "balanced")
    for name in ("partial_corr", "z", "p_value", "unexplained"):
        assert np.array_equal(getattr(balanced, name), getattr(fdr, name))
    witness = z_score(corr[np.triu_indices(15, 1)], n_rows - 2)  # that of no weights
    ends = given_ends(refit(corr, n_rows), n_rows, np.triu_indices(15, 1))
    company = company_of(corr, fdr.coefficients, n_rows, *ends)
    priors = pair_priors(fdr.z, witness, 15, count_nulls_only=True, company=company)
    expected = false_shares(np.minimum(fdr.p_value / priors, 1.0))
    np.testing.assert_allclose(balanced.q_value, expected)


@pytest.mark.parametrize("n_rows", [12, 200])
def test_q_values_of_a_balanced_graph_count_as_many_pairs_as_there_are_nulls(n_rows):
    """Eight columns have too few pairs for more than one group."""
    rng = np.random.default_rng()
    corr = np.corrcoef(np.cumsum(rng.standard_normal((n_rows, 8)), axis=1).T)
    tests = judge_pairs(corr, n_rows, np.zeros((8, 8)), "balanced")
    share = min((1 + np.sum(tests.p_value > 0.5)) / (0.5 * 28), 1.0)
    np.testing.assert_allclose(tests.q_value, false_shares(share * tests.p_value))


@pytest.mark.parametrize("n_rows", [30, 300])  # few, and enough
def test_a_noisy_column_hides_more_and_margins_grow_with_it(n_rows):
    plain = np.array(agreement_margins(64, n_rows, "fdr"))
    assert np.array(agreement_margins(64, n_rows, "fdr", 1.5)) == pytest.approx(1.5 * plain)


def one_hub(n_rows, n_columns=40):
    """Return correlations of rows of a hub that drives all other columns."""
    rng = np.random.default_rng()
    rows = rng.standard_normal((n_rows, n_columns))
    rows[:, 1:] += 2 * rows[:, :1]
    return np.corrcoef(rows, rowvar=False)


def test_hedge_can_be_asked_about_each_pair_as_if_there_were_no_other():
    z, ones = np.array([6.0, 5.0, 4.0, 0.5]), np.ones(4)
    witness = np.array([6.0, 2.1, -4.0, 0.5])
    rules = ones, ones, (0.0, np.inf), "fdr"
    together = smallest_levels(z, witness, *rules)
    alone = smallest_levels(z, witness, *rules, each_agrees=ones > 0)
    assert alone[1] == pytest.approx(two_sided(np.array([2.1]))[0])
    assert together[1] > 1.5 * alone[1]
    assert alone[2] == together[2] == 1.0, "Hedge contradicts"
    some = smallest_levels(z, witness, *rules, each_agrees=np.array([True, False, True, True]))
    assert some[1] == together[1]


def test_a_pair_of_which_hedge_is_asked_alone_must_be_clear_of_the_typical_bias():
    z, ones, margins = np.array([3.0, 0.1]), np.ones(2), (0.5, np.inf)
    rules = ones, ones, margins, "fdr"
    less = smallest_levels(z, np.array([2.6, 0.0]), *rules, each_agrees=ones > 0)
    assert less[0] == pytest.approx(two_sided(np.array([2.1]))[0])  # Hedge's, less the bias
    more = smallest_levels(z, np.array([3.2, 0.0]), *rules, each_agrees=ones > 0)
    assert more[0] == pytest.approx(2 * two_sided(np.array([2.7]))[0])  # both, of two pairs
    other = smallest_levels(z, np.array([9.0, 0.0]), *rules, each_agrees=ones > 0)
    assert other[0] == pytest.approx(2 * two_sided(np.array([3.0]))[0])  # nothing taken off


def test_with_few_rows_a_hub_and_its_leaf_need_not_be_clear_given_the_neighbours_of_both():
    """Given the hub's many neighbours, next to nothing is left of one edge."""
    assert asks_both(40, 36, "fdr")
    of_hub = np.triu_indices(40, 1)[0] == 0
    found = [
        (judge_pairs(one_hub(36), 36, np.zeros((40, 40)), "fdr").q_value[of_hub] <= 0.05).mean()
        for _ in range(20)
    ]
    # 0.93 is expected, with a standard error of 0.015; if all pairs were asked, 0.19.
    assert np.mean(found) > 0.8


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_only_a_promise_about_a_rate_spares_hubs_from_being_asked(monkeypatch, error):
    tables = [one_hub(36) for _ in range(10)]
    as_it_is = [judge_pairs(corr, 36, np.zeros((40, 40)), error).q_value for corr in tables]
    monkeypatch.setattr("hedgerow.method.edges.stays_asked", lambda first, *_: first >= 0)
    all_asked = [judge_pairs(corr, 36, np.zeros((40, 40)), error).q_value for corr in tables]
    number = 0
    for corr, some, all_of_them in zip(tables, as_it_is, all_asked):
        sizes = refit(corr, 36).sizes
        spared = ~stays_asked(*(sizes[end] for end in np.triu_indices(40, 1)), error)
        assert (some <= all_of_them).all()
        np.testing.assert_array_equal(some[~spared], all_of_them[~spared])
        number += spared.sum()
    assert (number > 0) == (error == "fdr")
