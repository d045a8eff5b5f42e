"""Runs that read one Redis stream at the same time do not disturb each other."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.stream.server import RedisServer

PAIR = Path(__file__).with_name("stream_together.py")
ROUNDS = 3


@pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server")
def test_two_runs_on_one_stream_and_group_each_learn_from_every_entry_once(tmp_path):
    seed = random.SystemRandom().randrange(2**32)
    with RedisServer() as server:
        done = subprocess.run(
            [sys.executable, str(PAIR), server.address, str(tmp_path), str(seed), str(ROUNDS)],
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, f"seed {seed}\n{done.stderr}"
        marks = [server.client.xinfo_groups(f"rows{k}") for k in range(ROUNDS)]
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert rounds == [{"kills": 3, "same": [True, True]}] * ROUNDS, f"seed {seed}"
    for (mark,) in marks:
        assert (mark["consumers"], mark["pending"], mark["lag"]) == (0, 0, 0)
