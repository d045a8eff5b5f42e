"""Benjamini-Hochberg, Holm and weights, against independent values and their own promises."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from hedgerow.method.multiplicity import (
    benjamini_hochberg,
    false_shares,
    group_priors,
    holm,
    null_shares,
)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=60).map(np.array)


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


@given(p_values)
def test_false_shares_count_one_standard_error_more(p):
    def share(k):
        false = len(p) * sorted(p)[k - 1]
        return (false + false**0.5) / k

    ranks = [int(np.sum(p <= each)) for each in p]
    expected = [min([1.0, *map(share, range(k, len(p) + 1))]) for k in ranks]
    np.testing.assert_allclose(false_shares(p), expected, atol=1e-14)
    assert (false_shares(p) >= benjamini_hochberg(p) - 1e-15).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_weights_average_one(seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, n_groups, 200))
    groups = np.unique(groups, return_inverse=True)[1]
    share = null_shares(rng.random(200) ** rng.uniform(1, 3), groups)
    assert (np.diff(share) >= 0).all()
    assert ((share > 0) & (share <= 1)).all()
    size = np.bincount(groups)
    plain = group_priors(share, size, count_nulls_only=False)
    np.testing.assert_allclose((plain * size).sum(), 200)
    of_nulls = group_priors(share, size, count_nulls_only=True)
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
