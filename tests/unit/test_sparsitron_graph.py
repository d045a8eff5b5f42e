"""SparsitronGraph: what it stores, what it warns of, what it refuses."""

import doctest
import pickle
import warnings
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from hedgerow import SparsitronGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.paper.sparsitron import SELECTIONS, row_bound
from hedgerow.theory import Problem, sufficient_rows

quiet = pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")


def two_pairs(m=60_000, seed=0):
    """Columns a-b and c-d with partial correlations .8 and -.8, each of variance 1."""
    X = np.random.default_rng(seed).standard_normal((m, 4))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    X[:, 3] = -0.8 * X[:, 2] + 0.6 * X[:, 3]
    return X


PARAMETERS = {"l1_bound": 0.8, "min_edge_strength": 0.3, "max_precision": 3.0}
PAIRS = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=bool)


@quiet
@pytest.mark.parametrize("module", ["paper.sparsitron", "estimators._sparsitron", "base.words"])
def test_examples_in_the_docstrings(module):
    result = doctest.testmod(import_module(f"hedgerow.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


# --- what is stored ---------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_finds_two_pairs_whatever_their_mean(selection, shift):
    graph = SparsitronGraph(**PARAMETERS, selection=selection).fit(two_pairs() + shift)
    assert isinstance(graph.adjacency_, csr_array)
    assert graph.adjacency_.dtype == bool
    np.testing.assert_array_equal(graph.adjacency_.toarray(), PAIRS)
    assert graph.weights_[0, 1] > 0 > graph.weights_[2, 3]
    assert not graph.weights_.diagonal().any()


@quiet
@pytest.mark.parametrize(
    ("selection", "centered", "n_holdout", "expected"),
    [
        ("argmin", False, None, (20, 80)),
        ("argmin", True, None, (20, 81)),
        ("checkpoints", False, 7, (7, 93)),
        ("checkpoints", True, 100, (100, 1)),
        ("average", False, None, (0, 100)),
        ("average", True, None, (0, 101)),
    ],
)
def test_split_of_the_rows(selection, centered, n_holdout, expected):
    graph = SparsitronGraph(selection=selection, assume_centered=centered, n_holdout=n_holdout)
    graph.fit(two_pairs(101))
    assert (graph.n_holdout_, graph.n_steps_) == expected
    assert graph.n_samples_seen_ == 101


@quiet
def test_steps_and_spans_say_what_was_averaged():
    X = two_pairs(5000)
    argmin, checkpoints, average = (SparsitronGraph(selection=s).fit(X) for s in SELECTIONS)
    assert (argmin.selected_span_ == 1).all()
    assert ((argmin.selected_step_ >= 1) & (argmin.selected_step_ <= argmin.n_steps_)).all()
    assert (checkpoints.selected_span_ <= checkpoints.selected_step_).all()
    assert (average.selected_step_ == average.n_steps_).all()
    assert (average.selected_span_ == average.n_steps_).all()


@quiet
def test_held_out_rows_are_the_first_and_are_not_learned_from():
    X = two_pairs(400)
    changed = X.copy()
    changed[:80] = two_pairs(80, seed=1)
    options = {"selection": "checkpoints", "n_holdout": 80, "assume_centered": True}
    one, other = (SparsitronGraph(**options).fit(rows) for rows in (X, changed))
    same_choice = (one.selected_step_ == other.selected_step_) & (
        one.selected_span_ == other.selected_span_
    )
    assert same_choice.any()
    np.testing.assert_array_equal(one.weights_[same_choice], other.weights_[same_choice])
    changed[80:] = two_pairs(320, seed=2)
    assert not np.array_equal(SparsitronGraph(**options).fit(changed).weights_, one.weights_)


@quiet
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_keep_their_names(frame):
    X = two_pairs(300)
    table = frame({name: X[:, j] for j, name in enumerate("abcd")})
    graph = SparsitronGraph().fit(table)
    assert list(graph.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(graph.weights_, SparsitronGraph().fit(X).weights_)


@quiet
def test_input_is_left_alone_and_single_precision_is_accepted():
    X = two_pairs(300)
    before = X.copy()
    double = SparsitronGraph().fit(X)
    np.testing.assert_array_equal(X, before)
    single = SparsitronGraph().fit(X.astype(np.float32))
    np.testing.assert_allclose(single.weights_, double.weights_, atol=1e-6)


# --- the stream -------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("selection", SELECTIONS)
def test_stream_one_row_at_a_time_with_a_pause_on_disk(selection):
    X = two_pairs(50)
    stream = SparsitronGraph(selection=selection, horizon=50)
    for t in range(50):
        assert not hasattr(stream, "weights_")
        stream.partial_fit(X[t : t + 1])
        assert stream.n_samples_seen_ == t + 1
        stream = pickle.loads(pickle.dumps(stream))  # noqa: S301
    np.testing.assert_array_equal(
        stream.weights_, SparsitronGraph(selection=selection).fit(X).weights_
    )


@quiet
def test_stream_keeps_no_rows():
    m, p = 20_000, 4
    stream = SparsitronGraph(selection="checkpoints", horizon=2 * m)
    stream.partial_fit(two_pairs(m))
    assert len(pickle.dumps(stream)) < m * p * 8 / 10


@quiet
def test_fit_after_a_stream_starts_afresh():
    X = two_pairs(200)
    graph = SparsitronGraph(horizon=200).partial_fit(X[:150])
    graph.fit(X)
    np.testing.assert_array_equal(graph.weights_, SparsitronGraph().fit(X).weights_)
    graph.set_params(horizon=100).fit(X[:100])
    assert graph.n_samples_seen_ == 100


def test_stream_without_a_horizon():
    with pytest.raises(AttributeError) as failure:
        SparsitronGraph().partial_fit(two_pairs(10))
    assert "horizon" in str(failure.value.__cause__)


@quiet
def test_rows_past_the_horizon():
    stream = SparsitronGraph(horizon=100).partial_fit(two_pairs(60))
    with pytest.raises(ValueError, match=r"at least .* rows, 60 seen and 50 more, got 100"):
        stream.partial_fit(two_pairs(50))
    stream.partial_fit(two_pairs(40))  # the refused rows left no trace
    assert stream.n_samples_seen_ == 100
    with pytest.raises(ValueError, match="horizon"):
        stream.partial_fit(two_pairs(1))


# --- warnings ---------------------------------------------------------------------------------


def test_too_few_rows_for_the_guarantee():
    graph = SparsitronGraph(**PARAMETERS, delta=0.1, selection="average")
    with pytest.warns(GuaranteeWarning, match="200 rows are fewer than .* at most 0.1"):
        graph.fit(two_pairs(200))
    problem = Problem(
        p=4, kappa=0.3, lambda_max=0.8, nu_max=1.0, theta_max=3.0, degree=1, delta=0.1
    )
    proved = sufficient_rows(problem, selection="average").train
    assert graph.guaranteed_rows_ == proved + 1  # one row for the unknown mean


@quiet
def test_max_precision_decides_how_many_rows_are_guaranteed():
    X = two_pairs(100)
    small, large = (SparsitronGraph(max_precision=bound).fit(X) for bound in (1.0, 2.0))
    assert large.guaranteed_rows_ > 3 * small.guaranteed_rows_  # it grows like the square


@pytest.mark.filterwarnings("ignore:500 rows are fewer")
def test_variance_bound_that_the_data_break():
    X = pd.DataFrame(two_pairs(500), columns=list("abcd"))
    X["c"] *= 1000
    with pytest.warns(GuaranteeWarning, match=r"max_variance=1 is too small .* columns 'c' \("):
        SparsitronGraph().fit(X)


def test_variance_bound_that_the_data_keep():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SparsitronGraph(max_variance=2.0).fit(two_pairs(500))
    assert not [w for w in caught if "max_variance" in str(w.message)]
    assert row_bound(2.0, 0.05, 4, 400) > 5.0  # seven standard deviations: the silence is earned


# --- bad input --------------------------------------------------------------------------------


def changed(row, column, value):
    X = two_pairs(20)
    X[row, column] = value
    return X


BAD_ROWS = {
    "1-D": (np.ones(5), "Expected 2D array, got 1D array"),
    "3-D": (np.ones((3, 3, 3)), "dim 3"),
    "empty": (np.ones((0, 3)), "0 sample"),
    "two rows": (np.eye(2), "2 sample.* minimum of 3"),
    "one column": (np.ones((9, 1)), "1 feature.* minimum of 2"),
    "NaN": (changed(3, 1, np.nan), r"X must be finite, got 1 NaN .* 0 inf .* columns: 1 \(1\)"),
    "inf": (changed(3, 2, -np.inf), r"X must be finite, got 0 NaN .* 1 inf .* columns: 2 \(1\)"),
    "constant": (changed(slice(None), 3, 7.5), r"constant columns: 3 \(always 7.5\)"),
    "text": (np.array([["a", "b"]] * 5), "numeric columns, got columns that are not: 0, 1"),
    "some text": (np.array([[1, "b"]] * 5, dtype=object), "numeric columns, got .* not: 1"),
    "huge": (changed(0, 0, 1e120), r"entries of size up to .*, got 1e\+120"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows(case):
    X, message = BAD_ROWS[case]
    with pytest.raises(ValueError, match=message):
        SparsitronGraph().fit(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_bad_columns_are_named(frame):
    columns = {"a": [1.0, 2.0, 4.0], "city": ["1", "2", "3"], "b": [0.5, None, 1.5]}
    with pytest.raises(ValueError, match=r"numeric columns, got .* not: 'city' \("):
        SparsitronGraph().fit(frame(columns))
    del columns["city"]
    with pytest.raises(ValueError, match=r"1 NaN \(missing\) .* 'b' \(1\)"):
        SparsitronGraph().fit(frame(columns))


def test_long_lists_of_columns_are_cut_short():
    X = np.full((5, 9), np.nan)
    with pytest.raises(ValueError, match=r"got 45 NaN .* 4 \(5\) and 4 more"):
        SparsitronGraph().fit(X)


BAD_PARAMETERS = [
    ({"l1_bound": 0.0}, r"l1_bound must be a number in \(.*\), got 0.0"),
    ({"l1_bound": "2"}, r"l1_bound must be a number in .*, got '2'"),
    ({"l1_bound": 0.1}, "l1_bound must be at least min_edge_strength = 0.2.*, got 0.1"),
    ({"min_edge_strength": 1.0}, "min_edge_strength must be .*, got 1.0"),
    ({"min_edge_strength": -0.2}, "min_edge_strength must be .*, got -0.2"),
    ({"max_variance": -1.0}, "max_variance must be .*, got -1.0"),
    ({"max_variance": np.nan}, "max_variance must be .*, got nan"),
    ({"max_precision": np.inf}, "max_precision must be .*, got inf"),
    ({"max_precision": 0.5}, "max_precision must be at least 1 / max_variance = 1.*, got 0.5"),
    ({"delta": 1.5}, "delta must be .*, got 1.5"),
    ({"selection": "best"}, "selection must be one of .*, got 'best'"),
    ({"horizon": 30}, "horizon must be None or the number of rows given to fit, 20, got 30"),
    ({"horizon": 10}, "horizon must be None or the number of rows given to fit, 20, got 10"),
    ({"n_holdout": 0}, "n_holdout must be an integer >= 1, got 0"),
    ({"n_holdout": 2.5}, "n_holdout must be an integer >= 1, got 2.5"),
    ({"n_holdout": 19}, "n_holdout must be below 19, .* of 20 rows .*, got 19"),
    ({"n_holdout": 20, "assume_centered": True}, "n_holdout must be below 20.*, got 20"),
    ({"n_holdout": 5, "selection": "average"}, "n_holdout must be None with .*, got 5"),
    ({"assume_centered": "no"}, "assume_centered must be True or False, got 'no'"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        SparsitronGraph(**parameters).fit(two_pairs(20))


@pytest.mark.parametrize("horizon", [2, 10.0, "100"])
def test_bad_horizon_of_a_stream(horizon):
    with pytest.raises(ValueError, match="horizon must be an integer >= 3"):
        SparsitronGraph(horizon=horizon).partial_fit(two_pairs(2))


def test_constant_column_is_refused_when_the_stream_ends():
    X = changed(slice(None), 1, 3.0)
    stream = SparsitronGraph(horizon=20).partial_fit(X[:19])
    with pytest.raises(ValueError, match=r"constant columns: 1 \(always 3\)"):
        stream.partial_fit(X[19:])
    assert not hasattr(stream, "weights_")
