"""Columns of sites, and cells that were carried forward: told by name, and nothing else is."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.carried import carried_shares
from hedgerow.method.nested import NONE, nested_in
from hedgerow.method.ordered import in_order


def of_sites(rng, m, sites):
    """Return rows of which three columns are those of sites."""
    rows = rng.standard_normal((m, 8))
    rows[:, [1, 4, 6]] = rng.standard_normal((sites, 3))[rng.integers(sites, size=m)]
    return rows


@pytest.mark.parametrize("sites", [6, 25, 80])
def test_columns_of_sites_are_told_together(sites):
    rows = of_sites(np.random.default_rng(), 400, sites)
    rows[:, 7] = np.round(rows[:, 7])
    columns, values = nested_in(in_order(rows))
    assert sorted(columns.tolist()) == [1, 4, 6]
    assert values == len(np.unique(rows[:, 1]))


def test_a_coarser_column_follows_the_one_that_determines_it():
    rows = of_sites(np.random.default_rng(), 400, 40)
    rows[:, 4] = np.round(rows[:, 4])
    rows[rows[:, 4] > 0, 6] = np.nan
    assert set(nested_in(in_order(rows)).columns.tolist()) == {1, 4, 6}


@pytest.mark.parametrize("kind", ["normal", "steps", "rounded", "other units", "zeros", "rare"])
def test_other_columns_that_repeat_values_are_not(kind):
    rng = np.random.default_rng()
    rows = rng.standard_normal((400, 12))
    if kind == "steps":
        rows = np.round(2.0 * rows)
    if kind == "rounded":
        rows = np.round(rows, 1)
    if kind == "other units":  # ages, years of birth, and groups of ages
        rows[:, 0] = rng.integers(18, 80, 400)
        rows[:, 1], rows[:, 2] = 2024.0 - rows[:, 0], rows[:, 0] // 10
    if kind == "zeros":  # at night
        rows[np.ix_(rng.random(400) < 0.6, [0, 1, 2])] = 0.0
    if kind == "rare":
        rows[:, 0], rows[:, 1:] = rng.integers(5, size=400), rng.random((400, 11)) < 0.005
    assert nested_in(in_order(rows)) is NONE
    assert not carried_shares(in_order(rows)).any()


def test_cells_that_were_carried_forward_are_told_by_their_share():
    rng = np.random.default_rng()
    rows = rng.standard_normal((400, 4))
    gone = rng.random(400) < 0.3
    for t in np.flatnonzero(gone[1:]) + 1:
        rows[t, 2] = rows[t - 1, 2]
    rows[:, 3] = rows[np.arange(400) // 4 * 4, 3]
    shares = carried_shares(in_order(rows))
    assert shares[:2].tolist() == [0.0, 0.0]
    assert shares[2] == pytest.approx(gone[1:].mean(), abs=0.02)
    assert shares[3] == pytest.approx(0.75, abs=0.02)


def test_series_that_were_rounded_repeat_by_themselves():
    rng = np.random.default_rng()
    rows = np.empty((500, 6))
    rows[0] = 0.0
    for t in range(1, 500):
        rows[t] = 0.95 * rows[t - 1] + rng.standard_normal(6)
    for digits in (-1, 0, 1, 2):
        assert not carried_shares(in_order(np.round(rows, digits))).any()


def test_a_model_warns_with_names_and_numbers(tmp_path):
    rng = np.random.default_rng()
    rows = of_sites(rng, 600, 25)
    rows[1::4, 0] = rows[::4, 0]
    model = HedgeGraph()
    with pytest.warns(GuaranteeWarning) as said:
        model.fit(rows, feature_names=list("abcdefgh"))
    said = " ".join(str(each.message) for each in said)
    assert "3 columns are the same again wherever one of them is ('b', 'e', 'g')" in said
    assert "from 25 different values in the first rows, not from 600 rows" in said
    assert "1 column repeats the cell before, and hardly ever another one ('a'; up to 25%" in said
    told = model.treatment_
    assert (told.nested.values, told.carried.names) == (25, ["a"])
    model.save(tmp_path / "model.hedgerow")
    again = HedgeGraph.load(tmp_path / "model.hedgerow").treatment_
    assert (again.nested, again.carried) == (told.nested, told.carried)


def test_models_that_were_saved_before_still_load():
    header, arrays = HedgeGraph().partial_fit(of_sites(np.random.default_rng(0), 600, 9)).parts()
    later = ("kin_", "nested_", "carried", "depth")
    earlier = {name: array for name, array in arrays.items() if not name.startswith(later)}
    assert len(earlier) == len(arrays) - 6
    assert not HedgeGraph.from_parts(header, earlier).treatment_.nested.names
