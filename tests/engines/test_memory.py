"""How much memory a fit takes, in a process of its own."""

import pytest

from benchmarks.speed import memory


@pytest.mark.skipif(not memory.STATUS.exists(), reason="only Linux tells the peak so")
def test_a_fit_holds_five_matrices_and_a_chunk(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    memory.in_a_process(n_columns=100, n_rows=600)  # compiling would raise the peak before the fit
    found = memory.in_a_process(n_columns=3000, n_rows=1000)
    code = 8e6 / (8 * 3000**2)  # compiled before, and loaded now
    assert 4.0 < found["matrices"] < memory.AIM + found["chunk"] + found["columns"] + code
