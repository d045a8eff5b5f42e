"""Rows that nearly repeat another one: they are found, counted and named."""

import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.twins import NONE, _nearest, _possible_ratios, twins_of


def normal(rng, n_rows, columns=20):
    return make("watts_strogatz", columns, seed=rng).sample(n_rows, rng)


def fast(rng, n_rows):
    rows = normal(rng, n_rows)
    for t in range(1, n_rows):
        rows[t] = 0.95 * rows[t - 1] + np.sqrt(1 - 0.95**2) * rows[t]
    return rows


def walk(rng, n_rows):
    return np.cumsum(normal(rng, n_rows), axis=0)


def clusters(rng, n_rows):
    return normal(rng, n_rows) + 5.0 * rng.standard_normal((4, 20))[rng.integers(4, size=n_rows)]


def tails(rng, n_rows):
    return normal(rng, n_rows) / np.sqrt(rng.chisquare(3, (n_rows, 1)) / 3)


def one_factor(rng, n_rows):
    return rng.standard_normal((n_rows, 1)) + 0.1 * rng.standard_normal((n_rows, 6))


@pytest.mark.parametrize("rows_of", [normal, fast, walk, clusters, tails, one_factor])
def test_rows_without_twins_have_none(rows_of):
    """At a level of .001 for each, two or more of 40 tables are taken for others in 1 of 1300."""
    rng = np.random.default_rng()
    found = [twins_of(rows_of(rng, n_rows)) != NONE for n_rows in (60, 300) for _ in range(20)]
    assert sum(found) <= 1


@pytest.mark.parametrize("rows_of", [normal, walk, clusters, tails, one_factor])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-4, 0.1])
def test_rounded_distances_hide_no_ratio(rows_of, off):
    rng = np.random.default_rng()
    rows = rows_of(rng, 120)
    rows = np.concatenate([rows, rows[:40] + off * rng.standard_normal((40, rows.shape[1]))])
    _, first, second = _nearest(rows / rows.std(axis=0))
    ratios = np.divide(first, second, out=np.zeros_like(first), where=second > 0)
    assert (_possible_ratios(rows / rows.std(axis=0)) <= ratios).all()


@pytest.mark.parametrize("change", ["noise", "rounded", "one cell"])
@pytest.mark.parametrize("n_rows", [60, 240])
def test_rows_entered_twice_are_found(change, n_rows):
    rng = np.random.default_rng()
    rows = normal(rng, n_rows)
    again = rows[: n_rows // 4].copy()
    if change == "noise":
        again += 0.02 * rng.standard_normal(again.shape)
    elif change == "rounded":
        again = again.round(1)
    else:
        again[:, 3] = rng.standard_normal(len(again))
    found = twins_of(rng.permutation(np.concatenate([rows, again])))
    # Some stand next to each other, and in a changed cell some differ most.
    assert len(again) / 2 <= found.number <= 2.1 * len(again)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_they_count_once_and_are_named():
    rng = np.random.default_rng(3)
    rows = normal(rng, 150)
    twice = np.concatenate([rows, rows + 1e-3 * rng.standard_normal(rows.shape)])
    with pytest.warns(GuaranteeWarning, match="300 of the first 300 rows nearly repeat another"):
        model = HedgeGraph().fit(twice)
    assert model.n_samples_effective_ == pytest.approx(150, rel=0.05)
    one, other = model.treatment_.twins[1:]
    assert other - one == 150
    assert model.treatment_.to_dict([str(j) for j in range(20)])["twins"]["number"] == 300


def test_tables_of_few_columns_or_values_are_not_asked():
    rng = np.random.default_rng(0)
    assert twins_of(rng.standard_normal((500, 3))) == NONE
    assert twins_of(rng.standard_normal((39, 20))) == NONE
    assert twins_of(rng.integers(0, 2, (300, 5)).astype(float)) == NONE
    assert twins_of(np.zeros((100, 6))) == NONE


def test_whoever_says_that_rows_are_independent_is_not_told_otherwise():
    rows = normal(np.random.default_rng(3), 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        HedgeGraph(rows="independent").fit(np.concatenate([rows, rows + 1e-3]))
