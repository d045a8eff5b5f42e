"""Tables that are not plain numbers: refused by name, or learned as what they are."""

import datetime
import pathlib
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from hedgerow import HedgeGraph, SparsitronGraph, compare
from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.estimators import DataWarning

NAMES = list("abcd")
WALK = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)


def gap(table):
    """Return a copy of a pandas table without the number in row 3 of column b."""
    table = table.copy()
    table.loc[3, "b"] = pd.NA
    return table


def cell(value):
    """Return the rows as objects, one of which is given."""
    table = WALK.astype(object)
    table[3, 1] = value
    return table


FRAME = pd.DataFrame((100 * WALK).round(), columns=NAMES)
MASKED = np.ma.array(WALK, mask=np.zeros(WALK.shape, dtype=bool))
MASKED[3:5, 1] = MASKED[7, 2] = np.ma.masked
DAYS = np.datetime64("2020-01-01") + np.arange(800).reshape(400, 2)
NO_DAY = np.where(DAYS[3, 0] == DAYS, np.datetime64("NaT"), DAYS)
ONE_MISSING = "X must be finite, got 1 NaN (missing) and 0 inf values in columns: "

MISSING = {
    "masked": (MASKED, "got 3 masked (missing) values in columns: 1 (2), 2 (1)"),
    "masked rows": (list(MASKED), "got 3 masked (missing) values in columns: 1 (2), 2 (1)"),
    "masked object": (cell(np.ma.masked), ONE_MISSING + "1 (1)"),
    "Int64": (gap(FRAME.astype("Int64")), ONE_MISSING + "'b' (1)"),
    "Float64": (gap(FRAME.astype("Float64")), ONE_MISSING + "'b' (1)"),
    "boolean": (gap((FRAME > 0).astype("boolean")), ONE_MISSING + "'b' (1)"),
    "arrow in pandas": (gap(FRAME.astype("float64[pyarrow]")), ONE_MISSING + "'b' (1)"),
    "polars": (
        pl.DataFrame({"a": [1, 2, 4], "b": [2, None, 3]}),
        ONE_MISSING + "'b' (1)",
    ),
    "polars bool": (
        pl.DataFrame({"a": [1, 2, 4], "b": [True, None, False]}),
        ONE_MISSING + "'b' (1)",
    ),
    "arrow": (pa.table({"a": [1, 2, 4], "b": [2, None, 3]}), ONE_MISSING + "'b' (1)"),
    "None": (cell(None), ONE_MISSING + "1 (1)"),
}
REFUSED = {
    "pd.NA": (cell(pd.NA), "X must have numbers, got <NA> in column 1, row 3"),
    "date": (cell(datetime.date(2020, 1, 2)), "got datetime.date(2020, 1, 2) in column 1, row 3"),
    "complex object": (cell(1j), "X must have numbers, got 1j in column 1, row 3"),
    "complex": (WALK + 1j, "Complex data not supported"),
    "days": (DAYS, "X must have numeric columns, got columns that are not: all (datetime64[D])"),
    "no day": (NO_DAY, "got columns that are not: all (datetime64[D])"),
    "time spans": (DAYS - DAYS[0], "got columns that are not: all (timedelta64[D])"),
    "dates in a frame": (FRAME.assign(t=DAYS[:, 0]), "columns that are not: 't' (Datetime"),
    "periods in a frame": (
        FRAME.assign(t=pd.period_range("2020", periods=400, freq="D")),
        "got Period('2020-01-01', 'D') in column 't', row 0",
    ),
    "repeated names": (
        pd.DataFrame(WALK, columns=list("abca")),
        "X must have column names that differ, got more than once: 'a'",
    ),
    "lazy": (pl.LazyFrame({"a": [1, 2]}), "X must be a table in memory, got a lazy one"),
    "matrix": (np.matrix(WALK), "np.matrix is not supported"),
    "sparse": (csr_array(WALK), "Use '.toarray()'"),
    "huge": (
        np.where(WALK > 3.9, -1.797e308, WALK),
        "X must have numbers of size up to 1e+145, whose squares can be summed, got -1.797e+308 in "
        f"column {np.argwhere(WALK > 3.9)[0][1]}, row {np.argwhere(WALK > 3.9)[0][0]} (the first "
        f"of {(WALK > 3.9).sum()}, in columns: ",
    ),
    "scaled": (FRAME * 1e150, "in column 'a', row 0 (the first of"),
    "whole numbers": (cell(10**200), "got 1e+200 in column 1, row 3 (the first of 1, in columns"),
}


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED)
@pytest.mark.filterwarnings("ignore:.*(matrix|masked element).*")
def test_what_is_no_number_is_refused_by_name(table):
    X, message = table
    for model in (HedgeGraph(), SparsitronGraph()):
        with pytest.raises((ValueError, TypeError), match=re.escape(message)):
            model.fit(X)


@pytest.mark.parametrize("table", MISSING.values(), ids=MISSING)
@pytest.mark.filterwarnings("ignore:.*masked element.*", "ignore::UserWarning")
def test_cells_without_a_number_are_missing_or_refused(table):
    X, message = table
    gone = HedgeGraph().fit(X).treatment_.missing
    assert gone.tolist() == ([0, 2, 1, 0] if "masked (" in message else [0, 1, 0, 0][: len(gone)])
    for model in (SparsitronGraph(), HedgeGraph(rows="independent", columns="normal")):
        with pytest.raises((ValueError, TypeError), match=re.escape(message)):
            model.fit(X)


SAME = {
    "nothing masked": np.ma.array(WALK),
    "rows of which nothing is masked": [np.ma.array(row) for row in WALK],
    "objects": WALK.astype(object),
    "Float64": pd.DataFrame(WALK).astype("Float64").rename(columns=str),
}


@pytest.mark.parametrize("table", SAME.values(), ids=SAME)
def test_other_forms_of_numbers_are_learned(table):
    expected = HedgeGraph().fit(WALK).edges_
    assert np.array_equal(HedgeGraph().fit(table).edges_.z, expected.z)
    assert len(expected) == 3


def test_a_comparison_refuses_the_same():
    with pytest.raises(ValueError, match="got 3 masked"):
        compare(MASKED, methods=["hedgerow"])
    with pytest.raises(ValueError, match=r"numbers of size up to 1e\+145"):
        compare(WALK * 1e150, methods=["hedgerow"])


def test_a_chunk_with_an_infinite_or_huge_number_changes_nothing():
    model = HedgeGraph().partial_fit(WALK)
    before = model.edges_.z
    for bad in (np.where(WALK > 3.9, np.inf, WALK), np.where(WALK > 3.9, 1e200, WALK)):
        with pytest.raises(ValueError, match="got"):
            model.partial_fit(bad)
    assert model.n_samples_seen_ == 400
    assert np.array_equal(model.edges_.z, before)


def test_the_largest_number_is_accepted_in_any_precision():
    rows = WALK / np.abs(WALK).max() * LARGEST_NUMBER
    assert np.abs(rows).max() == LARGEST_NUMBER
    assert np.array_equal(
        sorted((edge.source, edge.target) for edge in HedgeGraph().fit(rows).edges_),
        [(0, 1), (1, 2), (2, 3)],
    )
    single = (WALK * 1e37).astype(np.float32)  # whose squares overflow in single precision
    assert np.isfinite(single).all()
    assert len(HedgeGraph().fit(single).edges_) == 3


def ends(model):
    return sorted((edge.source, edge.target) for edge in model.edges_)


@pytest.mark.parametrize("size", [1e-160, 1e-175, 1e-300, 1e-147])
def test_columns_too_small_for_squares_are_named(size):
    rows = pd.DataFrame(WALK.copy(), columns=NAMES)
    rows["b"] *= size
    rule = "columns must be zero or vary by more than 1e-145.*in columns: 'b'; multiply them"
    with pytest.raises(ValueError, match=rule):
        HedgeGraph().fit(rows)
    model = HedgeGraph()
    for start in range(0, 400, 90):
        model.partial_fit(rows[start : start + 90])
    for _ in range(2):
        with pytest.raises(ValueError, match=rule):
            _ = model.edges_
    assert model.n_samples_seen_ == 400
    assert np.isfinite(model._stream.arrays()["gradient"]).all()


def test_tiny_numbers_among_ordinary_ones_are_fine():
    rows = WALK.copy()
    rows[3, 1] = 1e-200
    rows[:8, 2] = 0.0
    rows[3, 2] = 1e-160  # all that varies in the first batch
    rows[:16, 3] *= 1e-157
    model = HedgeGraph().fit(rows)
    assert ends(model) == [(0, 1), (1, 2), (2, 3)]
    assert all(np.isfinite(array).all() for name, array in kept(model).items())


def kept(model):
    infinite = ("half_life", "marginal_knots", "residual_scale")  # where that has a meaning
    return {name: array for name, array in model._stream.arrays().items() if name not in infinite}


@pytest.mark.parametrize("alive", [0, 2])
def test_columns_that_have_long_been_zero_leave_no_trace(alive):
    """Sums that are forgotten for a thousand half-lives fall below all numbers."""
    rng = np.random.default_rng(1)
    still = np.zeros((25_000, 4))
    still[:, :alive] = rng.standard_normal((25_000, alive))
    model = HedgeGraph(half_life=16, level=0.01, rows="independent", columns="normal")
    model.partial_fit(WALK).partial_fit(still)
    assert all(np.isfinite(array).all() for array in kept(model).values())
    with pytest.warns(UserWarning, match="constant columns are isolated nodes: .*2, 3"):
        assert not model.adjacency_[:, [2, 3]].nnz
    assert ends(model.partial_fit(WALK)) == [(0, 1), (1, 2), (2, 3)]
    assert all(np.isfinite(array).all() for array in kept(model).values())


@pytest.mark.parametrize(
    ("offset", "scale"),
    [
        (1e120, 1e110),
        (1e144, 1e135),
        (0, [1e144, 1e-144, 1, 1e-100]),
        ([0, 1e-130, 0, 1e140], [1e-143, 1e-140, 1e143, 1e131]),
    ],
)
def test_far_offsets_and_scales_far_apart_are_learned(offset, scale):
    rows = np.array(offset) + WALK * np.array(scale)
    model = HedgeGraph().fit(rows)
    assert ends(model) == [(0, 1), (1, 2), (2, 3)]
    assert np.isfinite(model.precision_).all()
    assert (model.precision_.diagonal() > 0).all()
    assert np.isfinite(model.covariance_).all()
    assert np.isfinite(model.score(rows))
    np.testing.assert_allclose(model.edges_.z, HedgeGraph().fit(WALK).edges_.z, rtol=1e-2)


def records():
    return np.array([tuple(row) for row in WALK], dtype=[(name, float) for name in NAMES])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("rows.csv", "must be a table, got the path 'rows.csv'; pandas.read_csv, or hedgerow.io.o"),
        (pathlib.Path("rows.csv"), "must be a table, got the path 'rows.csv'"),
        (dict(zip(NAMES, WALK.T)), "must be a table, got dict; pandas.DataFrame(X) makes one"),
        ([{"a": 1.0, "b": 2.0}], "must be a table, got list of dicts; pandas.DataFrame(X) makes"),
        (records(), "must be a table, got array of records; pandas.DataFrame(X) makes one"),
        (records().view(np.recarray), "must be a table, got array of records"),
        (None, "must be a table, got NoneType"),
        (iter(WALK), "must be a table, got"),
        (FRAME.set_axis([*"aabc"], axis=1), "that differ, got more than once: 'a'"),
        (FRAME.assign(b=[[1, 2]] * 400), "columns that are not: 'b' (lists among numbers)"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(table, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        HedgeGraph().fit(table)


def test_missing_objects_of_any_kind_are_missing():
    for nothing in (None, np.nan, pd.NA):
        objects = FRAME.assign(b=FRAME["b"].astype(object))
        objects.loc[::7, "b"] = nothing
        model = HedgeGraph().fit(objects)
        assert model.treatment_.missing.tolist() == [0, 58, 0, 0]
        assert objects["b"].isna().sum() == 58


@pytest.mark.parametrize(
    "names",
    [
        range(2019, 2023),
        pd.date_range("2024", periods=4),
        pd.MultiIndex.from_product([list("ab"), [0, 1]]),
    ],
)
def test_names_that_are_no_text_are_not_lost_in_silence(names):
    with pytest.warns(DataWarning, match="names of columns must be text to be kept, got"):
        model = HedgeGraph().fit(FRAME.set_axis(names, axis=1))
    assert ends(model) == [(0, 1), (1, 2), (2, 3)]


def test_numbers_of_columns_are_no_names(recwarn):
    HedgeGraph().fit(pd.DataFrame(WALK))
    assert not [warning for warning in recwarn if "names of columns" in str(warning.message)]


def test_record_batches_of_arrow_keep_their_names():
    model = HedgeGraph().fit(pa.RecordBatch.from_pandas(FRAME))
    assert model.feature_names_in_.tolist() == NAMES
