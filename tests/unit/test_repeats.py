"""Rows that come again: counted in a stream of any length, and not as memory once more."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.estimators._fresh_rows import FreshRows
from hedgerow.method.ordered import in_order
from hedgerow.method.repeats import (
    KEPT,
    first_repeats,
    hashes_of,
    mean_times,
    no_repeats,
    with_rows,
)
from hedgerow.method.residuals import LAGS

quiet = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]
pytestmark = quiet


@pytest.fixture
def rows():
    return np.random.default_rng().standard_normal((1500, 4))


def test_any_cut_counts_alike(rows):
    rng = np.random.default_rng()
    many = rows[rng.integers(0, len(rows), 4 * KEPT)]
    whole, parts = with_rows(no_repeats(), hashes_of(many)), no_repeats()
    for part in np.split(many, np.sort(rng.integers(0, len(many), 30))):
        parts = with_rows(parts, hashes_of(part))
    for one, other in zip(whole, parts):
        assert np.array_equal(one, other)


def test_counts_are_exact_as_long_as_all_different_rows_are_kept(rows):
    some = rows[: KEPT - 1]
    far = np.concatenate([some, some[::-1], some])
    known = with_rows(no_repeats(), hashes_of(far))
    assert (known.times == 3).all()
    assert known.times.sum() == len(far)
    # The rows at the turn follow themselves soon.
    near = (LAGS + 1) // 2
    assert np.count_nonzero(known.apart == 2) == 2 * near


def test_a_sample_tells_how_often_rows_are_there():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20 * KEPT, 3))
    many = np.concatenate([rows, rows[: len(rows) // 2]])
    known = with_rows(no_repeats(), hashes_of(rng.permutation(many)))
    assert len(known.hashes) == KEPT
    # A third of the rows is there once, two thirds twice.
    assert mean_times(known)[0] == pytest.approx(5 / 3, abs=0.05)


def test_rows_that_are_alike_in_all_columns_but_one_differ(rows):
    rows[:, :3] = rows[0, :3]
    assert mean_times(first_repeats(hashes_of(rows), in_order(rows))) == (1.0, 1.0)


def test_short_numbers_do_not_collide():
    grid = np.stack(np.meshgrid(*[np.arange(-16.0, 16.0) / 4] * 3), axis=-1).reshape(-1, 3)
    assert len(np.unique(hashes_of(grid))) == len(grid)


@pytest.mark.parametrize("n_rows", [200, 700, 3000])
def test_each_row_twice_counts_once_in_any_order(n_rows):
    rng = np.random.default_rng(n_rows)
    once = rng.standard_normal((n_rows, 6))
    for twice in (np.repeat(once, 2, axis=0), rng.permutation(np.concatenate([once, once]))):
        model = HedgeGraph().fit(twice)
        assert model.treatment_.repeated == pytest.approx(2.0)
        # Counted as memory and again, adjacent copies would leave two thirds of the rows.
        assert 0.85 * n_rows < model.n_samples_effective_ <= 1.01 * n_rows


def test_a_file_read_twice_is_told():
    once = np.random.default_rng().standard_normal((2000, 5))
    with pytest.warns(GuaranteeWarning, match="2 times in the mean: they count as 2,000 different"):
        model = HedgeGraph().fit(np.concatenate([once, once]))
    assert model.n_samples_effective_ <= 2020


def test_rows_that_remember_and_are_there_twice(monkeypatch):
    monkeypatch.setattr(FreshRows, "begin", lambda *_: None)  # or the first would all count
    rng = np.random.default_rng()
    once = rng.standard_normal((3000, 5))
    for t in range(1, len(once)):
        once[t] = 0.8 * once[t - 1] + 0.6 * once[t]
    expected = HedgeGraph().fit(once).n_samples_effective_
    for twice in (np.repeat(once, 2, axis=0), np.concatenate([once, once])):
        found = HedgeGraph().fit(twice).n_samples_effective_
        assert 0.7 * expected < found < 1.4 * expected


def test_tables_of_few_values_are_not_counted():
    rows = np.random.default_rng().integers(0, 4, (4000, 5)).astype(float)
    assert HedgeGraph().fit(rows).treatment_.repeated == 1.0


def test_with_forgetting_the_first_rows_tell(rows):
    model = HedgeGraph(half_life=200).fit(np.concatenate([rows, rows]))
    assert model.treatment_.repeated == 1.0
    model = HedgeGraph(half_life=200).fit(np.repeat(rows, 2, axis=0))
    assert model.treatment_.repeated == 2.0


def test_models_go_on_counting_from_a_file(rows, tmp_path):
    twice = np.concatenate([rows, rows])
    HedgeGraph().partial_fit(twice[:1700]).save(tmp_path / "model")
    loaded = HedgeGraph.load(tmp_path / "model").partial_fit(twice[1700:])
    whole = HedgeGraph().partial_fit(twice)
    assert loaded.treatment_.repeated == whole.treatment_.repeated == pytest.approx(2.0)
    for name, array in whole.parts()[1].items():
        assert np.array_equal(array, loaded.parts()[1][name])


@pytest.mark.parametrize("n_rows", [1, 20, 512])
@pytest.mark.parametrize("again", [0, 1])
def test_first_rows_are_counted_as_later_ones_are(n_rows, again):
    rows = np.random.default_rng().standard_normal((n_rows, 3))
    rows = np.concatenate([rows, rows[:again]])
    quick = first_repeats(hashes_of(rows), in_order(rows))
    for mine, theirs in zip(quick, with_rows(no_repeats(), hashes_of(rows)), strict=True):
        assert np.array_equal(mine, theirs)
