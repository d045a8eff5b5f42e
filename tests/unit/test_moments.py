"""Running moments: stable, mergeable, and right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.method.moments import (
    columns_of,
    correlation,
    init_columns,
    init_moments,
    merge_columns,
    merge_moments,
    moments_of,
    varies,
)


def test_a_far_mean_costs_no_precision():
    rng = np.random.default_rng()
    rows = rng.standard_normal((4000, 3))
    rows[:, 1] += rows[:, 0]
    far = rows + np.array([1e8, -1e8, 0.0])
    state = init_moments(3)
    for chunk in np.split(far, 40):
        state = merge_moments(state, moments_of(chunk))
    # Adding 1e8 rounds each value to about 1e-8, so that is what may differ.
    np.testing.assert_allclose(state.covariance, np.cov(rows.T, bias=True), atol=1e-6)
    np.testing.assert_allclose(correlation(state), np.corrcoef(rows.T), atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 60))
def test_merged_moments_are_those_of_all_rows(seed, first, second):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((first + second, 4)) * 10.0 ** rng.uniform(-3, 3, 4) + 5
    a, b = rows[:first], rows[first:]
    parts = [moments_of(part) if len(part) else init_moments(4) for part in (a, b)]
    merged = merge_moments(*parts)
    swapped = merge_moments(*reversed(parts))
    assert merged.rows == swapped.rows == len(rows)
    scale = np.outer(rows.std(axis=0) + 1e-12, rows.std(axis=0) + 1e-12) * len(rows)
    direct = moments_of(rows)
    for other in (merged, swapped):
        np.testing.assert_allclose(other.mean, direct.mean, rtol=1e-9, atol=1e-12)
        assert (np.abs(other.products - direct.products) / scale).max() < 1e-9
    columns = merge_columns(*[columns_of(p) if len(p) else init_columns(4) for p in (a, b)])
    np.testing.assert_allclose(columns.squares, np.diag(direct.products), rtol=1e-9, atol=1e-9)


def test_no_rows_have_no_moments():
    empty = init_moments(2)
    assert merge_moments(empty, empty).rows == 0
    assert merge_columns(init_columns(2), init_columns(2)).rows == 0


@pytest.mark.parametrize("value", [0.0, 3.0, 1e8, 0.1, -1e-300])
def test_constant_columns_are_seen_through_rounding(value):
    rows = np.column_stack([np.full(1000, value), np.linspace(0, 1, 1000)])
    state = init_moments(2)
    for chunk in np.array_split(rows, 7):
        state = merge_moments(state, moments_of(chunk))
    assert varies(state).tolist() == [False, True]
    assert np.array_equal(correlation(state), np.eye(2))
