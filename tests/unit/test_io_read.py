"""Readers: every kind of file gives the same rows, and every bad file one clear sentence."""

import gzip
import io
import json
import sys

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError, open_table
from hedgerow.io import raw as _bytes
from hedgerow.io import source as _source
from hedgerow.io import text as _text

NAMES = ["height", "mass, kg", "with\nnewline"]


@pytest.fixture
def rows():
    return np.random.default_rng().normal(size=(40, 3))


@pytest.fixture
def table(rows):
    return pl.DataFrame(rows, schema=NAMES, orient="row").with_columns(who=pl.lit("Ada"))


def read(path, **options):
    with open_table(path, **{"missing": "error", **options}) as opened:
        return opened, np.concatenate(list(opened))


def write_text(folder, text, name="table.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write_npy(table, path):
    np.save(path, table.select(NAMES).to_numpy())


def write_arrow_stream(table, path):
    arrow = table.to_arrow()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, arrow.schema) as writer:
        writer.write_table(arrow)


WRITERS = {
    "table.csv": lambda table, path: table.write_csv(path),
    "table.TXT": lambda table, path: table.write_csv(path, separator=";"),
    "table.tsv": lambda table, path: table.write_csv(path, separator="\t", quote_style="always"),
    "table.csv.gz": lambda table, path: path.write_bytes(gzip.compress(table.write_csv().encode())),
    "table.parquet": lambda table, path: table.write_parquet(path, row_group_size=7),
    "table.pq": lambda table, path: table.to_pandas().to_parquet(path),
    "table.arrow": lambda table, path: table.write_ipc(path, record_batch_size=7),
    "table.feather": lambda table, path: table.to_pandas().to_feather(path),
    "table.ipc": write_arrow_stream,
    "table.ndjson": lambda table, path: table.write_ndjson(path),
    "table.jsonl.gz": lambda table, path: path.write_bytes(
        gzip.compress(table.write_ndjson().encode())
    ),
    "table.npy": write_npy,
}


@pytest.mark.parametrize("at_once", [64, 1 << 20])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_rows(tmp_path, monkeypatch, rows, table, name, at_once):
    monkeypatch.setattr(_bytes, "BLOCK", at_once)
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    WRITERS[name](table, tmp_path / name)
    opened, read_back = read(tmp_path / name)
    np.testing.assert_array_equal(read_back, rows)
    if name.endswith("npy"):
        assert (opened.names, opened.left_out) == (["x0", "x1", "x2"], {})
    else:
        assert (opened.names, opened.left_out) == (NAMES, {"not numeric": ["who"]})
    assert opened.done == opened.total
    assert (opened.n_rows, opened.n_dropped) == (40, 0)


def write_h5ad(path, matrix, names, kind="array"):
    with h5py.File(path, "w") as file:
        if kind == "array":
            file["X"] = matrix
        else:
            packed = {"csr_matrix": sparse.csr_array, "csc_matrix": sparse.csc_array}.get(
                kind, sparse.csr_array
            )(matrix)
            group = file.create_group("X")
            group.attrs["shape"] = matrix.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(packed, part)
        file["X"].attrs["encoding-type"] = kind
        var = file.create_group("var")
        var.attrs["_index"] = "gene"
        var["gene"] = np.array(names, dtype=h5py.string_dtype())


@pytest.mark.parametrize("kind", ["array", "csr_matrix", "csc_matrix"])
@pytest.mark.parametrize("at_once", [10, 1000])
def test_anndata_dense_and_sparse(tmp_path, monkeypatch, kind, at_once):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    counts = np.random.default_rng().poisson(0.5, size=(30, 5)).astype(np.float32)
    names = ["TP53", "MT-CO1", "é", "IL2 ", "x"]
    write_h5ad(tmp_path / "cells.h5ad", counts, names, kind)
    opened, rows = read(tmp_path / "cells.h5ad")
    assert opened.names == names
    np.testing.assert_array_equal(rows, counts)
    opened, rows = read(tmp_path / "cells.h5ad", columns=["x", "TP53"])
    assert opened.names == ["TP53", "x"]
    np.testing.assert_array_equal(rows, counts[:, [0, 4]])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda file: file.pop("X"), "must be AnnData with X and var, got"),
        (lambda file: file.pop("var"), "must be AnnData with X and var, got"),
        (lambda file: file["var"].attrs.pop("_index"), "must be AnnData with X and var, got"),
        (
            lambda file: file["X"].attrs.modify("encoding-type", "coo"),
            "X must be csr_matrix, csc_matrix or array, got 'coo'",
        ),
        (
            lambda file: file["X"].attrs.modify("shape", (30, 4)),
            r"X must have a column for each variable \(5\), got 4",
        ),
        (
            lambda file: file["X/indices"].write_direct(np.full(150, 99, np.int32)),
            "indices must be",
        ),
    ],
)
def test_damaged_anndata_is_refused(tmp_path, spoil, message):
    write_h5ad(tmp_path / "cells.h5ad", np.ones((30, 5)), list("abcde"), "csr_matrix")
    with h5py.File(tmp_path / "cells.h5ad", "a") as file:
        spoil(file)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "cells.h5ad")


def test_without_h5py_it_says_what_to_install(tmp_path, monkeypatch):
    path = write_text(tmp_path, "", "cells.h5ad")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ModuleNotFoundError, match=r"'h5py'.*pip install 'hedgerow\[h5ad\]'"):
        open_table(path)


class Pipe(io.RawIOBase):
    """Gives a few bytes at a time, and no position, as a pipe does."""

    def __init__(self, data):
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self._data.read(min(5, len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)

    def fileno(self):
        return sys.__stdin__.fileno()


def test_standard_input_is_delimited_text(monkeypatch, rows):
    text = pl.DataFrame(rows, schema=NAMES, orient="row").write_csv(separator="|").encode()
    stdin = io.TextIOWrapper(io.BufferedReader(Pipe(text)))
    monkeypatch.setattr(sys, "stdin", stdin)
    opened, read_back = read("-")
    assert opened.names == NAMES
    np.testing.assert_array_equal(read_back, rows)
    assert opened.done == len(text)


GOOD = {
    "comma": "a,b\n1,2\n3,4\n",
    "semicolon": "a;b\n1;2\n3;4\n",
    "tab": "a\tb\n1\t2\n3\t4\n",
    "bar": "a|b\n1|2\n3|4\n",
    "space": "a b\n1 2\n3 4\n",
    "no newline at the end": "a,b\n1,2\n3,4",
    "Windows line ends": "a,b\r\n1,2\r\n3,4\r\n",
    "byte order mark": "\ufeffa,b\n1,2\n3,4\n",
    "blank lines": "\n\na,b\n\n1,2\n\r\n3,4\n\n",
    "spaces around": " a , b\n 1, 2\n3 ,4 \n",
    "quoted numbers": '"a","b"\n"1","2"\n"3","4"\n',
    "plus and exponent": "a,b\n+1,2e0\n.3E1,4.\n",
    "commas in names of tabbed text": "a\tb\n1\t2\n3\t4\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_ways_to_write_the_same_table(tmp_path, text):
    opened, rows = read(write_text(tmp_path, text))
    assert opened.names == ["a", "b"]
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "options", "names", "rows"),
    [
        ("1,2\n3,4\n", {}, ["x0", "x1"], [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", {"header": True}, ["1", "2"], [[3, 4]]),
        ("year,1990,1991\nx,1,2\n", {}, ["1990", "1991"], [[1, 2]]),
        ("Ada,1,2\nBob,3,4\n", {"header": False}, ["x1", "x2"], [[1, 2], [3, 4]]),
        ("1;2,5;3\n4;5,5;6\n", {"decimal": ","}, ["x0", "x1", "x2"], [[1, 2.5, 3], [4, 5.5, 6]]),
        ("a:b\n1:2\n", {"delimiter": ":"}, ["a", "b"], [[1, 2]]),
        ("a\tb\n1\t2\n", {"delimiter": "tab"}, ["a", "b"], [[1, 2]]),
        (",a,b\n0,1,2\n1,3,4\n", {}, ["a", "b"], [[1, 2], [3, 4]]),
        ("a,b,c\n1,2,3\n", {"columns": ["c", "a"]}, ["a", "c"], [[1, 3]]),
        ("a,b,c\n1,2,3\n", {"columns": ["c,a"]}, ["a", "c"], [[1, 3]]),
        ("a,b,c\n1,2,3\n", {"drop": ["b"]}, ["a", "c"], [[1, 3]]),
        ("g1,g2,h\n1,2,3\n", {"columns": ["g*"]}, ["g1", "g2"], [[1, 2]]),
        ("g1,g2,h\n1,2,3\n", {"columns": ["*"], "drop": ["h"]}, ["g1", "g2"], [[1, 2]]),
        ('"a,b",c,d\n1,2,3\n', {"columns": ["a,b", "d"]}, ["a,b", "d"], [[1, 3]]),
        ('"a,b",c,d\n1,2,3\n', {"columns": ['"a,b", d']}, ["a,b", "d"], [[1, 3]]),
        ("x*,xy,z\n1,2,3\n", {"drop": ["x*"]}, ["xy", "z"], [[2, 3]]),
        ("a,b\n1,2\nNA,4\n5,\n", {"missing": "drop"}, ["a", "b"], [[1, 2]]),
    ],
)
def test_options_and_what_is_found_without_them(tmp_path, text, options, names, rows):
    opened, read_back = read(write_text(tmp_path, text), **options)
    assert opened.names == names
    np.testing.assert_array_equal(read_back, rows)


def test_columns_that_cannot_be_used_are_left_out_by_reason(tmp_path):
    text = "name,a,,b,none\nx,1,8,2,\ny,3,9,4,NA\n"
    opened, rows = read(write_text(tmp_path, text))
    assert opened.left_out == {
        "not numeric": ["name"],
        "unnamed": ["number 3"],
        "empty": ["none"],
    }
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4]])


def test_columns_dropped_on_request_are_not_reported(tmp_path):
    opened, _ = read(write_text(tmp_path, "name,a,b\nx,1,2\n"), drop=["name"])
    assert opened.left_out == {}


def test_types_of_parquet(tmp_path):
    frame = pd.DataFrame(
        {"int": [1, 2], "bool": [True, False], "date": pd.to_datetime(["2020-01-01"] * 2)},
        index=[5, 9],
    )
    frame["half"] = np.array([0.5, 1.5], dtype=np.float32)
    frame.to_parquet(tmp_path / "a.parquet")
    opened, rows = read(tmp_path / "a.parquet")
    assert opened.names == ["int", "bool", "half"]
    assert opened.left_out == {"time": ["date"], "unnamed": ["__index_level_0__"]}
    np.testing.assert_array_equal(rows, [[1, 1, 0.5], [2, 0, 1.5]])


def test_json_lines_as_python_writes_them(tmp_path):
    objects = [{"a": 1, "b": float("nan")}, {"b": 2, "a": 3.5, "c": "x"}, {"a": True, "b": None}]
    path = write_text(tmp_path, "\n".join(map(json.dumps, objects)), "a.jsonl")
    opened, rows = read(path, missing="drop")
    assert opened.names == ["a", "b"]
    assert opened.n_dropped == 2
    np.testing.assert_array_equal(rows, [[3.5, 2]])


BAD = [
    ("", "the file is empty"),
    ("\n\r\n", "the file is empty"),
    ("a,b\n", "the file has a header, and no rows below it"),
    ("a,b\n1,2\n3\n", "line 3: a row must have 2 cells, got 1"),
    ("a,b\n1,2\n\n3,4,5\n", "line 4: a row must have 2 cells, got 3"),
    ("1,2\n3,4,5\n", "line 2: a row must have 2 cells, got 3"),
    ("a\n1\n2\n", "at least two columns are needed, got one with the delimiter ','$"),
    ("a,b\nx,y\n", "columns of numbers are needed, got none; not numeric: 'a', 'b'"),
    ("a,b\nx,1\n", "columns of numbers are needed, got one, 'b'; not numeric: 'a'"),
    ("a;b\n1,234;2\n", "'1,234' may be 1.234 or 1234; decimal=',' takes the comma"),
    ("a;b\n1,5;2.5\n", "numbers must be written in one way, got '1,5' and 'a point'"),
    ("a,b,a\n1,2,3\n", "column names must differ, got more than once: 'a'"),
    ("a,b\n1,2\n3,inf\n", r"must be between ±1e\+145, got inf in column 'b', line 3"),
    ("a,b\n1,1e999\n", r"must be between ±1e\+145, got inf in column 'b', line 2"),
    ("a,b\n1,-1.797e308\n", r"got -1.797e\+308 in column 'b', line 2; na='-1.797e\+308' takes"),
    ('a,b\n1,"2\n3,4\n', "line 2: a double quote must be closed"),
    ('a,b,c\n1,"x"y"",2\n1,2,"z"\n4,5,6\n', "line 2: a double quote must be closed"),
    (b"a,b\n\x00\x01,2\n", "must be text in UTF-8 or UTF-16, got bytes that are not text"),
    ("a,b\n1,oops\n2,3\n", "line 2: column 'b' must hold numbers, got 'oops'; missing='use' "),
    (
        "a,b\n1,\nNA,2\n3,nan\n",
        r"got 3 missing in 3 of the 3 rows, by column: 'b' \(2\), 'a' \(1\); missing='use' learns",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_bad_text_is_one_clear_sentence(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(write_text(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["c"]}, "no column is called 'c'; there are 'alpha', 'beta', 'who'"),
        ({"drop": ["alpa"]}, "no column is called 'alpa'; did you mean 'alpha'?"),
        ({"columns": ["g*"]}, "no column is called 'g\\*'"),
        ({"columns": ["alpha,who"]}, "column 'who' cannot be learned from: not numeric"),
        ({"columns": ["alpha"]}, "at least two columns of numbers are needed, got one, 'alpha'"),
        ({"drop": ["*"]}, "at least two columns of numbers are needed, got none$"),
        ({"delimiter": ";"}, "got one with the delimiter ';'; delimiter=',' finds 3"),
        ({"delimiter": ";;"}, "delimiter must be one ASCII character or 'tab', got ';;'"),
        ({"delimiter": '"'}, "delimiter must be one ASCII character"),
        ({"missing": "mean"}, "missing must be one of 'use', 'error', 'drop', got 'mean'"),
    ],
)
def test_options_that_do_not_fit(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        read(write_text(tmp_path, "alpha,beta,who\n1,2,x\n3,4,y\n"), **options)


def test_no_row_left_after_dropping(tmp_path):
    with pytest.raises(DataError, match=r"no row is left.*'b' \(2\), 'a' \(1\)"):
        read(write_text(tmp_path, "a,b,c\n1,,1\n,2,3\n3,?,3\n"), drop=["c"], missing="drop")


def test_the_first_rows_are_counted_where_the_file_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "BLOCK", 16)
    text = "a,b\n" + "1,2\n" * 10 + "3,\n" + "1,2\n" * 10
    with pytest.raises(DataError, match=r"got 1 missing in 1 of the first (1[0-4]) rows"):
        read(write_text(tmp_path, text))


@pytest.mark.parametrize("name", ["table.csv", "table.ndjson"])
def test_a_column_that_turns_to_text_is_an_error_with_the_line(tmp_path, monkeypatch, name):
    lines = ["a,b,c", *(["1,2,3"] * 50), "1,two,3"]
    if name == "table.ndjson":
        lines = [json.dumps({"a": 1, "b": 2, "c": 3})] * 51 + ['{"a": 1, "b": "two", "c": 3}']
    path = write_text(tmp_path, "\n".join(lines), name)
    monkeypatch.setattr(_bytes, "BLOCK", 128)
    with pytest.raises(DataError, match="line 52: column 'b' must hold numbers, got 'two'"):
        read(path)
    assert read(path, drop=["b"])[1].shape == (51 if name.endswith("csv") else 52, 2)


def test_line_numbers_count_newlines_inside_quotes_and_blank_lines(tmp_path):
    text = 'a,b,t\n1,2,"two\nlines"\n\n3,4,x\n5,oops,y\n'
    with pytest.raises(DataError, match="line 6: column 'b' must hold numbers, got 'oops'"):
        read(write_text(tmp_path, text))


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.arrow", "a.npy", "a.h5ad", "a.csv.gz", "a.ndjson"]
)
@pytest.mark.parametrize("content", [b"", b"nonsense", b"ARROW1\0\0 cut short", b"PAR1"])
def test_files_that_are_not_what_their_name_says(tmp_path, name, content):
    with pytest.raises(DataError) as caught:
        read(write_text(tmp_path, content, name))
    assert "\n" not in str(caught.value)


def test_a_cut_gzip_file(tmp_path):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    with pytest.raises(DataError, match="must be whole and packed by gzip"):
        read(write_text(tmp_path, packed[:-9], "a.csv.gz"))


@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2, 2)), np.array([["a", "b"]])])
def test_arrays_that_are_no_matrix_of_numbers(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DataError, match="must be two-dimensional and of numbers, got"):
        open_table(tmp_path / "a.npy")


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}, 1]], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="must hold one NumPy array of numbers"):
        open_table(tmp_path / "a.npy")


def test_an_array_without_rows(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((0, 3)))
    with pytest.raises(DataError, match="the file has no rows"):
        read(tmp_path / "a.npy")


def test_missing_files_folders_and_unknown_names(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_table(tmp_path / "absent.csv")
    with pytest.raises(FileNotFoundError):
        open_table(tmp_path / "absent.parquet")
    with pytest.raises(IsADirectoryError, match="is a folder, not a file"):
        open_table(tmp_path)
    with pytest.raises(ValueError, match=r"file name must end in .csv, .*got 'a.dat'"):
        open_table(tmp_path / "a.dat")


def test_a_line_without_end_is_refused_before_memory_is(tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "BLOCK", 64)
    monkeypatch.setattr(_text, "LONGEST", 1000)
    text = "a,b\n" + "1,2\n" * 20 + "3," + "4" * 5000
    with pytest.raises(DataError, match="line 22 must end within"):
        read(write_text(tmp_path, text))
    with pytest.raises(DataError, match="line 1 must end within"):
        read(write_text(tmp_path, "a" * 5000))


def test_old_line_ends_are_told_as_such(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"a,b\r1,2\r3,4\r")
    with pytest.raises(DataError, match="line 1 must end with a line feed, got a carriage return"):
        open_table(path)


def test_columns_of_json_lines_keep_their_order_and_late_ones_are_told(tmp_path):
    names = [f"x{j}" for j in range(100)]
    rows = np.random.default_rng(0).standard_normal((2500, 100)).round(3).tolist()
    lines = [json.dumps(dict(zip(names, row))) for row in rows]
    lines[1000] = lines[1000].replace("}", ', "late": 1, "as late": 2}')
    (tmp_path / "rows.ndjson").write_text("\n".join(lines))
    with pytest.warns(DataWarning, match="come later are not learned from: 'as late', 'late'"):
        table, read_back = read(tmp_path / "rows.ndjson")
    assert table.names == names
    assert len(read_back) == 2500


def test_a_matrix_of_very_many_columns_is_read_in_pieces_that_are_not_too_small(tmp_path):
    path, rows = tmp_path / "wide.npy", np.random.default_rng().standard_normal((300, 5000))
    np.save(path, rows)
    with open_table(path) as table:
        pieces = list(table)
    assert [len(piece) for piece in pieces] == [256, 44]
    assert np.array_equal(np.concatenate(pieces), rows)
    with open_table(path, drop=("x7",)) as table:
        fewer = np.concatenate(list(table))
    assert np.array_equal(fewer, np.delete(rows, 7, axis=1))
