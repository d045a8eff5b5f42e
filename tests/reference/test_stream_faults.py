"""Streams that meet a few dozen faults end as unbroken ones; the benchmark does a thousand."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTS = 36  # a sequence for each kind of source, or more


@pytest.mark.skipif(not shutil.which("redis-server"), reason="needs redis-server")
def test_faults_leave_no_difference():
    """``HEDGEROW_SEED=N`` repeats the rows and faults of a seed; moments differ."""
    seed = os.environ.get("HEDGEROW_SEED") or str(random.SystemRandom().randrange(2**32))
    print(f"HEDGEROW_SEED={seed}")
    command = [sys.executable, "-m", "benchmarks.stream.faults", "--print-only", "--seed", seed]
    done = subprocess.run(
        [*command, "--faults", str(FAULTS), "--in-each", "10"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
    )
    assert done.returncode == 0, f"HEDGEROW_SEED={seed}\n{done.stdout}\n{done.stderr}"
    (total,) = re.findall(r"^(\d+) faults, 0 differences, seed \d+$", done.stdout, re.MULTILINE)
    assert int(total) >= FAULTS
    for source in ("a file that grows", "a folder", "a Redis stream", "a pipe"):
        assert f", {source}: " in done.stdout


def test_a_difference_is_found():
    """A row that is lost on the way is noticed: the oracle can say no."""
    broken = (
        "import sys\n"
        "from benchmarks.stream.faults import __main__ as faults\n"
        "from benchmarks.stream.faults.rows import Rows\n"
        "real = Rows.line\n"
        "def line(self, k, suffix='.csv'):\n"
        "    is_lost = k == 50 and sys._getframe(1).f_code.co_qualname.startswith('Growing')\n"
        "    return b'' if is_lost else real(self, k, suffix)\n"
        "Rows.line = line\n"
        "faults.WORLDS = (faults.Growing,)\n"
        "faults.main()\n"
    )
    options = ["--faults", "1", "--in-each", "2", "--seed", "0", "--print-only"]
    done = subprocess.run(
        [sys.executable, "-c", broken, *options],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
    )
    assert done.returncode == 1, done.stderr
    assert "rows differ from the unbroken run" in done.stdout
