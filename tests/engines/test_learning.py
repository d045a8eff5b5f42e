"""Engines learn what the readable code learns, the same for every cut and number of threads."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgerow.engines import numpy_ref
from hedgerow.engines.numba_cpu import _threads
from hedgerow.hedge import batch_ends
from hedgerow.moments import moments_of

EACH_ENGINE = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SINGLE = float(np.finfo(np.float32).eps)


@st.composite
def tables(draw, max_rows=700, max_columns=40):
    """Rows with a random covariance, random scales and random means."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(8, max_rows)), draw(st.integers(2, max_columns))
    mixing = np.eye(n_columns) + draw(st.floats(0.0, 1.0)) * rng.standard_normal(
        (n_columns, n_columns)
    )
    rows = rng.standard_normal((n_rows, n_columns)) @ mixing
    return rows * 10.0 ** rng.uniform(-5, 5, n_columns) + rng.standard_normal(n_columns)


def learned(engine, rows, cuts=(), asked=False):
    """Learn whole batches, cut where a batch ends next after each cut; return all there is."""
    ends = batch_ends(0, len(rows))
    stops = sorted({next((end for end in ends if end >= cut), ends[-1]) for cut in cuts})
    state = engine.init(rows.shape[1])
    for start, stop in zip([0, *stops], [*stops, ends[-1]]):
        if asked:
            state = engine.count(state, rows[start : start + 3])
            engine.dense(engine.weights(state, rows[start : start + 3]))
        state = engine.learn(state, rows[start:stop])
    pending = rows[ends[-1] :]
    state = engine.count(state, pending)
    weights = engine.dense(engine.weights(state, pending))
    return engine.to_numpy(state), np.array(weights)


def numbers(result):
    (moments, hedge), weights = result
    return [*moments[1:], *hedge.columns[1:], *hedge[1:], weights]


@EACH_ENGINE
@given(rows=tables())
def test_moments_are_those_of_all_rows(engine, rows):
    (moments, _), _ = learned(engine, rows)
    direct = moments_of(rows)
    scale = np.sqrt(np.diag(direct.products))
    spread = scale / np.sqrt(len(rows))
    # Rounding of as many sums as there are rows, in units of a column's spread.
    rounding = len(rows) * np.finfo(np.float64).eps * (1 + np.abs(direct.mean) / spread)
    assert moments.rows == len(rows)
    assert (np.abs(moments.mean - direct.mean) <= rounding * spread).all()
    difference = np.abs(moments.products - direct.products) / np.outer(scale, scale)
    assert (difference <= rounding + rounding[:, None]).all()
    assert np.array_equal(moments.products, moments.products.T)


@EACH_ENGINE
@given(rows=tables())
def test_learning_agrees_with_the_readable_code(fast_engine, rows):
    fast, fast_weights = learned(fast_engine, rows)
    slow, slow_weights = learned(numpy_ref, rows)
    # Every batch adds numbers of size at most one, rounded to single precision.
    rounding = SINGLE * (len(batch_ends(0, len(rows))) + 1)
    np.testing.assert_allclose(fast_weights, slow_weights, atol=rounding)
    np.testing.assert_allclose(fast.hedge.curvature, slow.hedge.curvature, rtol=16 * rounding)
    largest = np.abs(slow.hedge.gradient).max()
    np.testing.assert_allclose(
        fast.hedge.gradient, slow.hedge.gradient, atol=4 * rounding * largest
    )
    np.testing.assert_allclose(fast.hedge.columns.mean, slow.hedge.columns.mean, rtol=1e-9)
    np.testing.assert_allclose(fast.hedge.columns.squares, slow.hedge.columns.squares, rtol=1e-9)


@EACH_ENGINE
@given(
    rows=tables(max_rows=1200), cuts=st.lists(st.integers(1, 1200), max_size=5), asked=st.booleans()
)
def test_no_cut_and_no_question_changes_a_bit(engine, rows, cuts, asked):
    if engine is numpy_ref:
        asked = False  # it merges the moments of what it is given, and rounds accordingly
    whole, parts = learned(engine, rows), learned(engine, rows, cuts, asked)
    assert all(np.array_equal(a, b) for a, b in zip(numbers(whole), numbers(parts)))


@pytest.mark.parametrize("n_columns", [2, 5, 64, 131])
def test_no_number_of_threads_changes_a_bit(engine, monkeypatch, n_columns):
    rows = np.random.default_rng().standard_normal((1500, n_columns)).cumsum(axis=1)
    results = []
    for threads in ("1", "2", "3", "7"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert _threads.thread_count() == int(threads)
        results.append(numbers(learned(engine, rows)))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))


@EACH_ENGINE
@given(rows=tables(max_rows=400), stop=st.integers(1, 399))
def test_a_state_can_move_to_another_engine(engine, fast_engine, rows, stop):
    ends = batch_ends(0, len(rows))
    rows, stop = rows[: ends[-1]], next((end for end in ends if end >= stop), ends[-1])
    state = engine.count(
        engine.learn(engine.init(rows.shape[1]), rows[:stop]), rows[stop : stop + 2]
    )
    moved = fast_engine.from_numpy(engine.to_numpy(state))
    moved = fast_engine.learn(moved, rows[stop:])
    (moments, hedge), weights = learned(fast_engine, rows)
    rounding = SINGLE * (len(ends) + 1)
    assert fast_engine.to_numpy(moved).moments.rows == moments.rows == hedge.rows
    moved_weights = fast_engine.dense(fast_engine.weights(moved, rows[:0]))
    np.testing.assert_allclose(moved_weights, weights, atol=rounding)


def test_columns_that_never_vary_get_no_weight(engine):
    rows = np.random.default_rng().standard_normal((64, 6))
    rows[:, 2], rows[:, 4] = 3.0, 0.0
    (moments, hedge), weights = learned(engine, rows)
    assert not weights[:, [2, 4]].any()
    assert not weights[[2, 4]].any()
    assert not moments.products[:, [2, 4]].any()
    assert np.isfinite(hedge.gradient).all()


def test_a_long_run_of_one_relation_does_not_overflow(engine):
    """After enough batches the experts' weights differ by more than single precision can hold."""
    rows = np.random.default_rng().standard_normal((256 * 400, 4))
    rows[:, 1] = -rows[:, 0]
    _, weights = learned(engine, rows)
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights[[0, 1], [1, 0]], -1.0, atol=0.05)
