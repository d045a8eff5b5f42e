"""How much memory a fit takes, in a process of its own."""

import pytest

from benchmarks.speed import memory

TRIES = 4  # what the allocator keeps beside is up to chance: a fit needs no more than the least


@pytest.mark.skipif(not memory.STATUS.exists(), reason="only Linux tells the peak so")
def test_a_fit_holds_little_more_than_five_matrices_and_a_chunk(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    memory.in_a_process(n_columns=100, n_rows=600)  # compiling would raise the peak before the fit
    code = 8e6 / (4 * 3000**2)  # 8 MB, compiled before and loaded now
    seen = []
    for _ in range(TRIES):
        found = memory.in_a_process(n_columns=3000, n_rows=1000)
        seen.append(found["matrices"])
        assert seen[-1] > 4.0
        if seen[-1] < memory.AIM + found["chunk"] + found["columns"] + code:
            return
    pytest.fail(f"matrices: {seen}")
