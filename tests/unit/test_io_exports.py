"""Files as other programs export them: counters, names of rows, dates, and how numbers look."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from hedgerow.io import open_table
from hedgerow.stream import open_source

NUMBERS = np.random.default_rng(20).normal(size=(40, 3)).round(3)


def read(path, **options):
    with open_table(path, **options) as table:
        return table, np.concatenate(list(table))


def streamed(path, **options):
    return np.concatenate([chunk.rows for chunk in open_source(path, **options).chunks()])


def with_column(folder, name, cells, between=","):
    lines = [between.join([name, *"abc"])]
    lines += [
        between.join([str(cell), *map(repr, row)]) for cell, row in zip(cells, NUMBERS.tolist())
    ]
    path = folder / "table.csv"
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        ("Unnamed: 0", range(40), "counts rows, or time"),  # as pandas writes an index twice
        ("participant", range(101, 141), "counts rows, or time"),
        ("year", range(1961, 2001), "counts rows, or time"),
        ("date", [20240131 + k * 100 for k in (0, 2, 4, 6, 7)] * 8, "counts rows, or time"),
        ("patient_id", [7919 * k**2 % 10007 for k in range(40)], "names of rows"),
        ("id", [12345678901234567890 + k for k in range(40)], "names of rows"),
    ],
)
def test_numbers_that_count_or_name_rows_are_no_variables(tmp_path, name, cells, why):
    path = with_column(tmp_path, name, cells)
    table, rows = read(path)
    assert table.left_out == {why: [name]}
    np.testing.assert_array_equal(rows, NUMBERS)
    with pytest.warns(match=why):
        np.testing.assert_array_equal(streamed(path), NUMBERS)
    assert read(path, columns=[name, "*"])[0].names == [name, *"abc"]


FORMS = {
    "German": "%d.%m.%Y",
    "German, with a clock": "%d.%m.%Y %H:%M",
    "slashes": "%Y/%m/%d %H:%M:%S",
    "months": "%Y-%m",
    "named months": "%d-%b-%Y %H:%M",
    "American": "%B %d %Y %H:%M",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_dates_are_times_as_people_write_them(tmp_path, form):
    begin, step = datetime(2024, 1, 1), timedelta(days=31)
    dates = [begin + k * step for k in range(40)]
    dates[7], dates[30] = dates[30], dates[7]
    path = with_column(tmp_path, "seen", [date.strftime(form) for date in dates])
    with pytest.warns(match="times in column 'seen' go back in 2 of 40 rows"):
        assert read(path)[0].left_out == {"time": ["seen"]}
    with pytest.warns(match="rows are sorted by column 'seen'"):
        _, rows = read(path, time="seen")
    np.testing.assert_array_equal(rows, NUMBERS[np.argsort(dates, kind="stable")])


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%d/%m/%y", "%H:%M"])
def test_what_may_be_read_in_two_ways_is_a_time_that_gives_no_order(tmp_path, recwarn, form):
    begin = datetime(2024, 1, 1)
    path = with_column(
        tmp_path, "seen", [(begin + timedelta(hours=k)).strftime(form) for k in range(40)]
    )
    assert read(path)[0].left_out == {"time": ["seen"]}
    assert not recwarn.list
    with pytest.raises(ValueError, match="times must be numbers, or dates and times such as"):
        read(path, time="seen")
