"""Benjamini-Hochberg, Holm and weights, against independent values and their own promises."""

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom, false_discovery_control

from hedgerow.multiplicity import (
    balanced_level,
    benjamini_hochberg,
    group_weights,
    holm,
    null_shares,
    stands_out,
)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=60).map(np.array)
# Some of a few values, so that there are ties, and some of any.
q_values = st.lists(
    st.one_of(st.sampled_from([1e-6, 0.01, 0.2, 0.5]), st.floats(1e-6, 1)), max_size=40
).map(np.array)
loosest_levels = st.floats(1e-3, 0.999)


@given(p_values)
def test_benjamini_hochberg_is_scipys(p):
    np.testing.assert_allclose(benjamini_hochberg(p), false_discovery_control(p), atol=1e-14)


@given(p_values, st.floats(0.001, 0.999))
def test_holm_is_the_step_down_procedure(p, level):
    accepted = np.zeros(len(p), dtype=bool)
    for step, k in enumerate(np.argsort(p, kind="stable")):
        if p[k] * (len(p) - step) > level:
            break
        accepted[k] = True
    assert np.array_equal(holm(p) <= level, accepted)


@given(p_values)
def test_holm_is_never_looser_than_benjamini_hochberg(p):
    assert (holm(p) >= benjamini_hochberg(p) - 1e-15).all()


def expected_true(q, k):
    """True ones among the k surest pairs: the largest of their q-values is the share of false ones.

    One standard error more of these is allowed for.
    """
    false = k * sorted(q)[k - 1]
    return k - false - math.sqrt(false)


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


@given(st.integers(2, 500), st.floats(1e-6, 1e-3), st.floats(0.3, 0.5), st.floats(4, 9))
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


def test_many_that_are_unlikely_together_stand_out():
    assert not stands_out(np.repeat(1e-3, 2), 1000)
    assert stands_out(np.repeat(1e-3, 8), 1000)


def test_chance_stands_out_once_in_twenty_times_at_most():
    rng = np.random.default_rng()
    found = sum(stands_out(rng.random(500), 500) for _ in range(2000))
    assert found <= binom.isf(1e-6, 2000, 0.05)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_weights_average_one(seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, n_groups, 200))
    groups = np.unique(groups, return_inverse=True)[1]
    share = null_shares(rng.random(200) ** rng.uniform(1, 3), groups)
    assert (np.diff(share) >= 0).all()
    assert ((share > 0) & (share <= 1)).all()
    size = np.bincount(groups)
    plain = group_weights(share, size, count_nulls_only=False)
    np.testing.assert_allclose((plain * size).sum(), 200)
    of_nulls = group_weights(share, size, count_nulls_only=True)
    np.testing.assert_allclose((of_nulls * size * np.maximum(share, 0.05)).sum(), 200)
    assert (of_nulls >= plain - 1e-12).all()


def test_the_share_of_nulls_is_not_underestimated_on_average():
    rng = np.random.default_rng()
    groups = np.repeat([0, 1], [40, 400])
    nulls = np.repeat([0.5, 0.9], [40, 400])  # share of nulls in each group
    estimates = []
    for _ in range(400):
        null = rng.random(440) < nulls
        p = np.where(null, rng.random(440), rng.random(440) * 1e-4)
        estimates.append(null_shares(p, groups))
    mean, error = np.mean(estimates, axis=0), np.std(estimates, axis=0) / 20
    assert (mean > np.array([0.5, 0.9]) - 4 * error).all()
