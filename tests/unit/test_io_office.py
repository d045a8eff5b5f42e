"""Sheets of workbooks: what is a number, where the table is, and files that are damaged."""

import datetime
import random
import sys
import zipfile
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
import xlsxwriter
import xlwt

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError, _sheet_size, open_table
from hedgerow.io import source as _source
from hedgerow.io._office import open_excel
from hedgerow.io.notation import Notation


def write_xlsx(path, sheets, top=0, left=0):
    """Write lists of rows, by the sheets' names; functions write a cell themselves."""
    with xlsxwriter.Workbook(path) as book:
        formats = {"date": book.add_format({"num_format": "yyyy-mm-dd"})}
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if callable(cell):
                        cell(sheet, top + i, left + j)
                    elif isinstance(cell, datetime.date):
                        sheet.write_datetime(top + i, left + j, cell, formats["date"])
                    elif isinstance(cell, str):
                        sheet.write_string(top + i, left + j, cell)
                    elif cell is not None:
                        sheet.write(top + i, left + j, cell)
    return path


def formula(text, value):
    return lambda sheet, i, j: sheet.write_formula(i, j, text, value=value)


def read(path, **options):
    """Return all columns, and the rows of those without a flaw, with their numbers."""
    with ExitStack() as stack:
        source = open_excel(path, stack, **options)
        chosen = [j for j, column in enumerate(source.columns) if column.flaw is None]
        batches = list(source.batches(chosen))
        assert batches[-1].done == source.total
    rows = np.concatenate([batch.rows for batch in batches])
    return source.columns, rows, np.concatenate([batch.numbers for batch in batches])


@pytest.mark.parametrize("at_once", [10, 10_000])
@pytest.mark.parametrize("suffix", ["xlsx", "XLSX", "ods", "xls"])
@pytest.mark.parametrize("shape", [(7, 7), (30, 4), (4, 30)])
def test_rows_are_rows_in_every_kind_of_workbook(tmp_path, monkeypatch, shape, suffix, at_once):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    table = np.random.default_rng(1).normal(size=shape)
    names = [f"v{j}" for j in range(shape[1])]
    path = tmp_path / f"a.{suffix}"
    if suffix == "ods":
        pd.DataFrame(table, columns=names).to_excel(path, index=False, engine="odf")
    elif suffix == "xls":
        book = xlwt.Workbook()
        sheet = book.add_sheet("One")
        for i, row in enumerate([names, *table.tolist()]):
            for j, cell in enumerate(row):
                sheet.write(i, j, cell)
        book.save(str(path))
    else:
        write_xlsx(path, {"One": [names, *table.tolist()]})
    columns, rows, numbers = read(path)
    assert columns == [(name, None, ()) for name in names]
    np.testing.assert_allclose(rows, table, rtol=1e-15)
    np.testing.assert_array_equal(numbers, np.arange(2, shape[0] + 2))


def test_what_is_a_number(tmp_path):
    day = datetime.date(2020, 1, 1)
    path = write_xlsx(
        tmp_path / "a.xlsx",
        {
            "One": [
                ["x", "yes", "text", "formula", "error", "day", "word", 2001, "gone", None],
                [
                    1,
                    True,
                    "1.5",
                    formula("=1+1", 2),
                    formula("=1/0", "#DIV/0!"),
                    day,
                    "a",
                    1,
                    "",
                    5,
                ],
                [2.5, False, " -2e1 ", formula("=2+2", 4), 7, day, "b", 2, "NA", 6],
                ["n/a", True, "#N/A", formula("=NA()", "#N/A"), 8, day, "1", 3, None, 7],
            ]
        },
    )
    columns, rows, _ = read(path)
    assert [column.name for column in columns] == [
        *("x", "yes", "text", "formula", "error", "day", "word", "2001", "gone", "")
    ]
    assert [column.flaw for column in columns] == [
        *(
            None,
            None,
            None,
            None,
            None,
            "time",
            "not numeric",
            None,
            "empty in the first rows",
            "unnamed",
        )
    ]
    nan = np.nan
    np.testing.assert_array_equal(
        rows,
        [[1, 1, 1.5, 2, nan, 1], [2.5, 0, -20, 4, 7, 2], [nan, 1, nan, nan, 8, 3]],
    )


@pytest.mark.parametrize(
    "mark", ["", "  ", "NA", "n/a", "#N/A", "NaN", "NULL", "None", "-", ".", "?"]
)
def test_marks_for_missing_values(mark):
    assert np.isnan(Notation().value(mark))


@pytest.mark.parametrize(
    "text", ["oops", "1_000", "1,5", "٣", "12%", "0x1", "1 2", datetime.date.max]
)
def test_what_is_no_number(text):
    assert Notation().value(text) is None


@pytest.mark.parametrize("row", [0, 1, 60, 150])
@pytest.mark.parametrize(
    ("cell", "shown"),
    [("oops", "'oops'"), ("x" * 50, f"'{'x' * 40}…'"), (datetime.date(2020, 1, 2), "'2020-01-02'")],
)
def test_a_bad_cell_is_an_error_with_its_place(tmp_path, monkeypatch, row, cell, shown):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", 20)
    rows = [[i, i / 2] for i in range(200)]
    rows[row][1] = cell
    # Three empty rows above, so that the sheet's row numbers differ from the table's.
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], *rows]}, top=3, left=2)
    with pytest.raises(DataError) as caught, open_table(path, missing="error") as table:
        list(table)
    assert str(caught.value) == (
        f"row {row + 5}: column 'b' must hold numbers, got {shown}; "
        "missing='use' takes such cells for missing"
    )
    with ExitStack() as stack:
        batches = list(open_excel(path, stack).batches([0]))
    np.testing.assert_array_equal(np.concatenate([b.rows for b in batches])[:, 0], range(200))


def test_only_the_first_rows_decide_what_a_column_is(tmp_path):
    words = [[i, "word"] for i in range(100)] + [[i, 1.0] for i in range(300)]
    columns, _, _ = read(write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], *words]}))
    assert [column.flaw for column in columns] == [None, "not numeric"]


def test_a_column_that_begins_empty_is_read(tmp_path):
    rows = [[i, i, None] for i in range(150)] + [[150, 1, 3.5]]
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b", "c"], *rows]})
    with open_table(path) as table:
        assert (table.names, table.left_out) == (["a", "b", "c"], {})
    with open_table(path, columns=["a", "c"], missing="drop") as table:
        np.testing.assert_array_equal(np.concatenate(list(table)), [[150, 3.5]])


def test_empty_rows_and_columns_around_and_within_are_skipped(tmp_path):
    rows = [["a", "b"], [1, 2], [], [" ", None], [3, 4]]
    columns, rows, numbers = read(write_xlsx(tmp_path / "a.xlsx", {"One": rows}, top=4, left=3))
    assert columns == [("a", None, ()), ("b", None, ())]
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(numbers, [6, 9])


def test_odd_names(tmp_path):
    names = ["a", "a", " é\n☃ ", "x" * 300, 2001, 1.0, True, datetime.date(2020, 1, 2)]
    columns, rows, _ = read(write_xlsx(tmp_path / "a.xlsx", {"One": [names, range(8)]}))
    assert [column.name for column in columns] == [
        *("a", "a", "é\n☃", "x" * 300, "2001", "1", "True", "2020-01-02")
    ]
    np.testing.assert_array_equal(rows, [range(8)])


def test_sheets_by_name(tmp_path):
    tables = {"One": [["a", "b"], [1, 2]], "Zwei ☃": [["c", "d"], [3, 4]], "Empty": []}
    path = write_xlsx(tmp_path / "a.xlsx", tables)
    assert read(path)[0][0].name == "a"
    columns, rows, _ = read(path, sheet="Zwei ☃")
    assert columns[0].name == "c"
    np.testing.assert_array_equal(rows, [[3, 4]])
    with pytest.raises(
        DataError, match=r"^no sheet is called 'Two'; there are 'One', 'Zwei ☃', 'Em"
    ):
        read(path, sheet="Two")
    with pytest.raises(DataError, match=r"^the sheet 'Empty' is empty$"):
        read(path, sheet="Empty")


def test_the_first_sheet_is_the_first_that_can_be_seen_and_is_no_chart(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Data!$A$2:$B$2"})
        book.add_chartsheet("Chart").set_chart(chart)
        book.add_worksheet("Hidden").hide()
        sheet = book.add_worksheet("Data")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.activate()
    assert read(tmp_path / "a.xlsx")[0][0].name == "a"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the sheet 'One' is empty; sheet='Other' reads another sheet"),
        ([["a", "b"]], "the sheet 'One' has a header in row 1, and no rows below it; sheet="),
        (
            [["Our data of 2020"], [], ["a", "b"], [1, 2]],
            "row 1, the first that is not empty, must have the names of the columns, "
            "got only 'Our data of 2020'; remove what stands above the table",
        ),
        ([[0.5, 1.5], [1, 2]], "row 1 must have the names of the columns, got the number 0.5"),
    ],
)
def test_sheets_without_a_table(tmp_path, rows, message):
    path = write_xlsx(tmp_path / "a.xlsx", {"One": rows, "Other": [["a", "b"], [1, 2]]})
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(message)


def test_a_row_of_units_is_no_row(tmp_path):
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], ["kg", "cm"], [1, 2], [3, 4]]})
    with pytest.warns(DataWarning, match="the row below the names is taken for units: kg, cm"):
        table = open_table(path)
    np.testing.assert_array_equal(np.concatenate(list(table)), [[1, 2], [3, 4]])


def test_merged_headings_name_their_first_column(tmp_path):
    merge = [lambda sheet, i, j: sheet.merge_range(0, 0, 0, 1, "both"), None, "c"]
    columns, _, _ = read(write_xlsx(tmp_path / "a.xlsx", {"One": [merge, [1, 2, 3]]}))
    assert columns == [("both", None, ()), ("", "unnamed", ()), ("c", None, ())]


def workbook_bytes(folder, suffix):
    path = folder / f"whole.{suffix}"
    table = np.random.default_rng(3).normal(size=(40, 5))
    if suffix == "xlsx":
        write_xlsx(path, {"One": [list("abcde"), *table.tolist()]})
    elif suffix == "ods":
        pd.DataFrame(table, columns=list("abcde")).to_excel(path, index=False, engine="odf")
    else:
        book = xlwt.Workbook()
        sheet = book.add_sheet("One")
        for i, row in enumerate([list("abcde"), *table.tolist()]):
            for j, cell in enumerate(row):
                sheet.write(i, j, cell)
        book.save(str(path))
    return path.read_bytes()


@pytest.mark.parametrize("suffix", ["xlsx", "ods", "xls"])
@pytest.mark.parametrize("tenths", range(10))
def test_a_cut_workbook_is_refused(tmp_path, suffix, tenths):
    whole = workbook_bytes(tmp_path, suffix)
    path = tmp_path / f"cut.{suffix}"
    path.write_bytes(whole[: len(whole) * tenths // 10])
    with pytest.raises(DataError) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("suffix", "times"), [("xlsx", 150), ("ods", 15), ("xls", 15)])
def test_random_bytes_in_a_workbook_give_no_other_error(tmp_path, suffix, times):
    whole = workbook_bytes(tmp_path, suffix)
    path = tmp_path / f"spoilt.{suffix}"
    rng = random.Random(5)
    refused = 0
    for _ in range(times):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 5, 50])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            read(path)
        except DataError:
            refused += 1
    assert refused > times // 5


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 cut", b"\xd0\xcf\x11\xe0"])
@pytest.mark.parametrize("suffix", ["xlsx", "xlsb", "xls", "ods"])
def test_files_that_are_no_workbooks(tmp_path, suffix, content):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"^the file must be a") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_stray_cell_in_the_last_corner_is_told(tmp_path):
    def corner(sheet, i, j):
        sheet.write(1048575, 16383, 1)

    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], [1, 2], [corner]]})
    with pytest.raises(DataError, match=r"at most 50,000,000 cells, got one with 17,179,869,184"):
        read(path)


def test_formatted_empty_cells_do_not_count(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.write_blank(1048575, 16383, None, book.add_format({"bold": True}))
    columns, rows, _ = read(tmp_path / "a.xlsx")
    assert columns == [("a", None, ()), ("b", None, ())]
    np.testing.assert_array_equal(rows, [[1, 2]])


@pytest.mark.parametrize("patterns", [_sheet_size._QUICK, _sheet_size._CAREFUL])
@pytest.mark.parametrize("piece", [50, 1000])
def test_cells_are_found_wherever_the_file_is_cut(tmp_path, monkeypatch, piece, patterns):
    monkeypatch.setattr(_sheet_size, "_PIECE", piece)
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a"] * 30] * 20}, top=100, left=700)
    with zipfile.ZipFile(path) as parts, parts.open("xl/worksheets/sheet1.xml") as stream:
        assert _sheet_size._area(_sheet_size._pieces(stream), patterns) == 600


@pytest.mark.parametrize("suffix", ["xlsx", "ods", "xls"])
def test_large_sheets_are_refused_in_every_kind_of_workbook(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(workbook_bytes(tmp_path, suffix))
    monkeypatch.setattr(_sheet_size, "MOST_CELLS", 204)
    monkeypatch.setattr(_sheet_size, "_BYTES_OF_CELL", 1 << 24)
    with pytest.raises(DataError, match="at most 204 cells, got one with 205 between"):
        read(path)


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_sheet_size, "MOST_BYTES", 1_000_000)
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], [1, 2]]})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/bomb.xml", b" " * 1_000_000)
    assert path.stat().st_size < 20_000
    with pytest.raises(DataError, match="must have at most 1,000,000 bytes in all"):
        read(path)


def test_a_repeated_cell_cannot_take_all_memory(tmp_path):
    pd.DataFrame({"a": [1.5, 2], "b": [3, 4]}).to_excel(
        tmp_path / "a.ods", index=False, engine="odf"
    )
    with zipfile.ZipFile(tmp_path / "a.ods") as parts:
        contents = {name: parts.read(name) for name in parts.namelist()}
    cell = b"<table:table-cell "
    assert cell in contents["content.xml"]
    contents["content.xml"] = contents["content.xml"].replace(
        cell, cell + b'table:number-columns-repeated="16384" '
    )
    row = b"<table:table-row"
    contents["content.xml"] = contents["content.xml"].replace(
        row, row + b' table:number-rows-repeated="1048576"'
    )
    with zipfile.ZipFile(tmp_path / "bomb.ods", "w") as parts:
        for name, content in contents.items():
            parts.writestr(name, content)
    with pytest.raises(
        DataError, match=r"^the file must be a workbook, got (Cell limit exceeded|one that is)"
    ):
        read(tmp_path / "bomb.ods")


def test_without_the_package_it_says_what_to_install(tmp_path, monkeypatch):
    path = write_xlsx(tmp_path / "a.xlsx", {"One": [["a", "b"], [1, 2]]})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ModuleNotFoundError, match=r"'python_calamine'.*'hedgerow\[office\]'"):
        read(path)
