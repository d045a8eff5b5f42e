"""The adapter for river: by name, in pipelines, and the same learner underneath."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import compose, covariance, preprocessing

from hedgerow import HedgeGraph
from hedgerow.river import RiverHedgeGraph

NAMES = list("abcde")


@pytest.fixture
def walks():
    return np.cumsum(np.random.default_rng().standard_normal((700, 5)), axis=1)


def dictionaries(rows, names=NAMES):
    return [dict(zip(names, row)) for row in rows.tolist()]


def ends(table):
    return {frozenset((edge.source, edge.target)) for edge in table}


def same(table, other):
    return all(np.array_equal(table[name], other[name]) for name in table.COLUMNS)


def test_rows_one_by_one_give_the_graph_of_the_table(walks):
    model = RiverHedgeGraph(error="fwer", level=0.01, half_life=300)
    for x in dictionaries(walks):
        model.learn_one(x)
    whole = HedgeGraph(error="fwer", level=0.01, half_life=300)
    whole.fit(pd.DataFrame(walks, columns=NAMES))
    assert same(model.edges, whole.edges_)
    assert model.graph.n_samples_seen_ == len(walks)


def test_a_balanced_graph_is_that_of_the_table(walks):
    model = RiverHedgeGraph(level="balanced")
    model.learn_many(pd.DataFrame(walks, columns=NAMES))
    whole = HedgeGraph(level="balanced").fit(pd.DataFrame(walks, columns=NAMES))
    assert same(model.edges, whole.edges_)
    assert model.graph.level_ == whole.level_
    assert model.clone().level == "balanced"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"level": "much"}, r"level must be a number in \(0, 1\) or 'balanced', got 'much'"),
        ({"error": "fwer", "level": "balanced"}, "error must be 'fdr' with level='balanced'"),
    ],
)
def test_bad_parameters_are_told_with_the_first_rows(walks, parameters, message):
    with pytest.raises(ValueError, match=message):
        RiverHedgeGraph(**parameters).learn_many(pd.DataFrame(walks, columns=NAMES))


def test_the_order_of_features_and_the_kind_of_frame_do_not_matter(walks):
    model, other = RiverHedgeGraph(), RiverHedgeGraph()
    for k, x in enumerate(dictionaries(walks)):
        model.learn_one(dict(reversed(x.items())) if k % 2 else x)
    other.learn_many(pl.DataFrame(walks[:100], schema=NAMES, orient="row"))
    other.learn_many(pd.DataFrame(walks[100:200, ::-1], columns=NAMES[::-1]))
    for x in dictionaries(walks[200:300]):
        other.learn_one(x)
    other.learn_many(pd.DataFrame(walks[300:], columns=NAMES))
    assert same(model.edges, other.edges)


def test_asking_in_between_changes_nothing(walks):
    model = RiverHedgeGraph()
    for k, x in enumerate(dictionaries(walks)):
        model.learn_one(x)
        if k in (99, 300, 301):
            assert model.graph.n_samples_seen_ == k + 1
    assert same(model.edges, HedgeGraph().fit(pd.DataFrame(walks, columns=NAMES)).edges_)


@pytest.mark.parametrize("many", [False, True])
def test_it_ends_a_pipeline(walks, many):
    graph = RiverHedgeGraph(error="fwer")
    model = compose.Select(*NAMES) | preprocessing.StandardScaler() | graph
    rows = np.column_stack([walks, np.ones(len(walks))])
    if many:
        model.learn_many(pd.DataFrame(rows, columns=[*NAMES, "other"]))
    else:
        for x in dictionaries(rows, [*NAMES, "other"]):
            model.learn_one(x)
    assert set(map(frozenset, ("ab", "bc", "cd", "de"))) <= ends(graph.edges)


def test_it_agrees_with_the_precision_matrix_of_river():
    """With all edges in the graph, the maximum-likelihood precision matrix is the inverse."""
    rng = np.random.default_rng()
    rows = rng.standard_normal((700, 3)) + rng.standard_normal((700, 1))
    model = RiverHedgeGraph(rows="independent", columns="normal")
    inverse = covariance.EmpiricalPrecision()
    for x in dictionaries(rows):
        model.learn_one(x)
        inverse.update(x)
    assert len(model.edges) == 3
    expected = np.array([[inverse[a, b] for b in "abc"] for a in "abc"])
    # River adds one to each sum of squares, to have an inverse from the first row on.
    difference = np.linalg.norm(model.graph.precision_ - expected, 2)
    assert difference <= 1.01 * np.linalg.norm(expected, 2) ** 2 / len(rows)


def test_names_need_not_be_texts(walks):
    model = RiverHedgeGraph(error="fwer")
    for x in dictionaries(walks, [3, 1, "two", (4, 4), 0]):
        model.learn_one(x)
    assert {frozenset((3, 1)), frozenset(("two", (4, 4)))} <= ends(model.edges)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": 1.0}, "got new 'z'"),
        ({"a": None, "z": 1.0}, "got none of 'a' and new 'z'"),
        ({"b": None}, "got none of 'b'"),
    ],
)
def test_other_features_are_refused_by_name(walks, change, message):
    model = RiverHedgeGraph(rows="independent", columns="normal")  # no cell may be missing
    first, second = dictionaries(walks[:2])
    model.learn_one(first)
    changed = {k: v for k, v in {**second, **change}.items() if v is not None}
    for learn, rows in ((model.learn_one, changed), (model.learn_many, pd.DataFrame([changed]))):
        with pytest.raises(ValueError, match=message):
            learn(rows)
    assert model.graph.n_samples_seen_ == 1


def test_a_new_feature_is_refused_where_cells_may_be_missing(walks):
    model = RiverHedgeGraph()
    first, second = dictionaries(walks[:2])
    model.learn_one(first)
    del second["a"]
    with pytest.raises(ValueError, match=r"the features of the first row, got new 'z'$"):
        model.learn_one({**second, "z": 1.0})
    model.learn_one(second)
    assert model.graph.n_samples_seen_ == 2


@pytest.mark.parametrize("how", ["left out", "None", "NaN", "pandas", "Int64", "polars"])
def test_missing_cells_are_used_as_fit_uses_them(walks, how):
    rows = (100 * walks).round()
    gone = np.random.default_rng().random(rows.shape) < 0.1
    gone[0] = False
    rows[gone] = np.nan
    model = RiverHedgeGraph(half_life=300)
    frame = pd.DataFrame(rows, columns=NAMES)
    if how == "pandas":
        model.learn_many(frame)
    elif how == "Int64":
        model.learn_many(frame.astype("Int64"))
    elif how == "polars":
        model.learn_many(pl.DataFrame(rows, schema=NAMES, orient="row", nan_to_null=True))
    else:
        for x in dictionaries(rows):
            cells = {k: None if how == "None" and v != v else v for k, v in x.items()}
            model.learn_one({k: v for k, v in cells.items() if v == v or how == "NaN"})
    whole = HedgeGraph(half_life=300).fit(frame)
    assert same(model.edges, whole.edges_)
    assert model.graph.treatment_.missing.sum() == gone.sum()


def test_a_column_that_a_later_frame_lacks_is_missing(walks):
    model = RiverHedgeGraph()
    model.learn_many(pd.DataFrame(walks[:600], columns=NAMES))
    model.learn_many(pd.DataFrame(walks[600:, 1:], columns=NAMES[1:]))
    assert model.graph.treatment_.missing.tolist() == [100, 0, 0, 0, 0]


@pytest.mark.parametrize("value", [float("nan"), None])
def test_missing_cells_are_refused_where_rows_are_taken_as_they_are(walks, value):
    model = RiverHedgeGraph(rows="independent", columns="normal")
    row = {**dictionaries(walks[:1])[0], "c": value}
    for learn, rows in ((model.learn_one, row), (model.learn_many, pd.DataFrame([row]))):
        with pytest.raises(ValueError, match="feature 'c' must be a finite number, got"):
            learn(rows)


@pytest.mark.parametrize("value", [float("inf"), "7", pd.Timestamp(0)])
def test_what_is_no_number_is_refused_by_name(walks, value):
    model = RiverHedgeGraph()
    row = {**dictionaries(walks[:1])[0], "c": value}
    message = "feature 'c' must be a finite number, got"
    for learn, rows in ((model.learn_one, row), (model.learn_many, pd.DataFrame([row]))):
        with pytest.raises(ValueError, match=message):
            learn(rows)


@pytest.mark.parametrize("value", [-1.797e308, 1e146, 10**200])
def test_what_cannot_be_squared_is_refused_and_leaves_no_trace(walks, value):
    model = RiverHedgeGraph()
    first, second = dictionaries(walks[:2])
    model.learn_one(first)
    message = r"feature 'c' must be a number of size up to 1e\+145, got"
    for learn, rows in (
        (model.learn_one, {**second, "c": value}),
        (model.learn_many, pd.DataFrame([{**second, "c": float(value)}])),
    ):
        with pytest.raises(ValueError, match=message):
            learn(rows)
    model.learn_one(second)
    assert model.graph.n_samples_seen_ == 2


def test_a_graph_goes_its_own_way(walks):
    model = RiverHedgeGraph()
    model.learn_many(pd.DataFrame(walks[:300], columns=NAMES))
    graph, edges = model.graph, model.edges
    model.learn_many(pd.DataFrame(walks[300:], columns=NAMES))
    assert same(graph.edges_, edges)
    assert graph.n_samples_seen_ == 300
    graph.partial_fit(pd.DataFrame(walks, columns=NAMES))
    assert same(model.edges, HedgeGraph().fit(pd.DataFrame(walks, columns=NAMES)).edges_)


def test_a_clone_starts_anew_with_the_same_parameters(walks):
    model = RiverHedgeGraph(error="fwer", level=0.2, half_life=50)
    model.learn_many(pd.DataFrame(walks, columns=NAMES))
    clone = model.clone()
    assert (clone.error, clone.level, clone.half_life) == ("fwer", 0.2, 50)
    clone.learn_one({"x": 1.0, "y": 2.0})
    assert clone.graph.n_samples_seen_ == 1


def test_without_river_the_error_says_what_to_do(monkeypatch):
    monkeypatch.delitem(sys.modules, "hedgerow.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ImportError, match=r"hedgerow\.river needs river"):
        import hedgerow.river  # noqa: F401
