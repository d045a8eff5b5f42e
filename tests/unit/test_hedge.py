"""The learner: Hedge's closed form, its invariances, and what it learns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.method.hedge import (
    LARGEST_RADIUS,
    batch_size,
    init,
    unit_radius,
    unit_weights,
    update,
)


def learn(rows):
    state = init(rows.shape[1])
    start = 0
    while start < len(rows):
        stop = start + batch_size(start)
        state = update(state, rows[start:stop])
        start = stop
    return state


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_weights_are_those_of_two_experts_for_each_variable_and_one_for_zero(seed, n_columns):
    rng = np.random.default_rng(seed)
    gradient = rng.standard_normal((n_columns, n_columns)) * 5
    np.fill_diagonal(gradient, 0.0)
    curvature = rng.random(n_columns) * 30 + 0.1
    weights = unit_weights(gradient, curvature)
    for i in range(n_columns):
        rate = np.sqrt(np.log(2 * n_columns - 1) / curvature[i])
        others = np.delete(np.arange(n_columns), i)
        losses = np.concatenate([gradient[i, others], -gradient[i, others], [0.0]])
        experts = np.exp(-rate * losses) / np.exp(-rate * losses).sum()
        folded = experts[: n_columns - 1] - experts[n_columns - 1 : -1]
        np.testing.assert_allclose(weights[i, others], folded, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(1e-100, 1e100))
def test_weights_do_not_depend_on_the_scale_of_gradients(seed, scale):
    gradient = np.random.default_rng(seed).standard_normal((5, 5))
    np.fill_diagonal(gradient, 0.0)
    curvature = np.square(gradient).max(axis=1)
    scaled = unit_weights(gradient * scale, curvature * scale**2)
    np.testing.assert_allclose(scaled, unit_weights(gradient, curvature), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1e6))
def test_weights_stay_in_the_unit_ball_and_off_the_diagonal(seed, size):
    gradient = size * np.random.default_rng(seed).standard_normal((6, 6))
    np.fill_diagonal(gradient, 0.0)
    weights = unit_weights(gradient, np.ones(6))
    assert np.isfinite(weights).all()
    assert (np.abs(weights).sum(axis=1) <= 1 + 1e-12).all()
    assert not weights.diagonal().any()


def test_before_the_first_row_every_weight_is_zero():
    state = init(4)
    assert not unit_weights(state.gradient, state.curvature).any()
    assert state.rows == 0


@given(st.floats(-10, 10), st.floats(0.001, 10))
def test_radius_is_the_least_squares_scale_within_bounds(matched, squared):
    radius = unit_radius(np.array([matched]), np.array([squared]))[0]
    assert radius == pytest.approx(np.clip(matched / squared, 0, LARGEST_RADIUS))


def test_batches_do_not_depend_on_how_rows_arrive():
    seen, sizes = 0, []
    while seen < 10_000:
        sizes.append(batch_size(seen))
        assert seen % sizes[-1] == 0
        seen += sizes[-1]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (8, 256)


def test_a_chain_is_learned():
    rng = np.random.default_rng()
    rows = rng.standard_normal((4000, 5))
    for j in range(1, 5):
        rows[:, j] += 0.7 * rows[:, j - 1]
    weights = np.abs(learn(rows).average)
    neighbours = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) == 1
    assert weights[neighbours].min() > 2 * weights[~neighbours].max()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_scale_and_origin_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((600, 4))
    rows[:, 1] += rows[:, 0]
    scale = np.array([1e-6, 1e6, -1.0, 3.0])
    moved = rows * scale + scale * np.array([100.0, -5.0, 0.0, 1e4])
    signs = np.sign(np.outer(scale, scale))
    np.testing.assert_allclose(learn(moved).average * signs, learn(rows).average, atol=1e-8)


def test_a_column_that_starts_constant_joins_when_it_moves():
    rng = np.random.default_rng()
    rows = rng.standard_normal((3000, 3))
    rows[:, 2] += rows[:, 0]
    rows[:500, 2] = 7.0
    average = learn(rows).average
    assert np.isfinite(average).all()
    assert average[0, 2] > 0.1


def test_unpredictable_nodes_get_a_small_radius():
    rng = np.random.default_rng()
    rows = rng.standard_normal((4000, 10))
    rows[:, 1] += 2 * rows[:, 0]
    state = learn(rows)
    radius = unit_radius(state.matched, state.squared)
    assert radius[:2].min() > 0.8
    assert radius[2:].max() < 0.5
