"""Columns that go up and down at paces of their own."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.paces import _over_those_around, paces_of


def waves(rng, n_rows, periods):
    time = np.arange(n_rows)[:, None]
    phases = rng.uniform(0, 2 * np.pi, len(periods))
    return np.sin(2 * np.pi * time / periods + phases)


def test_columns_of_nearly_one_pace_are_found_and_others_are_not():
    rng = np.random.default_rng()
    rows = rng.standard_normal((400, 6))
    rows[:, :4] += waves(rng, 400, np.array([20.0, 20.2, 33.0, 9.0]))
    found = paces_of(rows)
    np.testing.assert_allclose(found[:2], 20.0, rtol=0.05)
    np.testing.assert_array_equal(found[2:], 0.0)


@pytest.mark.parametrize("echo", [0.0, 0.5, 0.9, -0.6])
def test_rows_that_remember_have_no_pace(echo):
    """At a chance of .001 for a table, three of thirty would come once in two hundred thousand."""
    rng = np.random.default_rng()
    alarms = 0
    for _ in range(30):
        rows = lfilter([1.0], [1.0, -echo], rng.standard_normal((500, 20)), axis=0)[100:]
        alarms += paces_of(rows).any()
    assert alarms < 3


def test_gaps_constant_columns_and_few_rows_are_no_paces():
    rng = np.random.default_rng()
    rows = rng.standard_normal((200, 5))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows[:, 2], rows[:, 3] = 1.0, np.nan
    assert not paces_of(rows).any()
    assert not paces_of(waves(rng, 63, np.full(5, 8.0))).any()


def test_paces_are_warned_of_and_saved(tmp_path):
    rng = np.random.default_rng()
    rows = rng.standard_normal((600, 300))  # of fewer columns, two waves would be a season
    rows[:, :2] += 1.4 * waves(rng, 600, np.array([17.4, 17.47]))
    with pytest.warns(GuaranteeWarning, match="2 columns go up and down at a pace of their own"):
        graph = HedgeGraph().fit(rows)
    assert sorted(graph.treatment_.paces.names) == [0, 1]
    graph.save(tmp_path / "model")
    assert HedgeGraph.load(tmp_path / "model").treatment_.paces == graph.treatment_.paces
    header, arrays = storage.read(tmp_path / "model", "HedgeGraph")
    storage.write(tmp_path / "bad", "HedgeGraph", header, {**arrays, "paces": np.full(300, -1.0)})
    with pytest.raises(storage.StorageError, match="paces must be numbers of rows"):
        HedgeGraph.load(tmp_path / "bad")


def test_independent_rows_have_no_pace():
    rows = waves(np.random.default_rng(), 300, np.full(8, 20.0))
    rows += np.random.default_rng().standard_normal(rows.shape)
    assert not HedgeGraph(rows="independent").fit(rows).treatment_.paces.names


@pytest.mark.parametrize("n_rows", [64, 101])
def test_ordinates_are_compared_with_those_around_them(n_rows):
    rows = np.random.default_rng().standard_normal((n_rows, 3))
    waves = np.fft.rfft(rows - rows.mean(axis=0), axis=0)[1 : (n_rows + 1) // 2]
    power = np.square(np.abs(waves))
    found = _over_those_around(rows)
    for place, ratio in enumerate(found, start=len(power) - len(found)):
        near = np.abs(np.arange(len(power)) - place)
        assert ratio == pytest.approx(power[place] / power[(near > 1) & (near <= 12)].mean(axis=0))
