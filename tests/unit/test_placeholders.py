"""Placeholders: a mean or a zero in place of what was not measured counts as missing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from hedgerow import HedgeGraph
from hedgerow.datasets import make, rescale
from hedgerow.method.ordered import in_order
from hedgerow.method.placeholders import (
    first_placeholders,
    no_placeholders,
    without_placeholders,
)

P = 16
ALL = np.ones(P, dtype=np.bool_)
FAMILIES = ["random_tree", "watts_strogatz", "free_field", "brownian_path"]
seeds = st.integers(0, 2**32 - 1)


def normal_rows(family, seed, n_rows=500):
    """Rows of a model in which every variable has variance one."""
    model = make(family, P, seed=seed)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    return model.sample(n_rows, seed=[seed, 1])


def gaps(rows, share, seed):
    return np.random.default_rng([seed, 2]).random(rows.shape) < share


def filled(rows, hit, middle):
    """Rows with the middle in place of some cells, and which have it: a median is some cell's."""
    value = middle(np.where(hit, np.nan, rows), axis=0)
    result = np.where(hit, value, rows)
    return result, result == value


def found(rows):
    return first_placeholders(in_order(rows), ALL)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("middle", [np.nanmean, np.nanmedian])
def test_gaps_that_were_filled_with_the_middle_are_found(family, middle):
    for seed in range(3):
        rows = np.exp(normal_rows(family, seed))
        hit = gaps(rows, 0.1, seed)
        rows, hit = filled(rows, hit, middle)
        first, known = found(rows)
        columns = known.found > 0
        assert columns.sum() >= P - 1  # of 16 columns two are missed once in 8,000 tables at most
        assert np.array_equal(np.isnan(first.rows), hit & columns)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_middle_of_many_more_rows_is_one_of_the_first(family):
    """A value that is the mean of later rows, too, is off by chance: one column in 1,000."""
    seen = []
    for seed in range(5):
        rows = normal_rows(family, seed, 5000)
        hit = gaps(rows, 0.1, seed)
        rows, _ = filled(rows, hit, np.nanmean)
        _, known = found(rows[:512])
        seen.append((known.found > 0).sum())
    assert sum(seen) >= 5 * P - 3  # more than three of 80: once in 40,000 runs


@pytest.mark.parametrize("family", FAMILIES)
def test_zeros_that_the_other_columns_contradict_are_found(family):
    for seed in range(3):
        rows = np.exp(normal_rows(family, seed))
        hit = gaps(rows, 0.1, seed)
        first, known = found(np.where(hit, 0.0, rows))
        assert (known.found > 0).sum() >= 3 * P // 4
        assert not (np.isnan(first.rows) & ~hit).any()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_a_limit_is_none(family, share):
    """Below a limit, or above one, cells are the lowest, and the others say so."""
    limit = special.ndtri(share)
    for seed in range(10):
        rows = normal_rows(family, seed)
        for cut in (np.exp(np.maximum(rows, limit)), np.minimum(rows, -limit)):
            assert not found(cut)[1].found.any()


@pytest.mark.parametrize("n_rows", [64, 128, 512])
def test_a_limit_of_rows_that_remember_is_none(n_rows):
    for seed in range(20):
        rows = normal_rows("random_tree", seed, n_rows)
        for t in range(1, n_rows):
            rows[t] = 0.9 * rows[t - 1] + 0.19**0.5 * rows[t]
        assert not found(np.maximum(rows, -0.5))[1].found.any()


@pytest.mark.parametrize("family", ["free_field", "brownian_path"])
def test_cells_in_the_middle_that_lie_there_are_none(family):
    """Where the others nearly determine a column, they say what is zero by its nature."""
    named = []
    for seed in range(5):
        rows = normal_rows(family, seed)
        _, known = found(np.where(np.abs(rows) < 0.25, 0.0, rows))
        named.append((known.found > 0).mean())
    assert np.mean(named) < 0.5


def test_values_that_come_again_as_others_do_are_none():
    for seed in range(10):
        rows = normal_rows("random_tree", seed)
        assert not found(rows)[1].found.any()
        assert not found(np.round(rows, 2))[1].found.any()
        assert not found(np.round(rows))[1].found.any()


def test_few_rows_and_a_single_column_are_no_trouble():
    rng = np.random.default_rng(0)
    for shape in ((5, 3), (40, 3), (500, 1)):
        rows = np.maximum(rng.standard_normal(shape), 0.5)
        _, known = first_placeholders(in_order(rows), np.ones(shape[1], dtype=np.bool_))
        assert not known.found.any()


@given(seeds, st.integers(0, 60))
@settings(max_examples=25)
def test_rows_are_cut_as_one_likes(seed, cut):
    rows = np.random.default_rng(seed).integers(0, 4, (60, 3)).astype(float)
    known = no_placeholders(3)._replace(values=np.array([1.0, np.inf, 3.0]))
    whole, at_once = without_placeholders(rows, known)
    head, so_far = without_placeholders(rows[:cut], known)
    tail, so_far = without_placeholders(rows[cut:], so_far)
    assert np.array_equal(np.concatenate([head, tail]), whole, equal_nan=True)
    assert np.array_equal(so_far.found, at_once.found)
    assert at_once.found.tolist() == [(rows[:, 0] == 1).sum(), 0, (rows[:, 2] == 3).sum()]


@pytest.mark.parametrize("n_rows", [400, 1500])
def test_the_model_tells_them_and_learns_as_if_they_were_missing(n_rows):
    rows = normal_rows("watts_strogatz", 5, n_rows)
    rows, hit = filled(rows, gaps(rows, 0.1, 5), np.nanmedian)
    model = HedgeGraph().fit(rows)
    told = model.treatment_
    assert sum(each.cells for each in told.placeholders) == hit.sum()
    assert not told.missing.any()
    assert "in place of what was not measured" in model.summary()
    as_they_are = HedgeGraph().fit(np.where(hit, np.nan, rows))
    assert np.array_equal(model.partial_corr_, as_they_are.partial_corr_)
    assert model.treatment_.to_dict(range(P))["placeholders"][0]["cells"] > 0


def test_a_stream_is_cut_as_one_likes_and_goes_on_from_a_file(tmp_path):
    rows = np.exp(normal_rows("brownian_path", 6, 1500))
    rows = np.where(gaps(rows, 0.1, 6), 0.0, rows)
    whole = HedgeGraph().fit(rows)
    stream = HedgeGraph()
    for start, end in ((0, 100), (100, 700), (700, 1500)):
        stream.partial_fit(rows[start:end])
        stream.save(tmp_path / "model.hedgerow")
        stream = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert np.array_equal(stream.partial_corr_, whole.partial_corr_)
    assert list(stream.treatment_.placeholders) == list(whole.treatment_.placeholders)
    assert len(whole.treatment_.placeholders) > P // 2


@pytest.mark.parametrize("known", ["normal", dict.fromkeys(range(P), "zeros")])
def test_columns_that_are_said_to_be_as_they_should_have_none(known):
    rows = normal_rows("brownian_path", 7)
    rows, _ = filled(rows, gaps(rows, 0.1, 7), np.nanmean)
    assert not HedgeGraph(columns=known).fit(rows).treatment_.placeholders
    assert len(HedgeGraph().fit(rows).treatment_.placeholders) == P
