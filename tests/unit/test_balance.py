"""Where a balanced graph is cut, and when it has edges at all."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from hedgerow.method.balance import balanced_level, other_neighbours, stands_out

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=60).map(np.array)
# Some of a few values, so that there are ties, and some of any.
q_values = st.lists(
    st.one_of(st.sampled_from([1e-6, 0.01, 0.2, 0.5]), st.floats(1e-6, 1)), max_size=40
).map(np.array)
loosest_levels = st.floats(1e-3, 0.999)


def expected_true(q, k):
    """True ones among the k surest pairs: the largest q-value is the share of false ones."""
    return k - k * sorted(q)[k - 1]


@given(q_values, loosest_levels)
def test_the_balanced_level_has_the_best_expected_f1(q, loosest):
    level = balanced_level(q, loosest)
    possible = [k for k in range(1, len(q) + 1) if sorted(q)[k - 1] <= loosest]
    if not possible:
        assert level == loosest
        return
    n_edges = max(expected_true(q, k) for k in possible)
    f1 = {k: 2 * expected_true(q, k) / (k + n_edges) for k in possible}
    assert level in q
    assert level <= loosest
    assert abs(f1[int(np.sum(q <= level))] - max(f1.values())) < 1e-12


@given(q_values, loosest_levels, st.randoms(use_true_random=False))
def test_order_and_larger_q_values_do_not_change_the_balanced_level(q, loosest, random):
    level = balanced_level(q, loosest)
    shuffled = np.array(random.sample(q.tolist(), len(q)))
    assert balanced_level(shuffled, loosest) == level
    assert balanced_level(q[q <= loosest], loosest) == level


@given(st.integers(2, 500), st.floats(1e-6, 1e-3), st.floats(0.3, 0.5), st.floats(0, 0.5))
def test_a_balanced_graph_ends_at_a_gap(n_sure, low, high, doubtful):
    q = np.repeat([low, high], [n_sure, int(doubtful * n_sure)])
    assert balanced_level(q, 0.5) == low


@given(st.integers(10, 500), st.floats(1e-6, 1e-3), st.floats(0.3, 0.5), st.floats(6, 9))
def test_it_goes_on_where_most_edges_are_among_the_doubtful(n_sure, low, high, doubtful):
    q = np.repeat([low, high], [n_sure, int(doubtful * n_sure)])
    assert balanced_level(q, 0.5) == high


def test_surer_than_a_millionth_is_no_estimate():
    assert balanced_level(np.array([0.0, 1e-300, 1e-12]), 0.5) == 1e-6
    assert balanced_level(np.array([]), 0.5) == 0.5
    assert balanced_level(np.array([0.500001, 1.0]), 0.5) == 0.5


@given(p_values, st.integers(0, 10_000))
def test_what_stands_out_is_unlikely_by_chance(p, more):
    n_tests = len(p) + more
    some = [k for k in (1, 2, 4, 8, 16, 32) if k <= len(p)]
    chance = np.array([k * binom.sf(k - 1, n_tests, np.sort(p)[k - 1]) for k in some])
    assume((np.abs(chance - 0.025) > 1e-9).all())
    assert stands_out(p, n_tests) == (chance < 0.025).any()
    assert not stands_out(np.array([]), n_tests)


def test_other_neighbours_are_those_of_the_end_that_has_fewer():
    # A star of four leaves, two of which are joined; and two nodes of their own.
    source, target = np.array([0, 0, 0, 0, 1, 7]), np.array([1, 2, 3, 4, 2, 9])
    assert other_neighbours(source, target) == (1 + 1 + 0 + 0 + 1 + 0) / 6
    assert other_neighbours(source[:0], target[:0]) == 0.0


def test_many_that_are_unlikely_together_stand_out():
    assert not stands_out(np.repeat(1e-3, 2), 1000)
    assert stands_out(np.repeat(1e-3, 8), 1000)


def test_chance_stands_out_once_in_twenty_times_at_most():
    rng = np.random.default_rng()
    found = sum(stands_out(rng.random(500), 500) for _ in range(2000))
    assert found <= binom.isf(1e-6, 2000, 0.05)
