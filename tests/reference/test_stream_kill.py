"""A stream that is killed again and again ends as one that never was."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.stream.server import RedisServer

KILLER = Path(__file__).with_name("stream_killer.py")
ROWS, BAD_EVERY = 1000, 200  # ten checkpoints, more than a run is let live to


@pytest.fixture
def seed():
    return random.SystemRandom().randrange(2**32)


def texts(seed):
    """Rows whose graph changes half-way, as lists of text; some of them are bad."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((ROWS, 4)) @ np.triu(np.ones((4, 4)))
    rows[ROWS // 2 :, 2:] = rng.standard_normal((ROWS - ROWS // 2, 2))
    for k, row in enumerate(rows.tolist()):
        yield ["oops"] * 4 if k % BAD_EVERY == 7 else [*map(repr, row)]


def kill(source, folder, seed, kills, *options):
    done = subprocess.run(
        [sys.executable, str(KILLER), source, str(folder), str(seed), str(kills), *options],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, f"seed {seed}\n{done.stderr}"
    counts = json.loads(done.stdout)
    assert counts["killed"] >= kills
    assert counts["torn"] >= counts["rounds"]  # killed between write and rename


def test_killed_at_any_moment_the_state_is_the_same_to_the_last_bit(tmp_path, seed):
    lines = ["a,b,c,d", *map(",".join, texts(seed))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    kill(str(tmp_path / "rows.csv"), tmp_path, seed, kills=50)


def test_events_rotated_between_kills_are_whole_and_complete(tmp_path, seed):
    lines = ["a,b,c,d", *map(",".join, texts(seed))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    kill(str(tmp_path / "rows.csv"), tmp_path, seed, 20, "rotate")


@pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server")
def test_entries_of_redis_are_neither_lost_nor_counted_twice(tmp_path, seed):
    with RedisServer() as server:
        for row in texts(seed):
            server.client.xadd("rows", dict(zip("abcd", row)))
        kill(f"{server.address}?stream=rows&group=g%", tmp_path, seed, kills=12)
        groups = server.client.xinfo_groups("rows")
    assert len(groups) >= 2
    for group in groups:  # each marks that all of it is safe
        assert (group["consumers"], group["pending"], group["lag"]) == (0, 0, 0)
