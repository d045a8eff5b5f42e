"""Methods that test every pair: the inverse Gram matrix and the scaled lasso."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgerow import HedgeGraph
from hedgerow.method.balance import LOOSEST_LEVEL, stands_out
from hedgerow.method.multiplicity import benjamini_hochberg, false_shares
from hedgerow.rivals import Hedge, InverseGram, ScaledLasso
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._scaled_lasso import scaled_lasso
from hedgerow.rivals._tests import accepted
from tests.rivals._truth import graph_of


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(2, 6), spare=st.integers(1, 30))
def test_p_values_are_those_of_least_squares(seed, columns, spare):
    """The t test of a coefficient in the regression of one column on all others."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((columns + spare, columns)) @ rng.standard_normal((columns, columns))
    design = np.column_stack([np.ones(len(rows)), rows[:, 1:]])
    weights, *_ = np.linalg.lstsq(design, rows[:, 0], rcond=None)
    freedom = len(rows) - columns
    noise = ((rows[:, 0] - design @ weights) ** 2).sum() / freedom
    error = np.sqrt(noise * np.diag(np.linalg.inv(design.T @ design)))
    expected = 2 * stats.t.sf(np.abs(weights / error), freedom)[1:]
    found = InverseGram().fit(rows)
    np.testing.assert_allclose(found.p_values_[0, 1:], expected, rtol=1e-4)
    np.testing.assert_allclose(found.score_matrix_[0, 1:], np.abs(weights / error)[1:], rtol=1e-4)


def test_edges_are_those_that_survive_the_correction(draw):
    _, rows = draw("chain", 8, 60, seed=0)
    found = InverseGram(level=0.2).fit(rows)
    upper = np.triu_indices(8, 1)
    expected = benjamini_hochberg(found.p_values_[upper]) <= 0.2
    assert np.array_equal(found.adjacency_.toarray()[upper], expected)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(2, 8), power=st.floats(0.1, 8.0))
def test_no_other_cut_is_expected_to_have_a_better_f1_than_the_balanced_one(seed, columns, power):
    p_values = np.ones((columns, columns))
    upper = np.triu_indices(columns, 1)
    p_values[upper] = np.random.default_rng(seed).random(len(upper[0])) ** power
    chosen = accepted(np.minimum(p_values, p_values.T), "fdr", "balanced")[upper].sum()
    levels = sorted(q for q in false_shares(p_values[upper]) if q <= LOOSEST_LEVEL)
    number = np.arange(1, len(levels) + 1)
    true = number * (1 - np.array(levels))
    expected = 2 * true / (number + true.max(initial=0.0))
    assert chosen <= len(levels)
    if not stands_out(p_values[upper], len(upper[0])):
        assert chosen == 0
    else:
        assert expected[chosen - 1] == pytest.approx(expected.max())


@pytest.mark.parametrize("rival", [Hedge, InverseGram, ScaledLasso])
def test_a_balanced_graph_is_a_cut_of_the_scores(rival, draw):
    """Where rows are few, one with more edges than at a strict level."""
    _, rows = draw("erdos_renyi", 16, 100, seed=0)
    found = rival(level="balanced").fit(rows)
    upper = np.triu_indices(16, 1)
    edge, score = found.adjacency_.toarray()[upper], found.score_matrix_[upper]
    assert score[edge].min() >= score[~edge].max()
    assert rival(level=0.01).fit(rows).adjacency_.nnz / 2 < edge.sum()


def test_the_balanced_graph_of_hedge_is_that_of_hedge_graph(draw):
    _, rows = draw("grid", 16, 100, seed=0)
    expected = HedgeGraph(level="balanced").fit(rows).adjacency_.toarray()
    assert np.array_equal(Hedge(level="balanced").fit(rows).adjacency_.toarray(), expected)


@pytest.mark.parametrize("rival", [InverseGram, ScaledLasso])
@pytest.mark.parametrize("shape", ["star", "diamond"])
def test_no_incoherence_is_asked_for(rival, shape, exact, request):
    covariance = request.getfixturevalue(shape)(0.55)
    found = rival(error="fwer").fit(exact(covariance)).adjacency_.toarray()
    assert np.array_equal(found, graph_of(covariance))


def test_the_gram_matrix_of_few_rows_is_refused(draw):
    _, rows = draw("chain", 8, 8, seed=0)
    with pytest.raises(ValueError, match=r"more rows than columns .*, got 8 rows and 8 columns"):
        InverseGram().fit(rows)


def test_columns_that_others_determine_are_named(draw):
    _, rows = draw("chain", 4, 50, seed=0)
    frame = pd.DataFrame(rows, columns=list("abcd")).assign(sum=rows[:, 0] + rows[:, 2])
    message = r"must not have columns that others determine, got 'a', 'c', 'sum'$"
    with pytest.raises(ValueError, match=message):
        InverseGram().fit(frame)


def test_the_scaled_lasso_satisfies_its_own_equations(draw):
    _, rows = draw("ar1", 16, 60, seed=0)
    corr = np.corrcoef(rows, rowvar=False)
    weights = scaled_lasso(corr, 0.2, Clock(None))
    for node, row in enumerate(weights):
        size = np.sqrt(1 - 2 * row @ corr[node] + row @ corr @ row)
        gradient = np.delete(corr[node] - corr @ row, node)
        chosen = np.delete(row, node) != 0
        np.testing.assert_allclose(np.abs(gradient[chosen]), 0.2 * size, rtol=1e-3)
        assert (np.abs(gradient) <= 0.2 * size * (1 + 1e-3)).all()


def test_the_scaled_lasso_is_biased_beside_a_hub_until_rows_are_many(exact):
    """With exact moments only bias is left: over a standard error for each pair of leaves."""
    size, corr = 20, 0.8
    covariance = np.full((size, size), corr**2)
    covariance[0] = covariance[:, 0] = corr
    np.fill_diagonal(covariance, 1.0)
    leaves = np.ix_(range(1, size), range(1, size))
    off = ~np.eye(size - 1, dtype=bool)

    def bias(rival, rows):
        return rival().fit(exact(covariance, rows)).score_matrix_[leaves][off]

    assert bias(ScaledLasso, size + 2).min() > 1.0
    assert bias(ScaledLasso, 100 * size).max() < 0.2
    assert bias(InverseGram, size + 2).max() < 1e-6


@pytest.mark.parametrize("rival", [Hedge, InverseGram, ScaledLasso])
def test_bad_parameters(rival, draw):
    _, rows = draw("chain", 4, 50, seed=0)
    with pytest.raises(ValueError, match=r"error must be one of 'fdr', 'fwer', got 'fpr'"):
        rival(error="fpr").fit(rows)
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got 0"):
        rival(level=0).fit(rows)
    with pytest.raises(ValueError, match=r"level must be a number .* or 'balanced', got 'even'"):
        rival(level="even").fit(rows)
    with pytest.raises(ValueError, match=r"error must be 'fdr' with level='balanced', got 'fwer'"):
        rival(error="fwer", level="balanced").fit(rows)
