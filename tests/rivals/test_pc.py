"""The skeleton of the PC algorithm."""

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.rivals import PC, OutOfTime
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._pc import smallest_z


@pytest.fixture
def reference():
    """Skeleton and largest p-values of causal-learn."""
    from causallearn.utils.cit import FisherZ
    from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

    class Recorded(FisherZ):
        def __init__(self, rows):
            super().__init__(rows)
            self.largest = np.zeros((rows.shape[1], rows.shape[1]))

        def __call__(self, x, y, condition=None):
            value = super().__call__(x, y, condition)
            self.largest[x, y] = self.largest[y, x] = max(self.largest[x, y], value)
            return value

    def run(rows, alpha):
        test = Recorded(rows)
        graph = skeleton_discovery(rows, alpha, test, stable=True, show_progress=False)
        return graph.G.graph != 0, test.largest

    return run


@pytest.mark.parametrize("family", ["erdos_renyi", "grid", "cliques", "ar1"])
@pytest.mark.parametrize(("rows", "alpha"), [(60, 0.2), (300, 0.01)])
def test_it_is_the_skeleton_of_causal_learn(family, rows, alpha, draw, reference):
    _, data = draw(family, 12, rows, seed=rows)
    graph, p_values = reference(data, alpha)
    method = PC(alpha).fit(data)
    assert np.array_equal(method.adjacency_.toarray(), graph)
    # The reference rounds p-values to multiples of 1e-16.
    known = p_values > 1e-10
    assert np.allclose(method.score_matrix_[known], -np.log10(p_values[known]), rtol=1e-4)
    beyond = ~known & ~np.eye(12, dtype=bool)
    assert (method.score_matrix_[beyond] > 9.9).all()


@pytest.mark.parametrize("family", ["chain", "grid", "cycle", "random_tree"])
def test_with_the_true_correlations_it_finds_the_graph(family):
    model = make(family, 16, seed=2)
    covariance = np.linalg.inv(model.precision.toarray())
    scale = np.sqrt(np.diag(covariance))
    least, _ = smallest_z(covariance / scale / scale[:, None], 10**6, 3.0, 10, Clock(None))
    found = (least >= 3.0) & ~np.eye(16, dtype=bool)
    assert np.array_equal(found, model.adjacency.toarray())


def test_an_unfaithful_edge_is_lost(exact_rows):
    """The path through the third variable cancels the edge: no correlation, yet an edge."""
    precision = np.array([[1.0, 0.25, -0.5], [0.25, 1.0, -0.5], [-0.5, -0.5, 1.0]])
    graph = PC().fit(exact_rows(np.linalg.inv(precision), 10_000)).adjacency_.toarray()
    assert not graph[0, 1]
    assert graph[0, 2]
    assert graph[1, 2]


def test_a_hub_takes_more_time_than_there_is(exact_rows):
    model = make("star", 40, strength=0.15)
    rows = exact_rows(np.linalg.inv(model.precision.toarray()), 5_000)
    with pytest.raises(OutOfTime, match="testing pairs given"):
        PC(time_limit=1.0).fit(rows)
    method = PC(max_condition=1).fit(rows)
    assert np.array_equal(method.adjacency_.toarray(), model.adjacency.toarray())
    assert method.depth_ == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 1.5}, r"alpha must be a number in \(0, 1\), got 1.5"),
        ({"max_condition": -1}, "max_condition must be an integer >= 0, got -1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        PC(**parameters).fit(np.random.default_rng(0).standard_normal((9, 3)))
