"""Redis Streams, with a real server: nothing is lost, nothing counted twice, whatever breaks."""

import json
import shutil
import traceback

import numpy as np
import pytest
import redis

from benchmarks.stream.server import RedisServer
from hedgerow import HedgeGraph, stream
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import DataError
from hedgerow.stream import Schema, open_source

pytestmark = [
    pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server"),
    pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning"),
]
ROWS = np.cumsum(np.random.default_rng(0).standard_normal((300, 3)), axis=1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def client(server):
    server.client.flushall()
    return server.client


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch):
    monkeypatch.setattr("hedgerow.stream._redis._MOST", 50)
    monkeypatch.setattr("hedgerow.stream._redis._FEWEST", 50)
    monkeypatch.setattr("hedgerow.stream._redis.PAUSE", 0.02)


@pytest.fixture
def url(server):
    return f"{server.address}?stream=rows"


def add(client, rows, names="abc"):
    for row in rows.tolist():
        client.xadd("rows", dict(zip(names, map(repr, row))))


def mark(client, group="hedgerow"):
    """How many entries the group says are safe, and how many are not yet."""
    for found in client.xinfo_groups("rows"):
        if found["name"].decode() == group:
            assert (found["consumers"], found["pending"]) == (0, 0)
            return found["entries-read"], found["lag"]
    return None


def same(a, b):
    (_, a), (_, b) = a.parts(), b.parts()
    return all(a[name].tobytes() == b[name].tobytes() for name in a)


def after(n_chunks):
    left = iter(range(n_chunks - 1))
    return lambda: next(left, None) is None


def test_entries_are_rows(client, url):
    add(client, ROWS)
    result = stream.run(url)
    assert same(result, HedgeGraph().fit(ROWS))
    assert result.feature_names_in_.tolist() == ["a", "b", "c"]


def test_entries_may_be_json(client, url):
    for row in ROWS.tolist():
        client.xadd("rows", {"json": json.dumps({"when": "now", **dict(zip("abc", row))})})
    source = open_source(url)
    assert same(stream.run(source), HedgeGraph().fit(ROWS))
    assert source.schema == Schema(["a", "b", "c"], ["when"])


def test_the_group_marks_what_a_checkpoint_has(client, url, tmp_path):
    add(client, ROWS)
    seen = []

    def stop():
        seen.append(mark(client))
        return len(seen) == 5

    stream.run(url, checkpoint=tmp_path, every=100, stop=stop)
    assert seen == [None, (100, 200), (100, 200), (200, 100), (200, 100)]
    assert mark(client) == (250, 50)
    result = stream.run(url, checkpoint=tmp_path)
    assert same(result, HedgeGraph().fit(ROWS))
    assert mark(client) == (300, 0)


def test_without_checkpoints_nothing_is_marked(client, url):
    add(client, ROWS)
    stream.run(url)
    assert client.xinfo_groups("rows") == []
    assert same(stream.run(url), HedgeGraph().fit(ROWS))  # and all of it is read again


@pytest.mark.parametrize("place", ["0", "$"])
def test_what_others_do_to_the_mark_changes_nothing(client, url, tmp_path, place):
    add(client, ROWS)
    stream.run(url, checkpoint=tmp_path, every=100, stop=after(2))
    client.xgroup_setid("rows", "hedgerow", place)
    assert same(stream.run(url, checkpoint=tmp_path), HedgeGraph().fit(ROWS))
    assert mark(client) == (300, 0)


def test_a_mark_that_was_not_moved_is_moved_by_the_next_run(client, url, tmp_path, monkeypatch):
    """As after a crash between the checkpoint and the mark."""
    add(client, ROWS)
    with monkeypatch.context() as patch:
        patch.setattr("hedgerow.stream._redis.RedisStream.ack", lambda self, offset: None)
        stream.run(url, checkpoint=tmp_path, stop=after(2))
    assert mark(client) is None
    stream.run(url, checkpoint=tmp_path, every=1000, stop=after(1))
    assert mark(client) == (150, 150)


def test_a_server_that_takes_no_mark_can_be_read(client, url, tmp_path):
    """A replica, or a user who may only read."""
    add(client, ROWS)
    client.execute_command("ACL SETUSER reader on >secret ~* +@all -xgroup")
    address = url.replace("//", "//reader:secret@")
    with pytest.warns(DataWarning, match="the group 'hedgerow' could not be moved .*permission"):
        result = stream.run(address, checkpoint=tmp_path)
    assert same(result, HedgeGraph().fit(ROWS))


def test_runs_that_share_a_stream_and_a_group_learn_from_every_entry(client, url, tmp_path):
    """In turns of one chunk: what one reads, the other reads too."""
    add(client, ROWS)
    for _ in range(6):
        for name in "ab":
            model = stream.run(url, checkpoint=tmp_path / name, stop=after(1))
    assert same(model, HedgeGraph().fit(ROWS))
    assert same(stream.run(url, checkpoint=tmp_path / "a"), model)


@pytest.mark.parametrize("chunks", [1, 3])
def test_checkpoints_of_older_versions_are_read(client, url, tmp_path, chunks):
    """Their offsets had no "entry", and their group had a consumer."""
    add(client, ROWS)
    client.xgroup_create("rows", "hedgerow", id="0")
    client.xreadgroup("hedgerow", "hedgerow", {"rows": ">"}, count=100)
    source = open_source(url)
    seek = source.seek
    stream.run(url, checkpoint=tmp_path, stop=after(chunks))
    source.seek = lambda offset, schema: seek({k: offset[k] for k in ("id", "read")}, schema)
    assert same(stream.run(source, checkpoint=tmp_path), HedgeGraph().fit(ROWS))


def test_an_older_checkpoint_reads_entries_again(client, url, tmp_path):
    add(client, ROWS)
    stream.run(url, checkpoint=tmp_path, every=50, stop=after(4))
    newest = max(tmp_path.glob("checkpoint-*"))
    newest.write_bytes(newest.read_bytes()[:-1])
    with pytest.warns(stream.CheckpointWarning, match="truncated"):
        result = stream.run(url, checkpoint=tmp_path)
    assert same(result, HedgeGraph().fit(ROWS))


def test_following_through_a_restart_of_the_server(server, client, url, tmp_path):
    """The reply to the last request before the server died is lost, its entries are not."""
    add(client, ROWS[:120])
    source = open_source(url, follow=True)
    real = source._entries
    calls = []

    def unreliable(count):
        calls.append(count)
        answer = real(count)
        if len(calls) == 2:
            server.stop()
            raise redis.ConnectionError("the cable is out")
        return answer

    source._entries = unreliable
    steps = []

    def stop():
        steps.append(1)
        if len(steps) == 3:
            server.start()
            add(client, ROWS[120:])
        return len(steps) > 3 and mark(client) == (300, 0)

    with pytest.warns(DataWarning, match="Redis does not answer, trying again until it does"):
        result = stream.run(source, checkpoint=tmp_path, every=1, stop=stop)
    assert same(result, HedgeGraph().fit(ROWS))


def test_a_server_that_goes_away_ends_a_run_that_does_not_follow(server, client, url, tmp_path):
    add(client, ROWS)

    def stop():
        server.stop()
        return False

    try:
        with (
            pytest.raises(DataError, match="Redis does not answer: "),
            pytest.warns(DataWarning, match="could not be moved"),
        ):
            stream.run(url, checkpoint=tmp_path, stop=stop)
    finally:
        server.start()
    assert same(stream.run(url, checkpoint=tmp_path), HedgeGraph().fit(ROWS))


def test_waiting_for_a_stream_and_its_entries(client, url):
    chunks = open_source(url, follow=True).chunks()
    assert len(next(chunks).rows) == 0
    assert not client.exists("rows")
    add(client, ROWS[:9])
    assert not any(len(next(chunks).rows) for _ in range(3))  # ten rows tell what columns are
    add(client, ROWS[9:12])
    rows = [chunk.rows for chunk, _ in zip(chunks, range(6)) if len(chunk.rows)]
    assert np.array_equal(np.concatenate(rows), ROWS[:12])


@pytest.mark.parametrize("as_json", [False, True])
def test_a_first_entry_with_text_removes_no_column(client, url, as_json):
    entries = [{"a": "ERR", "b": 0.5, "c": 1}, *({"a": 1, "b": 2, "c": 3} for _ in range(20))]
    for entry in entries:
        client.xadd("rows", {"json": json.dumps(entry)} if as_json else entry)
    source = open_source(url)
    (chunk,) = source.chunks()
    assert source.schema.columns == ["a", "b", "c"]
    assert not chunk.bad  # the cell is missing, the others of its row are learned from
    assert len(chunk.rows) == 21
    assert np.array_equal(chunk.rows[0], [np.nan, 0.5, 1.0], equal_nan=True)


def test_columns_that_come_later_are_told(client, url):
    add(client, ROWS[:60])
    client.xadd("rows", {"a": 1, "b": 2, "c": 3, "d": 4})
    with pytest.warns(DataWarning, match="came later are not learned from: 'd'"):
        chunks = list(open_source(url).chunks())
    assert sum(len(chunk.rows) for chunk in chunks) == 61
    assert not any(chunk.bad for chunk in chunks)


BAD = {
    "column 'c' has no value": {"a": 1, "b": 2},
    "column 'b' must hold numbers, got 'x'": {"a": 1, "b": "x", "c": 3},
    "column 'b' must hold numbers, got '1,5'": {"a": 1, "b": "1,5", "c": 3},
    "column 'b' has no value": {"a": 1, "b": "", "c": 3},
}


@pytest.mark.parametrize("reason", BAD)
def test_bad_entries(client, url, tmp_path, reason):
    add(client, ROWS[:60])
    bad = client.xadd("rows", BAD[reason]).decode()
    add(client, ROWS[60:])
    with pytest.raises(DataError) as error:
        stream.run(open_source(url, missing="error"), checkpoint=tmp_path)
    assert str(error.value).startswith(f"row 61 (entry {bad}): {reason}")
    strict = open_source(url, missing="error")
    result = stream.run(strict, checkpoint=tmp_path, bad_rows="skip")
    assert same(result, HedgeGraph().fit(ROWS))


def test_bad_json_entries(client, url):
    for text in ('{"a": 1, "b": 2}', "{", '{"a": 3,\n "b": 4}'):
        client.xadd("rows", {"json": text})
    client.xadd("rows", {"a": 5, "b": 6})  # the two kinds may be mixed
    (chunk,) = open_source(url).chunks()
    assert np.array_equal(chunk.rows, [[1, 2], [3, 4], [5, 6]])
    assert [row.after for row in chunk.bad] == [1]
    assert chunk.bad[0].reason.startswith("a row must be JSON")


def test_a_group_that_others_read_by_is_refused(client, url):
    add(client, ROWS[:5])
    client.xgroup_create("rows", "hedgerow", id="0")
    client.xreadgroup("hedgerow", "somebody", {"rows": ">"})
    with pytest.raises(DataError, match="'hedgerow' must have no consumers, got somebody"):
        open_source(url)
    assert len(next(open_source(f"{url}&group=mine").chunks()).rows) == 5


def test_entries_that_are_gone_are_told(client, url, tmp_path, recwarn):
    add(client, ROWS[:150])
    client.xtrim("rows", maxlen=0)  # before anything began
    add(client, ROWS)
    for _ in range(2):
        stream.run(url, checkpoint=tmp_path, every=50, stop=after(1))
    client.xtrim("rows", maxlen=250, approximate=False)  # what has been read
    client.xdel("rows", client.xinfo_stream("rows")["first-entry"][0])
    stream.run(url, checkpoint=tmp_path, every=50, stop=after(1))
    assert not recwarn.list
    client.xtrim("rows", maxlen=100, approximate=False)
    with pytest.warns(DataWarning, match="^50 entries were removed before they were read$") as told:
        result = stream.run(url, checkpoint=tmp_path)
    assert len(told) == 1
    assert result.n_samples_seen_ == 250
    recwarn.clear()
    stream.run(url, checkpoint=tmp_path)
    assert not recwarn.list  # they are told once


def test_entries_trimmed_while_a_run_lags_behind_are_told(client, url):
    add(client, ROWS)
    chunks = open_source(url).chunks()
    next(chunks)
    client.xtrim("rows", maxlen=220, approximate=False)
    with pytest.warns(DataWarning, match="^30 entries were removed before they were read$"):
        rest = [chunk.rows for chunk in chunks]
    assert np.array_equal(np.concatenate(rest), ROWS[80:])


def begin_anew(client, what, last):
    client.delete("rows")
    if what == "ends before":
        client.xadd("rows", {"a": 1, "b": 2, "c": 3}, id="1-1")
    if what == "has another entry":
        client.xadd("rows", {"a": 1, "b": 2, "c": 3}, id=last)
    if what == "has no entry":
        add(client, ROWS)


ANEW = ["is gone", "ends before", "has another entry", "has no entry"]


@pytest.mark.parametrize("what", ANEW)
@pytest.mark.parametrize("follow", [False, True])
def test_a_stream_that_was_begun_anew_is_refused_at_a_restart(client, url, tmp_path, what, follow):
    add(client, ROWS)
    stream.run(url, checkpoint=tmp_path)
    begin_anew(client, what, client.xinfo_stream("rows")["last-generated-id"])
    message = f"the stream 'rows' must be the one read before, and {what}.*begin afresh"
    if what == "is gone" and not follow:
        message = "the stream 'rows' must exist, and does not"
    with pytest.raises(DataError, match=message):
        stream.run(open_source(url, follow=follow), checkpoint=tmp_path)


@pytest.mark.parametrize("what", ANEW)
def test_a_stream_that_was_begun_anew_is_refused_while_it_is_followed(client, url, what):
    add(client, ROWS[:50])
    chunks = open_source(url, follow=True).chunks()
    assert len(next(chunks).rows) == 50
    begin_anew(client, what, client.xinfo_stream("rows")["last-generated-id"])
    with pytest.raises(DataError, match=f"must be the one read before, and {what}"):
        list(chunks)


@pytest.mark.parametrize("remove", ["xdel", "xtrim"])
def test_a_stream_whose_last_entry_was_removed_is_still_the_same(client, url, tmp_path, remove):
    add(client, ROWS[:200])
    stream.run(url, checkpoint=tmp_path)
    if remove == "xdel":
        client.xdel("rows", client.xinfo_stream("rows")["last-generated-id"])
    else:
        client.xtrim("rows", maxlen=0)
    add(client, ROWS[200:])
    assert same(stream.run(url, checkpoint=tmp_path), HedgeGraph().fit(ROWS))


def test_addresses(client, url):
    with pytest.raises(DataError, match=r"the stream 'rows' must exist, and does not"):
        open_source(url)
    client.rpush("rows", "1")
    for follow in (False, True):
        with pytest.raises(DataError, match="'rows' must hold a stream, got a list"):
            open_source(url, follow=follow)
    with pytest.raises(DataError, match=r"Redis: .*refused"):
        open_source("redis://127.0.0.1:1/0?stream=rows")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("redis://me:secret@127.0.0.1:1/0", r"must have \?stream=NAME, got 'redis://...'"),
        ("redis://me:secret@127.0.0.1:1/0?stream=rows", "Redis: .*refused"),
        ("redis://me:secret@HERE/0?stream=rows", "Redis: .*(invalid|AUTH)"),
        ("redis://:secret/0@127.0.0.1:1/0?stream=rows", "a Redis address must be like redis://"),
        ("redis://:[secret@127.0.0.1:1/0?stream=rows", "a Redis address must be like redis://"),
        ("redis://:secret\u2100@127.0.0.1:1/0?stream=rows", "a Redis address must be like"),
        ("redis://:secret@127.0.0.1:1/0?stream=rows&grop=x", "a Redis address must be like"),
    ],
)
def test_passwords_are_not_shown(server, address, message):
    address = address.replace("HERE", f"127.0.0.1:{server.port}")
    with pytest.raises(ValueError, match=message) as error:
        open_source(address)
    assert "secret" not in "".join(traceback.format_exception(error.value))
