"""SparsitronIsing: what it takes, what it refuses, what it warns of."""

import pickle

import numpy as np
import pandas as pd
import pytest

from hedgerow import SparsitronIsing
from hedgerow.datasets import make_ising
from hedgerow.estimators import GuaranteeWarning
from hedgerow.theory import IsingProblem, sufficient_ising_rows

quiet = pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")
ROWS = make_ising("chain", 4, strength=0.6).sample(300, seed=0)


@quiet
@pytest.mark.parametrize("code", [lambda x: x, lambda x: (x + 1) / 2, lambda x: x > 0])
def test_minus_one_and_zero_and_false_are_the_same(code):
    expected = SparsitronIsing().fit(ROWS)
    graph = SparsitronIsing().fit(code(ROWS))
    np.testing.assert_array_equal(graph.couplings_, expected.couplings_)
    np.testing.assert_array_equal(graph.fields_, expected.fields_)


@quiet
def test_names_are_kept():
    table = pd.DataFrame(ROWS > 0, columns=list("abcd"))
    assert list(SparsitronIsing().fit(table).feature_names_in_) == list("abcd")


def changed(row, column, value):
    rows = ROWS.copy()
    rows[row, column] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed(3, 2, 0.0), r"X must have columns of -1 and 1, or of 0 and 1, got columns 2 "),
        (changed(3, 2, 2.0), r"got columns 2 \(-1 to 2\)"),
        (changed(slice(None), 1, 1.0), r"constant columns: 1 \(always 1\)"),
        (changed(0, 0, np.nan), "X must be finite"),
    ],
)
def test_columns_of_other_values_are_refused_by_name(rows, message):
    with pytest.raises(ValueError, match=message):
        SparsitronIsing().fit(rows)


def test_a_third_value_is_refused_when_it_comes():
    stream = SparsitronIsing(horizon=300).partial_fit(ROWS[:5])
    with pytest.raises(ValueError, match="got columns 0"):
        stream.partial_fit(changed(200, 0, 0.0)[200:201])
    stream.partial_fit(ROWS[5:10])  # what was refused has changed nothing
    assert stream.n_samples_seen_ == 10


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"width": 0.1}, "width must be at least min_coupling = 0.2"),
        ({"width": 31.0}, r"width must be a number in \(1e-06, 30\), got 31.0"),
        ({"min_coupling": 0.0}, "min_coupling must be a number in"),
        ({"delta": 1.5}, "delta must be a number in"),
        ({"selection": "last"}, "selection must be one of 'argmin', 'checkpoints', 'average'"),
        ({"n_holdout": 300}, "n_holdout must be below 300"),
        (
            {"selection": "average", "n_holdout": 3},
            "n_holdout must be None with selection='average'",
        ),
        ({"horizon": 7}, "horizon must be None or the number of rows given to fit, 300, got 7"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SparsitronIsing(**parameters).fit(ROWS)


def test_too_few_rows_for_the_guarantee_are_warned_of():
    problem = IsingProblem(4, 0.2, 1.0, 0.05)
    for selection in ("argmin", "checkpoints", "average"):
        with pytest.warns(GuaranteeWarning, match="300 rows are fewer than the"):
            graph = SparsitronIsing(selection=selection).fit(ROWS)
        budget = sufficient_ising_rows(problem, selection=selection)
        assert graph.guaranteed_rows_ == budget.train + budget.holdout


@quiet
def test_a_stream_goes_on_after_a_pause_on_disk():
    stream = SparsitronIsing(horizon=300)
    for rows in np.array_split(ROWS, 7):
        assert not hasattr(stream, "couplings_")
        stream.partial_fit(rows)
        stream = pickle.loads(pickle.dumps(stream))  # noqa: S301
    np.testing.assert_array_equal(stream.couplings_, SparsitronIsing().fit(ROWS).couplings_)


def test_partial_fit_needs_a_horizon():
    assert not hasattr(SparsitronIsing(), "partial_fit")
