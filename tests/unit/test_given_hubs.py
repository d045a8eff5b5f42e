"""Balanced graphs give hubs that were missed to all columns, and test again."""

import numpy as np
import pytest

from benchmarks.quality.cases import two_hubs
from hedgerow import HedgeGraph
from hedgerow.datasets import make, max_strength
from hedgerow.estimators import GuaranteeWarning, _hubs
from hedgerow.method.balance import other_neighbours
from hedgerow.method.hubs import missed
from hedgerow.method.neighbours import refit, select, step_thresholds
from hedgerow.metrics import f1, fdp

PLAIN = {"level": "balanced", "rows": "independent", "columns": "normal"}
pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.estimators.GuaranteeWarning")


def test_leaves_of_hubs_that_are_not_clear_are_not_joined_to_each_other(monkeypatch):
    model = two_hubs(600, 0.97)
    rows = model.sample(200, seed=200)
    graph = HedgeGraph(**PLAIN).fit(rows)
    false, score = fdp(graph.adjacency_, model.adjacency), f1(graph.adjacency_, model.adjacency)
    assert sorted(graph._graph().hubs.tolist()) == [0, 300]
    assert false < 1.5 * graph.level_
    assert score > 0.4
    monkeypatch.setattr(_hubs, "MOST_COLUMNS", 599)
    alone = HedgeGraph(**PLAIN).fit(rows)
    assert fdp(alone.adjacency_, model.adjacency) > 0.8
    assert f1(alone.adjacency_, model.adjacency) < score


def test_any_cut_of_the_rows_gives_the_same_bits():
    rows = two_hubs(120, 0.8).sample(150, seed=1)
    whole = HedgeGraph(**PLAIN).fit(rows)
    parts = HedgeGraph(**PLAIN)
    for some in np.split(rows, [1, 7, 90]):
        parts.partial_fit(some)
    one, other = whole._graph(), parts._graph()
    assert len(one.hubs)
    assert all(np.array_equal(x, y) for x, y in zip(one, other))


def test_the_readable_code_gives_the_same_hubs_and_edges():
    rows = two_hubs(80, 0.8).sample(120, seed=2)
    found = [HedgeGraph(device=device, **PLAIN).fit(rows) for device in ("cpu", "numpy")]
    fast, slow = (graph._graph() for graph in found)
    assert len(fast.hubs)
    assert np.array_equal(fast.hubs, slow.hubs)
    for of_fast, of_slow in zip(fast[:7], slow[:7]):
        np.testing.assert_allclose(of_fast, of_slow, rtol=1e-3)


@pytest.mark.parametrize("kind", ["numbers", "yes or no"])
def test_any_pair_is_told_as_the_graph_has_it(kind):
    rows = make("star", 40, seed=0).sample(500 if kind == "yes or no" else 120, seed=4)
    known = PLAIN if kind == "numbers" else {"level": "balanced"}
    graph = HedgeGraph(**known).fit(rows if kind == "numbers" else (rows > 0).astype(float))
    assert graph._graph().hubs.tolist() == [0]
    assert len(graph.edges_)
    for edge in list(graph.edges_)[:5]:
        told = graph.partial_corr_of(edge.source, edge.target)
        assert told.partial_corr == pytest.approx(edge.partial_corr, abs=1e-9)
    leaves = graph.partial_corr_of(11, 12)
    assert 0 in leaves.given


def test_halves_of_the_rows_are_looked_at_for_hubs(monkeypatch):
    rows = two_hubs(80, 0.8).sample(300, seed=2)
    graph = HedgeGraph(**PLAIN).fit(rows)
    seen = []
    ready = graph._ready_rows(rows, None)
    for half in graph._halves(*ready, block=1, times=2, seed=0):
        seen.append(half.hubs.tolist())
    assert all(0 in hubs or 40 in hubs for hubs in seen)


def test_nothing_is_given_where_hubs_are_clear_or_a_rate_is_kept():
    model = make("star", 40, seed=0)
    clear = HedgeGraph(**PLAIN).fit(model.sample(6000, seed=1))
    assert clear.fewest_neighbours_[0] > 10
    assert not len(clear._graph().hubs)
    kept = HedgeGraph(**PLAIN | {"level": 0.05}).fit(model.sample(120, seed=4))
    assert kept.hubs_
    assert not len(kept._graph().hubs)


def test_hubs_that_are_too_many_are_told(monkeypatch):
    rows = make("star", 30, seed=0).sample(40, seed=1)
    rows[:, 5] += 3 * rows[:, 6]
    monkeypatch.setattr("hedgerow.method.graph.missed", lambda *_: np.arange(9))
    with pytest.warns(GuaranteeWarning, match="too many to be given to all others: 5, 6, 7, 8;"):
        graph = HedgeGraph(**PLAIN).fit(rows)
    assert graph._graph().hubs.tolist() == [0, 1, 2, 3, 4]


def test_a_graph_that_contradicts_its_own_tests_is_left_without_edges():
    """Leaves of a hub that all but determines them: with few rows, they choose each other."""
    strength = 0.99 * max_strength("star", 64)
    rows = make("star", 64, strength=strength).sample(19, seed=0)
    with pytest.warns(GuaranteeWarning, match=r"columns would have \d+ neighbours.* than 4;"):
        graph = HedgeGraph(**PLAIN).fit(rows)
    assert not len(graph.edges_)
    more = HedgeGraph(**PLAIN).fit(make("star", 64, strength=strength).sample(200, seed=0))
    assert len(more.edges_) > 50
    assert more._graph().refused is None


def test_a_dense_graph_of_many_rows_is_kept():
    """What all columns share makes neighbours of all, and so many rows show it."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20_000, 60)) + 0.6 * rng.standard_normal((20_000, 1))
    graph = HedgeGraph(**PLAIN).fit(rows)
    edges = graph.graph_up_to(graph.level_)
    assert other_neighbours(edges.source, edges.target) > 50  # as many as are ever chosen


def test_hubs_come_first_and_then_the_strongest():
    rows = np.random.default_rng(0).standard_normal((200, 8))
    rows[:, 3] += rows[:, 5]
    rows = np.column_stack([rows, rows[:, 2]])  # the last repeats another, and adds nothing to it
    corr, hubs = np.corrcoef(rows.T), np.array([2, 0, 8])
    chosen = [select(corr, k, 200, step_thresholds(9, 200), hubs).chosen.tolist() for k in range(9)]
    assert chosen == [[2], [0, 2], [0, 8], [0, 2, 5], [0, 2], [0, 2, 3], [0, 2], [0, 2], [2]]


def test_a_hub_that_is_no_neighbour_changes_no_relation_in_the_long_run():
    """Given its neighbours a variable is independent of the others, whatever else is given."""
    model = make("random_tree", 12, seed=3)
    corr = np.linalg.inv(model.precision.toarray())
    corr /= np.sqrt(np.outer(np.diag(corr), np.diag(corr)))
    plain, given = (refit(corr, 1e9, hubs) for hubs in (np.array([], int), np.array([4, 9])))
    np.testing.assert_allclose(
        given.coefficients.toarray(), plain.coefficients.toarray(), atol=1e-7
    )


def test_only_hubs_that_fewer_were_given_than_are_neighbours_are_missed():
    at_least, degrees = np.array([9, 8, 9, 0, 1, 0]), np.zeros(6, dtype=int)
    assert missed(at_least, degrees, np.array([5, 8, 2, 0, 0, 0])).tolist() == [0, 2]
