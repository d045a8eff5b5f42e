"""Files as other programs export them: counters, names of rows, dates, and how numbers look."""

import io
import json
import warnings
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from hedgerow.io import DataError, open_table
from hedgerow.stream import open_source

NUMBERS = np.random.default_rng(20).normal(size=(40, 3)).round(3)


def read(path, **options):
    with open_table(path, **options) as table:
        return table, np.concatenate(list(table))


def streamed(path, **options):
    chunks = open_source(path, **options).chunks()
    return np.concatenate([chunk.rows for chunk in chunks if len(chunk.rows)])


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


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("apart", [" ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "'"])
def test_thousands_are_apart_by_spaces_and_apostrophes(tmp_path, apart, mark):
    rows = 1e6 * NUMBERS
    texts = [[f"{x:,.1f}".replace(".", "!").replace(",", apart) for x in row] for row in rows]
    lines = ["a;b;c", *(";".join(row).replace("!", mark) for row in texts), ""]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    decimal = {"decimal": mark}  # not needed, and no hindrance
    for how in ({}, decimal):
        np.testing.assert_allclose(read(path, **how)[1], rows.round(1))
        np.testing.assert_allclose(streamed(path, **how), rows.round(1))


@pytest.mark.parametrize("cell", ["12 34", "1 2345", "0 123", "1  234", "1 234 56", "120 80"])
def test_other_numbers_apart_are_text(tmp_path, cell):
    path = with_column(tmp_path, "d", [cell] * 40)
    assert read(path)[0].names == [*"abc"]


def test_the_line_that_tells_excel_the_delimiter_is_no_row(tmp_path):
    path = with_column(tmp_path, "d", NUMBERS[:, 0] + 0.5, between=";")
    path.write_text("sep=;\n" + path.read_text())
    table, rows = read(path)
    assert table.names == ["d", *"abc"]
    np.testing.assert_array_equal(rows[:, 1:], NUMBERS)
    np.testing.assert_array_equal(streamed(path), rows)


@pytest.mark.parametrize(
    ("above", "message"),
    [
        ("My export\n\n", "line 1, .* must have the names of the columns, got only 'My export'"),
        ("My export,,,\n,,,\n", "line 1, .* must have the names of the columns, got only 'My exp"),
        ("Of 2024, by me\n", "as many cells as line 1, 2, got 4 in line 2; remove what stands abo"),
        ("Blood,,Urine,\n", "line 1 must have a name for each column, got none for 'a', 'c' of"),
    ],
)
def test_what_stands_above_the_names_is_told(tmp_path, above, message):
    path = with_column(tmp_path, "d", NUMBERS[:, 0] + 0.5)
    path.write_text(above + path.read_text())
    with pytest.raises(DataError, match=message):
        open_table(path)


def test_a_merged_cell_above_names_is_told(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.merge_range(0, 0, 0, 2, "Blood")
        for k, row in enumerate([list("abc"), *NUMBERS.tolist()], start=1):
            sheet.write_row(k, 0, row)
    with pytest.raises(DataError, match=r"row 1, .* must have the names of the columns, got only"):
        open_table(path)
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for k, row in enumerate(
            [["Blood", "", "", "Urine"], list("abcd"), *np.c_[NUMBERS, NUMBERS[:, 0]].tolist()]
        ):
            sheet.write_row(k, 0, row)
    with pytest.raises(
        DataError, match="row 1 must have a name for each column, got none for 'b', "
    ):
        open_table(path)


def test_files_of_a_stream_may_differ_in_delimiter_and_decimal_mark(tmp_path):
    (tmp_path / "a.csv").write_text(
        "a,b,c\n" + "".join(",".join(map(repr, r)) + "\n" for r in NUMBERS.tolist())
    )
    # Fractions of three digits could be thousands: before, 1,234 was read as 1234 here.
    rows = [[f"{value:.3f}".replace(".", ",") for value in row] for row in 10 + NUMBERS]
    rows[0][0] = "9,5"
    (tmp_path / "b.csv").write_text("a;b;c\n" + "".join(";".join(row) + "\n" for row in rows))
    found = streamed(tmp_path)
    assert np.abs(found).max() < 20
    np.testing.assert_allclose(found[41:], 10 + NUMBERS[1:])
    (tmp_path / "b.csv").rename(tmp_path / "later")
    source = open_source(tmp_path)
    offset = [chunk.offset for chunk in source.chunks()][-1]
    (tmp_path / "later").rename(tmp_path / "b.csv")
    again = open_source(tmp_path)
    again.seek(offset, source.schema)  # after a restart, nothing is known but names
    rest = [chunk.rows for chunk in again.chunks() if len(chunk.rows)]
    np.testing.assert_array_equal(np.concatenate(rest), found[40:])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "xlsx"])
def test_columns_that_begin_late_are_read(tmp_path, kind):
    n = 300
    columns = {name: np.arange(n) * 0.37 % k for k, name in enumerate("abc", start=2)}
    columns["numbers"] = [None] * 150 + [0.5, None, "oops"] + [1.5] * 147
    columns["words"] = [None] * 130 + ["yes", "no"] * 85
    columns["text"] = [None] * 120 + [f"t{k}" for k in range(180)]
    columns["nothing"] = [None] * n
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    path = tmp_path / f"table.{kind}"
    if kind == "csv":
        cells = [["" if x is None else str(x) for x in row.values()] for row in rows]
        path.write_text("\n".join(",".join(row) for row in [[*columns], *cells, []]))
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(row, default=float) for row in rows) + "\n")
    else:
        xlsxwriter = pytest.importorskip("xlsxwriter")
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for k, row in enumerate([[*columns], *(row.values() for row in rows)]):
                sheet.write_row(k, 0, row)
    with pytest.warns(match="cells of text count as missing: 'oops' \\('numbers'"):
        table, found = read(path)
    assert table.names == ["a", "b", "c", "numbers", "words"]
    assert table.left_out == {"not numeric": ["text"], "empty": ["nothing"]}
    assert table.words == {"words": ("no", "yes")}
    expected = [np.nan] * 150 + [0.5, np.nan, np.nan] + [1.5] * 147
    np.testing.assert_array_equal(found[:, 3], expected)
    np.testing.assert_array_equal(found[129:133, 4], [np.nan, 1, 0, 1])
    if kind != "xlsx":
        with pytest.warns(match="left out .empty in the first rows.: 'numbers', 'words', 'text', "):
            assert streamed(path).shape == (n, 3)


ANSWERS = ["never", "Sometimes", "always"]
ORDER = "never,sometimes,often,ALWAYS"  # nobody said "often"


def answered(folder, kind):
    frame = pl.DataFrame(
        {
            "a": [1.5 * k % 7 for k in range(60)],
            "mood": [None if k == 5 else ANSWERS[k % 3] for k in range(60)],
            "calm": ["no" if k % 2 else "yes" for k in range(60)],
            "sure": ["agree" if k % 2 else "disagree" for k in range(60)],
            "place": [("north", "south", "never")[k % 3] for k in range(60)],
        }
    )
    path = folder / f"answers.{kind}"
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    if kind == "xlsx":
        pytest.importorskip("xlsxwriter")
        write["xlsx"] = frame.write_excel
    write[kind](path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_words_have_the_order_that_is_told(tmp_path, kind):
    path = answered(tmp_path, kind)
    assert read(path)[0].left_out == {"categories without order": ["mood", "place"]}
    how = {"order": [ORDER, "disagree,neutral,agree"]}
    table, rows = read(path, **how)
    assert table.names == ["a", "mood", "calm", "sure"]
    assert table.left_out == {"categories without order": ["place"]}
    assert table.words["mood"] == ("never", "sometimes", "often", "ALWAYS")
    assert table.words["sure"] == ("disagree", "neutral", "agree")
    mood = [np.nan if k == 5 else [1, 2, 4][k % 3] for k in range(60)]
    np.testing.assert_array_equal(rows[:, 1], mood)
    np.testing.assert_array_equal(rows[:, 3], [3 if k % 2 else 1 for k in range(60)])
    if kind != "xlsx":
        with pytest.warns(match="Words stand for numbers: 'mood' \\('never' 1 to 'ALWAYS' 4\\)"):
            np.testing.assert_array_equal(streamed(path, **how), rows)


def test_a_word_that_no_order_has_is_told(tmp_path):
    path = tmp_path / "answers.csv"
    answers = [*ANSWERS * 40, "refused"]
    path.write_text(
        "a,b,mood\n" + "".join(f"{k},{k * k % 7}.5,{x}\n" for k, x in enumerate(answers))
    )
    with pytest.warns(match="cells of text count as missing: 'refused' .'mood', line 122"):
        _, rows = read(path, order=[ORDER])
    assert np.isnan(rows[-1, 2])
    with pytest.raises(DataError, match=r"must hold 'never' or 'sometimes' or .*, got 'refused'"):
        read(path, order=[ORDER], missing="error")


@pytest.mark.parametrize("order", ["never", "a,,b", "a,b,A", ""])
def test_an_order_is_of_different_words(tmp_path, order):
    with pytest.raises(ValueError, match="order must be different words between commas, from the"):
        read(answered(tmp_path, "csv"), order=[order])


def test_where_words_lack_an_order_the_error_says_so(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("a,b\n" + "".join(f"{x},{x}\n" for x in ANSWERS * 5))
    with pytest.raises(DataError, match=r"order='LOWEST,...,HIGHEST' gives such words an order"):
        open_table(path)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("rows.csv.zip", "unpack it first, or pack it by gzip"),
        ("rows.JSON", "save one object for each row, each on a line of its own, as .jsonl"),
        ("rows.npz", "save one of its arrays as .npy"),
        ("rows.sas7bdat", "save it as .sav, .dta or .csv"),
        ("rows.dat", "any delimited text can be read from standard input"),
    ],
)
def test_files_of_other_kinds_are_refused_with_what_to_do(tmp_path, name, advice):
    for read_it in (open_table, open_source):
        with pytest.raises(ValueError, match=f"got '{name}'; {advice}"):
            read_it(tmp_path / name)


def test_an_array_of_json_is_refused_with_what_to_do(tmp_path, monkeypatch):
    text = json.dumps([dict(zip("abc", row)) for row in NUMBERS.tolist()], indent=1)
    (tmp_path / "rows.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"one object for each row, .* got an array"):
        open_table(tmp_path / "rows.jsonl")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with pytest.raises(DataError, match=r"one object for each row, .* got an array"):
        open_table("-")


@pytest.mark.parametrize("digits", [3, 0])
@pytest.mark.parametrize("label", ["Total", ""])
def test_a_total_at_the_end_is_told(tmp_path, recwarn, label, digits):
    path = with_column(tmp_path, "place", [f"p{k}" for k in range(40)])
    whole = path.read_text()
    read(path)
    assert not recwarn.list
    shifted = NUMBERS + 100.0
    lines = [",".join([f"p{k}", *map(repr, row)]) for k, row in enumerate(shifted.tolist())]
    cells = [label, *(f"{x:.{digits}f}" for x in shifted.sum(axis=0))]
    path.write_text("\n".join([whole.splitlines()[0], *lines, ",".join(cells), ""]))
    with pytest.warns(match="the last row has the sums of all others"):
        read(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_numbers_kept_as_text_are_numbers_in_every_kind_of_file(tmp_path, kind):
    texts = [f"{value}" for value in NUMBERS[:, 0]]
    texts[3:8] = [" 1.5 ", "2,000.5", "n/a", "oops", "-99"]
    frame = pl.DataFrame({"a": texts, "b": NUMBERS[:, 1], "name": [f"p{k}" for k in range(40)]})
    frame = frame.with_columns(c=pl.col("b") * 2 - 1)
    path = tmp_path / f"table.{kind}"
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson}
    (write | {"parquet": frame.write_parquet, "arrow": frame.write_ipc})[kind](path)
    expected = np.array([*NUMBERS[:3, 0], 1.5, 2000.5, np.nan, np.nan, np.nan, *NUMBERS[8:, 0]])
    with pytest.warns(match="cells of text count as missing: 'oops' .'a', "):
        table, rows = read(path, na=["-99"])
    assert (table.names, table.left_out) == (["a", "b", "c"], {"not numeric": ["name"]})
    np.testing.assert_array_equal(rows[:, 0], expected)
    with pytest.warns(match="cells of text in 'a' count as missing, as 'oops'"):
        np.testing.assert_array_equal(streamed(path, na=["-99"]), rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(path, na=["-99", "oops"])  # which says that it is meant
    with pytest.raises(DataError, match="column 'a' must hold numbers, got 'oops'"):
        read(path, missing="error")
