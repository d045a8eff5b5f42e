"""Cells that were interpolated are told; series that are smooth, rounded or level are not."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.interpolated import interpolated_shares
from hedgerow.method.ordered import in_order

P = 8


def series(seed, echo, m=500):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((m, P)).cumsum(axis=1)
    for t in range(1, m):
        rows[t] = echo * rows[t - 1] + np.sqrt(1 - echo**2) * rows[t]
    return rows


def interpolated(rows, share, seed):
    """Rows with a share of the cells of every second column interpolated."""
    lost = np.random.default_rng([seed, 1]).random(rows.shape) < share
    lost[[0, -1]] = lost[:, 1::2] = False
    result, time = rows.copy(), np.arange(len(rows))
    for j in range(0, P, 2):
        known = ~lost[:, j]
        result[:, j] = np.interp(time, time[known], rows[known, j])
    return result, lost


def found(rows):
    return interpolated_shares(in_order(rows))


@pytest.mark.parametrize("echo", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_they_are_told_with_their_share(echo, share, unit):
    rows, lost = interpolated(series(0, echo), share, 0)
    shares = found(unit * (rows + 20.0))
    assert np.abs(shares - lost.mean(axis=0)).max() < 2 / len(rows)


def test_numbers_of_single_precision_have_more_rounding():
    rows, lost = interpolated(series(1, 0.5), 0.2, 1)
    shares = found((rows + 20.0).astype(np.float32))
    assert np.abs(shares - lost.mean(axis=0)).max() < 2 / len(rows)


@pytest.mark.parametrize("echo", [0.0, 0.8, 0.999])
@pytest.mark.parametrize("digits", [0, 1, 2, 3, 15])
@pytest.mark.parametrize("level", [0.0, 1e3, 1e9])
def test_series_that_were_rounded_have_none(echo, digits, level):
    for seed in range(5):
        assert not found(np.round(series(seed, echo) + level, digits)).any()


def test_what_is_level_waves_or_is_missing_has_none():
    rows = series(2, 0.5)
    rows[100:150, 0] = rows[99, 0]
    rows[:, 1] = np.maximum(rows[:, 1], 0.0)
    rows[:, 2] = np.sin(np.arange(500) / 30)
    rows[::3, 3] = np.nan
    rows[:, 4] = 0.0
    rows[:, 5] = np.nan
    assert not found(rows).any()
    assert not found(rows[:5]).any()


def test_a_model_warns_with_names_and_after_it_was_saved(tmp_path):
    rows, _ = interpolated(series(3, 0.5, 800), 0.2, 3)
    with pytest.warns(GuaranteeWarning, match=r"4 columns have cells on a straight line .*[12]\d%"):
        model = HedgeGraph().fit(rows)
    told = model.treatment_.interpolated
    assert set(told.names) == {0, 2, 4, 6}
    model.save(tmp_path / "model.hedgerow")
    again = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert again.treatment_.interpolated == told
    assert model.treatment_.to_dict(range(P))["interpolated"]["names"] == [
        str(x) for x in told.names
    ]
    assert not HedgeGraph(rows="independent").fit(rows).treatment_.interpolated.names


def test_a_column_that_counts_rows_is_told_as_one_that_wanders():
    rows = series(4, 0.0)
    rows[:, 3] = np.arange(len(rows))
    with pytest.warns(GuaranteeWarning, match="wanders"):
        model = HedgeGraph().fit(rows)
    assert not model.treatment_.interpolated.names
