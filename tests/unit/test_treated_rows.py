"""HedgeGraph with rows and columns of any kind: what is refused, odd tables, what users may say."""

import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.estimators._fresh_rows import FreshRows

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]


@pytest.fixture
def walk():
    """Rows of which each column is joined to the next."""
    return np.random.default_rng().standard_normal((1400, 5)).cumsum(axis=1)


PATH = {(0, 1), (1, 2), (2, 3), (3, 4)}


def joined(model):
    return set(zip(model.edges_.source.tolist(), model.edges_.target.tolist()))


@pytest.mark.parametrize("seen", [10, 600])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"rows": "independent"}),
        ({}, {"columns": "normal"}),
        ({}, {"columns": [1]}),
        ({"columns": [1, 2]}, {"columns": [2]}),
        ({"columns": "normal"}, {"columns": [0, 1, 2, 3, 4]}),
        ({"rows": "independent", "columns": "normal"}, {"rows": "any"}),
        ({"half_life": 100}, {"half_life": None}),
    ],
)
def test_parameters_that_rows_were_treated_by_must_not_change(walk, seen, before, after):
    model = HedgeGraph(**before).partial_fit(walk[:seen])
    name = next(iter(after))
    with pytest.raises(ValueError, match=f"{name} must not change after the first row, got"):
        model.set_params(**after).partial_fit(walk[seen:])
    assert model.fit(walk).n_samples_seen_ == len(walk)


@pytest.mark.parametrize("same", [[2, 1], (1, 2), np.array([1, 2]), {1, 2}])
def test_the_same_columns_said_otherwise_are_the_same(walk, same):
    model = HedgeGraph(columns=[1, 2]).partial_fit(walk[:600])
    model.set_params(columns=same).partial_fit(walk[600:])
    assert model.n_samples_seen_ == len(walk)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a"], "columns must name columns of X, got 'a'"),
        ([0, 5], "columns must name columns of X, got 5"),
        ([[0]], r"columns must name columns of X, got \[0\]"),
        (np.zeros((1, 2)), "columns must name columns of X, got array"),
    ],
)
def test_columns_that_are_not_there_are_refused(walk, columns, message):
    with pytest.raises(ValueError, match=message):
        HedgeGraph(columns=columns).fit(walk)


@pytest.mark.parametrize("n_rows", [300, 512, 1400])
def test_nothing_to_find_out_is_nothing_done(walk, n_rows):
    model = HedgeGraph(rows="independent", columns="normal").fit(walk[:n_rows])
    assert model._stream.treated is None
    assert model.n_samples_effective_ == n_rows
    np.testing.assert_allclose(model._stream.moments().mean, walk[:n_rows].mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 1e146])
@pytest.mark.parametrize("row", [3, 511, 512, 1399])
def test_a_bad_number_is_refused_and_changes_nothing(walk, bad, row):
    model = HedgeGraph().partial_fit(walk[:600])
    kept = {name: array.copy() for name, array in model.parts()[1].items()}
    walk[row, 2] = bad
    with pytest.raises(ValueError, match="X must"):
        model.partial_fit(walk)
    assert all(np.array_equal(kept[name], array) for name, array in model.parts()[1].items())
    with pytest.raises(ValueError, match="X must"):
        HedgeGraph().fit(walk)


@pytest.mark.parametrize("n_rows", [300, 1400])
def test_numbers_up_to_the_largest(walk, n_rows):
    factors = np.array([1e145, 1e-100, 1.0, 1e145, 1e100])
    large = walk / np.abs(walk).max(axis=0) * factors
    model = HedgeGraph().fit(large[:n_rows])
    assert joined(model) >= PATH
    assert np.isfinite(model.precision_).all()
    mean = large[:n_rows].mean(axis=0)
    np.testing.assert_allclose(model.location_ / factors, mean / factors, atol=1e-9)


@pytest.mark.parametrize("n_rows", [300, 512, 1400])
def test_a_constant_column_is_told_and_isolated(walk, n_rows):
    walk[:, 4] = 7.0
    with pytest.warns(DataWarning, match="constant columns are isolated nodes: 4"):
        model = HedgeGraph().fit(walk[:n_rows])
    assert joined(model) >= {(0, 1), (1, 2), (2, 3)}
    assert not model.adjacency_.toarray()[4].any()
    assert model.location_[4] == 7.0


def test_a_column_that_varies_after_the_first_rows_only_is_taken_as_it_is(walk):
    walk[:512, 4] = 7.0
    model = HedgeGraph().fit(walk)
    stream = model._stream
    assert stream.treated.settled(stream.engine).as_is.tolist() == [False] * 4 + [True]
    assert joined(model) >= PATH - {(3, 4)}
    assert np.isfinite(model.edges_.z).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert model.graph_up_to(0.5).constant.size == 0


@pytest.mark.parametrize("n_rows", [500, 1400])
def test_a_column_of_three_values_keeps_its_edges(walk, n_rows):
    walk[:, 2] = np.digitize(walk[:, 2], [-1.0, 1.0])
    model = HedgeGraph().fit(walk[:n_rows])
    assert joined(model) >= {(0, 1), (3, 4), (2, 3)}
    if n_rows > 512:
        moments = model._stream.learner.moments()
        assert np.isfinite(moments.products).all()


@pytest.mark.parametrize("n_rows", [300, 1400])
@pytest.mark.parametrize("stuck", [(50, 200), (0, 290), (400, 700)])
def test_a_constant_stretch_is_accepted(walk, stuck, n_rows):
    walk[slice(*stuck), 2] = walk[stuck[0], 2]
    model = HedgeGraph().fit(walk[:n_rows])
    assert joined(model) >= {(0, 1), (3, 4)}
    assert np.isfinite(model.precision_).all()


@pytest.mark.parametrize("n_rows", range(2, 41))
def test_few_rows_are_no_reason_to_fail(walk, n_rows):
    model = HedgeGraph().fit(walk[:n_rows])
    assert 0 < model.n_samples_effective_ <= n_rows
    assert np.isfinite(model.edges_up_to(0.5).z).all()
    assert model.summary()
    scaled = HedgeGraph().fit(np.exp(walk[:n_rows]))
    assert 0 < scaled.n_samples_effective_ <= n_rows


@pytest.mark.parametrize("n_rows", [250, 600])
def test_rows_that_are_there_twice_count_once(walk, n_rows):
    once, twice = walk[:n_rows], np.repeat(walk[:n_rows], 2, axis=0)
    for rows in (twice, np.concatenate([once, once])):
        if len(rows) > 512 and rows is not twice:
            continue  # rows that come again after the first ones are not noticed
        model = HedgeGraph().fit(rows)
        assert model.treatment_.repeated == 2.0
        assert model.n_samples_effective_ <= 1.1 * n_rows
        assert joined(model) >= PATH


def test_related_rows_count_for_less(monkeypatch):
    monkeypatch.setattr(FreshRows, "begin", lambda *_: None)  # or nearly all would count
    rng = np.random.default_rng()
    rows = rng.standard_normal((2000, 8))
    for t in range(1, 2000):
        rows[t] += 0.9 * rows[t - 1]
    model = HedgeGraph().fit(rows)
    # Of products of two such columns, (1 - .81) / (1 + .81) of the rows are left.
    assert 0.05 < model.n_samples_effective_ / 2000 < 0.2
    assert HedgeGraph(rows="independent").fit(rows).n_samples_effective_ > 1500


@pytest.mark.parametrize("columns", ["any", "normal", [1]])
@pytest.mark.parametrize("rows", ["any", "independent"])
def test_location_and_spread_are_in_the_users_units(walk, rows, columns):
    walk[:, 1] = np.exp(walk[:, 1])
    for n_rows in (200, 1400):
        model = HedgeGraph(rows=rows, columns=columns).fit(walk[:n_rows])
        np.testing.assert_allclose(model.location_, walk[:n_rows].mean(axis=0), atol=1e-9)
        spread = np.sqrt(np.diag(model.covariance_))
        np.testing.assert_allclose(spread, walk[:n_rows].std(axis=0), rtol=1e-6)
