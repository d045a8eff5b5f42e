"""Settings of all tests.

Everything random in the tests comes from one seed, which is printed at the top and can be given
again: ``HEDGEROW_SEED=12345 python -m pytest tests/...``. Each test draws from a stream of its own,
so that one can be repeated alone.
"""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import warnings
from itertools import count
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import hypothesis
import numpy as np
import pytest
from hypothesis import settings

# Set before workers are started, so that all of them have the same.
SEED = int(os.environ.setdefault("HEDGEROW_SEED", str(secrets.randbelow(2**31))))
# Tables of tests are small: threads would wait for each other longer than they work, on cores that
# other workers need. Tests about threads say how many.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A first example imports and compiles: how long it takes says nothing about the code.
settings.register_profile("unhurried", settings(deadline=None, print_blob=True))
settings.load_profile("unhurried")
hypothesis.core.global_force_seed = SEED


ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site, with a small gallery and no warning; once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "log").exists():
            _build_site(folder)
    log = (folder / "log").read_text()
    assert (folder / "html" / "index.html").exists(), log
    return folder / "html"


def _build_site(folder):
    for page in ROOT.glob("*.md"):
        shutil.copy(page, folder)
    built = shutil.ignore_patterns("built_*", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=built)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "docs", "built"]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "HEDGEROW_SMALL_GALLERY": "1"},
    )
    if done.returncode == 0:
        (folder / "built").rename(folder / "html")
    (folder / "log").write_text(done.stdout + done.stderr)


@pytest.fixture
def methods_here(monkeypatch):
    """Let comparisons run methods in this process: for tests that are not about what processes do.

    What workers write, and who reads it, is the same.
    """
    from hedgerow.comparison import _compare, _process, _worker
    from hedgerow.comparison._job import JOB
    from hedgerow.comparison._outcome import Outcome

    def run(folder, method, job, n_columns, tell):
        (folder / JOB).write_text(json.dumps({"method": method, **job}))
        with warnings.catch_warnings():
            _worker.main(folder)
        trouble = _process._trouble(folder, job["budget"], None)
        return _process.found(folder, method, n_columns) or Outcome(method, *trouble, n_columns)

    for name in ("_end_with_parent", "_be_the_first_to_go"):
        monkeypatch.setattr(_worker, name, lambda: None)
    monkeypatch.setattr(_compare, "run", run)


def pytest_report_header():
    return f"HEDGEROW_SEED={SEED}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Seed generators that are made without a seed: the n-th one of a test is always the same."""
    make, number = np.random.default_rng, count()
    test = crc32(item.nodeid.encode())

    def default_rng(seed=None):
        return make([SEED, test, next(number)] if seed is None else seed)

    with patch.object(np.random, "default_rng", default_rng):
        return (yield)
