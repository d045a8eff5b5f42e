"""Rows of files: what is read, what is refused, and how to come back."""

import json

import numpy as np
import polars
import pytest

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError
from hedgerow.io import raw as _bytes
from hedgerow.io import text as _text
from hedgerow.stream import Schema, open_source
from tests.unit.stream_files import CSV, NDJSON, ROWS, all_of, write


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", CSV),
        ("rows.csv", CSV.removesuffix("\n")),
        ("rows.csv", "\ufeff" + CSV),
        ("rows.csv", CSV.replace("\n", "\r\n")),
        ("rows.csv", CSV.replace("\n", "\n\n")),
        ("rows.csv", 'when,"a","b"\nmon,1,2\ntue,"3","4.5"\n"wed",5,-6\n'),
        ("rows.csv.gz", CSV),
        ("rows.tsv", CSV.replace(",", "\t")),
        ("rows.txt", CSV.replace(",", ";")),
        ("rows.ndjson", NDJSON),
        ("rows.jsonl.gz", NDJSON.removesuffix("\n")),
        ("rows.txt", "x,a,b\n" + "".join(f"t,{a},{b}\n" for a, b in ROWS)),
    ],
)
def test_text(tmp_path, name, text):
    source = open_source(write(tmp_path / name, text))
    rows, bad, _ = all_of(source)
    assert sorted(source.schema.columns) == ["a", "b"]
    order = [source.schema.columns.index(name) for name in "ab"]
    assert np.array_equal(rows[:, order], ROWS)
    assert not bad


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_typed_files(tmp_path, suffix):
    frame = polars.DataFrame({"when": ["m", "t", "w"], "a": ROWS[:, 0], "b": ROWS[:, 1]})
    write = frame.write_parquet if suffix == ".parquet" else frame.write_ipc
    write(tmp_path / f"rows{suffix}")
    source = open_source(tmp_path / f"rows{suffix}")
    rows, bad, offset = all_of(source)
    assert np.array_equal(rows, ROWS)
    assert source.schema == Schema(["a", "b"], ["when"])
    assert (bad, offset) == ([], {"row": 3})


def test_columns_without_names_are_numbered(tmp_path):
    source = open_source(write(tmp_path / "rows.csv", "1,2\n3,4.5\n5,-6\n"))
    rows, _, _ = all_of(source)
    assert source.schema.columns == ["x0", "x1"]
    assert np.array_equal(rows, ROWS)


def test_the_first_row_decides_and_wishes_count(tmp_path):
    path = write(tmp_path / "rows.csv", "t,a,b,c\nmon,1,,3\ntue,1,2,3\n")
    source = open_source(path, missing="error")
    rows, bad, _ = all_of(source)
    assert source.schema == Schema(["a", "b", "c"], ["t"])
    assert [row.reason for row in bad] == ["column 'b' has no value"]
    source = open_source(path, drop=["b"], columns=["?"])
    rows, bad, _ = all_of(source)
    assert source.schema == Schema(["a", "c"], ["t", "b"])
    assert (len(rows), bad) == (2, [])


BAD_CELLS = {
    "1": "a row must have 2 cells, got 1",
    "1,2,3": "a row must have 2 cells, got 3",
    "1,": "column 'b' has no value",
    "NaN,2": "column 'a' has no value",
    "1,inf": "column 'b' must hold finite numbers, got inf",
    "1,two": "column 'b' must hold numbers, got 'two'",
    '1,"2': "a double quote must be closed, and be followed by a delimiter",
    "1_0,2": "column 'a' must hold numbers, got '1_0'",
    "1,-1.797e308": "column 'b' must hold numbers up to ±1e+145, got -1.797e+308",
    "-,2": "column 'a' has no value",
}


@pytest.mark.parametrize("line", BAD_CELLS)
def test_bad_cells_are_told_with_line_and_reason(tmp_path, line):
    path = write(tmp_path / "rows.csv", f"a,b\n1,2\n\n{line}\n3,4.5\n5,-6\n")
    source = open_source(path, missing="error")
    rows, bad, _ = all_of(source)
    assert np.array_equal(rows, ROWS)
    assert [(row.after, row.place, row.reason) for row in bad] == [(1, "line 4", BAD_CELLS[line])]


BAD_OBJECTS = {
    '{"a": 1}': "column 'b' has no value",
    '{"a": 1, "b": null}': "column 'b' has no value",
    '{"a": 1, "b": NaN}': "column 'b' has no value",
    '{"a": 1, "b": "two"}': "column 'b' must hold numbers, got 'two'",
    '{"a": 1, "b": [2]}': "column 'b' must hold numbers, got '[2]'",
    '{"a": 1, "b": -Infinity}': "column 'b' must hold finite numbers, got -inf",
    "[1, 2]": "a row must be a JSON object, got '[1, 2]'",
    '{"a": 1, "b"': "a row must be JSON, Expecting ':' delimiter: line 2 column 1 (char 13)",
}


@pytest.mark.parametrize("line", BAD_OBJECTS)
def test_bad_objects_are_told_with_line_and_reason(tmp_path, line):
    lines = [json.dumps({"a": a, "b": b}) for a, b in ROWS]
    lines.insert(2, line)
    path = write(tmp_path / "rows.ndjson", "\n".join(lines) + "\n")
    source = open_source(path, missing="error")
    rows, bad, _ = all_of(source)
    assert np.array_equal(rows, ROWS)
    assert [(row.after, row.place, row.reason) for row in bad] == [(2, "line 3", BAD_OBJECTS[line])]


def test_a_torn_last_line_is_a_bad_row(tmp_path):
    for name, text in (("rows.csv", CSV + "7"), ("rows.ndjson", NDJSON + '{"a": 7, "b": 8')):
        rows, bad, _ = all_of(open_source(write(tmp_path / name, text)))
        assert len(rows) == 3
        assert len(bad) == 1


def test_bad_rows_of_typed_files(tmp_path):
    polars.DataFrame({"a": [1.0, None, 3.0], "b": [1.0, 2.0, np.inf]}).write_parquet(
        tmp_path / "rows.parquet"
    )
    rows, bad, _ = all_of(open_source(tmp_path / "rows.parquet", missing="error"))
    assert np.array_equal(rows, [[1, 1]])
    assert [(row.after, row.offset, row.place, row.reason) for row in bad] == [
        (1, {"row": 1}, "row 2", "column 'a' has no value"),
        (1, {"row": 2}, "row 3", "column 'b' must hold finite numbers, got inf"),
    ]


@pytest.mark.parametrize(
    "name", ["rows.csv", "excel.csv", "rows.csv.gz", "rows.ndjson", "rows.parquet"]
)
@pytest.mark.parametrize("block", [7, 200, 1 << 20])
def test_seeking_leads_to_the_next_row(tmp_path, monkeypatch, name, block):
    """From every offset, also those of bad rows, exactly the rest is read."""
    monkeypatch.setattr(_bytes, "BLOCK", block)
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 2))
    path = tmp_path / name
    if name == "rows.parquet":
        polars.DataFrame(rows, schema=["a", "b"], orient="row").write_parquet(
            path, row_group_size=7
        )
    elif name == "rows.ndjson":
        write(path, "".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in rows.tolist()))
    else:
        lines = [f"{a!r},{b!r}\n" for a, b in rows.tolist()]
        top = "sep=,\n" if name == "excel.csv" else ""
        write(path, top + "a,b\n" + "\n".join(lines[:20]) + "oops\n" + "".join(lines[20:]))
    source = open_source(path)
    seen = 0
    for chunk in source.chunks():
        places = [(seen + bad.after, bad.offset) for bad in chunk.bad]
        seen += len(chunk.rows)
        if not seen:
            continue  # nothing is saved before the first row
        for done, offset in [*places, (seen, chunk.offset)]:
            again = open_source(path)
            again.seek(json.loads(json.dumps(offset)), source.schema)
            rest = [each.rows for each in again.chunks() if len(each.rows)]
            rest = np.concatenate(rest) if rest else np.empty((0, 2))
            assert np.array_equal(rest, rows[done:])
            if offset == chunk.offset and block > 1000:
                break
    assert seen == 60


def test_seeking_in_another_file_is_refused(tmp_path):
    path = write(tmp_path / "rows.csv", CSV)
    _, _, offset = all_of(open_source(path))
    schema = Schema(["a", "b"], [])

    def resume():
        source = open_source(path)
        source.seek(offset, schema)
        return all_of(source)

    write(path, CSV + "7,8\n")
    assert np.array_equal(resume()[0], [[7, 8]])
    write(path, CSV.replace("4.5", "4.6"))
    with pytest.raises(DataError, match="must be the one read before, and begins differently"):
        resume()
    write(path, CSV[:-4])
    with pytest.raises(DataError, match=r"must only grow; 19 bytes were read, and now it has 15"):
        resume()


def test_seeking_in_a_file_that_is_followed_and_was_cut_is_refused(tmp_path):
    path = write(tmp_path / "rows.csv", CSV)
    _, _, offset = all_of(open_source(path))
    write(path, "a,b\n")
    source = open_source(path, follow=True)
    source.seek(offset, Schema(["a", "b"], []))
    with pytest.raises(DataError, match="19 bytes were read, and now it has 4"):
        next(source.chunks())


def test_columns_may_change_places_come_and_go(tmp_path):
    def reading(text, name="rows.csv"):
        source = open_source(write(tmp_path / name, text))
        source.schema = Schema(["a", "b"], ["when"])
        return all_of(source)

    assert np.array_equal(reading("b,when,a\n2,x,1\n4.5,y,3\n-6,z,5\n")[0], ROWS)
    assert np.array_equal(reading(CSV)[0], ROWS)  # a column that is left out may go
    with pytest.warns(DataWarning, match="that came later are not learned from: 'c', 'd'"):
        assert np.array_equal(reading("a,c,b,d\n1,x,2,0\n3,,4.5,0\n5,y,-6,0\n")[0], ROWS)
    objects = NDJSON.replace('"a"', '"c": 7, "a"', 1)
    with pytest.warns(DataWarning, match="that came later are not learned from: 'c'"):
        assert np.array_equal(reading(objects, "rows.ndjson")[0], ROWS)
    rows, bad, _ = reading("a,when\n1,x\n3,y\n")
    np.testing.assert_array_equal(rows, [[1, np.nan], [3, np.nan]])
    assert not bad


@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson"])
def test_wishes_must_stay(tmp_path, name):
    source = open_source(write(tmp_path / name, ""), columns=["?"], drop=["b"])
    offset = {"byte": 0, "line": 1, "head": ""}
    with pytest.raises(DataError, match="must stay the same, got 'b' missing"):
        source.seek(offset, Schema(["a", "b", "c"], ["when"]))
    source.seek(offset, Schema(["a", "c"], ["when", "b"]))
    assert source.schema.columns == ["a", "c"]


def test_text_that_is_none_is_refused(tmp_path):
    with pytest.raises(DataError, match="at least two columns are needed, got one"):
        all_of(open_source(write(tmp_path / "rows.csv", "a\n1\n")))
    with pytest.raises(DataError, match="at least two columns of numbers are needed"):
        all_of(open_source(write(tmp_path / "rows.csv", "a,b\n1,x\n")))
    with pytest.raises(DataError, match="column names must differ"):
        all_of(open_source(write(tmp_path / "rows.csv", "a,a\n1,2\n")))
    with pytest.raises(ValueError, match="file name must end in"):
        open_source(write(tmp_path / "rows.exe", "a,b\n"))
    with pytest.raises(FileNotFoundError):
        open_source(tmp_path / "absent.csv")


def test_a_packed_file_that_is_torn_is_refused(tmp_path):
    path = write(tmp_path / "rows.csv.gz", "a,b\n" + "1,2\n" * 1000)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[20] ^= 255
    for data in (whole[:-9], bytes(damaged), b"not packed at all"):
        path.write_bytes(data)
        with pytest.raises(DataError, match="must be whole and packed by gzip"):
            all_of(open_source(path))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "BLOCK", 100)
    monkeypatch.setattr(_text, "LONGEST", 1000)
    with pytest.raises(DataError, match="line 4 must end within"):
        all_of(open_source(write(tmp_path / "rows.csv", CSV[:-5] + "9" * 5000)))
