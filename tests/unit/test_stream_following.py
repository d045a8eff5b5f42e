"""Rows of files that grow, folders and pipes: waited for, in order, and refused if they change."""

import json
import os
import threading
import time

import numpy as np
import polars
import pytest

from hedgerow.estimators import DataWarning
from hedgerow.io import DataError
from hedgerow.io.choose import Wish
from hedgerow.io.opening import Reading
from hedgerow.stream import Schema, open_source
from hedgerow.stream._files import Piped
from tests.unit.stream_files import CSV, LONG, NDJSON, ROWS, Following, all_of, write


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Waiting sources look again at once, or nearly."""
    for module in ("io.raw", "stream._files"):
        monkeypatch.setattr(f"hedgerow.{module}.PAUSE", 0.005)


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
