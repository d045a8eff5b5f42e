"""Sources that go away, come back, are copied over, or are left before anything was learned."""

import os
import shutil

import numpy as np
import pytest

from hedgerow import HedgeGraph, stream
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import DataError
from hedgerow.io.choose import Wish
from hedgerow.io.opening import Reading
from hedgerow.io.raw import GrowingFile
from hedgerow.stream import open_source
from hedgerow.stream._files import Piped

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{GuaranteeWarning.__module__}.{GuaranteeWarning.__name__}"
)
ROWS = np.cumsum(np.random.default_rng(0).standard_normal((300, 3)), axis=1)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    for module in ("io.raw", "stream._files"):
        monkeypatch.setattr(f"hedgerow.{module}.PAUSE", 0.005)


def text(start, stop, header="a,b,c\n"):
    return header + "".join(",".join(map(repr, row)) + "\n" for row in ROWS[start:stop].tolist())


class Following:
    """A source read step by step."""

    def __init__(self, source):
        self.chunks = source.chunks()

    def until(self, n_rows):
        rows = []
        for chunk in self.chunks:
            assert not chunk.bad
            rows.extend(chunk.rows.tolist())
            if len(rows) >= n_rows:
                return np.array(rows)
        raise AssertionError("the source ended")

    def waits(self):
        return all(not len(next(self.chunks).rows) for _ in range(5))


def put_copy(path, content):
    """Do as those who write a longer copy and rename it."""
    copy = path.with_name(".copy")
    copy.write_text(content)
    copy.rename(path)


@pytest.mark.parametrize("n_rows", [12, 300])  # less and more than what a place is known by
def test_a_copy_that_has_all_that_was_read_is_gone_on_with(tmp_path, n_rows):
    path = tmp_path / "rows.csv"
    whole = text(0, n_rows)
    path.write_text(whole[:-4])  # the last line is torn
    following = Following(open_source(path, follow=True))
    following.until(n_rows - 1)
    put_copy(path, whole + text(0, 5, header=""))
    assert np.array_equal(following.until(6), np.r_[ROWS[n_rows - 1 : n_rows], ROWS[:5]])
    path.rename(tmp_path / "away")
    assert following.waits()
    shutil.copy(tmp_path / "away", path)
    assert following.waits()


def test_a_copy_in_a_folder_is_gone_on_with_and_another_file_refused(tmp_path):
    path = tmp_path / "1.csv"
    path.write_text(text(0, 50))
    following = Following(open_source(tmp_path, follow=True))
    following.until(50)
    put_copy(path, text(0, 60))
    (tmp_path / "2.csv").write_text(text(60, 70))
    assert np.array_equal(following.until(20), ROWS[50:70])
    put_copy(tmp_path / "2.csv", text(100, 200))
    with pytest.raises(DataError, match=r"2.csv: the file must be the one read before"):
        following.waits()


class Hasty:
    """A file that somebody writes over just before it is read."""

    def __init__(self, path):
        self._path, self._file = path, path.open("rb")

    def read(self, size):
        with self._path.open("r+b") as file:
            file.write(text(100, 200).encode())
        return self._file.read(size)

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_nothing_is_taken_of_a_file_written_over_at_the_last_moment(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(text(0, 20))
    growing = GrowingFile(path, lambda status: False)
    assert growing.pull() == text(0, 20).encode()
    hasty = Hasty(path)
    hasty.seek(growing.done)
    growing._file.close()
    growing._file = hasty
    with pytest.raises(DataError, match="what was read last is no longer there"):
        growing.pull()


def test_a_folder_that_is_followed_may_be_away_for_a_while(tmp_path):
    folder, away = tmp_path / "in", tmp_path / "away"
    folder.mkdir()
    (folder / "1.csv").write_text(text(0, 20))
    (folder / "2.csv").write_text(text(20, 40))
    following = Following(open_source(folder, follow=True))
    following.until(40)
    folder.rename(away)
    with pytest.warns(DataWarning, match="is gone, waiting until it is back") as told:
        assert following.waits()
    assert len(told) == 1
    (away / "3.csv").write_text(text(40, 60))
    away.rename(folder)
    assert np.array_equal(following.until(20), ROWS[40:60])


def test_a_file_of_a_folder_that_goes_before_it_is_opened_is_waited_for(tmp_path, monkeypatch):
    (tmp_path / "1.csv").write_text(text(0, 20))
    source = open_source(tmp_path, follow=True)
    real = source._after
    monkeypatch.setattr(source, "_after", lambda current: real(current) or ["2.parquet"])
    following = Following(source)
    following.until(20)
    assert following.waits()


def test_a_folder_that_is_not_there_is_told_as_such(tmp_path):
    for follow in (False, True):
        with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*/in'"):
            open_source(tmp_path / "in", follow=follow)


def first_looks(count):
    left = iter(range(count))
    return lambda: next(left, None) is None


def test_a_run_stopped_before_the_columns_are_known_loses_nothing_of_a_file(tmp_path):
    path = tmp_path / "rows.csv"
    settings = {"checkpoint": tmp_path / "saved", "events": tmp_path / "events"}
    for content in (None, "a,b", text(0, 4), text(0, 9)[:-3]):
        if content is not None:
            path.write_text(content)
        source = open_source(path, follow=True)
        assert not hasattr(stream.run(source, stop=first_looks(3), **settings), "n_features_in_")
        assert not [*(tmp_path / "saved").glob("checkpoint-*")]
    path.write_text(text(0, 300))
    found = stream.run(path, **settings)
    expected = HedgeGraph().fit(ROWS)
    for (name, a), (other, b) in zip(found.parts()[1].items(), expected.parts()[1].items()):
        assert name == other
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("start", [text(0, 4), text(0, 30) + "1.5,2"])
def test_bytes_of_a_pipe_that_are_lost_are_told(tmp_path, start):
    reading, writing = os.pipe()
    os.write(writing, start.encode())
    lost = len(start) if start.count("\n") < 11 else len("1.5,2")
    with os.fdopen(reading, "rb") as file, os.fdopen(writing, "wb"):
        piped = Piped("pipe", file, Reading(), Wish())
        with pytest.warns(DataWarning, match=f"^{lost} bytes were read from the pipe and are lost"):
            stream.run(piped, checkpoint=tmp_path, stop=first_looks(3))


def test_a_pipe_read_to_its_end_tells_of_no_loss(tmp_path, recwarn):
    reading, writing = os.pipe()
    os.write(writing, text(0, 4).encode())
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        found = stream.run(Piped("pipe", file, Reading(), Wish()), checkpoint=tmp_path)
    assert found.n_samples_seen_ == 4
    assert not [each for each in recwarn if "lost" in str(each.message)]
