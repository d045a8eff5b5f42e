"""The fuzzer of readers and commands, for about half a minute; see `benchmarks.fuzz` for longer.

HEDGEROW_SEED repeats a run, and each failure names the seed that it had.
"""

import os
import secrets

import pytest

from benchmarks.fuzz.checks import CHECKS, run

SEED = int(os.environ.get("HEDGEROW_SEED") or secrets.randbelow(10**9))


@pytest.mark.parametrize("name", CHECKS)
def test_any_file_is_read_alike_everywhere_or_refused_in_one_line(name):
    print(f"HEDGEROW_SEED={SEED}")
    assert run(name, SEED) >= 1
