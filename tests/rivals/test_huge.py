"""pyhuge behind the common interface: its own answers, unchanged."""

import numpy as np
import pytest

from hedgerow.rivals import Huge

pyhuge = pytest.importorskip("pyhuge")


@pytest.mark.parametrize(
    ("method", "criterion"), [("mb", "ric"), ("mb", "stars"), ("glasso", "ebic")]
)
def test_the_graph_is_the_packages_own(method, criterion, draw):
    _, rows = draw("grid", 16, 150, seed=0)
    path = pyhuge.huge(rows, method=method, verbose=False)
    best = pyhuge.huge_select(path, criterion=criterion, verbose=False)
    expected = best.refit.toarray() != 0
    found = Huge(method, criterion).fit(rows)
    assert np.array_equal(found.adjacency_.toarray(), expected | expected.T)
    np.testing.assert_allclose(found.penalty_, best.opt_lambda)


def test_scores_are_the_penalties_at_which_edges_appear(draw):
    _, rows = draw("grid", 16, 150, seed=1)
    path = pyhuge.huge(rows, method="mb", verbose=False)
    scores = Huge().fit(rows).score_matrix_
    for penalty, graph in zip(path.lambda_path, path.path):
        assert (scores[graph.toarray() != 0] >= penalty * (1 - 1e-9)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "ct"}, "method must be one of 'mb', 'glasso', got 'ct'"),
        ({"criterion": "ebic"}, "criterion must be one of 'ric', 'stars', got 'ebic'"),
    ],
)
def test_bad_parameters(parameters, message, draw):
    _, rows = draw("chain", 4, 50, seed=0)
    with pytest.raises(ValueError) as caught:
        Huge(**parameters).fit(rows)
    assert str(caught.value) == message
