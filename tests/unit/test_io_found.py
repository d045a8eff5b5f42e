"""What is found out about a file by itself, what is said of it, and how to say it oneself."""

import io
import json
import sys

import numpy as np
import polars as pl
import pytest

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError, open_table
from hedgerow.stream import open_source

NUMBERS = np.random.default_rng(20).normal(size=(40, 3)).round(3)


def read(path, **options):
    with open_table(path, **{"missing": "error", **options}) as opened:
        return opened, np.concatenate(list(opened))


def streamed(path, **options):
    return np.concatenate([chunk.rows for chunk in open_source(path, **options).chunks()])


def write(folder, text, name="table.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines_of(rows=NUMBERS, between=","):
    return "".join(between.join(map(repr, row)) + "\n" for row in rows.tolist())


FOUND = {
    "the first line, 2001, 2002, 2003, is taken for names": "2001,2002,2003\n" + lines_of(),
    "the first line, 17, 4, 99, is taken for names": "17,4,99\n" + lines_of(),
    "the line below the names is taken for units: kg, cm, s": "a,b,c\nkg,cm,s\n" + lines_of(),
    "the comma is taken for the decimal mark": "a;b;c\n" + lines_of(between=";").replace(".", ","),
    "names are no UTF-8, and are read as Windows-1252": b"a,b,\xe9\n" + lines_of().encode(),
}


@pytest.mark.parametrize("told", FOUND)
@pytest.mark.parametrize("as_stream", [False, True])
def test_guesses_are_right_and_told(tmp_path, told, as_stream):
    path = write(tmp_path, FOUND[told])
    with pytest.warns(DataWarning, match=told):
        rows = streamed(path) if as_stream else read(path)[1]
    np.testing.assert_array_equal(rows, NUMBERS)


@pytest.mark.parametrize(
    ("text", "names", "left_out"),
    [
        ('"a" "b" "c"\n' + "".join(f'"r{k}" {line}\n' for k, line in enumerate(
            lines_of(between=" ").splitlines())), ["a", "b", "c"], {"names of rows": ["number 1"]}),
        ("a,b,c\n" + lines_of().replace("\n", ",\n"), ["a", "b", "c"], {"unnamed": ["number 4"]}),
        ("\ufeffa,b,c\n" + lines_of(), ["a", "b", "c"], {}),
        (("a,b,c\n" + lines_of()).encode("utf-16"), ["a", "b", "c"], {}),
        (("a,b,é\n" + lines_of()).encode("utf-16-le"), ["a", "b", "é"], {}),
        (("a,b,c\r\n" + lines_of().replace("\n", "\r\n")).encode("utf-16-be"), list("abc"), {}),
        (lines_of(), ["x0", "x1", "x2"], {}),
    ],
)  # fmt: skip
def test_what_needs_no_word(tmp_path, recwarn, text, names, left_out):
    opened, rows = read(write(tmp_path, text, "table.txt"))
    assert (opened.names, opened.left_out) == (names, left_out)
    np.testing.assert_array_equal(rows, NUMBERS)
    assert not recwarn.list


def test_dates_and_text_do_not_make_a_row_of_numbers_a_header(tmp_path):
    text = "".join(f"2024-01-{k + 1:02},{a!r},{b!r}\n" for k, (a, b, _) in enumerate(
        NUMBERS[:28].tolist()))  # fmt: skip
    opened, rows = read(write(tmp_path, text))
    assert opened.names == ["x1", "x2"]
    np.testing.assert_array_equal(rows, NUMBERS[:28, :2])


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.ndjson", "a.npy"])
def test_numbers_that_stand_for_missing_values(tmp_path, name):
    rows = NUMBERS.copy()
    rows[3, 1], rows[7, 0] = -99, -999
    frame = pl.DataFrame(rows, schema=list("abc"), orient="row")
    path = tmp_path / name
    writers = {".csv": frame.write_csv, ".parquet": frame.write_parquet}
    writers |= {".ndjson": frame.write_ndjson, ".npy": lambda path: np.save(path, rows)}
    writers[path.suffix](path)
    with pytest.raises(DataError, match="got 2 missing in 2 of"):
        read(path, na=["-99,-999"])
    opened, found = read(path, na="-99,-999", missing="drop")
    assert opened.n_dropped == 2
    np.testing.assert_array_equal(found, np.delete(NUMBERS, [3, 7], axis=0))
    source = open_source(path, na=["-99", "-999"], missing="drop")
    chunks = list(source.chunks())
    np.testing.assert_array_equal(np.concatenate([chunk.rows for chunk in chunks]), found)
    assert sum(len(chunk.bad) for chunk in chunks) == 2


@pytest.mark.parametrize("cell", ["-", "oops", "Na", "  ", "ERR", "n.d."])
@pytest.mark.parametrize("line", [2, 3, 60, 5000])
def test_one_bad_cell_removes_no_column(tmp_path, cell, line):
    lines = ["a,b,c", *(["1,2.5,3"] * 6000)]
    lines[line - 1] = f"1,{cell},3"
    path = write(tmp_path, "\n".join(lines))
    with pytest.raises(DataError) as caught:
        read(path)
    if cell in ("oops", "ERR", "n.d."):
        assert str(caught.value).startswith(
            f"line {line}: column 'b' must hold numbers, got '{cell}'"
        )
        with pytest.warns(
            DataWarning, match=f"text count as missing: '{cell}' \\('b', line {line}"
        ):
            opened, rows = read(path, missing="drop")
    else:
        assert "by column: 'b' (1)" in str(caught.value)
        opened, rows = read(path, missing="drop")
    assert opened.names == ["a", "b", "c"]
    assert (len(rows), opened.n_dropped) == (5999, 1)
    source = open_source(path, missing="error")
    bad = [row for chunk in source.chunks() for row in chunk.bad]
    assert source.schema.columns == ["a", "b", "c"]
    assert [row.place for row in bad] == [f"line {line}"]


def test_a_column_of_text_with_a_few_numbers_is_left_out_everywhere(tmp_path):
    text = "a,b,t\n" + "".join(f"1,2,{'7' if k % 3 == 0 else 'x'}\n" for k in range(200))
    opened, _ = read(write(tmp_path, text))
    assert opened.left_out == {"not numeric": ["t"]}
    source = open_source(tmp_path / "table.csv")
    with pytest.warns(DataWarning, match=r"columns are left out \(not numeric\): 't'"):
        list(source.chunks())
    assert source.schema.others == ["t"]


def test_booleans_are_numbers_in_every_format(tmp_path):
    frame = pl.DataFrame({"yes": [True, False] * 20, "x": NUMBERS[:, 0]})
    frame.write_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.ndjson")
    for path in tmp_path.iterdir():
        np.testing.assert_array_equal(read(path)[1][:, 0], [1, 0] * 20)


def test_json_lines_on_standard_input(monkeypatch):
    text = "".join(json.dumps(dict(zip("abc", row))) + "\n" for row in NUMBERS.tolist())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    opened, rows = read("-")
    assert opened.names == ["a", "b", "c"]
    np.testing.assert_array_equal(rows, NUMBERS)


def test_a_quote_that_is_never_closed_spoils_one_line(tmp_path):
    text = 'a,b,t\n1,2,"x\ny"\n3,"4,z\n5,6,w\n7,8,5" pipe\n'
    path = write(tmp_path, text)
    with pytest.raises(DataError, match="line 4: a double quote must be closed"):
        read(path)
    source = open_source(path)
    (chunk,) = source.chunks()
    np.testing.assert_array_equal(chunk.rows, [[1, 2], [5, 6], [7, 8]])
    assert [row.place for row in chunk.bad] == ["line 4"]


MATRIX = "gene,s1,s2,s3,s4,s5,s6\n" + "".join(
    f"G{k},{','.join(repr(5.0 * k + v) for v in row)}\n"
    for k, row in enumerate(np.random.default_rng(3).normal(size=(40, 6)).round(2).tolist())
)


def test_tables_on_their_side(tmp_path):
    path = write(tmp_path, MATRIX)
    with pytest.warns(DataWarning, match="rows look like variables and columns like samples"):
        _, rows = read(path)
    opened, turned = read(path, transpose=True)
    assert opened.names == [f"G{k}" for k in range(40)]
    np.testing.assert_array_equal(turned, rows.T)
    opened, turned = read(path, transpose=True, columns=["G1,G3"])
    np.testing.assert_array_equal(turned, rows.T[:, [1, 3]])
    np.save(tmp_path / "a.npy", rows)
    np.testing.assert_array_equal(read(tmp_path / "a.npy", transpose=True)[1], rows.T)


def test_ordinary_tables_with_names_of_rows_get_no_hint(tmp_path, recwarn):
    path = write(tmp_path, "who,a,b,c\n" + "".join(f"p{k},{a!r},{b!r},{c!r}\n" for k, (a, b, c) in
        enumerate(NUMBERS.tolist())))  # fmt: skip
    read(path)
    walk = np.cumsum(np.ones((60, 6)), axis=0) + np.random.default_rng(1).normal(size=(60, 6))
    dated = [f"2024-{1 + k // 28:02}-{1 + k % 28:02}," + ",".join(map(repr, row)) + "\n"
             for k, row in enumerate(walk.tolist())]  # fmt: skip
    read(write(tmp_path, "when,a,b,c,d,e,f\n" + "".join(dated), "prices.csv"))
    assert not any("rows look like variables" in str(each.message) for each in recwarn.list)


def timed(times):
    return "when,a,b\n" + "".join(f"{t},{k},{k * k}\n" for k, t in enumerate(times))


def test_rows_are_sorted_by_time(tmp_path, recwarn):
    order = [3, 0, 1, 2]
    days = [f"2024-05-0{1 + k}T12:00:00Z" for k in order]
    with pytest.warns(DataWarning, match="sorted by column 'when': 1 came before their turn"):
        opened, rows = read(write(tmp_path, timed(days)), time="when")
    assert (opened.names, opened.left_out) == (["a", "b"], {})
    np.testing.assert_array_equal(rows[:, 0], np.argsort(order))
    recwarn.clear()
    np.testing.assert_array_equal(
        read(write(tmp_path, timed(range(4))), time="when")[1][:, 0], range(4)
    )
    assert not recwarn.list
    with pytest.warns(DataWarning, match="1 rows have the time of another in column 'when'"):
        read(write(tmp_path, timed([1, 2, 2, 3])), time="when")
    frame = pl.read_csv(write(tmp_path, timed(days)), try_parse_dates=True)
    frame.write_parquet(tmp_path / "a.parquet")
    with pytest.warns(DataWarning, match="rows are sorted"):
        np.testing.assert_array_equal(read(tmp_path / "a.parquet", time="when")[1], rows)


def test_times_that_are_none_are_named(tmp_path):
    path = write(tmp_path, timed(["2024-05-01", "soon"]))
    with pytest.raises(DataError, match="got 'soon' in column 'when', line 3"):
        read(path, time="when")
    with pytest.raises(DataError, match="no column is called 'then'; did you mean 'when'"):
        read(path, time="then")
    with pytest.raises(ValueError, match="time needs a file"):
        read("-", time="when")


def test_times_in_a_stream_must_not_go_back(tmp_path):
    path = write(tmp_path, timed([1, 3, 2, 3, 4]))
    source = open_source(path, time="when")
    (chunk,) = source.chunks()
    assert source.schema.columns == ["a", "b"]
    np.testing.assert_array_equal(chunk.rows[:, 0], [0, 1, 3, 4])
    assert [row.place for row in chunk.bad] == ["line 4"]
    path.write_text(timed([1, 3, 2, 3, 4, 3, 5]))
    again = open_source(path, time="when")
    again.seek(json.loads(json.dumps(chunk.offset)), source.schema)
    (rest,) = again.chunks()
    np.testing.assert_array_equal(rest.rows[:, 0], [6])
    assert [row.place for row in rest.bad] == ["line 7"]


def test_names_of_rows_are_no_variable_and_repeated_ones_are_told(tmp_path, recwarn):
    text = "who,a,b\n" + "".join(f"{k % 30},{k},{k * k}\n" for k in range(32))
    path = write(tmp_path, text)
    with pytest.warns(DataWarning, match=r"'who' are not independent: '0' \(lines 2 and 32\), '1'"):
        opened, _ = read(path, id="who")
    assert opened.names == ["a", "b"]
    recwarn.clear()
    read(write(tmp_path, timed(range(9))), id="when")
    assert not recwarn.list
