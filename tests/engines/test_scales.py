"""Numbers whose squares are too small to be told from zero, in every engine."""

import numpy as np

from hedgerow.method.graph import graph_of


def test_columns_too_small_are_told_from_zero_and_from_small_ones(engine, evidence_of):
    rows = np.random.default_rng(0).standard_normal((60, 7))
    rows *= [1.0, 1e-140, 1e-150, 1e-160, 1e-200, 0.0, 1e140]
    evidence = evidence_of(engine, rows)
    repeats = engine.repeats(evidence, 1 - 1e-10)
    assert repeats.varies.tolist() == [True, True, False, False, False, False, True]
    assert repeats.too_small.tolist() == [False, False, True, True, True, False, False]
    assert np.isfinite(engine.weights(evidence)).all()
    graph = graph_of(engine, evidence, 60.0, "fdr")
    assert graph.too_small.tolist() == [2, 3, 4]
    assert graph.constant.tolist() == [2, 3, 4, 5]


def test_tiny_first_rows_leave_no_trace(engine, evidence_of):
    rows = np.cumsum(np.random.default_rng(0).standard_normal((80, 4)), axis=1)
    rows[:8] *= [1.0, 1e-160, 1e-170, 0.0]
    evidence = evidence_of(engine, rows)
    assert not engine.repeats(evidence, 1 - 1e-10).too_small.any()
    assert np.isfinite(engine.weights(evidence)).all()
