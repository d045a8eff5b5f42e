"""Metrics against scikit-learn and against their definitions, on arbitrary graphs."""

import warnings

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array, csr_array

from hedgerow import metrics
from hedgerow.datasets import FAMILIES, make


def symmetric(p, pairs):
    matrix = np.zeros((p, p), dtype=pairs.dtype)
    matrix[np.triu_indices(p, k=1)] = pairs
    return matrix + matrix.T


@st.composite
def two_graphs(draw):
    p = draw(st.integers(2, 9))
    pairs = p * (p - 1) // 2
    return p, *(draw(hnp.arrays(bool, pairs)) for _ in range(2))


@given(two_graphs())
def test_agrees_with_scikit_learn(graphs):
    p, estimate, truth = graphs
    ours = symmetric(p, estimate), symmetric(p, truth)
    options = {"zero_division": 1.0}
    assert metrics.precision(*ours) == pytest.approx(
        reference.precision_score(truth, estimate, **options)
    )
    assert metrics.recall(*ours) == pytest.approx(
        reference.recall_score(truth, estimate, **options)
    )
    assert metrics.f1(*ours) == pytest.approx(reference.f1_score(truth, estimate, **options))
    assert metrics.hamming(*ours) == pytest.approx(
        len(truth) * reference.hamming_loss(truth, estimate)
    )
    if 0 < truth.sum() < len(truth) and 0 < estimate.sum() < len(truth):
        assert metrics.mcc(*ours) == pytest.approx(reference.matthews_corrcoef(truth, estimate))


@given(st.data(), st.integers(2, 9))
def test_average_precision_agrees_with_scikit_learn(data, p):
    pairs = p * (p - 1) // 2
    truth = data.draw(hnp.arrays(bool, pairs))
    assume(truth.any())
    # Few distinct values, so that ties occur.
    scores = data.draw(hnp.arrays(float, pairs, elements=st.sampled_from([-1.0, 0.0, 0.5, 2.0])))
    ours = metrics.average_precision(csr_array(symmetric(p, scores)), symmetric(p, truth))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours == pytest.approx(reference.average_precision_score(truth, scores))


@given(two_graphs(), st.randoms(use_true_random=False))
def test_dense_and_sparse_and_any_order_of_variables_agree(graphs, random):
    p, *pairs = graphs
    estimate, truth = (symmetric(p, edges) for edges in pairs)
    order = list(range(p))
    random.shuffle(order)
    expected = metrics.confusion(estimate, truth)
    assert metrics.confusion(csr_array(estimate), csc_array(truth)) == expected
    assert (
        metrics.confusion(estimate[order][:, order], truth[order][:, order].astype(int)) == expected
    )
    assert sum(expected) == p * (p - 1) // 2


@given(two_graphs())
def test_errors_are_counted_the_same_from_both_sides(graphs):
    p, *pairs = graphs
    a, b = (symmetric(p, edges) for edges in pairs)
    assert metrics.precision(a, b) == metrics.recall(b, a)
    assert metrics.fdp(a, b) == pytest.approx(1 - metrics.precision(a, b))
    for metric in (metrics.f1, metrics.mcc, metrics.hamming):
        assert metric(a, b) == metric(b, a)
    assert metrics.exact_recovery(a, b) == (metrics.hamming(a, b) == 0) == np.array_equal(a, b)


@given(st.sampled_from(sorted(FAMILIES)), st.integers(8, 20), st.integers(0, 2**32))
def test_excess_risk_is_the_risk_beyond_that_of_the_best_weights(family, p, seed):
    model = make(family, p, signs="mixed", seed=seed)
    theta, sigma = model.precision.toarray(), model.covariance()
    best = np.eye(p) - theta / np.diag(theta)[:, None]
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((p, p))
    np.fill_diagonal(weights, 0)
    error = np.eye(p) - weights
    risk = np.einsum("ij,jk,ik->i", error, sigma, error)
    ours = metrics.excess_risk(csr_array(weights), best, sigma)
    np.testing.assert_allclose(ours, risk - 1 / np.diag(theta), rtol=1e-6)


@given(st.integers(2, 8), st.data())
def test_max_weight_error_is_the_largest_difference(p, data):
    cells = hnp.arrays(float, (p, p), elements=st.floats(-1e3, 1e3))
    v, w = data.draw(cells), data.draw(cells)
    expected = max(abs(v[i, j] - w[i, j]) for i in range(p) for j in range(p) if i != j)
    assert metrics.max_weight_error(v, w) == expected
    assert metrics.max_weight_error(csr_array(v), csr_array(w)) == expected
    assert metrics.max_weight_error(v, csr_array(w)) == expected
