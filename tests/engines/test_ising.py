"""The compiled functions for yes-or-no columns do what the readable ones say."""

import numpy as np
import pytest

from hedgerow.datasets import make_ising
from hedgerow.engines.numba_cpu import ising as compiled
from hedgerow.method import ising_neighbours as readable
from hedgerow.method.ising_hedge import learn, proposals
from hedgerow.method.ising_logistic import cells_of, counts, fit
from hedgerow.method.neighbours import detection_limit

# Newton's method ends when a step gains 1e-10 in log-likelihood: coefficients are then right to
# about the root of that over the root of the information, and scores to the root of twice it.
CLOSE = 1e-4


def nobody(share):
    pass


@pytest.fixture(
    scope="module",
    params=[("grid", 0.4, 600), ("triangular", 0.9, 300), ("star", 0.7, 40)],
    ids=lambda case: case[0],
)
def table(request):
    family, strength, n_rows = request.param
    model = make_ising(family, 9, strength=strength, field=0.1, seed=1)
    rows = (model.sample(n_rows, seed=2) > 0).astype(np.uint8)
    return readable.table_of(rows)


def test_neighbours_are_chosen_as_the_reference_does(table):
    n_rows, n_columns = table.rows.shape
    limit, most = detection_limit(n_columns), readable.most_neighbours(n_rows, n_columns)
    asked = proposals(learn(table.rows), most)
    scores = np.zeros((n_columns, n_columns), dtype=np.float32)
    found = compiled.choose_all(table, asked, limit, most, scores, nobody)
    for node, (chosen, known) in enumerate(found):
        expected = readable.choose(table, node, asked[node], limit, most)
        np.testing.assert_array_equal(chosen, expected)
        if known:
            right = readable.scores_of_all(table, node, expected)
            others = np.setdiff1d(np.arange(n_columns), [node, *expected])
            np.testing.assert_allclose(scores[node, others], right[others], atol=CLOSE, rtol=CLOSE)


@pytest.mark.parametrize("given", [[], [3], [1, 5, 7]])
def test_scores_of_all_variables(table, given):
    given = np.array(given, dtype=np.intp)
    nodes = np.array([0, 8])
    scores = np.zeros((9, 9), dtype=np.float32)
    compiled.score_all(table, nodes, [given] * 9, scores, nobody)
    for node in nodes:
        others = np.setdiff1d(np.arange(9), [node, *given])
        expected = readable.scores_of_all(table, node, given)[others]
        np.testing.assert_allclose(scores[node, others], expected, atol=CLOSE, rtol=CLOSE)


def test_scores_of_pairs_given_others_and_stand_ins(table):
    pairs = np.array([(i, j) for i in range(9) for j in range(9) if i != j])
    given = [np.setdiff1d([2, 6], pair).astype(np.intp) for pair in pairs]
    doubtful = [np.setdiff1d(np.arange(9), [2, 6, *pair]) for pair in pairs]
    found = compiled.scores_given(table, pairs, given, doubtful, nobody)
    expected = [
        readable.score_given(table, *pair, some, others)
        for pair, some, others in zip(pairs, given, doubtful)
    ]
    np.testing.assert_allclose(found, expected, atol=CLOSE, rtol=CLOSE)


def test_regressions(table):
    given = np.array([1, 4], dtype=np.intp)
    found = compiled.regress_all(table, [given] * 9)
    for node in (0, 2, 3):
        cell, design = cells_of(table.rows, given)
        size = np.bincount(cell).astype(float)
        expected = fit(design, size, design.T @ counts(cell, table.column(node), len(design)))
        np.testing.assert_allclose(found[node], expected.coefficients, atol=CLOSE, rtol=CLOSE)


@pytest.mark.parametrize("n_given", [7, 8, 11])
def test_regressions_on_many_columns(n_given):
    rows = (np.random.default_rng(n_given).random((700, 12)) < 0.4).astype(np.uint8)
    table, given = readable.table_of(rows), np.arange(n_given)
    cell, design = cells_of(rows, given)
    size = np.bincount(cell).astype(float)
    expected = fit(design, size, design.T @ counts(cell, rows[:, -1], len(design)))
    found = compiled.regress_all(table, [given] * 12)[-1]
    np.testing.assert_allclose(found, expected.coefficients, atol=CLOSE, rtol=CLOSE)


def test_counts_go_beyond_a_byte():
    rows = np.ones((1000, 3), dtype=np.uint8)
    rows[::4, 0] = rows[1::3, 1] = rows[::7, 2] = 0
    table = readable.table_of(rows)
    scores = np.zeros((3, 3), dtype=np.float32)
    compiled.score_all(table, np.array([0]), [np.empty(0, dtype=np.intp)] * 3, scores, nobody)
    expected = readable.scores_of_all(table, 0, np.empty(0, dtype=np.intp))
    np.testing.assert_allclose(scores[0, 1:], expected[1:], atol=CLOSE)
