"""Rows that are kept to draw pairs from: which ones, how they are saved, and how to refuse them."""

import numpy as np
import pytest

from hedgerow import HedgeGraph, plot
from hedgerow.base.storage import StorageError
from hedgerow.method.row_sample import MOST_ROWS, no_rows, with_rows


def walk(rng, n=2000, p=5):
    return np.cumsum(rng.standard_normal((n, p)), axis=1)


@pytest.fixture
def rng():
    return np.random.default_rng()


def test_any_row_is_kept_with_the_same_chance():
    rows = np.zeros((100_000, 1))
    at = with_rows(no_rows(1), rows, 0).at
    assert len(at) == MOST_ROWS
    assert (np.diff(at) > 0).all()
    counts = np.histogram(at, 8, (0, len(rows)))[0]
    assert np.abs(counts - MOST_ROWS / 8).max() < 5 * np.sqrt(MOST_ROWS / 8)


def test_a_row_that_counts_less_is_kept_less_often():
    half_life, rows = 5000.0, np.zeros((100_000, 1))
    age = 99_999 - with_rows(no_rows(1), rows, 0, half_life).at
    mean = half_life / np.log(2)  # ages fall off exponentially, and their spread is their mean
    assert abs(age.mean() - mean) < 5 * mean / np.sqrt(MOST_ROWS)


@pytest.mark.parametrize("n", [300, 2000])
@pytest.mark.parametrize("half_life", [None, 200])
def test_any_cut_keeps_the_same_rows(rng, n, half_life):
    rows = walk(rng, n)
    whole = HedgeGraph(half_life=half_life).fit(rows)
    pieces = HedgeGraph(half_life=half_life)
    for piece in np.split(rows, np.sort(rng.integers(1, n, 5))):
        if len(piece):
            pieces.partial_fit(piece)
    for one, other in zip(whole.residuals_of(0, 2), pieces.residuals_of(0, 2)):
        assert np.array_equal(one, other)


def test_what_is_left_has_the_partial_correlation(rng):
    left = HedgeGraph().fit(walk(rng)).residuals_of(1, 2)
    assert len(left.x) == len(left.y) == len(left.row) == MOST_ROWS
    z = np.arctanh(np.corrcoef(left.x, left.y)[0, 1]) - np.arctanh(left.partial_corr)
    assert abs(z) < 5 / np.sqrt(MOST_ROWS)
    assert set(left.given) >= {0, 3}
    # Neighbours are gone from what is left, as far as so few rows can tell.
    assert left.x.std() < 0.9


def test_a_saved_model_keeps_its_rows_and_goes_on_with_them(tmp_path, rng):
    rows = walk(rng)
    model = HedgeGraph().partial_fit(rows[:1200])
    model.save(tmp_path / "model")
    loaded = HedgeGraph.load(tmp_path / "model").partial_fit(rows[1200:])
    direct = HedgeGraph().fit(rows)
    assert np.array_equal(loaded.residuals_of(0, 1).x, direct.residuals_of(0, 1).x)


def test_rows_can_be_refused(tmp_path, rng):
    rows = walk(rng)
    model = HedgeGraph(keep_rows=False).fit(rows)
    assert not any(name.startswith("sample") for name in model.parts()[1])
    assert not model.has_rows
    with pytest.raises(RuntimeError, match=r"keeps no rows .* keep_rows=False"):
        plot.pair(model, 0, 1)
    # Also later, of a model that has kept some.
    kept = HedgeGraph().fit(rows).set_params(keep_rows=False)
    kept.save(tmp_path / "model")
    assert not HedgeGraph.load(tmp_path / "model").has_rows
    assert not kept.partial_fit(rows).has_rows
    with pytest.raises(ValueError, match="keep_rows must be True or False, got 'no'"):
        HedgeGraph(keep_rows="no").fit(rows)


def test_a_model_saved_before_rows_were_kept_loads_and_goes_on(tmp_path, rng):
    rows = walk(rng)
    header, arrays = HedgeGraph().fit(rows).parts()
    del header["parameters"]["keep_rows"]
    old = {name: x for name, x in arrays.items() if not name.startswith("sample")}
    model = HedgeGraph.from_parts(header, old).partial_fit(rows)
    with pytest.raises(RuntimeError, match="saved by an earlier version"):
        model.residuals_of(0, 1)
    assert model.explain(0, 1).is_edge


def test_pairs_that_were_not_tested_have_no_picture(rng):
    rows = np.c_[walk(rng), np.ones(2000)]
    model = HedgeGraph().fit(rows)
    with pytest.raises(ValueError, match="source and target must have been tested, got 0 and 5"):
        model.residuals_of(0, 5)
    assert model.residuals_of_all([(0, 5), (0, 1)])[0] is None
    for ends, message in (((0, 0), "must differ"), ((0, "b"), "target must be a column")):
        with pytest.raises(ValueError, match=message):
            model.residuals_of(*ends)


@pytest.mark.parametrize(
    ("name", "array", "rule"),
    [
        ("sample_at", np.arange(255), "sample_at must be 256 numbers of rows"),
        ("sample_at", np.zeros(256, dtype=np.int64), "sample_at must be rising and below 2000"),
        ("sample_at", np.arange(1800, 2056), "sample_at must be rising and below 2000"),
        ("sample_rows", np.zeros((256, 4)), "sample_rows must be of shape"),
        ("sample_rows", np.full((256, 5), np.nan), "sample_rows must have numbers"),
        ("sample_rows", None, "it must have the array 'sample_rows'"),
    ],
)
def test_kept_rows_that_no_model_has_are_refused(rng, name, array, rule):
    header, arrays = HedgeGraph().fit(walk(rng)).parts()
    changed = {key: x for key, x in (arrays | {name: array}).items() if x is not None}
    with pytest.raises(StorageError, match=rule):
        HedgeGraph.from_parts(header, changed)
