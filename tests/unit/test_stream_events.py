"""The file of events: rotated, emptied, removed, shared, on a full disk, and not ours at all."""

import errno
import gzip
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from hedgerow import HedgeGraph, stream
from hedgerow.changes import Change
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import DataError
from hedgerow.stream import CheckpointWarning, Chunk, Schema
from hedgerow.stream._events import EventFile

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]
SIZE, CHUNKS = 50, 40
PLAIN = {"rows": "independent", "columns": "normal"}  # learned as they come: sooner


class Memory:
    """Chunks whose graph changes again and again, so that each has events."""

    name, schema = "memory", Schema(["a", "b", "c"], [])

    def __init__(self):
        rng = np.random.default_rng(0)
        self.rows, self.start = rng.standard_normal((SIZE * CHUNKS, 3)), 0
        for number, some in enumerate(np.split(self.rows, CHUNKS // 5)):
            j = number % 2
            some[:, j + 1] += 3 * some[:, j]

    def seek(self, offset, schema):
        self.start = offset["row"]

    def chunks(self):
        for start in range(self.start, len(self.rows), SIZE):
            yield Chunk(self.rows[start : start + SIZE], {"row": start + SIZE})

    def ack(self, offset): ...
    def close(self): ...


def learn(events, checkpoint=None, actions=None, chunks=None, every=SIZE):
    """Run; ``actions`` are done after so many chunks, ``chunks`` is how many there are at most."""
    count = 0

    def stop():
        nonlocal count
        count += 1
        if actions and count in actions:
            actions[count]()
        return count == chunks

    model = HedgeGraph(half_life=40, **PLAIN)
    return stream.run(Memory(), model, checkpoint=checkpoint, every=every, events=events, stop=stop)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("expected") / "events"
    learn(path)
    lines = path.read_bytes().splitlines(keepends=True)
    rows = [json.loads(line)["row"] for line in lines]
    assert len({*lines}) == len(lines) >= 12
    assert rows[0] < 10 * SIZE < 30 * SIZE < rows[-1]  # on both sides of whatever happens below
    return path.read_bytes()


def test_a_file_renamed_while_it_is_written_is_left_for_a_new_one(tmp_path, expected):
    events, old = tmp_path / "events", tmp_path / "events.1"
    learn(events, tmp_path / "saved", {17: lambda: events.rename(old)})
    assert 0 < old.stat().st_size < len(expected)
    assert old.read_bytes() + events.read_bytes() == expected


def test_so_is_one_without_checkpoints_and_with_a_new_file_made_by_others(tmp_path, expected):
    events, old = tmp_path / "events", tmp_path / "events.1"

    def rotate():
        events.rename(old)
        events.write_text("begun by the rotation")  # and without a line end

    learn(events, None, {17: rotate})
    header, _, rest = events.read_bytes().partition(b"\n")
    assert header == b"begun by the rotation"
    assert old.read_bytes() + rest == expected


def test_a_file_copied_and_emptied_while_it_is_written_has_no_holes(tmp_path, expected):
    events, old = tmp_path / "events", tmp_path / "events.1"

    def rotate():
        shutil.copy(events, old)
        os.truncate(events, 0)

    learn(events, tmp_path / "saved", {17: rotate})
    assert b"\0" not in events.read_bytes()
    assert old.read_bytes() + events.read_bytes() == expected


def test_a_file_removed_while_it_is_written_is_made_again(tmp_path, expected):
    events, removed = tmp_path / "events", []

    def remove():
        removed.append(events.read_bytes())
        events.unlink()

    learn(events, tmp_path / "saved", {17: remove})
    assert removed[0]
    assert removed[0] + events.read_bytes() == expected


def rename(events):
    events.rename(events.with_suffix(".1"))


def rename_and_create(events):
    rename(events)
    events.touch()


def compress(events):
    events.with_suffix(".1").write_bytes(events.read_bytes())
    events.with_suffix(".gz").write_bytes(gzip.compress(events.read_bytes()))
    events.unlink()


@pytest.mark.parametrize("rotate", [rename, rename_and_create, compress])
def test_a_file_rotated_between_runs_is_told_and_a_new_one_begun(tmp_path, expected, rotate):
    events = tmp_path / "events"
    learn(events, tmp_path / "saved", chunks=17)
    rotate(events)
    with pytest.warns(CheckpointWarning, match="no longer has the events of the checkpoint"):
        learn(events, tmp_path / "saved", chunks=8)
    learn(events, tmp_path / "saved")  # and from then on it is the one
    assert events.with_suffix(".1").read_bytes() + events.read_bytes() == expected


@pytest.mark.parametrize("other", [b"short", b"another file\n" * 1000, b'{"row": 1}\n'])
def test_another_file_in_its_place_is_not_cut(tmp_path, expected, other):
    events = tmp_path / "events"
    learn(events, tmp_path / "saved", chunks=17)
    before = events.read_bytes()
    events.write_bytes(other)
    with pytest.warns(CheckpointWarning, match="and new events are appended to it"):
        learn(events, tmp_path / "saved")
    found = events.read_bytes()
    assert found.startswith(other)
    assert before + found[len(other) :].removeprefix(b"\n") == expected
    assert found[len(other) - 1 :].startswith(b"\n") or found[len(other) :].startswith(b"\n")


def test_a_file_cut_short_between_runs_goes_on_on_a_new_line(tmp_path, expected):
    events = tmp_path / "events"
    learn(events, tmp_path / "saved", chunks=17)
    before = events.read_bytes()
    events.write_bytes(before[:-5])
    with pytest.warns(CheckpointWarning, match="rotated or replaced"):
        learn(events, tmp_path / "saved")
    assert events.read_bytes() == before[:-5] + b"\n" + expected[len(before) :]


def test_events_of_a_crash_are_not_written_twice_even_after_a_rotation(tmp_path, expected):
    """Copied and emptied after the last checkpoint; then events; then a kill."""
    events, saved, later = tmp_path / "events", tmp_path / "saved", tmp_path / "later"
    learn(events, saved, chunks=17)
    before = events.read_bytes()
    shutil.copytree(saved, later)
    os.truncate(events, 0)
    with pytest.warns(CheckpointWarning):
        learn(events, later, chunks=12)  # its checkpoints are lost
    assert events.read_bytes()
    with pytest.warns(CheckpointWarning, match="rotated or replaced"):
        learn(events, saved)
    assert before + events.read_bytes() == expected


def test_a_file_without_events_yet_is_cut_only_if_it_is_the_same(tmp_path):
    change = Change(64, "appeared", "a", "b", 0.5, 9.0, 0.0, 0.0, 64)
    first = EventFile(tmp_path / "events", None)
    saved = first.sync()
    assert saved["bytes"] == 0
    first.add([change])
    first.close()
    line = (tmp_path / "events").read_bytes()
    (tmp_path / "other").write_bytes(line)
    with pytest.warns(CheckpointWarning, match="rotated or replaced"):
        EventFile(tmp_path / "other", saved).close()
    assert (tmp_path / "other").read_bytes() == line
    EventFile(tmp_path / "events", saved).close()
    assert (tmp_path / "events").read_bytes() == b""


def test_checkpoints_of_older_versions_are_read(tmp_path, expected, monkeypatch):
    """They remember the length and nothing else."""
    events, saved, sync = tmp_path / "events", tmp_path / "saved", EventFile.sync
    with monkeypatch.context() as patch:
        patch.setattr(EventFile, "sync", lambda self: {"bytes": sync(self)["bytes"]})
        learn(events, saved, chunks=17)
    with events.open("a") as file:
        file.write('{"row": 900, "kind": "app')
    learn(events, saved)
    assert events.read_bytes() == expected
    with monkeypatch.context() as patch:
        patch.setattr(EventFile, "sync", lambda self: {"bytes": sync(self)["bytes"]})
        learn(tmp_path / "more", tmp_path / "again", chunks=17)
    (tmp_path / "more").write_text("x" * 100_000)
    with pytest.warns(CheckpointWarning, match="rotated or replaced"):
        learn(tmp_path / "more", tmp_path / "again")


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", '{"name": "Ada"}\n', "notes", '{"row": 64}\n', "[1]\n", "\n"]
)
@pytest.mark.parametrize("checkpoint", [None, "saved"])
def test_a_file_of_something_else_is_not_emptied(tmp_path, text, checkpoint):
    (tmp_path / "events").write_text(text)
    with pytest.raises(DataError, match="events must go to a new file or one with events, and"):
        learn(tmp_path / "events", checkpoint and tmp_path / checkpoint)
    assert (tmp_path / "events").read_text() == text


def test_a_file_of_an_older_run_is_replaced(tmp_path, expected):
    for rest in (b"", b"{", b'{"row": 99, "ki'):
        (tmp_path / "events").write_bytes(expected + rest)
        learn(tmp_path / "events")
        assert (tmp_path / "events").read_bytes() == expected


def test_places_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(DataError, match="events must go to a regular file, got '/dev/null'"):
        learn("/dev/null")
    with pytest.raises(DataError, match=r"no events in '.*': No such file or directory"):
        learn(tmp_path / "absent" / "events")


HOLDER = """
import sys
from hedgerow.stream._events import EventFile
file = EventFile(sys.argv[1], None)
print("mine", flush=True)
sys.stdin.read()
"""


def test_two_runs_cannot_share_a_file(tmp_path, expected):
    events = tmp_path / "events"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(events)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"mine\n"
        with pytest.raises(DataError, match=r"one run at a time can write events to .*another"):
            learn(events, tmp_path / "second")
    finally:
        holder.kill()
        holder.communicate()
    learn(events, tmp_path / "second")  # the lock dies with its owner
    assert events.read_bytes() == expected


def test_the_second_run_is_refused_while_the_first_goes_on(tmp_path, expected):
    events = tmp_path / "events"

    def intrude():
        with pytest.raises(DataError, match="one run at a time"):
            learn(events, tmp_path / "second")

    learn(events, tmp_path / "first", {10: intrude, 30: intrude})
    assert events.read_bytes() == expected


def test_a_run_that_loses_the_path_to_another_waits_until_that_one_ends(tmp_path, expected):
    events, old, others = tmp_path / "events", tmp_path / "events.1", []

    def lose():
        events.rename(old)
        others.append(EventFile(events, None))

    def leave():
        others.pop().close()

    with pytest.warns(CheckpointWarning, match="wait in memory: one run at a time"):
        learn(events, tmp_path / "saved", {12: lose, 32: leave})
    assert old.read_bytes() + events.read_bytes() == expected


def no_space(*_args, **_kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_at_a_rotation_loses_nothing(tmp_path, expected, monkeypatch):
    events, old, real = tmp_path / "events", tmp_path / "events.1", os.open

    def rotate():
        events.rename(old)
        monkeypatch.setattr(os, "open", full)

    def full(path, *args, **kwargs):
        return (no_space if path == str(events) else real)(path, *args, **kwargs)

    actions = {12: rotate, 32: lambda: monkeypatch.setattr(os, "open", real)}
    with pytest.warns(CheckpointWarning, match="wait in memory: No space left") as told:
        learn(events, tmp_path / "saved", actions)
    assert any("no checkpoint could be written" in str(warning.message) for warning in told)
    assert old.read_bytes() + events.read_bytes() == expected


def test_a_line_that_fits_in_part_is_taken_back_and_written_later(tmp_path, expected, monkeypatch):
    real, calls = os.write, []

    def write(file, data):
        calls.append(data)
        if len(calls) == 1:
            return real(file, data[:10])
        if len(calls) == 2:
            no_space()
        return real(file, data)

    monkeypatch.setattr(os, "write", write)
    with pytest.warns(CheckpointWarning, match="events could not be written, and wait in memory"):
        learn(tmp_path / "events")
    assert (tmp_path / "events").read_bytes() == expected


def test_a_disk_that_stays_full_is_told_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", no_space)
    with pytest.warns(CheckpointWarning, match=r"^\d\d events could not be written, and are lost"):
        learn(tmp_path / "events")
    assert (tmp_path / "events").read_bytes() == b""


def test_events_are_lines_of_json_and_never_twice(tmp_path, expected):
    events, folder = tmp_path / "events", tmp_path / "saved"
    lines = [json.loads(line) for line in expected.splitlines()]
    assert {tuple(line) for line in lines} == {Change._fields}
    assert {(line["source"], line["target"]) for line in lines} >= {("a", "b"), ("b", "c")}
    learn(events, folder, chunks=6)
    with events.open("a") as file:
        file.write('{"row": 310, "kind": "app')  # written after the checkpoint, then killed
    learn(events, folder)
    assert events.read_bytes() == expected


def test_a_run_without_the_log_leaves_it_as_it_was(tmp_path):
    events, folder = tmp_path / "events", tmp_path / "saved"
    learn(events, folder, chunks=17)
    before = events.read_bytes()
    assert before
    for changes in (False, True):
        chunks = iter([False, True])
        model = HedgeGraph(half_life=40, **PLAIN)
        stream.run(
            Memory(), model, checkpoint=folder, changes=changes, stop=lambda c=chunks: next(c)
        )
    learn(events, folder)
    assert events.read_bytes().startswith(before)
