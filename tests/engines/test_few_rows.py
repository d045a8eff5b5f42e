"""Few rows: correlations are products of a thin matrix, and so are covariances of residuals."""

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.engines.numba_cpu import _edges
from hedgerow.engines.numba_cpu._edges import Correlations, ask_hedge, factor_of
from hedgerow.engines.numba_cpu._evidence import given
from hedgerow.engines.numba_cpu._scores import score_polynomials
from hedgerow.engines.numba_cpu._threads import team, with_threads
from hedgerow.method.moments import correlation, moments_of, per_scale
from tests.engines.distances import SINGLE, any_weights

P, ROWS = 325, 20  # sixteen columns for each row, and tiles that are not full


def known(rows):
    moments = moments_of(rows)
    return correlation(moments), Correlations(moments.products, per_scale(moments))


@pytest.fixture(params=["random_tree", "brownian_path", "near_copies", "empty"])
def few(request):
    if request.param == "empty":
        return np.random.default_rng().standard_normal((ROWS, P))
    return make(request.param, P, seed=0).sample(ROWS, seed=np.random.default_rng())


def factor(rows, n_rows=ROWS):
    with team() as run:
        return factor_of(known(rows)[1], n_rows, run)


def scores(rows, weights):
    """Return what Hedge says of all pairs, below the diagonal."""
    result = np.zeros((P, P), dtype=np.float32)
    with team() as run:
        curve = score_polynomials(ROWS, 1)[0]
        ask_hedge(known(rows)[1], ROWS, curve, given(weights), result, run)
    return np.tril(result, -1)


def test_the_factor_has_a_column_for_each_independent_row(few):
    found = factor(few).astype(np.float64)
    assert found.shape == (P, ROWS - 1)  # less the one that means take
    # What is left out is as small as rounding; then the factor is rounded.
    assert np.abs(found @ found.T - known(few)[0]).max() < 2 * SINGLE


def test_covariances_of_residuals(few):
    weights = any_weights(np.random.default_rng(), P, 0.2)
    result, variance = np.zeros((P, P), dtype=np.float32), np.empty(P)
    with team() as run:
        nodes = list(_edges.blocks(P, _edges.nodes_of_a_slab(P)))
        _edges._covariances_of_few_rows(factor(few), given(weights), result, variance, nodes, run)
    rest = np.eye(P) - weights
    truth = rest @ known(few)[0] @ rest.T
    off = 64 * SINGLE  # as `distances.rounding_of_witness` has it
    assert np.abs(np.tril(result - truth, -1)).max() < off
    assert np.abs(variance - np.diag(truth)).max() < off


def test_scores_do_not_depend_on_threads(few):
    weights = any_weights(np.random.default_rng(), P, 0.2)
    found = []
    for number in (1, 3):
        with with_threads(number):
            found.append(scores(few, weights))
    assert np.array_equal(*found)


def test_scores_are_those_of_all_correlations(monkeypatch):
    rows = make("random_tree", P, seed=0).sample(ROWS, seed=np.random.default_rng())
    weights = any_weights(np.random.default_rng(), P, 0.001)
    thin = scores(rows, weights)
    monkeypatch.setattr(_edges, "factor_of", lambda *_: None)
    whole = scores(rows, weights)
    assert not np.array_equal(thin, whole), "the same way was gone twice"
    moderate = np.abs(whole) < 3  # where a score changes with its correlation by a root of the rows
    assert np.abs(thin - whole)[moderate].max() < 64 * SINGLE * ROWS


@pytest.mark.parametrize("n_rows", [ROWS + 1, 200])
def test_many_rows_have_no_factor(n_rows):
    rows = np.random.default_rng().standard_normal((n_rows, P))
    assert factor(rows, n_rows) is None


def test_many_rows_that_count_for_few_have_none():
    assert factor(np.random.default_rng().standard_normal((200, P)), ROWS) is None


def test_columns_that_explain_each_other_but_no_others_are_no_basis():
    rows = np.random.default_rng().standard_normal((ROWS, P))
    rows[:, ::8] = rows[:, :3] @ np.random.default_rng().standard_normal((3, len(range(0, P, 8))))
    assert factor(rows) is None
