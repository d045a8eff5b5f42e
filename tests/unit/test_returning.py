"""Rows that come back after more rows than memory is counted for are told."""

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.returning import NONE, returning

P = 12


def rounds(seed, number, n_rows=500, echo=0.7):
    """Rows of a path that remember the row so many before, and no other."""
    rows = np.random.default_rng(seed).standard_normal((n_rows, P)).cumsum(axis=1)
    for t in range(number, n_rows):
        rows[t] = echo * rows[t - number] + np.sqrt(1 - echo**2) * rows[t]
    return rows


@pytest.mark.parametrize("number", [33, 48, 96, 144])
def test_the_number_of_rows_is_told(number):
    for seed in range(10):
        found = returning(rounds(seed, number))
        assert found.after == number
        assert 0.3 < found.likeness < 1.0


def test_a_picture_that_is_read_line_by_line_is_told():
    for seed in range(10):
        pixels = np.random.default_rng(seed).standard_normal((12, 44, P))
        for axis in (0, 1):
            pixels = lfilter([1.0, 2.0, 1.0], [1.0], pixels, axis=axis)
        assert returning(pixels[2:, 2:].reshape(-1, P)).after == 42


@pytest.mark.parametrize("echo", [0.0, 0.8, 0.95])
def test_memory_that_fades_does_not_come_back(echo):
    """At a chance of .001 for a table, three of thirty would come once in two hundred thousand."""
    rng = np.random.default_rng()
    alarms = 0
    for n_rows in (150, 512):
        for _ in range(15):
            noise = rng.standard_normal((n_rows + 100, P)).cumsum(axis=1)
            rows = lfilter([1.0], [1.0, -echo], noise, axis=0)[100:]
            alarms += returning(rows).after > 0
    assert alarms < 3


def test_drift_slow_waves_and_columns_that_are_empty_do_not_come_back():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((512, P))
    time = np.arange(512)[:, None] / 512
    assert returning(rows + 3.0 * time * rng.standard_normal(P)) == NONE
    assert returning(rows + 2.0 * np.cos(4 * np.pi * time + rng.uniform(0, 6, P))) == NONE
    assert returning(np.where(time > 0.5, rows + 2.0, rows)) == NONE
    rows[:, 0], rows[rng.random(rows.shape) < 0.2] = 1.0, np.nan
    rows[:, 1] = np.nan
    assert returning(rows) == NONE
    assert returning(rows[:100]) == NONE
    assert returning(np.ones((200, 3))) == NONE


def test_a_model_warns_in_numbers_and_after_it_was_saved(tmp_path):
    rows = rounds(2, 60, 900)
    with pytest.warns(GuaranteeWarning, match=r"rows resemble those 60 rows before them .* 900 of"):
        model = HedgeGraph().fit(rows)
    model.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        assert HedgeGraph.load(tmp_path / "model").treatment_.returning.after == 60
        assert HedgeGraph(rows="independent").fit(rows).treatment_.returning == NONE
    header, arrays = storage.read(tmp_path / "model", "HedgeGraph")
    broken = {**arrays, "returning": np.array([-1.0, 0.5])}
    storage.write(tmp_path / "bad", "HedgeGraph", header, broken)
    with pytest.raises(storage.StorageError, match="returning must be a row"):
        HedgeGraph.load(tmp_path / "bad")
