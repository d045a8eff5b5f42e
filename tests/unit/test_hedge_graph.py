"""HedgeGraph as its users meet it: tables in, names out, and a word about bad data."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.linalg import hadamard

from hedgerow import HedgeGraph, datasets
from hedgerow.base.storage import StorageError
from hedgerow.base.table import EdgeTable
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.method.shortage import rows_to_detect

NAMES = ["a b", "ü", "x,y", "<i>", "5"]


def walk(n_rows=400, n_columns=5, seed=0):
    """A random walk across the columns: a chain of edges."""
    return np.cumsum(np.random.default_rng(seed).standard_normal((n_rows, n_columns)), axis=1)


def chain(n):
    return {frozenset((i, i + 1)) for i in range(n - 1)}


def edge_set(model):
    return {frozenset((edge.source, edge.target)) for edge in model.edges_}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(walk(), columns=NAMES),
        pl.DataFrame(walk(), schema=NAMES, orient="row"),
        pa.table(dict(zip(NAMES, walk().T))),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_names_come_out_as_they_went_in(table):
    model = HedgeGraph(error="fwer").fit(table)
    assert model.feature_names_in_.tolist() == NAMES
    assert edge_set(model) == {frozenset(NAMES[i : i + 2]) for i in range(4)}
    assert set(model.to_networkx().nodes) == set(NAMES)
    assert np.array_equal(model.edges_.z, HedgeGraph(error="fwer").fit(walk()).edges_.z)


@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_columns_of_an_array_can_be_given_names(how):
    model = getattr(HedgeGraph(error="fwer"), how)(walk(), feature_names=iter(NAMES))
    assert model.feature_names_in_.tolist() == NAMES
    assert edge_set(model) == {frozenset(NAMES[i : i + 2]) for i in range(4)}


def test_names_are_kept_from_chunk_to_chunk_without_a_warning():
    rows, model = walk(), HedgeGraph(error="fwer")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for some in np.split(rows, 4):
            model.partial_fit(some, feature_names=NAMES)
        model.partial_fit(pd.DataFrame(walk(seed=1), columns=NAMES), feature_names=NAMES)
        assert model.edges_.source.tolist()[0] in NAMES
    assert model.feature_names_in_.tolist() == NAMES


def test_names_can_be_told_after_rows_without_any():
    model = HedgeGraph(error="fwer").partial_fit(walk())
    assert not hasattr(model, "feature_names_in_")
    model.partial_fit(walk(seed=1), feature_names=NAMES)
    assert model.feature_names_in_.tolist() == NAMES
    model.fit(walk())
    assert not hasattr(model, "feature_names_in_")


def test_other_names_are_refused():
    model = HedgeGraph().partial_fit(walk(), feature_names=NAMES)
    told = "feature_names must be those given before, got 'z' for column 1, 'ü'"
    with pytest.raises(ValueError, match=re.escape(told)):
        model.partial_fit(walk(), feature_names=["a b", "z", *NAMES[2:]])
    with pytest.raises(ValueError, match="one for each of 5 columns, got 4"):
        HedgeGraph().fit(walk(), feature_names=NAMES[:4])
    with pytest.raises(ValueError, match="X has 4 features, but HedgeGraph is expecting 5"):
        model.partial_fit(walk(n_columns=4), feature_names=NAMES[:4])
    table = pd.DataFrame(walk(), columns=NAMES)
    with pytest.raises(ValueError, match="feature_names must be those of X, got 'b' for column 0"):
        HedgeGraph().fit(table, feature_names=list("bcdef"))
    assert model.n_samples_seen_ == 400
    assert model.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_warnings_point_at_the_line_of_the_caller(how):
    rows = walk()
    rows[:, 2] = 1.0
    with pytest.warns(DataWarning, match="constant columns") as warned:
        getattr(HedgeGraph(), how)(rows).edges_  # noqa: B018 - asking is what warns
    assert {warning.filename for warning in warned} == {__file__}


def test_edge_table_turns_into_frames():
    edges = HedgeGraph(error="fwer").fit(walk()).edges_
    assert edges.to_pandas().columns.tolist() == list(edges.COLUMNS)
    assert edges.to_polars().shape == (4, 8)
    assert pd.DataFrame(dict(edges)).equals(edges.to_pandas())
    assert "partial_corr" in str(edges)
    with pytest.raises(KeyError, match="source"):
        edges["nothing"]


def test_html_of_edges_escapes_names():
    rows = pd.DataFrame(walk(), columns=["<script>", "b", "c", "d", "e"])
    html = HedgeGraph(error="fwer").fit(rows).edges_._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html


def test_networkx_edges_carry_the_tests():
    graph = HedgeGraph(error="fwer").fit(walk()).to_networkx()
    assert graph.number_of_edges() == 4
    assert tuple(graph.edges[0, 1]) == EdgeTable.COLUMNS[2:]


def test_estimates_are_near_the_truth():
    model = datasets.make("chain", 30, strength=0.4, seed=1)
    fitted = HedgeGraph().fit(model.sample(4000, 2))
    assert edge_set(fitted) >= chain(30)
    edges = fitted.edges_
    true = edges.partial_corr[np.abs(edges.source - edges.target) == 1]
    np.testing.assert_allclose(np.abs(true), 0.4, atol=5 / np.sqrt(4000))
    precision = model.precision.toarray()
    relative = np.abs(fitted.precision_ - precision).max() / precision.max()
    assert relative < 0.2
    np.testing.assert_allclose(fitted.covariance_ @ fitted.precision_, np.eye(30), atol=1e-6)


def test_score_is_the_gaussian_log_likelihood():
    from scipy.stats import multivariate_normal

    model = HedgeGraph().fit(walk(1000))
    rows = walk(50, seed=9)
    expected = multivariate_normal(model.location_, model.covariance_).logpdf(rows).mean()
    assert model.score(rows) == pytest.approx(expected, abs=1e-6)


def test_a_looser_level_needs_no_new_fit():
    model = HedgeGraph(level=0.01).fit(walk(300, 12))
    loose = HedgeGraph(level=0.4).fit(walk(300, 12))
    assert np.array_equal(model.edges_up_to(0.4).q_value, loose.edges_.q_value)
    with pytest.raises(ValueError, match=r"level must be in \(0, 0.5\], got 0.7"):
        model.edges_up_to(0.7)


def test_changing_level_after_fit_is_honoured():
    model = HedgeGraph(level=0.4).fit(walk(200, 12))
    count = len(model.edges_)
    model.set_params(level=1e-6)
    assert len(model.edges_) < count
    assert model.adjacency_.sum() == 2 * len(model.edges_)


@pytest.mark.parametrize("level", [0.05, np.float32(0.25), 0.9])
def test_the_level_is_the_one_that_was_asked_for(level):
    model = HedgeGraph(level=level).fit(walk(100, 12))
    assert model.level_ == level
    assert type(model.level_) is float
    assert model.edges_.q_value.max() <= level


def test_a_balanced_graph_needs_no_new_fit(monkeypatch):
    rows = datasets.make("grid", 25, seed=0).sample(120, seed=1)
    fitted = {level: HedgeGraph(level=level).fit(rows) for level in (0.01, "balanced")}
    assert len(fitted["balanced"].edges_) > len(fitted[0.01].edges_)
    model = HedgeGraph(error="fwer").fit(rows)
    monkeypatch.setattr(HedgeStream, "take", None)  # learning again would be an error
    for level in (0.01, "balanced", 0.01):
        model.set_params(error="fdr", level=level)
        assert model.level_ == fitted[level].level_
        for name in EdgeTable.COLUMNS:
            assert np.array_equal(model.edges_[name], fitted[level].edges_[name])
        assert np.array_equal(model.precision_, fitted[level].precision_)


def test_more_rows_balance_the_graph_anew():
    first, more = walk(80, 12), walk(2000, 12, seed=1)
    model = HedgeGraph(level="balanced").partial_fit(first)
    before = model.level_
    model.partial_fit(more)
    assert model.level_ == HedgeGraph(level="balanced").fit(np.vstack([first, more])).level_
    assert model.level_ != before
    assert edge_set(model) >= chain(12)


def test_changing_to_parameters_that_cannot_be_is_told_when_results_are_asked_for():
    model = HedgeGraph(level="balanced").fit(walk()).set_params(error="fwer")
    for name in ("level_", "edges_", "adjacency_", "precision_"):
        with pytest.raises(ValueError, match="error must be 'fdr' with level='balanced'"):
            getattr(model, name)


def test_a_balanced_graph_at_another_level():
    model = HedgeGraph(level="balanced").fit(walk(80, 12))
    assert len(model.edges_up_to(1e-4)) <= len(model.edges_) <= len(model.edges_up_to(0.5))
    with pytest.raises(ValueError, match=r"level must be in \(0, 0.5\], got 0.7"):
        model.edges_up_to(0.7)
    with pytest.raises(ValueError, match=r"level must be in \(0, 0.5\], got 0.7"):
        model.graph_up_to(0.7)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"level": 1.5}, "level must be a number in (0, 1), got 1.5"),
        ({"level": 2}, "level must be a number in (0, 1), got 2"),
        ({"level": "much"}, "level must be a number in (0, 1) or 'balanced', got 'much'"),
        (
            {"error": "fwer", "level": "balanced"},
            "error must be 'fdr' with level='balanced', got 'fwer'",
        ),
        ({"error": "none"}, "error must be one of 'fdr', 'fwer', got 'none'"),
    ],
)
def test_bad_parameters_are_told_by_name(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        HedgeGraph(**parameters).fit(walk())


def test_missing_values_are_counted_and_placed():
    rows = pd.DataFrame(walk(), columns=NAMES)
    rows.iloc[3, 1] = np.nan
    rows.iloc[4:6, 2] = np.inf
    with pytest.raises(ValueError, match=r"1 NaN .* 2 inf .*'ü' \(1\), 'x,y' \(2\)"):
        HedgeGraph(rows="independent", columns="normal").fit(rows)
    with pytest.raises(ValueError, match=r"got 2 inf .*: 'x,y' \(2\)"):  # gaps are allowed
        HedgeGraph().fit(rows)


def test_a_bad_chunk_changes_nothing():
    model = HedgeGraph().partial_fit(walk())
    before = model.edges_.z
    bad = walk()
    bad[0, 0] = np.inf
    with pytest.raises(ValueError, match="inf"):
        model.partial_fit(bad)
    assert model.n_samples_seen_ == 400
    assert np.array_equal(model.edges_.z, before)


def test_constant_columns_are_isolated_and_named():
    rows = pd.DataFrame(walk(), columns=NAMES).assign(still=3.0)
    with pytest.warns(DataWarning, match="constant columns are isolated nodes: 'still'"):
        model = HedgeGraph(error="fwer").fit(rows)
    assert len(edge_set(model)) == 4
    assert model.adjacency_.toarray()[-1].sum() == 0
    assert np.linalg.eigvalsh(model.precision_)[0] > 0


def test_copies_are_joined_to_their_original_alone():
    rows = walk()
    rows = np.column_stack([rows, -2 * rows[:, 1] + 5, rows[:, 1]])
    with pytest.warns(DataWarning, match="5 of 1, 6 of 1"):
        model = HedgeGraph(error="fwer").fit(rows)
    assert edge_set(model) == chain(5) | {frozenset((1, 5)), frozenset((1, 6))}
    assert model.partial_corr_[1, 5] == -1
    assert model.partial_corr_[1, 6] == 1
    with pytest.warns(DataWarning, match="likelihood has no maximum"):
        precision = model.precision_
    assert np.linalg.eigvalsh(precision)[0] > 0


def test_linear_combinations_are_named():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((500, 6))
    rows = np.column_stack([rows, rows[:, 0] + rows[:, 1]])
    with pytest.warns(DataWarning, match="columns that others determine have no unique edges"):
        model = HedgeGraph(error="fwer").fit(rows)
    assert edge_set(model) <= {frozenset(pair) for pair in ((0, 1), (0, 6), (1, 6))}
    assert np.isfinite(model.precision_).all()


def test_all_columns_constant():
    with pytest.warns(DataWarning, match="constant"):
        model = HedgeGraph().fit(np.ones((100, 3)))
    assert len(model.edges_) == 0
    assert model.precision_.shape == (3, 3)


@pytest.mark.parametrize("n_rows", [2, 3, 4, 5, 10])
def test_too_few_rows_give_no_edges_and_advice(n_rows):
    advice = rows_to_detect(0.5, 40, 0.05)
    with pytest.warns(GuaranteeWarning, match=f"{n_rows} rows are too few .* {advice} rows"):
        model = HedgeGraph().fit(np.random.default_rng(0).standard_normal((n_rows, 40)))
    assert model.adjacency_.nnz <= 2
    assert np.linalg.eigvalsh(model.precision_)[0] > 0


def test_few_rows_are_said_to_be_few():
    with pytest.warns(GuaranteeWarning, match="40 rows are few for 60 columns"):
        HedgeGraph().fit(np.random.default_rng(0).standard_normal((40, 60)))


def test_a_balanced_graph_of_few_rows_says_what_is_in_doubt():
    rows = np.random.default_rng(0).standard_normal((40, 60))
    with pytest.warns(GuaranteeWarning, match="share of false edges may exceed its estimate; from"):
        model = HedgeGraph(level="balanced").fit(rows)
    with pytest.warns(GuaranteeWarning, match="may exceed the level 0.2; from"):
        assert len(model.set_params(level=0.2).edges_) >= 0


@pytest.mark.parametrize("n_rows", [2, 4, 7])
def test_too_few_rows_for_a_balanced_graph_give_the_same_advice(n_rows):
    advice = rows_to_detect(0.5, 40, 0.5)
    with pytest.warns(GuaranteeWarning, match=f"{n_rows} rows are too few .* {advice} rows"):
        model = HedgeGraph(level="balanced").fit(
            np.random.default_rng(0).standard_normal((n_rows, 40))
        )
    assert 0 < model.level_ <= 0.5


def test_copies_and_constants_are_set_aside_in_a_balanced_graph_too():
    rows = walk(2000)
    rows = np.column_stack([rows, np.ones(2000), -3 * rows[:, 2]])
    with pytest.warns(DataWarning):
        model = HedgeGraph(level="balanced").fit(rows)
    assert edge_set(model) >= chain(5)
    assert not model.adjacency_.toarray()[5].any()
    assert np.flatnonzero(model.adjacency_.toarray()[6]).tolist() == [2]


def test_where_nothing_stands_out_a_balanced_graph_has_copies_alone():
    rows = hadamard(64)[:, 1:9]  # no two columns are correlated at all
    model = HedgeGraph(level="balanced", rows="independent", columns="normal").fit(rows)
    assert len(model.edges_) == len(model.edges_up_to(0.5)) == 0
    assert model.level_ == 0.5
    assert np.array_equal(model.precision_ != 0, np.eye(8, dtype=bool))
    with pytest.warns(DataWarning, match="8 of 3"):
        model.fit(np.column_stack([rows, 1 - rows[:, 3]]))
    assert edge_set(model) == {frozenset((3, 8))}
    assert model.level_ == 1e-6


def test_strongly_related_columns_need_more_rows_for_the_promise():
    with pytest.warns(GuaranteeWarning, match="80 rows are few for 60 columns as strongly related"):
        HedgeGraph().fit(walk(80, 60))
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        HedgeGraph().fit(np.random.default_rng().standard_normal((80, 60)))
        HedgeGraph().fit(walk(200, 60))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (50, 1), (50,)])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"minimum of|required|Expected 2D"):
        HedgeGraph().fit(np.zeros(shape))


def test_text_columns_are_named():
    with pytest.raises(ValueError, match=r"numeric columns.*'town'"):
        HedgeGraph().fit(pd.DataFrame({"a": [1.0, 2, 3], "b": [1, 2, 4], "town": list("xyz")}))


def test_results_before_fit_are_refused():
    from sklearn.exceptions import NotFittedError

    names = ("edges_", "adjacency_", "precision_", "location_", "n_samples_seen_", "level_")
    for name in names:
        for model in (HedgeGraph(), HedgeGraph(level="balanced")):
            with pytest.raises(NotFittedError):
                getattr(model, name)


def test_only_a_model_file_is_loaded(tmp_path):
    path = tmp_path / "model"
    HedgeGraph().fit(walk()).save(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(StorageError):
        HedgeGraph.load(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(StorageError):
        HedgeGraph.load(path)


@pytest.mark.parametrize("asked", [("fwer", 0.01), ("fdr", "balanced")])
def test_names_and_parameters_survive_a_file(tmp_path, asked):
    model = HedgeGraph(*asked).fit(pd.DataFrame(walk(), columns=NAMES))
    model.save(tmp_path / "model")
    loaded = HedgeGraph.load(tmp_path / "model")
    assert loaded.get_params() == model.get_params()
    assert loaded.feature_names_in_.tolist() == NAMES
    assert loaded.n_features_in_ == 5
    assert loaded.level_ == model.level_
    assert [tuple(edge) for edge in loaded.edges_] == [tuple(edge) for edge in model.edges_]


def test_many_columns_are_within_reach():
    model = datasets.make("erdos_renyi", 1000, strength=0.24, signs="mixed", seed=3)
    fitted = HedgeGraph().fit(model.sample(600, 4))
    wrong = (fitted.adjacency_.astype(int) - model.adjacency.astype(int)).toarray()
    found = fitted.adjacency_.nnz
    assert (wrong > 0).sum() < 0.1 * found
    assert (wrong < 0).sum() < 0.2 * model.adjacency.nnz
