"""All sets of neighbours."""

from itertools import combinations, count

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.rivals import Exhaustive, _exhaustive
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._exhaustive import best_sets, expected_seconds


def best_by_definition(rows, size):
    """Least squares on every set, one after the other."""
    best = []
    for node in range(rows.shape[1]):
        others = [k for k in range(rows.shape[1]) if k != node]
        left = {
            members: np.linalg.lstsq(rows[:, members], rows[:, node])[1][0]
            for members in combinations(others, size)
        }
        best.append(min(left, key=left.get))
    return np.array(best)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_best_set_is_that_of_least_squares(size):
    rows = np.random.default_rng(size).standard_normal((25, 8))
    rows -= rows.mean(axis=0)
    rows /= rows.std(axis=0)
    found = best_sets(rows.T @ rows / 25, size, Clock(None))
    assert np.array_equal(found, best_by_definition(rows, size))


@pytest.mark.parametrize("family", ["brownian_path", "near_copies", "cycle"])
def test_degree_and_strength_are_all_it_needs(family, draw):
    """Also where variables are nearly determined by others."""
    model, rows = draw(family, 24, 20_000, seed=1)
    degree = int(model.adjacency.sum(axis=0).max())
    method = Exhaustive(degree, min_edge_strength=model.strength).fit(rows)
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())


def test_scores_estimate_partial_correlations(exact_rows):
    model = make("cycle", 10, strength=0.3)
    precision = model.precision.toarray()
    method = Exhaustive(2).fit(exact_rows(np.linalg.inv(precision), 200))
    scale = np.sqrt(np.diag(precision))
    off_diagonal = ~np.eye(10, dtype=bool)
    expected = np.abs(precision / scale / scale[:, None]) * off_diagonal
    assert np.allclose(method.score_matrix_, expected, atol=1e-10)


def test_edges_are_lost_if_the_degree_is_larger_than_told(exact_rows):
    model = make("star", 6, strength=0.3)
    method = Exhaustive(3).fit(exact_rows(np.linalg.inv(model.precision.toarray()), 1_000))
    assert method.adjacency_.toarray()[0].sum() == 3
    assert not (method.adjacency_.toarray() & ~model.adjacency.toarray()).any()


def test_what_would_take_too_long_is_refused_with_the_time():
    rows = np.random.default_rng(0).standard_normal((50, 200))
    refusal = (
        r"max_degree must be smaller for p = 200, got 5: 2.5e\+09 sets would take about "
        r"[\d.]+ (minutes|hours), and [\d.]+ seconds are allowed"
    )
    with pytest.raises(ValueError, match=refusal):
        Exhaustive(5, time_limit=20).fit(rows)


def test_the_time_told_is_that_of_a_sample_times_all_sets(monkeypatch):
    """By a clock that says that the sample took a second."""
    corr, p = np.corrcoef(np.random.default_rng(0).standard_normal((90, 50))), 90
    ticks = count()
    monkeypatch.setattr(_exhaustive, "perf_counter", lambda: float(next(ticks)))
    sample = max(1, _exhaustive._AT_ONCE // p**2)
    for size in (2, 3, 4):
        expected = _exhaustive.count(p, size - 1) / sample
        assert expected_seconds(corr, size) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_degree": 0}, "max_degree must be an integer >= 1, got 0"),
        ({"min_edge_strength": 1.0}, r"min_edge_strength must be a number in \(0, 1\), got 1.0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        Exhaustive(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
