"""Columns whose size changes in time, each in its own way."""

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method import spectra
from hedgerow.method.restless import restless_of

P = 20


def doubts(table, **known):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        HedgeGraph(**known).fit(table).edges_  # noqa: B018
    return " ".join(str(one.message) for one in caught if one.category is GuaranteeWarning)


def by_the_hour(n_rows, phases):
    return np.exp(0.8 * np.sin(2 * np.pi * np.arange(n_rows)[:, None] / 24 + phases))


@pytest.mark.parametrize("n_rows", [200, 512])
def test_columns_that_change_their_size_are_found_and_no_others(n_rows):
    for seed in range(10):
        rows = np.random.default_rng([seed, n_rows]).standard_normal((n_rows, P))
        rows[n_rows // 2 :, :3] *= 3.0
        rows[: n_rows // 3, 3:6] *= 3.0
        found = np.flatnonzero(restless_of(rows)).tolist()
        assert set(found) <= {0, 1, 2, 3, 4, 5}
        assert len(found) >= (2 if n_rows == 200 else 6)


@pytest.mark.parametrize("gain", [0.2, 2.54, 100.0])
def test_one_column_in_another_unit_from_some_row_on_is_found(gain):
    for seed in range(10):
        rows = np.random.default_rng(seed).standard_normal((500, P)).cumsum(axis=1)
        rows[250:, 7] *= gain
        assert np.flatnonzero(restless_of(rows)).tolist() == [7]
    assert "1 column is larger in some stretches of rows" in doubts(rows)


def test_sizes_that_go_by_the_hour_are_found():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((400, P)) * by_the_hour(400, rng.uniform(0, 6, P))
        assert np.count_nonzero(restless_of(rows)) >= 16


def test_what_all_columns_have_in_common_is_no_change_of_their_own():
    rng = np.random.default_rng()
    rows = rng.standard_normal((400, P))
    assert not restless_of(rows * by_the_hour(400, 0.0)).any()
    assert not restless_of(rows * rng.choice([1.0, 3.0], (400, 1))).any()
    rows[200:] *= 3.0
    assert not restless_of(rows).any()


@pytest.mark.parametrize("echo", [0.0, 0.8, 0.95])
def test_rows_that_remember_are_not_restless(echo):
    """At a chance of .001 for a table, three of thirty would come once in two hundred thousand."""
    rng = np.random.default_rng()
    alarms = 0
    for _ in range(30):
        rows = lfilter([1.0], [1.0, -echo], rng.standard_normal((600, P)), axis=0)[100:]
        alarms += restless_of(rows).any()
    assert alarms < 3


def test_gaps_constant_columns_and_few_rows_are_not_restless():
    rng = np.random.default_rng()
    rows = rng.standard_normal((300, 6))
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 2], rows[:, 3] = 1.0, np.nan
    assert not restless_of(rows).any()
    few = rng.standard_normal((100, 6)) * np.where(np.arange(100) < 50, 1.0, 9.0)[:, None] ** [
        *(1, 1, 1, 0, 0, 0)
    ]
    assert not restless_of(few).any()


def test_they_are_warned_of_and_saved(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((700, P))
    for j in (3, 8, 11):
        rows[rng.integers(220, 300) :, j] *= 4.0
    assert "3 columns are larger in some stretches of rows" in doubts(rows)
    assert "larger in some" not in doubts(rows, rows="independent")
    model = HedgeGraph().fit(rows)
    assert sorted(model.treatment_.restless.names) == [3, 8, 11]
    model.save(tmp_path / "model")
    assert HedgeGraph.load(tmp_path / "model").treatment_.restless == model.treatment_.restless
    header, arrays = storage.read(tmp_path / "model", "HedgeGraph")
    storage.write(tmp_path / "bad", "HedgeGraph", header, {**arrays, "restless": np.full(P, -1.0)})
    with pytest.raises(storage.StorageError, match="restless must be variances"):
        HedgeGraph.load(tmp_path / "bad")


def test_groups_that_are_restless_are_told_once():
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((512, 32))
    for group in range(4):
        size = np.exp(0.9 * lfilter([0.3], [1, -0.95], rng.standard_normal(512)))
        rows[:, 8 * group : 8 * group + 8] *= size[:, None]
    told = doubts(rows)
    assert "in groups of their own" in told
    assert "larger in some stretches" not in told


def test_of_very_many_columns_some_are_looked_at_evenly_spaced(monkeypatch):
    monkeypatch.setattr(spectra, "MOST_COLUMNS", 10)
    rows = np.random.default_rng().standard_normal((512, 20))
    rows[256:, [4, 5, 8, 9]] *= 5.0
    assert np.flatnonzero(restless_of(rows)).tolist() == [4, 8]
