"""Redis Streams, with a real server: nothing is lost, nothing counted twice, whatever breaks."""

import json
import shutil

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


def pending(client):
    return client.xpending("rows", "hedgerow")["pending"]


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


def test_entries_are_acknowledged_when_a_checkpoint_has_them(client, url, tmp_path):
    add(client, ROWS)
    left = []

    def stop():
        left.append(pending(client))
        return len(left) == 5

    stream.run(url, checkpoint=tmp_path, every=100, stop=stop)
    assert left == [50, 0, 50, 0, 50]
    assert pending(client) == 0
    result = stream.run(url, checkpoint=tmp_path)
    assert same(result, HedgeGraph().fit(ROWS))
    assert pending(client) == 0


def test_without_checkpoints_nothing_is_acknowledged(client, url):
    add(client, ROWS)
    stream.run(url)
    assert pending(client) == len(ROWS)
    assert same(stream.run(url), HedgeGraph().fit(ROWS))  # and all of it is read again


def test_entries_delivered_but_not_saved_are_read_again(client, url, tmp_path):
    """As after a crash: the group is ahead of the checkpoint."""
    add(client, ROWS)
    stream.run(url, checkpoint=tmp_path, every=100, stop=after(2))
    client.xreadgroup("hedgerow", "hedgerow", {"rows": ">"}, count=70)
    assert pending(client) == 70
    result = stream.run(url, checkpoint=tmp_path, every=100)
    assert same(result, HedgeGraph().fit(ROWS))
    assert pending(client) == 0


@pytest.mark.parametrize("chunks", [2, 6])
def test_entries_saved_but_not_acknowledged_are_not_read_again(
    client, url, tmp_path, monkeypatch, chunks
):
    """As after a crash between the checkpoint and the acknowledgement, also of the last entries."""
    add(client, ROWS)
    with monkeypatch.context() as patch:
        patch.setattr("hedgerow.stream._redis.RedisStream.ack", lambda self, offset: None)
        stream.run(url, checkpoint=tmp_path, stop=after(chunks))
    assert pending(client) == 50 * chunks
    result = stream.run(url, checkpoint=tmp_path, every=100)
    assert same(result, HedgeGraph().fit(ROWS))
    assert pending(client) == 0


def test_an_older_checkpoint_reads_acknowledged_entries_again(client, url, tmp_path):
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
    real = source._client.xreadgroup
    calls = []

    def unreliable(*args, **kwargs):
        calls.append(args)
        answer = real(*args, **kwargs)
        if len(calls) == 2:  # delivered, as far as the server knows
            server.stop()
            raise redis.ConnectionError("the cable is out")
        return answer

    source._client.xreadgroup = unreliable
    steps = []

    def stop():
        steps.append(1)
        if len(steps) == 3:
            server.start()
            add(client, ROWS[120:])
        return client.xpending("rows", "hedgerow")["pending"] == 0 if len(steps) > 30 else False

    with pytest.warns(DataWarning, match="Redis does not answer, trying again until it does"):
        result = stream.run(source, checkpoint=tmp_path, every=1, stop=stop)
    assert same(result, HedgeGraph().fit(ROWS))


def test_waiting_for_entries(client, url):
    chunks = open_source(url, follow=True).chunks()
    assert len(next(chunks).rows) == 0
    add(client, ROWS[:3])
    rows = [chunk.rows for chunk, _ in zip(chunks, range(3)) if len(chunk.rows)]
    assert np.array_equal(np.concatenate(rows), ROWS[:3])


BAD = {
    "the row lacks 'c'": {"a": 1, "b": 2},
    "the row has 'd', which is none of the columns": {"a": 1, "b": 2, "c": 3, "d": 4},
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
        stream.run(url, checkpoint=tmp_path)
    assert str(error.value).startswith(f"row 61 (entry {bad}): {reason}")
    result = stream.run(url, checkpoint=tmp_path, bad_rows="skip")
    assert same(result, HedgeGraph().fit(ROWS))


def test_bad_json_entries(client, url):
    for text in ('{"a": 1, "b": 2}', "{", '{"a": 3,\n "b": 4}'):
        client.xadd("rows", {"json": text})
    client.xadd("rows", {"a": 5, "b": 6})  # the two kinds may be mixed
    (chunk,) = open_source(url).chunks()
    assert np.array_equal(chunk.rows, [[1, 2], [3, 4], [5, 6]])
    assert [row.after for row in chunk.bad] == [1]
    assert chunk.bad[0].reason.startswith("a row must be JSON")


def test_others_in_the_group_are_refused(client, url):
    add(client, ROWS[:5])
    client.xgroup_create("rows", "hedgerow", id="0")
    client.xreadgroup("hedgerow", "somebody", {"rows": ">"})
    with pytest.raises(DataError, match="must have no other consumers, got somebody"):
        open_source(url)
    assert len(next(open_source(f"{url}&group=mine").chunks()).rows) == 5


def test_entries_that_are_gone_are_told(client, url, tmp_path, recwarn):
    add(client, ROWS[:150])
    client.xtrim("rows", maxlen=0)  # before anything began
    add(client, ROWS)
    for _ in range(2):
        stream.run(url, checkpoint=tmp_path, every=50, stop=after(1))
    assert not recwarn.list
    client.xtrim("rows", maxlen=100, approximate=False)
    with pytest.warns(DataWarning, match="100 entries were removed before they were read"):
        result = stream.run(url, checkpoint=tmp_path)
    assert result.n_samples_seen_ == 200
    client.delete("rows")
    client.xadd("rows", {"a": 1, "b": 2, "c": 3}, id="1-1")
    with pytest.raises(DataError, match="must be the one read before, and ends before entry"):
        stream.run(url, checkpoint=tmp_path)


def test_addresses(client, url):
    with pytest.raises(DataError, match=r"Redis: .*requires the key to exist"):
        open_source(url)
    with pytest.raises(ValueError, match=r"must have \?stream=NAME"):
        open_source("redis://127.0.0.1:1/0")
    with pytest.raises(DataError, match=r"Redis: .*refused"):
        open_source("redis://127.0.0.1:1/0?stream=rows")
