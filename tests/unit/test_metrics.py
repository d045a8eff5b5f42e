"""Values worked out by hand, conventions for empty graphs, and errors."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from hedgerow import metrics
from hedgerow.datasets import make

EMPTY, PATH, ALL = np.zeros((3, 3)), make("chain", 3).adjacency.toarray(), np.ones((3, 3))


def test_four_kinds_of_pairs():
    estimate = make("star", 4).adjacency  # 01 02 03
    truth = make("chain", 4).adjacency  # 01 12 23
    assert metrics.confusion(estimate, truth) == (1, 2, 2, 1)
    assert metrics.hamming(estimate, truth) == 4
    assert metrics.precision(estimate, truth) == 1 / 3
    assert metrics.fdp(estimate, truth) == 2 / 3
    assert metrics.recall(estimate, truth) == 1 / 3
    assert metrics.f1(estimate, truth) == 1 / 3
    assert metrics.mcc(estimate, truth) == pytest.approx((1 * 1 - 2 * 2) / 9)
    assert not metrics.exact_recovery(estimate, truth)
    assert metrics.exact_recovery(truth, truth)


@pytest.mark.parametrize(
    ("metric", "empty_estimate", "empty_truth", "both_empty", "both_complete"),
    [
        (metrics.precision, 1, 0, 1, 1),
        (metrics.fdp, 0, 1, 0, 0),
        (metrics.recall, 0, 1, 1, 1),
        (metrics.f1, 0, 0, 1, 1),
        (metrics.mcc, 0, 0, 1, 1),
        (metrics.exact_recovery, False, False, True, True),
    ],
)
def test_empty_and_complete_graphs(metric, empty_estimate, empty_truth, both_empty, both_complete):
    assert metric(EMPTY, PATH) == empty_estimate
    assert metric(PATH, EMPTY) == empty_truth
    assert metric(EMPTY, EMPTY) == both_empty
    assert metric(ALL, ALL) == both_complete


def test_the_diagonal_is_ignored():
    assert metrics.exact_recovery(PATH + np.eye(3), PATH)
    assert metrics.max_weight_error(np.diag([5.0, 6, 7]), EMPTY) == 0
    assert metrics.max_weight_error(csr_array(np.diag([5.0, 6, 7])), csr_array(EMPTY)) == 0
    assert not metrics.excess_risk(np.eye(3), EMPTY, np.eye(3)).any()


def test_large_sparse_graphs_need_no_dense_matrix():
    p = 200_000
    chain = diags_array([np.ones(p - 1), np.ones(p - 1)], offsets=[1, -1])
    every_second = diags_array([np.ones(p - 2), np.ones(p - 2)], offsets=[2, -2])
    counts = metrics.confusion(chain + every_second, chain)
    assert counts == (p - 1, p - 2, 0, p * (p - 1) // 2 - (2 * p - 3))


def test_average_precision_by_hand():
    # Pairs from the top: 02 (no), 01 (edge), 12 (edge): precision 1/2 and 2/3 at the two edges.
    scores = np.array([[0, 2, 3], [2, 0, 1], [3, 1, 0]])
    assert metrics.average_precision(scores, PATH) == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_equal_scores_enter_together():
    assert metrics.average_precision(np.zeros((3, 3)), PATH) == pytest.approx(2 / 3)


def test_weights_need_not_be_symmetric_and_may_be_boolean():
    v, w = np.array([[0, 1], [0, 0]]), np.array([[0, 1], [1, 0]])
    for kind in (np.asarray, csr_array):
        assert metrics.max_weight_error(kind(v), kind(w)) == 1
        assert metrics.max_weight_error(kind(v > 0), kind(w > 0)) == 1


GRAPH_METRICS = [
    metrics.confusion,
    metrics.exact_recovery,
    metrics.precision,
    metrics.recall,
    metrics.f1,
    metrics.mcc,
    metrics.hamming,
    metrics.fdp,
]


@pytest.mark.parametrize("metric", GRAPH_METRICS)
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("estimate", "message"),
    [
        (np.zeros((2, 2)), r"estimate and truth must have the same shape, got \(2, 2\) and \(3, 3"),
        (np.zeros((3, 2)), r"estimate must be a square matrix, got shape \(3, 2\)"),
        (np.triu(ALL), "estimate must be symmetric"),
        (np.full((3, 3), np.nan), "estimate must be finite"),
        (ALL * 1j, "estimate must hold numbers or booleans, got dtype complex128"),
    ],
)
def test_what_is_not_a_graph_is_refused(metric, kind, estimate, message):
    with pytest.raises(ValueError, match=message):
        metric(kind(estimate), PATH)


def test_words_are_not_a_graph():
    with pytest.raises(ValueError, match="truth must hold numbers or booleans"):
        metrics.f1(PATH, np.full((3, 3), "edge"))


@pytest.mark.parametrize(
    ("scores", "truth", "message"),
    [
        (ALL, EMPTY, "truth must have at least one edge"),
        (np.triu(ALL), PATH, "scores must be symmetric"),
        (np.ones((2, 2)), PATH, "scores and truth must have the same shape"),
        (np.full((3, 3), np.inf), PATH, "scores must be finite"),
    ],
)
def test_average_precision_refuses(scores, truth, message):
    with pytest.raises(ValueError, match=message):
        metrics.average_precision(scores, truth)


def test_weights_and_covariance_must_match():
    with pytest.raises(ValueError, match="weights and truth must have the same shape"):
        metrics.max_weight_error(ALL, np.ones((2, 2)))
    with pytest.raises(ValueError, match="covariance and weights must have the same shape"):
        metrics.excess_risk(ALL, ALL, np.ones((2, 2)))
