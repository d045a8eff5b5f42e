"""A stream that is killed again and again ends as one that never was."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

KILLER = Path(__file__).with_name("stream_killer.py")


def test_killed_at_any_moment_the_state_is_the_same_to_the_last_bit(tmp_path):
    seed = random.SystemRandom().randrange(2**32)
    done = subprocess.run(
        [sys.executable, str(KILLER), str(tmp_path), str(seed), "60"],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, f"seed {seed}\n{done.stderr}"
    counts = json.loads(done.stdout)
    assert counts["killed"] >= 60
    assert counts["torn"] >= counts["rounds"]  # killed between write and rename
