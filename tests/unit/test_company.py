"""What neighbours say about a pair: against regressions on rows, and counts of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow.datasets import make
from hedgerow.method.company import (
    LAST_BIN,
    Company,
    bins_of,
    company_of,
    degree_groups,
    ends_of_bins,
    explained_groups,
    explained_parts,
    pairs_by_degree,
)
from hedgerow.method.edges import adjusted, given_ends
from hedgerow.method.groups import GROUP_ENDS, smallest_group
from hedgerow.method.multiplicity import benjamini_hochberg
from hedgerow.method.neighbours import refit
from hedgerow.method.priors import pair_priors, weighs_agreement
from hedgerow.method.scores import two_sided


def test_neighbours_other_than_a_variable_explain_what_their_regression_predicts():
    rows = make("grid", 25, seed=0).sample(300, seed=1)
    corr = np.corrcoef(rows.T)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    coefficients = refit(corr, 300).coefficients
    assert coefficients.nnz > 40
    parts = explained_parts(corr, coefficients)
    for i in range(25):
        chosen = coefficients.indices[slice(*coefficients.indptr[i : i + 2])]
        for j in range(25):
            others = rows[:, chosen[chosen != j]]
            predicted = others @ np.linalg.lstsq(others, rows[:, i])[0]
            expected = 0.0 if i == j else predicted @ rows[:, j] / 300
            assert parts[i, j] == pytest.approx(expected, abs=1e-9)


def test_without_an_edge_what_is_explained_says_nothing_about_z():
    """Of 4,000 pairs, a correlation has a standard error of 0.016: the bound is five."""
    rng = np.random.default_rng()
    n_rows, values = 60, []
    for _ in range(4000):
        common = rng.standard_normal((n_rows, 2))
        pair = common @ [[1.0, 1.0], [0.5, -0.5]] + rng.standard_normal((n_rows, 2))
        corr = np.corrcoef(np.c_[pair, common].T)
        own = np.linalg.solve(corr[2:, 2:], corr[2:, :2])
        explained = own[:, 0] @ corr[2:, 1]
        left = corr[:2, :2] - corr[:2, 2:] @ own
        values.append((explained, left[0, 1] / np.sqrt(left[0, 0] * left[1, 1])))
    explained, partial = np.array(values).T
    assert abs(np.corrcoef(explained, partial)[0, 1]) < 0.08
    assert abs(np.corrcoef(explained, np.abs(partial))[0, 1]) < 0.08


def test_bins_end_where_groups_do():
    ends = ends_of_bins(103)
    assert np.all(np.diff(ends) > 0)
    assert len(ends) == LAST_BIN == len(GROUP_ENDS)
    np.testing.assert_allclose(np.arctanh(ends[1:4]) * 10, [0.25, 0.5, 0.75])
    middles = np.r_[0.0, (ends[:-1] + ends[1:]) / 2]
    assert bins_of(middles, 103).tolist() == list(range(LAST_BIN))
    assert bins_of(-middles, 103).tolist() == [-k for k in range(LAST_BIN)]


def test_groups_are_numbered_from_what_adds_to_z():
    bins = np.array([LAST_BIN, 2, 1, 0, -1, -LAST_BIN], dtype=np.int8)
    expected = [0, LAST_BIN - 2, LAST_BIN - 1, LAST_BIN - 1, LAST_BIN, LAST_BIN]
    assert explained_groups(np.full(6, 0.3), bins).tolist() == expected
    assert explained_groups(np.full(6, -0.3), -bins).tolist() == expected


@given(st.integers(2, 30), st.floats(0, 0.6), st.integers(0, 2**32 - 1))
def test_pairs_are_counted_by_degree_without_going_through_them(n_columns, share, seed):
    joined = np.triu(np.random.default_rng(seed).random((n_columns, n_columns)) < share, 1)
    source, target = np.nonzero(joined)
    joined |= joined.T
    number = joined.sum(axis=1)
    upper = np.triu_indices(n_columns, 1)
    degree = (number[:, None] + number - 2 * joined)[upper]
    counted = pairs_by_degree(number, source, target)
    np.testing.assert_array_equal(counted, np.bincount(degree, minlength=len(counted)))


@given(st.lists(st.integers(0, 400), min_size=1, max_size=30), st.integers(10, 300))
def test_groups_of_degrees_are_in_order_and_large_enough(number, n_columns):
    number = np.array(number)
    groups = degree_groups(number, n_columns)
    assert np.all(np.diff(groups) <= 0)
    size = np.bincount(groups, weights=number)
    assert len(size) == 1 or size.min() >= smallest_group(n_columns)


def in_company(rng, n_columns, n_edges):
    """Return scores of pairs, Hedge's, and company: that of edges is more promising."""
    n_pairs = n_columns * (n_columns - 1) // 2
    is_edge = np.arange(n_pairs) < n_edges
    z = rng.standard_normal(n_pairs) + 3.5 * is_edge
    witness = 0.7 * z + 0.5 * rng.standard_normal(n_pairs) + is_edge
    explained = bins_of(0.1 * rng.standard_normal(n_pairs) + 0.15 * is_edge, 200)
    degree = rng.poisson(np.where(is_edge, 6, 3))
    return z, witness, Company(explained, degree), is_edge


def test_priors_of_pairs_without_an_edge_add_up_to_the_number_of_tests_at_most():
    """Sums over the number of tests had a mean of .98 and standard deviations of .1."""
    sums = []
    for _ in range(100):
        z, witness, company, is_edge = in_company(np.random.default_rng(), 40, 60)
        priors = pair_priors(z, witness, 40, count_nulls_only=True, company=company)
        assert priors.min() > 0
        assert priors[is_edge].mean() > 2 * priors[~is_edge].mean()
        sums.append(priors[~is_edge].sum() / len(priors))
    assert 0.9 < np.mean(sums) < 1.04


def test_company_counts_for_a_discovery_rate_and_not_familywise():
    z, witness, company, is_edge = in_company(np.random.default_rng(0), 64, 150)
    nobody = Company(np.zeros_like(company.explained), np.zeros_like(company.degree))
    found = {}
    for error in ("fdr", "balanced", "fwer"):
        for name, known in (("none", None), ("nobody", nobody), ("good", company)):
            q_value = adjusted(z, witness, 64, 400, error, known)
            found[error, name] = int((q_value <= 0.05)[is_edge].sum())
    assert found["fwer", "none"] == found["fwer", "nobody"] == found["fwer", "good"]
    assert found["fdr", "good"] > found["fdr", "nobody"]
    assert found["balanced", "good"] > found["balanced", "nobody"]


def test_agreement_is_weighted_where_groups_can_be_smaller():
    assert weighs_agreement(40, "fdr")
    assert not weighs_agreement(39, "fdr")
    assert not weighs_agreement(400, "fwer")
    assert not weighs_agreement(400, "balanced")


@pytest.mark.parametrize("count_nulls_only", [True, False])
def test_where_all_pairs_are_alike_all_priors_are_the_same(count_nulls_only):
    rng = np.random.default_rng()
    z = rng.standard_normal(19 * 18 // 2)
    company = Company(np.zeros(len(z), dtype=np.int8), np.full(len(z), 3))
    priors = pair_priors(z, z, 1000, count_nulls_only=count_nulls_only, company=company)
    assert np.ptp(priors) < 1e-12


def test_weighted_discoveries_keep_the_rate_with_valid_p_values():
    """The mean share of false ones was .054 ± .001 (.053 by surplus alone), deviations .03."""
    shares = []
    for _ in range(300):
        z, witness, company, is_edge = in_company(np.random.default_rng(), 40, 60)
        priors = pair_priors(z, witness, 40, count_nulls_only=True, company=company)
        found = benjamini_hochberg(np.minimum(two_sided(z) / priors, 1.0)) <= 0.05
        shares.append((found & ~is_edge).sum() / max(found.sum(), 1))
    assert np.mean(shares) < 0.065


def test_degrees_leave_out_the_pair_itself():
    corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    fitted = refit(corr, 200)
    upper = np.triu_indices(3, 1)
    company = company_of(corr, fitted.coefficients, 200, *given_ends(fitted, 200, upper))
    assert company.degree.tolist() == [1, 2, 1]
    nothing = csr_array((3, 3))
    assert not company_of(corr, nothing, 200, *upper).degree.any()
