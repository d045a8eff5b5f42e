"""IsingGraph: what it takes, what it gives, and what it says of bad input."""

import copy
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow import IsingGraph
from hedgerow.base.storage import StorageError, read, write
from hedgerow.datasets import make_ising
from hedgerow.estimators import DataWarning, GuaranteeWarning

ROWS = make_ising("grid", 9, strength=0.6, seed=0).sample(600, seed=0)
EDGES = 12


@pytest.fixture(scope="module")
def learned():
    return IsingGraph().fit(ROWS)


def same(one, other):
    """Whether two models give the same results, to the bit."""
    for name, column in one.edges_.to_dict().items():
        np.testing.assert_array_equal(column, other.edges_[name])
    np.testing.assert_array_equal(one.couplings_, other.couplings_)
    np.testing.assert_array_equal(one.fields_, other.fields_)


def test_the_graph_is_found(learned):
    truth = make_ising("grid", 9, strength=0.6).adjacency.toarray()
    assert (learned.adjacency_.toarray() & truth).sum() == 2 * EDGES
    edge = next(iter(learned.edges_))
    assert edge.log_odds_ratio == pytest.approx(4 * edge.coupling)
    assert edge.coupling == learned.couplings_[edge.source, edge.target]
    assert np.diff(learned.edges_.q_value).min() >= 0
    np.testing.assert_array_equal(learned.couplings_ != 0, learned.adjacency_.toarray())


@pytest.mark.parametrize(
    "values",
    [(0, 1), (False, True), (2.5, 7), ("no", "yes"), ("a", "b"), (1, 2)],
    ids=str,
)
def test_any_two_values_are_the_same(learned, values):
    table = np.array(values, dtype=object)[(ROWS > 0).astype(int)]
    other = IsingGraph().fit(table)
    same(learned, other)
    assert other.values_[0].tolist() == list(values)
    assert f"+1 is {values[1] * 1} and -1 is {values[0] * 1} in all columns." in other.summary()
    sample = other.sample(20, seed=1)
    assert set(sample.ravel().tolist()) == set(values)
    assert other.score(sample) == pytest.approx(learned.score(learned.sample(20, seed=1)))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_of_words_and_booleans(learned, frame):
    columns = {f"c{j}": np.where(ROWS[:, j] > 0, "yes", "no").tolist() for j in range(9)}
    columns["c3"] = (ROWS[:, 3] > 0).tolist()
    named = IsingGraph().fit(frame(columns))
    np.testing.assert_array_equal(named.couplings_, learned.couplings_)
    assert named.feature_names_in_.tolist() == list(columns)
    assert named.edges_.source[0].startswith("c")
    assert "+1 is yes and -1 is no in 'c0', 'c1'" in named.summary()
    chances = named.predict_proba(frame(columns), "c4")
    np.testing.assert_array_equal(chances, learned.predict_proba(ROWS, 4))


def test_a_larger_value_that_comes_first_is_the_larger_one():
    up = IsingGraph().partial_fit(ROWS)
    down = IsingGraph().partial_fit(ROWS[::-1])
    np.testing.assert_array_equal(up.adjacency_.toarray(), down.adjacency_.toarray())
    np.testing.assert_allclose(up.couplings_, down.couplings_, atol=1e-8)


@pytest.mark.parametrize("cuts", [[1], [1, 2, 3, 300], [599], list(range(50, 600, 50))])
def test_any_cut_gives_the_same_bits(learned, cuts):
    model = IsingGraph()
    for rows in np.split(ROWS, cuts):
        model.partial_fit(rows)
    same(model, learned)
    assert model.n_samples_seen_ == 600


def test_results_follow_further_rows(learned):
    model = IsingGraph().fit(ROWS[:100])
    few = len(model.edges_)
    same(model.partial_fit(ROWS[100:]), learned)
    assert few < len(model.edges_)


def test_saved_and_loaded(learned, tmp_path):
    path = tmp_path / "model.hedgerow"
    learned.save(path)
    same(IsingGraph.load(path), learned)
    words = np.where(ROWS > 0, "yes", "no").astype(object)
    model = IsingGraph(error="fwer").partial_fit(words[:300], feature_names=list("abcdefghi"))
    model.save(path)
    again = IsingGraph.load(path)
    assert again.error == "fwer"
    assert again.feature_names_in_.tolist() == list("abcdefghi")
    same(
        again.partial_fit(words[300:], feature_names=list("abcdefghi")),
        model.partial_fit(words[300:], feature_names=list("abcdefghi")),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, arrays: arrays.pop("bits"), "'values' and 'bits'"),
        (lambda header, arrays: arrays.update(bits=arrays["bits"][:, :1]), "bits must be of shape"),
        (lambda header, arrays: arrays["bits"].fill(255), "bits must end with zeros"),
        (lambda header, arrays: arrays["values"].fill(np.nan), "a first one for each column"),
        (lambda header, arrays: arrays["values"].fill(1.0), "values must differ"),
        (lambda header, arrays: arrays["bits"].fill(0), "those that its bits tell of"),
        (lambda header, arrays: header.update(words={"12": ["a"]}), "words must be lists"),
        (lambda header, arrays: header.update(words={"0": ["a"] * 3}), "up to two words"),
        (lambda header, arrays: header.update(words={"0": ["a"]}), "numbers of words"),
        (lambda header, arrays: header.update(feature_names=["a"]), "feature_names must be 9"),
        (lambda header, arrays: header["parameters"].update(level=2), "level must be"),
    ],
)
def test_files_that_no_model_can_have_written(learned, tmp_path, change, message):
    path = tmp_path / "model.hedgerow"
    learned.save(path)
    header, arrays = read(path, "IsingGraph")
    change(header, arrays)
    write(path, "IsingGraph", header, arrays)
    with pytest.raises(StorageError, match=message):
        IsingGraph.load(path)


def test_copies_and_pickles_go_their_own_way(learned):
    for other in (copy.copy(learned), pickle.loads(pickle.dumps(learned))):  # noqa: S301
        other.partial_fit(ROWS[:50])
        assert (other.n_samples_seen_, learned.n_samples_seen_) == (650, 600)


def test_levels_and_errors(learned):
    strict = IsingGraph(error="fwer", level=1e-9).fit(ROWS)
    assert 0 < len(strict.edges_) < len(learned.edges_)
    assert len(learned.edges_up_to(0.5)) >= len(learned.edges_)
    assert strict.edges_.q_value.max() <= 1e-9
    balanced = IsingGraph(level="balanced").fit(ROWS)
    assert 0 < balanced.level_ < 0.5
    assert len(balanced.edges_) >= EDGES
    with pytest.raises(ValueError, match=r"level must be in \(0, 0.5\], got 0.7"):
        learned.edges_up_to(0.7)
    noise = np.random.default_rng(0).integers(0, 2, (300, 12))
    assert len(IsingGraph(level="balanced").fit(noise).edges_) == 0


def test_networkx(learned):
    graph = learned.to_networkx()
    assert graph.number_of_edges() == len(learned.edges_)
    assert set(next(iter(graph.edges(data=True)))[2]) == {
        "coupling",
        "log_odds_ratio",
        "z",
        "p_value",
        "q_value",
    }


def test_three_values_are_refused_by_name_and_change_nothing(learned):
    table = pd.DataFrame(ROWS.copy(), columns=list("abcdefghi"))
    table.loc[5, "c"] = 0
    with pytest.raises(ValueError, match=r"got more in columns: 'c' \(.*0.0\)"):
        IsingGraph().fit(table)
    model = copy.copy(learned)
    with pytest.raises(ValueError, match="two values in each column"):
        model.partial_fit(np.zeros((3, 9)))
    same(model, learned)
    words = np.array([["yes", "no"], ["no", "no"], ["maybe", "yes"]], dtype=object)
    with pytest.raises(ValueError, match=r"0 \('yes', 'no', 'maybe'\)"):
        IsingGraph().fit(words)
    with pytest.raises(ValueError, match="two values in each column"):
        learned.predict_proba(np.full((1, 9), 3), 0)


def test_missing_cells_are_refused():
    rows = ROWS.copy()
    rows[3, 2] = np.nan
    with pytest.raises(ValueError, match="X must be finite"):
        IsingGraph().fit(rows)


def test_a_constant_column_is_an_isolated_node():
    rows = np.column_stack([ROWS, np.ones(600)])
    with pytest.warns(DataWarning, match="constant columns are isolated nodes: 9"):
        model = IsingGraph().fit(rows)
    assert model.adjacency_.toarray()[9].sum() == 0
    assert np.isfinite(model.fields_).all()
    assert abs(model.fields_[9]) > 1
    assert (model.sample(50, seed=0)[:, 9] == 1).all()
    np.testing.assert_array_equal(model.couplings_[:9, :9], IsingGraph().fit(ROWS).couplings_)


def test_columns_that_are_the_same_are_joined_to_each_other_alone():
    rows = np.column_stack([ROWS, -ROWS[:, 4]])
    with pytest.warns(DataWarning, match="the same in all rows, or opposite.*4 and 9"):
        model = IsingGraph(error="fwer").fit(rows)
    ends = {(edge.source, edge.target) for edge in model.edges_ if 9 in edge[:2] or 4 in edge[:2]}
    assert ends == {(4, 9)}
    assert -10 < model.couplings_[4, 9] < -1


def test_a_variable_that_another_implies_is_an_edge():
    """Complete separation: a one in the first column is always one in the second."""
    rng = np.random.default_rng(0)
    first = rng.random(500) < 0.3
    second = first | (rng.random(500) < 0.3)
    model = IsingGraph(error="fwer").fit(np.column_stack([first, second, rng.random(500) < 0.5]))
    assert [edge[:2] for edge in model.edges_] == [(0, 1)]
    assert 1 < model.couplings_[0, 1] < 10


def test_fewer_rows_than_neighbours():
    model = make_ising("star", 16, strength=1.0)
    with (
        pytest.warns(DataWarning),
        pytest.warns(GuaranteeWarning, match="8 rows are too few for any edge among 16 columns"),
    ):
        learned = IsingGraph().fit(model.sample(8, seed=0))
    assert len(learned.edges_) == 0
    assert np.isfinite(learned.fields_).all()


def test_bad_arguments(learned):
    with pytest.raises(ValueError, match="column must be the name or number of one, got 'x'"):
        learned.predict_proba(ROWS, "x")
    with pytest.raises(ValueError, match="n must be an integer >= 1, got 0"):
        learned.sample(0)
    with pytest.raises(ValueError, match="error must be one of"):
        IsingGraph(error="none").fit(ROWS)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        IsingGraph().fit(ROWS[:1])


def test_held_out_rows_are_told_better_by_the_graph_than_without(learned):
    rows = make_ising("grid", 9, strength=0.6).sample(2000, seed=9)
    with pytest.warns(GuaranteeWarning):
        alone = IsingGraph(error="fwer", level=1e-300).fit(ROWS)
    assert len(alone.edges_) == 0
    assert learned.score(rows) > alone.score(rows) + 1


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.bool_])
def test_memory_is_four_times_the_rows_as_bytes_and_a_number_for_each_pair(kind):
    n_rows, n_columns = 4000, 100
    rng = np.random.default_rng(0)
    rows = np.where(rng.random((n_rows, n_columns)) < 0.6, 1, -1).cumprod(axis=1)
    table = (rows > 0).astype(kind)
    IsingGraph().fit(table[:200, :6])
    tracemalloc.start()
    learned = IsingGraph().fit(table)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(learned.edges_) >= n_columns - 1
    assert most <= 4 * n_rows * n_columns + 8 * n_columns**2
