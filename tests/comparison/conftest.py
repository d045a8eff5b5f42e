"""Methods in this process: for tests that are about results, and not about what a process does."""

import json
import warnings

import pytest

from hedgerow.comparison import _compare, _process, _worker
from hedgerow.comparison._job import JOB
from hedgerow.comparison._outcome import Outcome


@pytest.fixture
def here(monkeypatch):
    """Let workers do their jobs here; what they write, and who reads it, is the same."""

    def run(folder, method, job, n_columns, tell):
        (folder / JOB).write_text(json.dumps({"method": method, **job}))
        with warnings.catch_warnings():
            _worker.main(folder)
        trouble = _process._trouble(folder, job["budget"], None)
        return _process.found(folder, method, n_columns) or Outcome(method, *trouble, n_columns)

    for name in ("_end_with_parent", "_be_the_first_to_go"):
        monkeypatch.setattr(_worker, name, lambda: None)
    monkeypatch.setattr(_compare, "run", run)
