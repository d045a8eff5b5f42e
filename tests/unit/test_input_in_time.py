"""Columns of times: recognised, no variables, and what they say against the order is told."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import open_table
from hedgerow.io.gaps import Gaps
from hedgerow.io.times import count_on, times_of
from hedgerow.stream import open_source

BEGIN = datetime.datetime(2024, 1, 1)
ROWS = 40


def minutes(numbers):
    return [(BEGIN + datetime.timedelta(minutes=int(k))).isoformat() for k in numbers]


@pytest.fixture(params=["csv", "jsonl"])
def kind(request):
    return request.param


@pytest.fixture
def write(tmp_path, kind):
    def write(name, times):
        values = np.random.default_rng(0).standard_normal((len(times), 3)).round(6).tolist()
        rows = [dict(zip((name, *"abc"), (t, *row))) for t, row in zip(times, values)]
        path = tmp_path / f"table.{kind}"
        if kind == "csv":
            lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        else:
            lines = map(json.dumps, rows)
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def read(path, **how):
    """Return names, what is left out, the rows, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        with open_table(path, **how) as table:
            rows = np.concatenate(list(table))
    return table.names, table.left_out, rows, [str(each.message) for each in caught]


TIMES = {
    "texts": ("when", minutes(range(ROWS)), "time"),
    "dates": ("day", [f"2024-03-{1 + k % 28:02}" for k in range(28)], "time"),
    "seconds since 1970": ("timestamp", range(1_700_000_000, 1_700_000_000 + ROWS), "counts"),
    "thousandths": ("event_time", [1_700_000_000_000 + 7 * k**2 for k in range(ROWS)], "counts"),
    "uneven steps": ("Time [s]", [k + 0.05 * (-1) ** k for k in range(ROWS)], "counts"),
    "a counter": ("row", range(5, 5 + 3 * ROWS, 3), "counts"),
}


@pytest.mark.parametrize(("name", "times", "reason"), TIMES.values(), ids=TIMES)
def test_times_are_no_variables(write, name, times, reason):
    names, left_out, _, said = read(write(name, times))
    assert names == ["a", "b", "c"]
    assert list(left_out.values()) == [[name]]
    assert next(iter(left_out)).startswith(reason)
    assert not said


NO_TIMES = {
    "reaction times": ("time", [0.3, 0.5, 0.2, 0.4] * 10),
    "as good as a name": ("x", [1_700_000_000 + 7 * k**2 for k in range(ROWS)]),
    "too few rows": ("row", range(5)),
    "always the same": ("time", [7.0] * ROWS),
    "a design": ("dose", range(ROWS)),
}


@pytest.mark.parametrize(("name", "values"), NO_TIMES.values(), ids=NO_TIMES)
def test_other_numbers_are_variables(write, name, values):
    assert read(write(name, values))[0] == [name, "a", "b", "c"]


def test_who_names_a_counter_can_have_it(write):
    path = write("row", range(ROWS))
    assert read(path, columns=["row", "a"])[0] == ["row", "a"]


def test_rows_out_of_order_are_told_and_stay(write, kind):
    order = np.random.default_rng(1).permutation(ROWS)
    n_back = int((np.diff(order) < 0).sum())
    first = 2 + (kind == "csv") + int(np.argmax(np.diff(order) < 0))  # a line with names
    path = write("when", minutes(order))
    _, _, rows, said = read(path)
    assert len(said) == 1
    assert f"go back in {n_back} of {ROWS} rows, first in line {first}:" in said[0]
    assert "time='when' (--time) sorts them" in said[0]
    _, _, in_order, said = read(path, time="when")
    assert np.array_equal(in_order, rows[np.argsort(order)])
    assert f"{n_back} came before their turn" in said[0]


def test_times_that_come_again_are_told(write):
    *_, said = read(write("when", minutes(np.arange(ROWS) // 4)))
    assert len(said) == 1
    assert f"{ROWS - ROWS // 4} of {ROWS} rows have the time of the row before" in said[0]


def test_gaps_are_told_where_steps_are_even(write):
    late = np.where(np.arange(ROWS) < 25, 0, 100)
    *_, said = read(write("when", minutes(np.arange(ROWS) + late)))
    assert said == [
        "column 'when' has a gap in time, the longest of 101 steps: rows on both sides count as "
        "neighbours, and a season goes on as if no row were missing (where there is one, hold "
        "fixed a column that names the hour)"
    ]
    uneven = np.cumsum(np.random.default_rng(2).integers(1, 50, ROWS))
    assert not read(write("when", minutes(uneven)))[-1]


@pytest.mark.parametrize("texts", [False, True])
def test_parquet_files_have_times_too(tmp_path, texts):
    rows = np.random.default_rng(0).standard_normal((ROWS, 2))
    path = tmp_path / "table.parquet"
    frame = pl.DataFrame({"when": minutes(range(ROWS)), "a": rows[:, 0], "b": rows[:, 1]})
    if not texts:
        frame = frame.with_columns(pl.col("when").str.to_datetime())
    frame.write_parquet(path)
    names, left_out, _, said = read(path)
    assert (names, left_out, said) == (["a", "b"], {"time": ["when"]}, [])


def test_a_stream_tells_rows_out_of_order_when_it_sees_them(write, kind):
    path = write("when", minutes([*range(20), *range(10, 30)]))
    with pytest.warns(DataWarning) as caught:
        for _ in open_source(str(path)).chunks():
            pass
    said = [str(each.message) for each in caught]
    assert said[0] == "columns are left out (time): 'when'"
    told = f"times in column 'when' go back in 1 of 40 rows, first in line {21 + (kind == 'csv')}"
    assert f"so far, {told}" in said[1]
    assert "--time 'when' takes such rows for bad ones" in said[1]


def test_objects_that_polars_cannot_read_are_watched_too(tmp_path):
    """A cell of text in a column of numbers, a time that is none, an object without one."""
    whens = [*minutes(range(20)), ["soon"], None, *minutes(range(10, 28))]
    rows = [{"when": t, "a": k / 7, "b": (k * k) % 5} for k, t in enumerate(whens)]
    rows[5]["a"] = "ERR"
    del rows[21]["when"]
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = read(path)[-1]
    assert "go back in 1 of 40 rows, first in line 23" in said[0]
    assert "'ERR'" in said[1]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_an_index_of_times_out_of_order_is_told(zone):
    rng = np.random.default_rng()
    index = pd.date_range("2024", periods=200, freq="h", tz=zone)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"), index=index)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        HedgeGraph().partial_fit(frame)
        HedgeGraph(rows="independent").partial_fit(frame[::-1])
    with pytest.warns(GuaranteeWarning, match="times in the index go back in 199 of 200 rows"):
        HedgeGraph().fit(frame[::-1])
    doubled = pd.concat([frame, frame.iloc[:20] + 1.0]).sort_index()
    with pytest.warns(GuaranteeWarning, match="20 of 220 rows have the time of another"):
        HedgeGraph().partial_fit(doubled)


def test_plain_times_are_read_alike_at_once_and_one_by_one():
    texts = ["2024-05-31T12:00:00", "1969-12-31 23:59:59.5", "2024-05-31", "2024-05-31T12:00Z"]
    one_by_one = [times_of([text, "x"])[0] for text in texts]
    assert np.array_equal(times_of(texts), one_by_one)


def test_zones_count():
    assert np.ptp(times_of(["2024-05-31T12:00:00+02:00", "2024-05-31T10:00:00Z"])) == 0.0


def test_gaps_are_the_same_however_times_are_cut():
    rng = np.random.default_rng()
    times = np.cumsum(rng.choice([1.0, 1.1, 6.0], 300, p=[0.5, 0.4, 0.1]))
    whole, parts = Gaps().find(times), Gaps()
    cut = np.concatenate([parts.find(part) for part in np.array_split(times, 7)])
    assert np.array_equal(whole, cut)


def test_numbers_that_are_missing_are_no_times():
    assert not count_on("time", [1.0, 2.0, np.nan, *range(4, 20)])


def test_a_time_that_is_too_large_is_none(tmp_path):
    """Of 1e400 seconds no step can be told; it once ended the command."""
    path = tmp_path / "rows.jsonl"
    lines = ['{"t": "2024-01-01", "a": 0.1, "b": 0.3}', '{"t": 1e400, "a": 0.2, "b": 0.1}']
    path.write_text("\n".join([*lines, '{"t": "2024-01-03", "a": 0.6, "b": 0.2}', ""]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", DataWarning)
        with open_table(path) as table:
            assert sum(len(batch) for batch in table) == 3
