"""Engines learn what the readable code learns, the same for every cut and number of threads."""

import numpy as np
import pytest
from hypothesis import strategies as st

from hedgerow.engines.numba_cpu import _threads
from hedgerow.method import numpy_ref
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.hedge import batch_ends
from hedgerow.method.inflation import no_inflation
from tests.engines import distances
from tests.engines.distances import beyond_rounding, learned, rounding_of_weights


@st.composite
def tables(draw, max_rows, max_columns=40):
    """Rows with a random covariance, random scales and random means."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(8, max_rows)), draw(st.integers(2, max_columns))
    mixing = np.eye(n_columns) + draw(st.floats(0.0, 1.0)) * rng.standard_normal(
        (n_columns, n_columns)
    )
    rows = rng.standard_normal((n_rows, n_columns)) @ mixing
    return rows * 10.0 ** rng.uniform(-5, 5, n_columns) + rng.standard_normal(n_columns)


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def test_moments_are_those_of_all_rows(engine, trials):
    def check(rows, half_life):
        state = learned(engine, rows, half_life)[0]
        moments = engine.moments(state)
        assert moments.rows == len(rows)
        assert not beyond_rounding(distances.of_moments(moments, rows, half_life))
        assert np.array_equal(engine.mean(state), moments.mean)
        assert np.array_equal(moments.products, moments.products.T)
        expected = effective_rows(len(rows), half_life)
        assert moments.effective_rows == pytest.approx(expected, rel=1e-9)

    lives = st.sampled_from(trials.half_lives)
    trials.of(check, rows=tables(min(trials.most_rows, 700)), half_life=lives)


def test_learning_agrees_with_the_readable_code(fast_engine, trials):
    def check(rows, half_life):
        fast, slow = (learned(e, rows, half_life)[1] for e in (fast_engine, numpy_ref))
        assert not beyond_rounding(distances.of_learning(fast, slow, rows, half_life))

    lives = st.sampled_from(trials.half_lives)
    trials.of(check, rows=tables(min(trials.most_rows, 700)), half_life=lives)


def test_no_cut_and_no_question_changes_a_bit(engine, trials):
    def check(rows, half_life, cuts, asked):
        if engine is numpy_ref:
            asked = False  # it merges the moments of what it is given, and rounds accordingly
        whole = learned(engine, rows, half_life)
        parts = learned(engine, rows, half_life, cuts, asked)
        assert same(whole[1], parts[1])

    trials.of(
        check,
        rows=tables(trials.most_rows),
        half_life=st.sampled_from(trials.half_lives),
        cuts=st.lists(st.integers(1, trials.most_rows), max_size=5),
        asked=st.booleans(),
    )


@pytest.mark.parametrize("n_columns", [2, 5, 64, 131])
def test_no_number_of_threads_changes_a_bit(summing_engine, monkeypatch, n_columns):
    rows = np.random.default_rng().standard_normal((1500, n_columns)).cumsum(axis=1)
    results = []
    for threads in ("1", "2", "3", "7"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert _threads.thread_count() == int(threads)
        results.append(learned(summing_engine, rows)[1])
    assert all(same(results[0], other) for other in results[1:])


def test_a_state_can_move_to_a_processor(fast_engine, summing_engine, trials):
    def check(rows, half_life, stop):
        ends = batch_ends(0, len(rows), half_life)
        rows, stop = rows[: ends[-1]], next((end for end in ends if end >= stop), ends[-1])
        state = fast_engine.learn(fast_engine.init(rows.shape[1], half_life), rows[:stop])
        state = fast_engine.count(state, rows[stop : stop + 2])
        moved = summing_engine.from_numpy(fast_engine.to_numpy(state))
        moved = summing_engine.learn(moved, rows[stop:])
        assert summing_engine.moments(moved).rows == len(rows)
        weights = summing_engine.weights(
            summing_engine.evidence(moved, rows[:0], no_inflation(rows.shape[1]))
        )
        expected = learned(summing_engine, rows, half_life)[1]["weights"]
        off = rounding_of_weights(rows, half_life)
        np.testing.assert_allclose(weights, expected, atol=off)

    trials.of(
        check,
        rows=tables(min(trials.most_rows, 400)),
        half_life=st.sampled_from(trials.half_lives),
        stop=st.integers(1, 399),
    )


def test_columns_that_never_vary_get_no_weight(engine):
    rows = np.random.default_rng().standard_normal((64, 6))
    rows[:, 2], rows[:, 4] = 3.0, 0.0
    state, kept = learned(engine, rows)
    assert not kept["weights"][:, [2, 4]].any()
    assert not kept["weights"][[2, 4]].any()
    assert not engine.moments(state).products[:, [2, 4]].any()
    assert kept.pop("half_life", NEVER) == NEVER
    assert all(np.isfinite(array).all() for array in kept.values())


def test_a_long_run_of_one_relation_does_not_overflow(engine, trials):
    """After enough batches the experts' weights differ by more than single precision can hold."""
    n_rows = 256 * 400 if trials.most_rows > 1000 else 256 * 4
    rows = np.random.default_rng().standard_normal((n_rows, 4))
    rows[:, 1] = -rows[:, 0]
    weights = learned(engine, rows)[1]["weights"]
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights[[0, 1], [1, 0]], -1.0, atol=0.05)
