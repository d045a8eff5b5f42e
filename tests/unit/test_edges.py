"""The statistic, its exact error, and the tests built on it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from hedgerow.edges import debiased, judge_pairs, partial_correlation, plausible_bias, z_score
from hedgerow.neighbours import refit


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
    weights = refit(corr, n_rows=200).weights
    assert isinstance(weights, csr_array)
    np.testing.assert_allclose(debiased(corr, weights), debiased(corr, weights.toarray()))


@given(st.integers(0, 2**32 - 1), st.integers(3, 8))
def test_partial_correlation_is_that_of_the_inverse(seed, n_columns):
    corr = random_correlation(seed, n_columns)
    precision = np.linalg.inv(corr)
    expected = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    given_all = np.arange(2, n_columns)
    assert partial_correlation(corr, 0, 1, given_all) == pytest.approx(expected, abs=1e-8)


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


def test_null_z_is_standard_normal_given_the_right_neighbours():
    """A chain: pairs two apart are related, but not given their neighbours."""
    rng = np.random.default_rng()
    z = []
    for _ in range(150):
        rows = np.cumsum(rng.standard_normal((400, 6)), axis=1)
        corr = np.corrcoef(rows.T)
        tests = judge_pairs(corr, 400, np.zeros_like(corr), "fwer")
        pairs = np.transpose(np.triu_indices(6, 1))
        apart = pairs[:, 1] - pairs[:, 0] > 1
        z.append(tests.z[apart])
    # 1500 values, mildly dependent within a sample: a generous but falsifiable test.
    assert stats.kstest(np.concatenate(z), "norm").pvalue > 1e-5
    assert np.std(np.concatenate(z)) == pytest.approx(1.0, abs=0.12)
