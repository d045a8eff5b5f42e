"""Groups of columns that are large together, apart from all others."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.inflation import (
    Inflation,
    no_inflation,
    of_pairs,
    swinging_only,
    with_swings,
)
from hedgerow.method.swings import MOST_COLUMNS, MOST_SWINGS, swings_of

KIND = "HedgeGraph"


def unit(rows):
    return rows / np.sqrt(np.square(rows).sum(axis=0))


def restless(rng, n_rows, n_columns, n_groups, size=0.8):
    """Independent columns, each times the size of its group in that row."""
    sizes = np.exp(size * rng.standard_normal((n_rows, n_groups)))
    return rng.standard_normal((n_rows, n_columns)) * sizes[:, np.arange(n_columns) % n_groups]


@pytest.mark.parametrize("tails", ["normal", "t5", "slow"])
def test_columns_that_swing_by_themselves_are_no_group(tails):
    """At a chance of .02 for a table, eight of forty would come once in a million runs."""
    rng = np.random.default_rng()
    found = 0
    for _ in range(40):
        rows = rng.standard_normal((256, 24))
        if tails == "t5":
            rows = rng.standard_t(5, rows.shape)
        if tails == "slow":  # each has a size of its own, which remembers
            rows *= np.exp(0.5 * lfilter([0.31], [1.0, -0.95], rng.standard_normal(rows.shape), 0))
        found += swings_of(unit(rows)).shape[1] > 0
    assert found < 8


def test_factors_of_a_group_are_those_of_its_sizes():
    """Products of squares over those of a column with all others, which other factors tell."""
    rng = np.random.default_rng()
    rows = restless(rng, 4000, 30, 3, size=0.6)
    found = swings_of(unit(rows))
    squares = np.square(unit(rows)) * len(rows)
    told = squares.T @ squares / len(rows)
    factors = 1.0 + found @ found.T
    alike = np.arange(30)[:, None] % 3 == np.arange(30) % 3
    np.fill_diagonal(alike, False)
    beside = (told.sum(axis=1) - np.diag(told)) / 29
    expected = (told / np.sqrt(np.outer(beside, beside)))[alike].mean()
    assert found.shape[1] == 2  # three groups differ in two ways; what all share is not theirs
    assert factors[alike].mean() == pytest.approx(expected, rel=0.15)


def test_one_cell_that_is_far_off_is_no_direction():
    rows = np.random.default_rng(3).standard_normal((400, 20))
    rows[7, 4] = rows[7, 5] = 40.0
    assert swings_of(unit(rows)).shape == (20, 0)


@pytest.mark.parametrize("shape", [(63, 20), (400, 7), (70, MOST_COLUMNS + 1)])
def test_too_small_or_too_wide_tables_are_not_looked_at(shape):
    rows = restless(np.random.default_rng(), *shape, 2)
    assert swings_of(unit(rows)).shape == (shape[1], 0)


def test_loadings_are_few_and_finite_whatever_the_columns():
    rows = restless(np.random.default_rng(), 400, 120, 12, size=1.0)
    rows[:, 3] = 0.0
    length = np.sqrt(np.square(rows).sum(axis=0))
    found = swings_of(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))
    assert found.shape[1] <= MOST_SWINGS
    assert 0 < np.abs(found).max() <= np.sqrt(400)
    assert not found[3].any()


def test_memory_and_swings_are_no_less_than_their_product():
    rng = np.random.default_rng()
    echoes, loadings = rng.uniform(0, 1, (6, 4)), rng.uniform(0, 1, (6, 2))
    i, j = np.triu_indices(6, 1)
    memory = no_inflation(6)._replace(echoes=echoes)
    both = of_pairs(with_swings(memory, loadings), i, j)
    swings = 1.0 + (loadings[i] * loadings[j]).sum(axis=1)
    assert (both >= of_pairs(memory, i, j) * swings - 1e-12).all()


def test_typical_memory_does_not_count_swings():
    loadings = np.full((6, 1), 2.0)
    found = with_swings(Inflation(np.ones(6), np.full((6, 1), 0.5), 1.25), loadings)
    found = found._replace(typical=float(of_pairs(found, np.array([0]), np.array([1]))[0]))
    assert found.typical_parts() == (1.0, pytest.approx(1.25))
    np.testing.assert_allclose(found.of_swings(), 4.0 * 1.25)


def test_columns_of_steps_have_no_swings():
    found = with_swings(no_inflation(4), np.ones((4, 1)))
    continuous = np.array([False, False, True, True])
    factors = of_pairs(swinging_only(found, continuous), np.array([0, 0, 2]), np.array([1, 2, 3]))
    np.testing.assert_array_equal(factors, [1.0, 1.0, 2.0])


def test_restless_groups_are_warned_of_by_name():
    rng = np.random.default_rng()
    rows = restless(rng, 600, 40, 5)
    with pytest.warns(GuaranteeWarning, match="restless in some rows and calm in others"):
        graph = HedgeGraph().fit(rows)
    told = graph.treatment_.swinging
    assert len(told.names) > 20
    assert told.rows > 1.25
    assert graph.treatment_.to_dict(range(40))["swinging"]["rows"] == told.rows


def test_models_saved_before_swings_were_looked_for_load(tmp_path):
    graph = HedgeGraph().fit(np.random.default_rng().standard_normal((700, 9)))
    graph.save(tmp_path / "new")
    header, arrays = storage.read(tmp_path / "new", KIND)
    del arrays["residual_swings"]
    storage.write(tmp_path / "old", KIND, header, arrays)
    again = HedgeGraph.load(tmp_path / "old")
    np.testing.assert_array_equal(again.adjacency_.toarray(), graph.adjacency_.toarray())


@pytest.mark.parametrize("wrong", [np.ones((9, MOST_SWINGS + 1)), np.full((9, 1), 1e3)])
def test_saved_swings_that_cannot_be_are_refused(tmp_path, wrong):
    graph = HedgeGraph().fit(np.random.default_rng().standard_normal((700, 9)))
    graph.save(tmp_path / "model")
    header, arrays = storage.read(tmp_path / "model", KIND)
    storage.write(tmp_path / "model", KIND, header, {**arrays, "residual_swings": wrong})
    with pytest.raises(storage.StorageError, match="residual_swings must be 8 loadings at most"):
        HedgeGraph.load(tmp_path / "model")
