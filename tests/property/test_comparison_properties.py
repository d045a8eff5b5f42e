"""Agreement and stability, whatever the graphs."""

import json
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.comparison import Comparison, Outcome, Status
from hedgerow.comparison._outcome import adjacency_of

P = 6
PAIRS = list(combinations(range(P), 2))
graphs = st.lists(st.sampled_from(PAIRS), unique=True).map(
    lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2)
)


def outcome(name, edges, halves=(), status=Status.OK):
    scores = np.arange(len(edges), dtype=float)[::-1]
    return Outcome(name, status, "", P, edges, scores, 0.5, halves)


def comparison(outcomes, truth=None):
    names = tuple(f"x{i}" for i in range(P))
    return Comparison(tuple(outcomes), names, 100, 10.0, 2, np.eye(P), truth)


def shared(a, b):
    """The Jaccard index, by sets."""
    a, b = ({tuple(edge) for edge in edges.tolist()} for edges in (a, b))
    return len(a & b) / len(a | b) if a | b else 1.0


@given(st.lists(graphs, min_size=1, max_size=4))
def test_agreement_is_the_jaccard_index(found):
    result = comparison(outcome(str(k), edges) for k, edges in enumerate(found))
    expected = [[shared(a, b) for b in found] for a in found]
    np.testing.assert_allclose(result.agreement, expected)


@given(graphs, graphs)
def test_methods_without_a_graph_agree_with_none(first, second):
    result = comparison([outcome("a", first), outcome("b", second, status=Status.FAILED)])
    assert np.isnan(result.agreement[1]).all()
    assert result.agreement[0, 0] == 1
    assert json.loads(result.to_json())["agreement"][1] == [None, None]


@given(st.lists(st.tuples(graphs, graphs), max_size=4))
def test_stability_is_the_mean_over_splits_that_found_anything(halves):
    counted = [shared(*pair) for pair in halves if len(pair[0]) + len(pair[1])]
    stability = outcome("a", np.array(PAIRS), tuple(halves)).stability
    if counted:
        assert stability == np.mean(counted)
    else:
        assert np.isnan(stability)


@given(graphs, graphs)
def test_scores_against_the_truth(edges, truth):
    result = comparison([outcome("a", edges)], adjacency_of(truth, P))
    [row] = result.rows()
    a, b = ({tuple(edge) for edge in part.tolist()} for part in (edges, truth))
    assert row["exact"] is (a == b)
    assert row["fdp"] == (len(a - b) / len(a) if a else 0.0)
    assert row["f1"] == (2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0)


@given(graphs)
def test_the_text_has_a_line_for_each_method(edges):
    lines = str(comparison([outcome("first", edges), outcome("second", edges)])).splitlines()
    assert [line.split()[0] for line in lines] == ["method", "first", "second"]
    assert lines[1].split()[1] == str(len(edges))
