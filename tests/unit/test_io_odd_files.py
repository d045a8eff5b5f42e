"""Files that the fuzzer found readers to stumble over, each with the smallest that shows it."""

import json

import numpy as np
import polars as pl
import pytest

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError, open_table
from hedgerow.io import raw as _bytes
from hedgerow.stream import open_source

NUMBERS = np.arange(24.0).reshape(12, 2) ** 1.5


def read(path, **options):
    with open_table(path, **{"missing": "error", **options}) as opened:
        return opened, np.concatenate(list(opened))


def write(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def all_rows(source):
    return np.concatenate([chunk.rows for chunk in source.chunks() if len(chunk.rows)])


@pytest.mark.parametrize("where", [0, 2])
def test_quotes_within_cells_swallow_no_rows(tmp_path, where):
    cells = [
        ['5" pipe' if k in (3, 9) else f"x{k}", *map(str, row)] for k, row in enumerate(NUMBERS)
    ]
    names = ["a", "b"]
    names.insert(where, "what")
    for row in cells:
        row.insert(where, row.pop(0))
    path = write(tmp_path, "".join(",".join(row) + "\n" for row in [names, *cells]))
    opened, rows = read(path)
    assert opened.names == ["a", "b"]
    np.testing.assert_array_equal(rows, NUMBERS)


def test_a_name_with_a_newline_above_rows_with_names(tmp_path):
    lines = "".join(f"r{k},{a},{b}\n" for k, (a, b) in enumerate(NUMBERS.tolist()))
    opened, rows = read(write(tmp_path, '"two\nlines",b\n' + lines))
    assert opened.names == ["two\nlines", "b"]
    assert opened.left_out == {"names of rows": ["number 1"]}
    np.testing.assert_array_equal(rows, NUMBERS)


def test_a_sign_in_the_cells_of_each_row_is_no_delimiter(tmp_path):
    lines = "".join(f"{a},{b},x|y\n" for a, b in NUMBERS.tolist())
    opened, rows = read(write(tmp_path, "a,b,path\n" + lines))
    assert opened.names == ["a", "b"]
    np.testing.assert_array_equal(rows, NUMBERS)


def test_a_first_row_with_gaps_and_a_text_is_a_row(tmp_path):
    path = write(tmp_path, "a,b,c\n,,ERR\n1,2,3\n4,5,6\n")
    opened, rows = read(path, missing="drop")
    np.testing.assert_array_equal(rows, [[1, 2, 3], [4, 5, 6]])
    assert opened.n_dropped == 1
    chunk = next(open_source(path, missing="error").chunks())
    assert json.dumps(chunk.offset)
    assert [row.place for row in chunk.bad] == ["line 2"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("block", [7, 1000, 1 << 22])
def test_streams_of_utf16_go_on_within_letters(tmp_path, monkeypatch, encoding, block):
    monkeypatch.setattr(_bytes, "BLOCK", block)
    lines = "".join(f"größe€𝄞,{k},{k * k / 7}\n" for k in range(40))
    path = write(tmp_path, ("who,a,b\n" + lines).encode(encoding))
    source = open_source(path)
    chunks = [chunk for chunk in source.chunks() if len(chunk.rows)]
    whole = np.concatenate([chunk.rows for chunk in chunks])
    assert whole.shape == (40, 2)
    for k in range(0, len(chunks), max(1, len(chunks) // 5)):
        again = open_source(path)
        again.seek(chunks[k].offset, source.schema)
        parts = [*chunks[: k + 1], *again.chunks()]
        rows = np.concatenate([chunk.rows for chunk in parts if len(chunk.rows)])
        np.testing.assert_array_equal(rows, whole)


@pytest.mark.parametrize("block", [1, 3, 4, 1 << 22])
def test_utf16_without_a_mark_is_known_however_it_comes(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_bytes, "BLOCK", block)
    lines = "".join(f"{a},{b}\n" for a, b in NUMBERS.tolist())
    opened, rows = read(write(tmp_path, ("ЖЖЖЖ,Ж\n" + lines).encode("utf-16-le")))
    assert opened.names == ["ЖЖЖЖ", "Ж"]
    np.testing.assert_array_equal(rows, NUMBERS)


@pytest.mark.parametrize("block", [5, 1 << 22])
def test_a_byte_that_is_no_text_is_refused_however_it_comes(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_bytes, "BLOCK", block)
    path = write(tmp_path, "who,a,b\n" + "x,1,2\n" * 20 + "\0,3,4\n")
    with pytest.raises(DataError, match="must be text in UTF-8 or UTF-16, got bytes that are not"):
        read(path)


def test_long_names_with_newlines_are_whole_when_a_stream_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "BLOCK", 500)
    numbers = np.random.default_rng(0).normal(size=(100, 2))
    lines = "".join(f"{a},{b}\n" for a, b in numbers.tolist())
    path = write(tmp_path, f'"a\n{"é" * 1000}",b\n' + lines)
    source = open_source(path)
    first = next(chunk for chunk in source.chunks() if len(chunk.rows))
    again = open_source(path)
    again.seek(first.offset, source.schema)
    rows = np.concatenate([first.rows, all_rows(again)])
    np.testing.assert_array_equal(rows, numbers)


@pytest.mark.parametrize("name", ["*", "^b.*$"])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "ndjson"])
def test_names_that_look_like_patterns_are_names(tmp_path, name, kind):
    frame = pl.DataFrame({name: NUMBERS[:, 0], "b": NUMBERS[:, 1], "b2": NUMBERS[:, 0]})
    path = tmp_path / f"table.{kind}"
    if kind == "ndjson":
        frame.write_ndjson(path)
    else:
        (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    opened, rows = read(path)
    assert opened.names == [name, "b", "b2"]
    np.testing.assert_array_equal(rows, frame.to_numpy())


def test_damaged_arrow_is_an_error_and_no_panic(tmp_path):
    path = tmp_path / "table.arrow"
    pl.DataFrame(NUMBERS, schema=["a", "b"]).write_ipc(path)
    whole = path.read_bytes()
    n_refused = 0
    for at in range(8, len(whole), 7):
        path.write_bytes(whole[:at] + b"\x7b" + whole[at + 1 :])
        try:
            read(path)
        except DataError:
            n_refused += 1
    assert n_refused


def test_an_archive_that_is_none_is_no_array(tmp_path):
    path = write(tmp_path, b"PK\x03\x04abcdefgh", "table.npy")
    with pytest.raises(DataError, match=r"^the file must hold one NumPy array of numbers$"):
        read(path)


def test_names_that_are_half_a_character_are_bad_rows(tmp_path):
    lines = "".join(f'{{"a": {a}, "b": {b}}}\n' for a, b in NUMBERS.tolist())
    path = write(tmp_path, lines + '{"\\ud800": 1, "a": 2, "b": 3}\n', "table.ndjson")
    with pytest.raises(DataError, match=r"^line 13: .* whole characters, got '\\ud800'$"):
        read(path)


@pytest.mark.parametrize("block", [1, 1 << 22])
def test_a_value_given_twice_is_a_bad_row_however_it_comes(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_bytes, "BLOCK", block)
    lines = "".join(f'{{"a": {a}, "b": {b}, "t": "x"}}\n' for a, b in NUMBERS.tolist())
    path = write(tmp_path, lines + '{"a": 1, "b": 2, "t": "x", "a": 3}\n', "table.ndjson")
    with pytest.raises(DataError, match=r"^line 13: .* a name must come once, got 'a' twice$"):
        read(path)
    np.testing.assert_array_equal(all_rows(open_source(path)), NUMBERS)


def test_empty_objects_on_their_side_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"^columns of numbers are needed, got none$"):
        read(write(tmp_path, "{}\n{}\n", "table.ndjson"), transpose=True)


def test_three_decimals_below_one_are_no_thousands(tmp_path):
    path = write(tmp_path, "a;b\n0,285;-0,312\n0,125;0,250\n")
    with pytest.warns(UserWarning, match="the comma is taken for the decimal mark"):
        _, rows = read(path)
    np.testing.assert_array_equal(rows, [[0.285, -0.312], [0.125, 0.25]])


def test_three_decimals_before_an_exponent_may_be_thousands(tmp_path):
    path = write(tmp_path, "a;b\n6,285e-03;1,125e+01\n2,500e-03;1,750e+00\n")
    with pytest.raises(DataError, match=r"'1,750e\+00' may be 1\.750e\+00 or 1750e\+00; decimal="):
        read(path)
    _, rows = read(path, decimal=",")
    np.testing.assert_array_equal(rows, [[6.285e-3, 11.25], [2.5e-3, 1.75]])


def test_a_point_after_zero_is_no_mark_of_thousands(tmp_path):
    path = write(tmp_path, "a;b\n0.285;1,5\n0.125;2,5\n")
    with pytest.raises(DataError, match="written in one way, got '2,5' and 'a point'"):
        read(path)
    with pytest.raises(
        DataError,
        match=r"^at least two columns of numbers are needed, got one, 'b'; not numeric: 'a'$",
    ):
        read(path, decimal=",")


def test_a_delimiter_that_is_a_point_is_none_of_the_decimals(tmp_path):
    path = write(tmp_path, "1,5.2\n2,5.3\n")
    _, rows = read(path, delimiter=".", decimal=",", header=False)
    np.testing.assert_array_equal(rows, [[1.5, 2], [2.5, 3]])


def test_units_cannot_write_on_the_terminal(tmp_path):
    text = f'a,b\n"c\x1b[1m\nm",{"k" * 99}\n' + "1,2\n3,4\n"
    expected = rf"taken for units: c\\x1b\[1m\\nm, {'k' * 40}…$"
    with pytest.warns(UserWarning, match=expected):
        read(write(tmp_path, text))


def test_names_that_come_later_cannot_write_on_the_terminal(tmp_path):
    lines = "".join(f'{{"a": {a}, "b": {b}}}\n' for a, b in NUMBERS.tolist())
    path = write(tmp_path, lines + '{"two\\nlines": 1, "a": 2, "b": 3}\n', "table.ndjson")
    with pytest.warns(UserWarning, match=r"not learned from: 'two\\nlines'$"):
        read(path)


@pytest.mark.parametrize("mark", [".", ","])
def test_a_minus_as_typeset_tables_have_it_is_one(tmp_path, mark):
    rows = NUMBERS - 20.0
    lines = "".join(";".join(map(str, row)) + "\n" for row in rows.tolist())
    text = ("a;b\n" + lines).replace(".", mark).replace("-", "\N{MINUS SIGN}")
    _, found = read(write(tmp_path, text), decimal=mark)
    np.testing.assert_array_equal(found, rows)


def test_comments_and_runs_of_spaces_are_refused_with_what_to_do(tmp_path):
    lines = "".join(f"{a},{b}\n" for a, b in NUMBERS.tolist())
    with pytest.raises(DataError, match=r"line 1 must have the names .* got a comment, which"):
        read(write(tmp_path, "# station 7\na,b\n" + lines))
    spaced = "".join(f"{a:12.3f}  {b:9.3f}\n" for a, b in NUMBERS.tolist())
    with pytest.raises(DataError, match="by one delimiter, got several spaces on end"):
        read(write(tmp_path, "           a          b\n" + spaced))


@pytest.mark.parametrize(("cell", "told"), [("<0.1", True), ("≥ 5", True), ("ERR", False)])
def test_values_beyond_a_limit_are_not_missing_by_chance(tmp_path, cell, told):
    lines = "".join(f"{a},{cell if k == 4 else b}\n" for k, (a, b) in enumerate(NUMBERS.tolist()))
    path = write(tmp_path, "a,b\n" + lines)
    with pytest.warns(DataWarning) as said:
        read(path, missing="use")
    assert any("values beyond a limit, as" in str(each.message) for each in said) == told


@pytest.mark.parametrize(
    "cells", [("$1,200.50", "$7", "$12"), ("5 %", "7 %", "12.5 %"), ("3kg", "4.5kg", "-2kg")]
)
def test_numbers_with_units_are_left_out_for_that_reason(tmp_path, cells):
    lines = "".join(f'{a},{b},"{cells[k % 3]}",p{k}\n' for k, (a, b) in enumerate(NUMBERS.tolist()))
    opened, rows = read(write(tmp_path, "a,b,price,who\n" + lines))
    assert {reason[:12]: names for reason, names in opened.left_out.items()} == {
        "numbers with": ["price"],
        "not numeric": ["who"],
    }
    np.testing.assert_array_equal(rows, NUMBERS)


@pytest.mark.parametrize("header", ["", "a b c\n", '"one" "the other" "3"\n'])
def test_spaces_between_numbers_with_decimal_commas(tmp_path, header):
    numbers = np.round(NUMBERS.reshape(8, 3), 3)
    lines = "".join("{} {} {}\n".format(*row) for row in numbers)
    path = write(tmp_path, header + lines.replace(".", ","))
    with pytest.warns(DataWarning, match="the comma is taken for the decimal mark"):
        opened, found = read(path)
    assert len(opened.names) == 3
    np.testing.assert_array_equal(found, numbers)
    with pytest.warns(DataWarning, match="the comma is taken for the decimal mark"):
        np.testing.assert_array_equal(all_rows(open_source(path)), numbers)


@pytest.mark.parametrize("top", ["a, b", "x y,b c"])
def test_spaces_after_commas_and_in_names_are_no_delimiters(tmp_path, top):
    opened, found = read(write(tmp_path, f"{top}\n" + "1.5, 2\n2.5, 3\n3.5, 5\n"))
    assert len(opened.names) == 2
    np.testing.assert_array_equal(found, [[1.5, 2], [2.5, 3], [3.5, 5]])


def test_a_quote_that_stays_open_does_not_hide_what_the_other_lines_have_alike(tmp_path):
    """Decimal commas make as many cells of a line as semicolons do, but not of all lines."""
    rows = [f"Ada;0,{k}5;1,{k}5" for k in range(10)]
    rows[4:4] = ['5" pipe;0,5;1,5', "x, y;0,5;1,5"]
    with pytest.warns(DataWarning, match="comma is taken for the decimal mark"):
        found, numbers = read(write(tmp_path, "\n".join(rows) + "\n"))
    assert found.names == ["x1", "x2"]
    np.testing.assert_array_equal(numbers[4:6], [[0.5, 1.5], [0.5, 1.5]])
