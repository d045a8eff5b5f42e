"""Values that columns have in the same rows, as codes for what was not measured."""

import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.blanks import blank_shares
from hedgerow.method.ordered import in_order


def table(rng, n_rows=300, n_columns=12):
    return rng.standard_normal((n_rows, n_columns)) + 2.0


def test_blanks_of_the_same_rows_are_found_whatever_their_values():
    rng = np.random.default_rng()
    rows = table(rng)
    off = rng.choice(300, 9, replace=False)
    rows[np.ix_(off, [2, 5, 7])] = [0.5, 2.0, -999.0]
    found = blank_shares(in_order(rows))
    np.testing.assert_array_equal(np.flatnonzero(found), [2, 5, 7])
    np.testing.assert_allclose(found[[2, 5, 7]], 9 / 300)


def test_blanks_that_have_nothing_to_do_with_each_other_are_none():
    """At a chance of .001 for a table, three of thirty would come once in two hundred thousand."""
    rng = np.random.default_rng()
    alarms = 0
    for _ in range(30):
        rows = table(rng)
        rows[rng.random(rows.shape) < 0.03] = 0.5
        alarms += blank_shares(in_order(rows)).any()
    assert alarms < 3


@pytest.mark.parametrize(
    "limited",
    [
        lambda x: np.maximum(x, np.quantile(x, 0.1)),  # what cannot be detected
        lambda x: np.minimum(x, np.quantile(x, 0.9)),
        lambda x: np.round(x, 1),
        lambda x: np.round(np.exp(x), 1),
    ],
)
def test_limits_and_rounding_of_related_columns_are_no_blanks(limited):
    rng = np.random.default_rng()
    rows = rng.standard_normal((400, 1)) + 0.3 * rng.standard_normal((400, 8))
    assert not blank_shares(in_order(limited(rows))).any()


def test_missing_cells_are_no_blanks():
    rows = table(np.random.default_rng())
    rows[::20, :4] = np.nan
    assert not blank_shares(in_order(rows)).any()


def test_blanks_are_warned_of_and_saved(tmp_path):
    rng = np.random.default_rng()
    rows = table(rng, 600)
    rows[::30, 3:8] = 0.0
    with pytest.warns(GuaranteeWarning, match="5 columns have one value again and again"):
        graph = HedgeGraph().fit(rows)
    assert sorted(graph.treatment_.blanks.names) == [3, 4, 5, 6, 7]
    graph.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = HedgeGraph.load(tmp_path / "model")
        assert again.treatment_.blanks == graph.treatment_.blanks
        header, arrays = storage.read(tmp_path / "model", "HedgeGraph")
        storage.write(
            tmp_path / "bad", "HedgeGraph", header, {**arrays, "blanks": np.full(12, 2.0)}
        )
        with pytest.raises(storage.StorageError, match="blanks must be shares"):
            HedgeGraph.load(tmp_path / "bad")
        del arrays["blanks"]  # as earlier versions saved it
        storage.write(tmp_path / "old", "HedgeGraph", header, arrays)
        assert not HedgeGraph.load(tmp_path / "old").treatment_.blanks.names
