"""Rows that are alike though they stand apart are told; rows that are related otherwise are not."""

import numpy as np
import pytest
from scipy import special, stats

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.bursts import MOST_COLUMNS
from hedgerow.method.kin import LEAST_COLUMNS, LEAST_ROWS, NONE, kin_of


def found(rows):
    return kin_of(rows, np.arange(rows.shape[1]))


def in_groups(rng, m, p, each, share):
    """Return shuffled rows of groups, whose means have a share of the variance."""
    means = np.repeat(rng.standard_normal((-(-m // each), p)), each, axis=0)[:m]
    return rng.permutation(share**0.5 * means + (1 - share) ** 0.5 * rng.standard_normal((m, p)))


def remembering(rng, m, p, share):
    rows = rng.standard_normal((m, p))
    for t in range(1, m):
        rows[t] = share * rows[t - 1] + np.sqrt(1 - share**2) * rows[t]
    return rows


@pytest.mark.parametrize(("each", "share"), [(3, 0.9), (10, 0.5), (60, 0.5)])
def test_groups_that_were_shuffled_are_told(each, share):
    rng = np.random.default_rng()
    for m in (250, 512):
        assert found(in_groups(rng, m, 40, each, share)).likeness > 0.0


def test_columns_in_which_groups_differ_are_named():
    rng = np.random.default_rng()
    rows = rng.standard_normal((512, 40))
    rows[:, :30] = in_groups(rng, 512, 30, 10, 0.9)
    named = found(rows).columns
    assert len(named)
    assert (named < 30).all()


@pytest.mark.parametrize("shape", [(LEAST_ROWS, 20), (150, LEAST_COLUMNS), (200, 300), (512, 48)])
@pytest.mark.parametrize("kind", ["normal", "remembering", "heavy", "one factor", "gaps", "curve"])
def test_rows_without_groups_have_none(kind, shape):
    """But for one data set in a million; these are the same every time."""
    rng = np.random.default_rng([3, *shape])
    m, p = shape
    for _ in range(20):
        rows = remembering(rng, m, p, 0.8 if kind == "remembering" else 0.0)
        if kind == "heavy":
            rows /= np.sqrt(rng.chisquare(3, (m, 1)) / 3)
        if kind == "one factor":
            rows += 2.0 * rng.standard_normal((m, 1))
        if kind == "gaps":
            rows[rng.random(rows.shape) < 0.1] = np.nan
        if kind == "curve":
            ranks = stats.rankdata(np.square(rows[:, 1]))
            rows[:, 0] = special.ndtri(ranks / (m + 1))
        assert found(rows) is NONE


def of_places(rng, m, p):
    """Return rows of places, in no order: half of each column is a smooth function of the place."""
    place = rng.random((m, 2))
    waves = rng.standard_normal((2, 100, p)) / 0.15
    turns = np.einsum("ts,skp->tkp", place, waves) + rng.uniform(0.0, 2 * np.pi, (100, p))
    smooth = np.einsum("tkp,kp->tp", np.cos(turns), rng.standard_normal((100, p))) / np.sqrt(50)
    return np.sqrt(0.5) * (smooth + rng.standard_normal((m, p)))


@pytest.mark.parametrize("p", [24, 40])
def test_groups_are_told_where_columns_nearly_determine_each_other(p):
    """Rows of a path differ in a few directions by far the most."""
    rng = np.random.default_rng([6, p])
    told = [found(of_places(rng, 512, p).cumsum(axis=1)).likeness > 0.0 for _ in range(10)]
    assert sum(told) >= 8


def test_columns_that_were_cut_are_not_asked_again():
    rng, every = np.random.default_rng(7), np.arange(24)
    tables = [of_places(rng, 512, 24).cumsum(axis=1) for _ in range(10)]
    again = [kin_of(rows, every).likeness > 0.0 for rows in tables]
    once = [kin_of(rows, every, every[: LEAST_COLUMNS - 1]).likeness > 0.0 for rows in tables]
    assert sum(once) < sum(again)


@pytest.mark.parametrize("shape", [(200, 25), (300, 49)])
def test_skewed_noise_is_no_group(shape):
    """What a field of strongly related columns is made of is skewed; scores of these are not."""
    field = make("free_field", shape[1], seed=0).covariance()
    values, vectors = np.linalg.eigh(field)
    rng = np.random.default_rng([5, *shape])
    for _ in range(20):
        rows = rng.exponential(size=shape) @ (vectors * np.sqrt(values)) @ vectors.T
        scores = special.ndtri(stats.rankdata(rows, axis=0) / (shape[0] + 1))
        assert found(scores) is NONE


def test_too_few_or_too_many_are_not_looked_at():
    rng = np.random.default_rng()
    rows = in_groups(rng, 400, 40, 4, 0.9)
    for some in (rows[: LEAST_ROWS - 1], rows[:, : LEAST_COLUMNS - 1]):
        assert found(some) is NONE
    wide = np.tile(rows, (1, MOST_COLUMNS // 40 + 1))
    assert found(wide) is NONE
    assert found(np.zeros((100, 20))) is NONE


def test_a_model_warns_in_numbers_however_rows_are_cut(tmp_path):
    rows = in_groups(np.random.default_rng(), 600, 30, 6, 0.7)
    model = HedgeGraph()
    with pytest.warns(GuaranteeWarning, match=r"rows are alike that stand apart, .* 600 of them"):
        model.fit(rows)
    told = model.treatment_.kin
    assert told.likeness > 0.0
    assert model.treatment_.to_dict(range(30))["kin"]["likeness"] == told.likeness
    other = HedgeGraph()
    for some in np.split(rows, [1, 90, 511, 513]):
        other.partial_fit(some)
    assert other.treatment_.kin == told
    model.save(tmp_path / "model.hedgerow")
    assert HedgeGraph.load(tmp_path / "model.hedgerow").treatment_.kin == told


@pytest.mark.parametrize("known", [{"rows": "independent"}, {"columns": "normal"}])
def test_what_the_user_knows_is_not_asked(known):
    rows = in_groups(np.random.default_rng(), 300, 30, 6, 0.7)
    assert HedgeGraph(**known).partial_fit(rows).treatment_.kin.likeness == 0.0
