"""Columns that add up to the same total in every row are shares, and warned of."""

import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.determined import determined_columns, shares_of_total

M = 400
SAID = "add up to the same total in every row"


def amounts(seed, n_columns=8):
    return np.exp(make("random_tree", n_columns, seed=seed).sample(M, seed=seed))


def shares(seed, n_columns=8):
    found = amounts(seed, n_columns)
    return found / found.sum(axis=1, keepdims=True)


def doubts(rows):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        graph = HedgeGraph().fit(rows)
    return graph, [str(w.message) for w in told if issubclass(w.category, GuaranteeWarning)]


TABLES = {
    "shares": lambda: (shares(0), range(8)),
    "per cent, rounded": lambda: (np.round(100 * shares(1), 1), range(8)),
    "hours of a day": lambda: (24 * shares(2, 4), range(4)),
    "shares beside others": lambda: (np.column_stack([amounts(3, 3), shares(3, 5)]), range(3, 8)),
    "two totals": lambda: (np.column_stack([shares(4, 4), 7 * shares(5, 4)]), range(8)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_shares_are_named(kind):
    rows, columns = TABLES[kind]()
    graph, told = doubts(rows)
    assert any(SAID in each for each in told)
    assert graph.treatment_.shares == list(columns)
    assert graph.treatment_.to_dict(range(rows.shape[1]))["shares"] == [str(j) for j in columns]


OTHERS = {
    "amounts": lambda: amounts(0),
    "a total beside its parts": lambda: np.column_stack([amounts(1), amounts(1).sum(axis=1)]),
    "numbers of both signs": lambda: np.log(shares(2)) - np.log(shares(2)).mean(1, keepdims=True),
    "yes or no and its opposite": lambda: np.column_stack(
        [amounts(3), amounts(4)[:, 0] > 1, amounts(4)[:, 0] <= 1]
    ),
    "constants": lambda: np.column_stack([amounts(5)[:, :2], np.ones((M, 3))]),
    "levels of a category": lambda: np.column_stack(
        [amounts(6)[:, :2], np.eye(4)[np.random.default_rng(0).integers(4, size=M)]]
    ),
    "answers": lambda: np.random.default_rng(0).integers(1, 6, (M, 6)),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_others_are_no_shares(kind):
    graph, told = doubts(OTHERS[kind]().astype(float))
    assert graph.treatment_.shares == []
    assert not any(SAID in each for each in told)


def test_rows_with_gaps_are_not_asked():
    rows = shares(0)
    rows[::2, 0] = np.nan
    assert shares_of_total(rows, determined_columns(rows)).all()
    rows[:, 0] = np.nan
    assert not shares_of_total(rows, determined_columns(rows)).any()


def test_they_are_remembered_in_a_file(tmp_path):
    with pytest.warns(GuaranteeWarning, match=SAID):
        HedgeGraph().fit(np.vstack([shares(0), shares(1)])).save(tmp_path / "model.hedgerow")
    model = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert len(model.treatment_.shares) == 8
    with pytest.warns(GuaranteeWarning, match=SAID):
        model.edges_.source  # noqa: B018
