"""Compiled filling of gaps and regressions: what the readable code does, up to rounding."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.engines import numba_cpu
from hedgerow.method import gap_model, numpy_ref
from hedgerow.method.neighbours import step_thresholds

seeds = st.integers(0, 2**32 - 1)


def table(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((int(rng.integers(40, 200)), int(rng.integers(3, 12))))
    rows[:, 1:] += rng.choice([0.3, 0.8, 1.5]) * rows[:, :-1]
    return rng, np.where(rng.random(rows.shape) < rng.choice([0.02, 0.3, 0.6]), np.nan, rows)


def expected_of(rows):
    complete = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    centred = complete - complete.mean(axis=0)
    products, size = centred.T @ centred, len(rows)
    args = (products, complete.mean(axis=0), float(size), size, numpy_ref.related)
    return gap_model.expected_of(*args, numpy_ref.sweeps)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_gaps_are_filled_alike(seed):
    rng, rows = table(seed)
    expected, weights = expected_of(rows), rng.uniform(0.5, 2, len(rows))
    left = [np.zeros((rows.shape[1],) * 2) for _ in range(2)]
    a, b = (
        engine.fill(rows, expected, weights, some)
        for engine, some in zip((numpy_ref, numba_cpu), left)
    )
    # Both solve systems with the precision matrix of the missing cells.
    rounding = 1e-13 * np.linalg.cond(expected.matrix()) * len(rows)
    there = ~np.isnan(rows)
    assert np.array_equal(b[there], rows[there])
    assert not np.isnan(b).any()
    assert np.abs(a - b).max() <= rounding * np.abs(a).max()
    assert np.abs(left[0] - left[1]).max() <= rounding * max(np.abs(left[0]).max(), 1.0)
    assert np.array_equal(b, numba_cpu.fill(rows, expected, weights, np.empty((0, 0))))


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_regressions_and_relations_are_alike(seed):
    _, rows = table(seed)
    corr = np.corrcoef(np.nan_to_num(rows), rowvar=False)
    n_rows = float(len(rows))
    thresholds = step_thresholds(len(corr), n_rows)
    a, b = (engine.regressions(corr, n_rows, thresholds) for engine in (numpy_ref, numba_cpu))
    rounding = 1e-11 * np.linalg.cond(corr)
    assert np.abs((a.coefficients - b.coefficients).toarray()).max() <= rounding
    assert np.abs(a.residual - b.residual).max() <= rounding
    first, second = (engine.related(corr, n_rows, thresholds) for engine in (numpy_ref, numba_cpu))
    assert np.array_equal(first.toarray() != 0, second.toarray() != 0)
