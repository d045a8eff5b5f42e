"""Thresholded conditional covariances."""

from itertools import combinations

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.rivals import ConditionalCovariance
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._conditional_covariance import smallest_covariances


def correlation_of(precision):
    covariance = np.linalg.inv(precision)
    scale = np.sqrt(np.diag(covariance))
    return covariance / scale / scale[:, None]


def by_definition(corr, largest):
    p = len(corr)
    result = np.zeros_like(corr)
    for i, j in combinations(range(p), 2):
        others = [k for k in range(p) if k not in (i, j)]
        given = []
        for size in range(largest + 1):
            for members in map(list, combinations(others, size)):
                inner = np.linalg.inv(corr[np.ix_(members, members)])
                given.append(corr[i, j] - corr[i, members] @ inner @ corr[members, j])
        result[i, j] = result[j, i] = np.abs(given).min()
    return result


@pytest.mark.parametrize("largest", [0, 1, 2, 3])
def test_it_is_the_smallest_over_all_sets(largest):
    rows = np.random.default_rng(largest).standard_normal((30, 7))
    corr = np.corrcoef(rows.T)
    found = smallest_covariances(corr, largest, Clock(None))
    assert np.allclose(found, by_definition(corr, largest), atol=1e-12)


@pytest.mark.parametrize(("family", "largest"), [("chain", 1), ("random_tree", 1), ("cycle", 2)])
def test_graphs_whose_separators_are_small_enough_are_found(family, largest, exact_rows):
    model = make(family, 20, seed=3)
    method = ConditionalCovariance(largest, threshold=1e-6)
    method.fit(exact_rows(np.linalg.inv(model.precision.toarray()), 100))
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())


def test_noise_is_below_the_default_threshold(draw):
    model, rows = draw("chain", 40, 4_000, seed=0, strength=0.3)
    method = ConditionalCovariance().fit(rows)
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())
    assert method.threshold_ == pytest.approx(2 * np.sqrt(np.log(40) / 4_000))


def test_separators_that_are_too_large_leave_a_false_edge():
    """Two nodes with three common neighbours: no two of these keep them apart."""
    precision = np.eye(5)
    precision[:2, 2:] = precision[2:, :2] = -0.3
    corr = correlation_of(precision)
    assert smallest_covariances(corr, 2, Clock(None))[0, 1] > 0.05
    assert smallest_covariances(corr, 3, Clock(None))[0, 1] < 1e-12


def test_an_edge_that_another_path_cancels_is_lost():
    """The direct influence is just undone by the one through the third variable."""
    precision = np.array([[1.0, 0.25, -0.5], [0.25, 1.0, -0.5], [-0.5, -0.5, 1.0]])
    assert smallest_covariances(correlation_of(precision), 1, Clock(None))[0, 1] < 1e-12


def test_strong_correlation_leaves_little_covariance(exact_rows):
    """Edges of strength 1/2, below the threshold all the same."""
    model = make("brownian_path", 60)
    method = ConditionalCovariance().fit(exact_rows(np.linalg.inv(model.precision.toarray()), 500))
    assert method.adjacency_.sum() == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_separator": -1}, "max_separator must be an integer >= 0, got -1"),
        ({"threshold": 0}, "threshold must be a finite number > 0, got 0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        ConditionalCovariance(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
