"""Runs: checkpoints, what is refused, bad rows, full disks, watchers."""

import errno
import logging
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from hedgerow import HedgeGraph, stream
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import DataError
from hedgerow.stream import BadRow, CheckpointWarning, Chunk, Schema
from hedgerow.stream._news import News
from hedgerow.stream._state import State

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]
NAMES = ["a", "b", "c"]
ROWS = np.cumsum(np.random.default_rng(0).standard_normal((600, 3)), axis=1)


class Memory:
    """A source in memory, chunk by chunk; `acked` is what it was told to be safe."""

    name = "memory"

    def __init__(self, rows=ROWS, size=50, bad=(), names=NAMES):
        self.rows, self.size, self.bad, self.names = rows, size, bad, names
        self.schema = None
        self.start, self.acked, self.closed = 0, [], False

    def seek(self, offset, schema):
        self.start, self.schema = offset["row"], schema

    def chunks(self):
        for start in range(self.start, len(self.rows), self.size):
            self.schema = Schema(self.names, [])
            rows = self.rows[start : start + self.size]
            bad = [k for k in self.bad if start <= k < start + self.size]
            good = np.delete(rows, [k - start for k in bad], axis=0)
            told = [
                BadRow(k - start - n, {"row": k}, f"place {k}", "it is bad")
                for n, k in enumerate(bad)
            ]
            yield Chunk(good, {"row": start + len(rows)}, told)

    def ack(self, offset):
        self.acked.append(offset["row"])

    def close(self):
        self.closed = True


class Notes:
    """A watcher that keeps everything."""

    def __init__(self, curious=False):
        self.statuses, self.curious = [], curious

    def wants_look(self):
        return self.curious

    def __call__(self, status):
        self.statuses.append(status)


def after(n_chunks):
    """Stop after so many chunks."""
    left = iter(range(n_chunks - 1))
    return lambda: next(left, None) is None


def files(folder):
    return sorted(path.name for path in folder.glob("checkpoint-*"))


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def same(a, b):
    (_, a), (_, b) = a.parts(), b.parts()
    return a.keys() == b.keys() and all(a[name].tobytes() == b[name].tobytes() for name in a)


def test_a_run_learns_what_fit_learns():
    source = Memory()
    model = HedgeGraph(error="fwer", level=0.01)
    result = stream.run(source, model)
    assert same(result, HedgeGraph().fit(ROWS))
    assert result.get_params() == model.get_params()
    assert not hasattr(model, "n_features_in_")
    assert result.feature_names_in_.tolist() == NAMES
    assert {frozenset(edge[:2]) for edge in result.edges_} == {frozenset("ab"), frozenset("bc")}
    assert source.closed
    assert source.acked == []  # nothing is safe without a checkpoint


def test_a_run_goes_on_where_it_stopped(tmp_path):
    first = Memory()
    stopped = stream.run(first, checkpoint=tmp_path, every=100, stop=after(5))
    assert stopped.n_samples_seen_ == 250
    assert first.acked == [100, 200, 250]
    second = Memory()
    result = stream.run(second, checkpoint=tmp_path, every=100)
    assert second.start == 250
    assert second.acked == [350, 450, 550, 600]
    assert same(result, HedgeGraph().fit(ROWS))
    assert len(files(tmp_path)) == 2
    third = stream.run(Memory(), checkpoint=tmp_path)
    assert same(third, result)


def test_a_damaged_checkpoint_is_told_and_the_one_before_used(tmp_path):
    stream.run(Memory(), checkpoint=tmp_path, every=250, stop=after(10))
    new = files(tmp_path)[1]
    damage(tmp_path / new)
    source = Memory()
    message = f"an older checkpoint is used, because of .*/{new}: checksum mismatch"
    with pytest.warns(CheckpointWarning, match=message):
        result = stream.run(source, checkpoint=tmp_path, every=100)
    assert source.start == 250
    assert same(result, HedgeGraph().fit(ROWS))
    for name in files(tmp_path):
        damage(tmp_path / name)
    with pytest.raises(DataError, match=r"no checkpoint in .* can be read .*to begin afresh"):
        stream.run(Memory(), checkpoint=tmp_path)


def test_settings_columns_and_source_must_stay(tmp_path):
    model = HedgeGraph(level=0.1)
    stream.run(Memory(), model, checkpoint=tmp_path, stop=after(2))
    for other, message in [
        (HedgeGraph(level=0.05), "level must stay the same, got 0.05, and the checkpoint has 0.1"),
        (HedgeGraph(level=0.1, half_life=50), "half_life must stay the same, got 50"),
        (HedgeGraph(level=0.1, error="fwer"), "error must stay the same, got 'fwer'"),
    ]:
        with pytest.raises(DataError, match=message):
            stream.run(Memory(), other, checkpoint=tmp_path)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="source must stay the same"):
        stream.run(tmp_path / "rows.csv", model, checkpoint=tmp_path)


def test_a_file_that_begins_differently_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{a!r},{b!r},{c!r}\n" for a, b, c in ROWS.tolist()]
    path.write_text("a,b,c\n" + "".join(lines))
    stream.run(path, checkpoint=tmp_path / "saved")
    path.write_text("a,b,d\n" + "".join(lines))
    with pytest.raises(DataError, match="must be the one read before, and begins differently"):
        stream.run(path, checkpoint=tmp_path / "saved")


HOLDER = """
import sys
from hedgerow.stream._checkpoint import Checkpoints
folder = Checkpoints(sys.argv[1])
print("mine", flush=True)
sys.stdin.read()
"""


def test_two_processes_cannot_share_a_folder(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == b"mine\n"
        with pytest.raises(DataError, match=r"one process at a time can use .* another one does"):
            stream.run(Memory(), checkpoint=tmp_path)
    finally:
        holder.kill()
        holder.communicate()
    stream.run(Memory(), checkpoint=tmp_path)  # the lock dies with its owner


def test_what_a_killed_writer_left_is_removed(tmp_path):
    torn = tmp_path / ".checkpoint-00000001-0badcafe.hedgerow"
    torn.write_bytes(b"half")
    stream.run(Memory(), checkpoint=tmp_path)
    assert not torn.exists()


def full_disk(monkeypatch, broken):
    """Let files be synced to disk only while ``broken`` is empty."""
    real = os.fsync

    def fsync(file):
        if broken:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)


def test_a_full_disk_does_not_stop_the_run(tmp_path, monkeypatch):
    stream.run(Memory(), checkpoint=tmp_path, stop=after(2))
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    broken = [True]
    full_disk(monkeypatch, broken)
    source, notes = Memory(), Notes()
    with pytest.warns(CheckpointWarning, match="no checkpoint .* row 200: No space left") as told:
        result = stream.run(source, checkpoint=tmp_path, every=100, watchers=[notes])
    assert len(told) == 6  # five times after 100 rows, and in the end
    assert same(result, HedgeGraph().fit(ROWS))
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before
    assert source.acked == []
    assert notes.statuses[-1].checkpoint.row == 100
    broken.clear()
    again = stream.run(Memory(), checkpoint=tmp_path, every=100)
    assert same(again, result)


def test_the_run_recovers_when_the_disk_has_space_again(tmp_path, monkeypatch):
    broken = [True]
    full_disk(monkeypatch, broken)

    def stop():
        if source.schema and len(told) == 2:
            broken.clear()
        return False

    source = Memory()
    with pytest.warns(CheckpointWarning) as told:
        stream.run(source, checkpoint=tmp_path, every=100, events=tmp_path / "events", stop=stop)
    assert len(told) == 2
    assert source.acked == [300, 400, 500, 600]
    assert len(files(tmp_path)) == 2


def test_an_old_checkpoint_that_stays_does_not_spoil_the_new_one(tmp_path, monkeypatch):
    real, stuck = os.unlink, [True]

    def unlink(path, *args, **kwargs):
        if stuck and os.path.basename(path).startswith("checkpoint-"):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        real(path, *args, **kwargs)

    monkeypatch.setattr(os, "unlink", unlink)
    source, notes = Memory(), Notes()
    with pytest.warns(CheckpointWarning) as told:
        stream.run(source, checkpoint=tmp_path, every=200, watchers=[notes])
    assert [str(each.message) for each in told] == [
        "an old checkpoint could not be removed, checkpoint-00000001.hedgerow: Permission denied; "
        "the new one is written, and the removal is tried again with the next"
    ]
    assert source.acked == [200, 400, 600]
    assert notes.statuses[-1].checkpoint.row == 600
    stuck.clear()
    stream.run(Memory(np.r_[ROWS, ROWS]), checkpoint=tmp_path)
    assert files(tmp_path) == ["checkpoint-00000003.hedgerow", "checkpoint-00000004.hedgerow"]


def test_an_error_within_a_chunk_leaves_no_checkpoint_of_half_of_it(tmp_path, monkeypatch):
    """The change log cuts chunks; rows before the cut would else be counted twice."""
    real, broken = HedgeGraph.partial_fit, [True]

    def partial_fit(self, rows, **names):
        if broken and getattr(self, "n_samples_seen_", 0) == 64:
            raise DataError("the number is too large")
        return real(self, rows, **names)

    monkeypatch.setattr(HedgeGraph, "partial_fit", partial_fit)
    with pytest.raises(DataError, match="the number is too large"):
        stream.run(Memory(), checkpoint=tmp_path, changes=True)
    broken.clear()
    assert same(stream.run(Memory(), checkpoint=tmp_path, changes=True), HedgeGraph().fit(ROWS))


@pytest.mark.parametrize("what", ["folder", "lock"])
def test_a_run_whose_folder_was_removed_leaves_the_next_owner_alone(tmp_path, what):
    folder = tmp_path / "saved"
    chunks = iter(range(20))
    found = []

    def stop():
        if next(chunks) == 3:
            shutil.rmtree(folder) if what == "folder" else (folder / "lock").unlink()
            stream.run(Memory(), checkpoint=folder, stop=after(2))
            found.extend(sorted(folder.iterdir()))
        return False

    with pytest.warns(CheckpointWarning, match="the folder was removed, or its lock was"):
        stream.run(Memory(), checkpoint=folder, every=50, stop=stop)
    assert sorted(folder.iterdir()) == found


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"no checkpoints in '.*/file/saved': Not a directory"):
        stream.run(Memory(), checkpoint=tmp_path / "file" / "saved")


def test_a_bad_row_ends_the_run_after_a_checkpoint(tmp_path):
    rows = np.delete(ROWS, [320, 333], axis=0)
    for _ in range(2):  # the same command meets the same row
        with pytest.raises(DataError, match=r"^row 321 \(place 320\): it is bad; bad_rows='skip'"):
            stream.run(Memory(bad=[320, 333]), checkpoint=tmp_path)
    source, notes = Memory(bad=[320, 333]), Notes()
    result = stream.run(source, checkpoint=tmp_path, bad_rows="skip", watchers=[notes])
    assert source.start == 320
    assert same(result, HedgeGraph().fit(rows))
    assert notes.statuses[-1].bad_rows == 2
    stream.run(Memory(bad=[320, 333]), checkpoint=tmp_path, watchers=[notes])
    assert notes.statuses[-1].bad_rows == 2  # also after a restart


def test_bad_rows_are_logged_if_wanted(caplog):
    with caplog.at_level(logging.WARNING, "hedgerow.stream"):
        stream.run(Memory(bad=[7, 8]), bad_rows="skip")
        assert caplog.messages == []
        stream.run(Memory(bad=[7, 8]), bad_rows="log")
    assert caplog.messages == ["left out place 7: it is bad", "left out place 8: it is bad"]


def test_a_source_that_fails_leaves_a_checkpoint(tmp_path):
    class Failing(Memory):
        def chunks(self):
            for n, chunk in enumerate(super().chunks()):
                if n == 3 and not self.start:
                    raise DataError("the cable is out")
                yield chunk

    with pytest.raises(DataError, match="the cable is out"):
        stream.run(Failing(), checkpoint=tmp_path)
    source = Failing()
    assert same(stream.run(source, checkpoint=tmp_path), HedgeGraph().fit(ROWS))
    assert source.start == 150


def test_no_rows():
    with pytest.raises(DataError, match="the source must have rows, and has none"):
        stream.run(Memory(rows=ROWS[:0]))
    empty = Memory(rows=ROWS[:0])
    empty.chunks = lambda: iter([Chunk(np.empty((0, 0)), {"row": 0})])
    assert not hasattr(stream.run(empty, stop=lambda: True), "n_features_in_")


def test_the_graph_uses_every_row_seen():
    """Learning waits for whole batches; an answer never does."""
    looks = Notes(curious=True)
    for n_rows in (65, 200, 257, 511, 599):
        stream.run(Memory(ROWS[:n_rows], size=37), watchers=[looks])
        last = looks.statuses[-1].look
        graph = HedgeGraph().fit(ROWS[:n_rows]).graph_up_to(0.5)
        assert last.rows == n_rows
        assert np.array_equal(last.graph.z, graph.z)


def test_watchers_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("hedgerow.stream._news._BETWEEN_NEWS", 0.0)
    monkeypatch.setattr("hedgerow.stream._news._SHORTEST_REST", 1e9)
    curious, bored = Notes(curious=True), Notes()
    stream.run(Memory(), checkpoint=tmp_path, every=300, changes=True, watchers=[curious, bored])
    assert curious.statuses == bored.statuses
    statuses = curious.statuses
    assert [status.rows for status in statuses] == [*range(50, 601, 50), 600]
    assert [status.phase for status in statuses] == ["running"] * 12 + ["finished"]
    saved = [status.checkpoint and status.checkpoint.row for status in statuses]
    assert saved == [None] * 5 + [300] * 6 + [600] * 2
    changes = [change for status in statuses for change in status.changes]
    assert {(change.source, change.target) for change in changes} >= {("a", "b"), ("b", "c")}
    assert statuses[0].look.rows == 50  # the first look is free, the next must wait
    assert statuses[0].look.names == ("a", "b", "c")
    assert statuses[-1].look.rows == 600
    assert all(status.rows_per_second > 0 for status in statuses[1:])


def test_looks_carry_warnings_instead_of_giving_them(recwarn):
    notes = Notes()
    constant = np.column_stack([ROWS[:6], np.ones(6)])
    stream.run(Memory(constant, names=[*NAMES, "flat"]), watchers=[notes])
    assert "constant columns are isolated nodes: 'flat'" in notes.statuses[-1].look.warnings
    assert not recwarn.list


def test_without_watchers_nothing_is_gathered_for_them():
    news = News((), State(HedgeGraph()))
    news.add(look=None, changes=["a change"])
    assert news._changes == []


def test_nobody_watching_costs_no_look(monkeypatch):
    monkeypatch.setattr("hedgerow.stream._news._BETWEEN_NEWS", 0.0)
    notes = Notes()
    stream.run(Memory(), watchers=[notes])
    assert [status.look is not None for status in notes.statuses] == [False] * 12 + [True]


def test_looks_take_a_fifth_of_the_time(monkeypatch):
    """By a clock that only looks and chunks move."""
    now = [0.0]
    monkeypatch.setattr("hedgerow.stream._news.monotonic", lambda: now[0])
    monkeypatch.setattr("hedgerow.stream._news._SHORTEST_REST", 0.0)
    real = HedgeGraph.graph_up_to

    def slow(self, level):
        now[0] += 3.0
        return real(self, level)

    class Slow(Memory):
        def chunks(self):
            for chunk in super().chunks():
                now[0] += 1.0
                yield chunk

    monkeypatch.setattr(HedgeGraph, "graph_up_to", slow)
    notes = Notes(curious=True)
    rows = np.random.default_rng(0).standard_normal((6000, 3))
    stream.run(Slow(rows=rows), watchers=[notes])
    looks = sum(status.look is not None for status in notes.statuses[:-1])
    assert looks >= 5
    assert 3.0 * (looks - 1) <= 0.2 * now[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"every": "soon"}, "every must be a number of rows or a time like 30s, got 'soon'"),
        ({"every": 0}, "every must be an integer >= 1, got 0"),
        ({"every": "0"}, "every must be an integer >= 1, got 0"),
        ({"bad_rows": "eat"}, "bad_rows must be one of 'fail', 'skip', 'log', got 'eat'"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        stream.run(Memory(), **settings)


@pytest.mark.parametrize("level", ["balanced", 1.5])
def test_a_level_that_a_run_cannot_keep_is_refused_before_anything_is_read(tmp_path, level):
    class Untouched(Memory):
        def chunks(self):
            pytest.fail("the source was read")

    folder = tmp_path / "saved"
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got"):
        stream.run(Untouched(), HedgeGraph(level=level), checkpoint=folder)
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got"):
        stream.run(tmp_path / "absent.csv", HedgeGraph(level=level), checkpoint=folder)
    assert list(tmp_path.iterdir()) == []


def test_time_between_checkpoints(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("hedgerow.stream._pace.monotonic", lambda: now[0])
    for text, seconds in (("30s", 30), ("1.5m", 90), ("2h", 7200)):
        pace = stream.Pace(text)
        now[0] += seconds - 0.5
        assert not pace.due(10**9)
        now[0] += 1
        assert pace.due(0)
        pace.reset(0)
        assert not pace.due(10**9)


def test_the_folder_is_not_written_to_while_nothing_is_new(tmp_path):
    source = Memory(ROWS[:50])
    idle = [Chunk(np.empty((0, 0)), {"row": 50})] * 5
    chunks = source.chunks
    source.chunks = lambda: iter([*chunks(), *idle])
    stream.run(source, checkpoint=tmp_path, every="0s")
    assert source.acked == [50]
