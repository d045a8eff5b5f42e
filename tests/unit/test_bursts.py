"""Rows on end in which some columns are off together are found, and nothing else is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.method.bursts import LEAST_COLUMNS, WINDOW, bursts_of


def remembering(rng, m, p, share):
    rows = rng.standard_normal((m, p))
    for t in range(1, m):
        rows[t] = share * rows[t - 1] + np.sqrt(1 - share**2) * rows[t]
    return rows


def with_burst(rows, start, columns, size=3.0, length=10):
    rows[start : start + length, columns] += size * np.std(rows, axis=0)[columns]
    return rows


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_a_burst_is_found_with_its_rows_and_columns(share):
    rng = np.random.default_rng()
    rows = with_burst(remembering(rng, 400, 60, share), 200, np.arange(10, 20), size=5.0)
    found = bursts_of(rows)
    assert found is not None
    assert found.first >= 200 - WINDOW
    assert found.last < 210 + WINDOW
    if share == 0.0:  # else the columns' own memory is off here and there
        assert set(range(10, 20)) <= set(found.columns.tolist())
        assert len(found.columns) < 15


def test_several_bursts_are_counted():
    rows = np.random.default_rng().standard_normal((500, 60))
    for start in (50, 200, 350):
        with_burst(rows, start, np.arange(8), size=4.0)
    found = bursts_of(rows)
    assert found is not None
    assert found.number == 3


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([40, 150, 512]),
    st.sampled_from([LEAST_COLUMNS, 20, 100]),
    st.sampled_from(["normal", "remembering", "heavy", "volatile", "one factor"]),
)
def test_rows_without_one_have_none(seed, m, p, kind):
    """Each may have one in a thousand times, by chance: the examples are the same every time."""
    rng = np.random.default_rng([seed % 60, m, p])
    rows = remembering(rng, m, p, 0.8 if kind == "remembering" else 0.0)
    if kind == "heavy":
        rows /= np.sqrt(rng.chisquare(3, (m, 1)) / 3)
    if kind == "volatile":
        rows *= np.exp(remembering(rng, m, 1, 0.95))
    if kind == "one factor":
        rows += 2.0 * rng.standard_normal((m, 1))
    assert bursts_of(rows) is None


def test_a_doubled_limit_would_be_seen():
    """How often rows without a burst have one, in many data sets."""
    rng = np.random.default_rng(0)
    found = sum(bursts_of(rng.standard_normal((100, 30))) is not None for _ in range(2000))
    assert found <= 8  # two are expected; more than eight come once in 4,000 times


@pytest.mark.parametrize("shape", [(0, 20), (4 * WINDOW - 1, 20), (100, LEAST_COLUMNS - 1)])
def test_too_few_rows_or_columns_tell_nothing(shape):
    assert bursts_of(np.random.default_rng().standard_normal(shape)) is None


def test_rows_that_are_all_the_same_tell_nothing():
    assert bursts_of(np.ones((100, 20))) is None
    assert bursts_of(np.zeros((100, 20))) is None
