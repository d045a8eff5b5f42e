"""What the base does before and after a method."""

from time import sleep

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.progress import watching
from hedgerow.rivals import Hedge, InverseGram, OutOfTime, Sparsitron
from hedgerow.rivals._clock import Clock


@pytest.mark.parametrize("size", [1e-140, 1e140])
def test_extreme_units_are_no_obstacle(size, draw):
    _, rows = draw("chain", 4, 100, seed=0)
    plain, extreme = (InverseGram().fit(X) for X in (rows, rows * size))
    np.testing.assert_allclose(extreme.partial_corr_, plain.partial_corr_, atol=1e-12)
    np.testing.assert_allclose(extreme.scale_, plain.scale_ * size)


def test_a_column_that_varies_by_rounding_alone_is_refused(draw):
    _, rows = draw("chain", 4, 100, seed=0)
    rows[:, 2] = 1e140
    rows[0, 2] = np.nextafter(1e140, np.inf)
    with pytest.raises(ValueError, match=r"constant columns: 2 \(always 1e\+140\)"):
        InverseGram().fit(rows)


def test_hedge_has_the_edges_of_hedge_graph(draw):
    _, rows = draw("grid", 16, 300, seed=0)
    ours, plain = Hedge(level=0.2).fit(rows), HedgeGraph(level=0.2).fit(rows)
    assert np.array_equal(ours.adjacency_.toarray(), plain.adjacency_.toarray())
    scores = [ours.score_matrix_[edge.source, edge.target] for edge in plain.edges_]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= -np.log10(0.2)


def test_sparsitron_scores_are_its_weights(draw):
    _, rows = draw("chain", 4, 2000, seed=0, strength=0.45)
    with pytest.warns(UserWarning, match="rows are fewer"):
        found = Sparsitron().fit(rows)
    larger = np.maximum(np.abs(found.weights_), np.abs(found.weights_.T))
    assert np.array_equal(found.score_matrix_, larger)


def test_a_clock_says_how_far_things_were():
    clock = Clock(0.2)
    clock.check("boiling", 0.25)
    sleep(0.2)
    with pytest.raises(OutOfTime, match=r"time_limit of 0.2 s is over: boiling was 25% done"):
        clock.tick()


def test_parts_are_told_only_where_they_are_a_stage():
    told = []
    clock = Clock(None)
    with watching(lambda stage, done: told.append((stage, done))):
        assert list(clock.each("ab")) == ["a", "b"]
        assert told == []
        assert list(clock.telling("spelling").each("ab")) == ["a", "b"]
    assert told == [("spelling", 0.0), ("spelling", 0.5), ("spelling", 1.0)]


def test_a_clock_without_a_limit_never_rings():
    clock = Clock(None)
    assert clock.left == np.inf
    assert list(clock.over("abc", "spelling")) == ["a", "b", "c"]
