"""Rows of files, folders and pipes: what is read, what is refused, and how to come back."""

import gzip
import json
import os
import threading
import time

import numpy as np
import polars
import pytest

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError
from hedgerow.io import raw as _bytes
from hedgerow.io import text as _text
from hedgerow.io.choose import Wish
from hedgerow.io.opening import Reading
from hedgerow.stream import Schema, open_source
from hedgerow.stream._files import Piped

ROWS = np.array([[1.0, 2.0], [3.0, 4.5], [5.0, -6.0]])
CSV = "a,b\n1,2\n3,4.5\n5,-6\n"
LONG = CSV + "7,8\n" * 9  # enough rows to tell what the columns are
NDJSON = "".join(json.dumps({"b": b, "a": a}) + "\n" for a, b in ROWS)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Waiting sources look again at once, or nearly."""
    for module in ("io.raw", "stream._files"):
        monkeypatch.setattr(f"hedgerow.{module}.PAUSE", 0.005)


def all_of(source):
    """Rows, bad rows and the last offset."""
    chunks = list(source.chunks())
    rows = [chunk.rows for chunk in chunks if len(chunk.rows)]
    bad = [row for chunk in chunks for row in chunk.bad]
    return (np.concatenate(rows) if rows else None), bad, chunks[-1].offset


def write(path, text):
    (gzip.open if path.suffix == ".gz" else open)(path, "wt", newline="").write(text)
    return path


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
    source = open_source(path)
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
    source = open_source(write(tmp_path / "rows.csv", f"a,b\n1,2\n\n{line}\n3,4.5\n5,-6\n"))
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
    source = open_source(write(tmp_path / "rows.ndjson", "\n".join(lines) + "\n"))
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
    rows, bad, _ = all_of(open_source(tmp_path / "rows.parquet"))
    assert np.array_equal(rows, [[1, 1]])
    assert [(row.after, row.offset, row.place, row.reason) for row in bad] == [
        (1, {"row": 1}, "row 2", "column 'a' has no value"),
        (1, {"row": 2}, "row 3", "column 'b' must hold finite numbers, got inf"),
    ]


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.ndjson", "rows.parquet"])
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
        write(path, "a,b\n" + "\n".join(lines[:20]) + "oops\n" + "".join(lines[20:]))
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
    assert rows is None
    assert [row.reason for row in bad] == ["column 'b' has no value"] * 2


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


class Following:
    """A source read step by step, waiting included."""

    def __init__(self, source):
        self.source, self.chunks = source, source.chunks()

    def until(self, n_rows):
        rows = []
        for chunk in self.chunks:
            assert not chunk.bad
            rows.extend(chunk.rows.tolist())
            if len(rows) >= n_rows:
                return np.array(rows), chunk.offset
        raise AssertionError("the source ended")

    def waits(self):
        return all(not len(next(self.chunks).rows) for _ in range(5))


def test_following_a_file_that_grows(tmp_path):
    path = tmp_path / "rows.csv"
    following = Following(open_source(path, follow=True))
    assert following.waits()  # there is no file
    write(path, "a,b\n")
    assert following.waits()
    with path.open("a") as file:
        file.write("7,8\n" * 9)
        file.flush()
        assert following.waits()  # ten rows tell what the columns are
        file.write("1,2\n3,4")
        file.flush()
        assert np.array_equal(following.until(10)[0][9:], ROWS[:1])
        assert following.waits()  # the line is not whole
        file.write(".5\n5,-6\n")
        file.flush()
        assert np.array_equal(following.until(2)[0], ROWS[1:])


def test_following_a_name_to_another_file(tmp_path):
    path = write(tmp_path / "rows.csv", LONG)
    following = Following(open_source(path, follow=True))
    following.until(12)
    old = path.open("a")
    path.rename(tmp_path / "rows.csv.1")
    assert following.waits()
    print("7,8", file=old, flush=True)  # a writer who has not noticed yet
    assert np.array_equal(following.until(1)[0], [[7, 8]])
    write(path, "b,a\n10,9\n")
    assert np.array_equal(following.until(1)[0], [[9, 10]])


def test_following_a_file_that_is_cut_is_refused(tmp_path):
    path = write(tmp_path / "rows.csv", LONG)
    following = Following(open_source(path, follow=True))
    following.until(12)
    write(path, "a,b\n")
    with pytest.raises(DataError, match="must only grow; 55 bytes were read, and now it has 4"):
        following.waits()


@pytest.mark.parametrize("growth", [0, 1, 1000])
def test_following_a_file_that_is_cut_and_grows_again_is_refused(tmp_path, growth):
    path = write(tmp_path / "rows.csv", LONG)
    following = Following(open_source(path, follow=True))
    following.until(12)
    write(path, LONG.replace("4.5", "4.6") + "1,2\n" * growth)  # between two looks
    with pytest.raises(DataError, match="what was read last is no longer there"):
        following.waits()


@pytest.mark.parametrize("follow", [False, True])
def test_a_file_replaced_between_two_runs_is_not_gone_on_with(tmp_path, follow):
    names = [f"a rather long name of column number {j}" for j in range(40)]
    header = ",".join(names) + "\n"
    assert len(header) > 1024
    row = ",".join(["1"] * 40) + "\n"
    path = write(tmp_path / "rows.csv", header + 20 * row)
    source = open_source(path)
    _, _, offset = all_of(source)
    write(path, header + 50 * row.replace("1", "2"))
    again = open_source(path, follow=follow)
    again.seek(json.loads(json.dumps(offset)), source.schema)
    with pytest.raises(DataError, match="what was read last is no longer there"):
        next(again.chunks())


@pytest.mark.parametrize("name", ["rows.csv.gz", "rows.parquet", "rows.npy"])
def test_only_plain_text_grows(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match="follow needs a file of plain text or a folder"):
        open_source(tmp_path / name, follow=True)


def make_folder(path):
    path.mkdir()
    write(path / "01.csv", "a,b\n1,2\n")
    polars.DataFrame({"b": [4.5], "a": [3.0]}).write_parquet(path / "02.parquet")
    write(path / "03.ndjson.gz", '{"a": 5, "b": -6}\n')
    write(path / ".04.csv", "not yet")
    write(path / "README.md", "not rows")
    return path


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    source = open_source(make_folder(tmp_path / "in"))
    rows, bad, offset = all_of(source)
    assert np.array_equal(rows, ROWS)
    passed = ["01.csv", "02.parquet", "03.ndjson.gz"]
    assert (bad, offset) == ([], {"file": "03.ndjson.gz", "done": True, "passed": passed})


def test_a_folder_can_be_taken_up_anywhere(tmp_path):
    folder = make_folder(tmp_path / "in")
    source = open_source(folder)
    done = 0
    for chunk in source.chunks():
        done += len(chunk.rows)
        again = open_source(folder)
        again.seek(json.loads(json.dumps(chunk.offset)), source.schema)
        rest = [each.rows for each in again.chunks() if len(each.rows)]
        assert np.array_equal(np.concatenate([ROWS[:0], *rest]), ROWS[done:])
    assert done == 3


def test_a_folder_tells_the_file_of_bad_rows_and_other_columns(tmp_path):
    folder = make_folder(tmp_path / "in")
    write(folder / "04.csv", "a,b\n1\n")
    _, bad, _ = all_of(open_source(folder))
    assert (bad[0].place, bad[0].offset["file"]) == ("04.csv, line 2", "04.csv")
    write(folder / "05.csv", "a,a\n1,2\n")
    with pytest.raises(DataError, match=r"05.csv: column names must differ"):
        all_of(open_source(folder))


def test_a_file_that_is_not_done_must_be_there(tmp_path):
    folder = make_folder(tmp_path / "in")
    source = open_source(folder)
    chunk = next(source.chunks())
    (folder / "01.csv").unlink()
    again = open_source(folder)
    again.seek(chunk.offset, source.schema)
    with pytest.raises(DataError, match=r"'01.csv' must be there until all of it is read"):
        all_of(again)


def test_following_a_folder(tmp_path):
    folder = make_folder(tmp_path / "in")
    following = Following(open_source(folder, follow=True))
    assert np.array_equal(following.until(3)[0], ROWS)
    assert following.waits()
    with write(folder / "05.csv", "a,b\n7,8\n").open("a") as growing:
        assert np.array_equal(following.until(1)[0], [[7, 8]])
        print("9,10", file=growing, flush=True)
        assert np.array_equal(following.until(1)[0], [[9, 10]])
        print("11,12", file=growing, flush=True)
        write(folder / "06.csv", "a,b\n13,14\n")
        assert np.array_equal(following.until(2)[0], [[11, 12], [13, 14]])
    write(folder / "00.csv", "a,b\n0,0\n")
    with pytest.warns(DataWarning, match=r"late after '06.csv' and are not read: '00.csv'"):
        assert following.waits()  # also while the last file may still grow
    write(folder / "07.csv", "a,b\n15,16\n")
    assert np.array_equal(following.until(1)[0], [[15, 16]])


def test_numbers_in_names_of_files_are_counted(tmp_path):
    for number in (9, 10, 100):
        write(tmp_path / f"{number}.csv", f"a,b\n{number},0\n")
    source = open_source(tmp_path)
    rows, _, offset = all_of(source)
    assert rows[:, 0].tolist() == [9, 10, 100]
    write(tmp_path / "11.csv", "a,b\n11,0\n")  # while nobody looked
    write(tmp_path / "101.csv", "a,b\n101,0\n")
    again = open_source(tmp_path)
    again.seek(json.loads(json.dumps(offset)), source.schema)
    with pytest.warns(DataWarning, match=r"late after '100.csv' and are not read: '11.csv'"):
        rows, _, _ = all_of(again)
    assert rows[:, 0].tolist() == [101]


def test_checkpoints_of_a_folder_that_an_older_version_read(tmp_path):
    for number in (1, 2):
        write(tmp_path / f"{number}.csv", f"a,b\n{number},0\n")
    source = open_source(tmp_path)
    source.seek({"file": "1.csv", "done": True}, Schema(["a", "b"], []))
    assert all_of(source)[0].tolist() == [[2, 0]]
    write(tmp_path / "10.csv", "a,b\n10,0\n")
    source = open_source(tmp_path)
    source.seek({"file": "2.csv", "done": True}, Schema(["a", "b"], []))
    with pytest.raises(DataError, match="earlier version, which read files in another order"):
        all_of(source)


def test_an_empty_folder(tmp_path):
    with pytest.raises(DataError, match=r"the folder must hold files that end in \.csv"):
        open_source(tmp_path)
    following = Following(open_source(tmp_path, follow=True))
    assert following.waits()


def test_a_pipe_is_read_as_it_comes():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as file:
        following = Following(Piped("stdin", file, Reading(), Wish()))
        assert following.waits()
        os.write(writing, b"a,b\n" + b"7,8\n" * 9)
        assert following.waits()  # ten rows tell what the columns are
        os.write(writing, CSV[4:9].encode())
        assert np.array_equal(following.until(10)[0][9:], ROWS[:1])
        assert following.waits()
        os.write(writing, CSV[9:-1].encode())
        assert np.array_equal(following.until(1)[0], ROWS[1:2])
        os.close(writing)
        assert np.array_equal(following.until(1)[0], ROWS[2:])  # the last line lacks its end
        assert list(following.chunks) == []


def test_a_named_pipe(tmp_path):
    os.mkfifo(tmp_path / "rows.fifo")

    def produce():
        with (tmp_path / "rows.fifo").open("w") as file:
            file.write(NDJSON[:30])
            file.flush()
            time.sleep(0.02)
            file.write(NDJSON[30:])

    producer = threading.Thread(target=produce)
    producer.start()
    source = open_source(tmp_path / "rows.fifo")
    rows, _, _ = all_of(source)
    producer.join()
    assert source.schema.columns == ["b", "a"]
    assert np.array_equal(rows, ROWS[:, ::-1])
    with pytest.raises(ValueError, match="follow needs a file, a folder or Redis, got 'stdin'"):
        open_source("-", follow=True)
