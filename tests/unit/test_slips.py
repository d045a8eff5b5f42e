"""Slips: cells far off in a column that is normal but for them count as missing, and are named."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgerow import HedgeGraph
from hedgerow.method.ordered import in_order
from hedgerow.method.slips import (
    MOST_ON_END,
    NAMED,
    SHOULDER,
    first_slips,
    no_slips,
    without_slips,
)

seeds = st.integers(0, 2**32 - 1)
P = 12
ALL = np.ones(P, dtype=np.bool_)


def normal_rows(seed, n_rows=400):
    """Rows of a path."""
    return np.random.default_rng(seed).standard_normal((n_rows, P)).cumsum(axis=1)


def slipped(rows, seed, share=0.02):
    """The same with some cells off by ten standard deviations; and which."""
    rng = np.random.default_rng([seed, 1])
    hit = rng.random(rows.shape) < share
    return rows + 10 * hit * rows.std(axis=0) * rng.choice([-1.0, 1.0], rows.shape), hit


def cauchy(z):
    return stats.cauchy.ppf(stats.norm.cdf(z))


def far_by(scales):
    """Return columns known to have mean zero and these standard deviations."""
    scales = np.asarray(scales, dtype=np.float64)
    return no_slips(len(scales))._replace(scale=scales)


@pytest.mark.parametrize("seed", range(5))
def test_cells_ten_standard_deviations_off_are_found_and_no_others(seed):
    rows, hit = slipped(normal_rows(seed), seed)
    first, slips = first_slips(in_order(rows), ALL, ALL)
    assert np.array_equal(np.isnan(first.rows), hit)
    assert np.array_equal(slips.found, hit.sum(axis=0))
    assert np.array_equal(slips.cells, np.argwhere(hit)[:NAMED])


@pytest.mark.parametrize(
    "bend",
    [
        np.sinh,
        lambda z: z**3,
        np.exp,
        lambda z: z * np.abs(z),
        lambda z: stats.cauchy.ppf(stats.norm.cdf(z)),
    ],
    ids=["sinh", "cube", "exp", "signed square", "Cauchy"],
)
def test_columns_with_heavy_tails_have_none(bend):
    for seed in range(10):
        rows = bend(np.random.default_rng(seed).standard_normal((400, P)))
        assert not first_slips(in_order(rows), ALL, ALL)[1].found.any(), seed


@pytest.mark.parametrize("seed", range(5))
def test_codes_for_what_was_not_measured_are_found(seed):
    """Five standard deviations off, where a single cell might be a normal one."""
    rows = np.random.default_rng(seed).standard_normal((400, P)) + 5.0
    hit = np.random.default_rng([seed, 2]).random(rows.shape) < 0.03
    hit[:, P // 2 :] = False
    rows[hit] = 0.0
    first, slips = first_slips(in_order(rows), ALL, ALL)
    assert np.array_equal(np.isnan(first.rows), hit)
    assert np.array_equal(np.isfinite(slips.codes), [np.arange(P) < P // 2, np.zeros(P, bool)])
    later = np.full((1, P), 5.0)
    later[0, [0, P - 1]] = 0.0
    again, after = without_slips(later, slips, 400)
    assert np.flatnonzero(np.isnan(again[0])).tolist() == [0]
    assert after.found.sum() == hit.sum() + 1


def test_limits_and_values_within_a_column_are_no_codes():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, P))
    rows[:, 0] = np.maximum(rows[:, 0], -1.5)  # a floor
    rows[rng.random(400) < 0.03, 1] = 1.0  # among its values
    rows[:, 2] = np.round(rows[:, 2], 1)
    rows[rng.random(400) < 0.01, 3] += 4.0  # off, and never the same
    assert np.isinf(first_slips(in_order(rows), ALL, ALL)[1].codes).all()


@pytest.mark.parametrize("degrees", [2, 3, 5])
def test_rows_of_unlike_size_have_hardly_any(degrees):
    """Of sixteen tables, each with dozens of cells that far off."""
    found = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        size = np.sqrt(degrees / rng.chisquare(degrees, (400, 1)))
        rows = normal_rows(seed) * size
        found += first_slips(in_order(rows), ALL, ALL)[1].found.sum()
    assert found <= 16


def test_cells_a_bit_off_show_that_six_standard_deviations_are_no_limit():
    rows = np.random.default_rng(0).standard_normal((400, P))
    few = np.arange(3)
    rows[few + 10, few] = 9.0
    assert first_slips(in_order(rows), ALL, ALL)[1].found.sum() == 3
    for row in range(20, 50, 5):
        rows[row + few, few] = SHOULDER + 0.5
    assert not first_slips(in_order(rows), ALL, ALL)[1].found.any()


def test_few_rows_do_not_tell():
    rows = normal_rows(0, 31)
    rows[3, 4] = 1e6
    assert not first_slips(in_order(rows), ALL, ALL)[1].found.any()
    assert first_slips(in_order(np.vstack([rows, rows[:1]])), ALL, ALL)[1].found.sum() == 1


def test_a_row_that_is_large_as_a_whole_has_not_slipped():
    rows = normal_rows(0)
    rows[7] += 100.0
    rows[9, 2] = -400.0
    assert first_slips(in_order(rows), ALL, ALL)[1].cells.tolist() == [[9, 2]]


def test_a_fault_that_lasts_is_no_slip():
    rows = np.zeros((30, 2))
    rows[5:20, 0] = 50.0
    rows[:2, 1] = 50.0
    left, slips = without_slips(rows, far_by([1.0, 1.0]), 0)
    assert np.flatnonzero(np.isnan(left[:, 0])).tolist() == [5, 6, 7][:MOST_ON_END]
    assert slips.found.tolist() == [3, 2]


@settings(max_examples=50)
@given(seeds, st.lists(st.integers(0, 60), max_size=5))
def test_rows_are_cut_as_one_likes(seed, cuts):
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random((60, 3)) < 0.3, 30.0, rng.standard_normal((60, 3)))
    known = far_by([1.0, np.inf, 2.0])
    whole, at_once = without_slips(rows, known, 0)
    edges, parts, so_far = [0, *sorted(cuts), 60], [], known
    for start, end in pairwise(edges):
        part, so_far = without_slips(rows[start:end], so_far, start)
        parts.append(part)
    assert np.array_equal(np.concatenate(parts), whole, equal_nan=True)
    assert all(np.array_equal(a, b) for a, b in zip(so_far, at_once))
    assert not np.isnan(whole[:, 1]).any()


@pytest.mark.parametrize("n_rows", [300, 1500])
def test_the_model_names_them_and_learns_as_if_they_were_missing(n_rows):
    rows, hit = slipped(normal_rows(3, n_rows), 3)
    model = HedgeGraph(error="fwer").fit(rows)
    told = model.treatment_
    assert told.outlying == hit.sum()
    assert not told.missing.any()
    assert list(told.outlying_cells) == [tuple(x) for x in np.argwhere(hit)[:NAMED]]
    assert "count as missing" in model.summary()
    assert {(e.source, e.target) for e in model.edges_} == {(j, j + 1) for j in range(P - 1)}
    clean = np.where(hit, np.nan, rows)
    assert np.array_equal(model.location_, HedgeGraph().fit(clean).location_)


def test_a_stream_is_cut_as_one_likes_and_goes_on_from_a_file(tmp_path):
    rows, hit = slipped(normal_rows(4, 1500), 4)
    whole = HedgeGraph().fit(rows)
    stream = HedgeGraph()
    for start, end in ((0, 100), (100, 700), (700, 1500)):
        stream.partial_fit(rows[start:end])
        stream.save(tmp_path / "model.hedgerow")
        stream = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert np.array_equal(stream.partial_corr_, whole.partial_corr_)
    assert stream.treatment_.outlying == whole.treatment_.outlying == hit.sum()


@pytest.mark.parametrize("known", ["normal", ["a", "b", "c"]])
def test_columns_that_are_said_to_be_as_they_should_have_none(known):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, 3))
    rows[5, 1] = 15.0
    names = np.array(["a", "b", "c"], dtype=object)
    model = HedgeGraph(columns=known).fit(rows, feature_names=names)
    assert model.treatment_.outlying == 0
    assert HedgeGraph().fit(rows).treatment_.outlying == 1
