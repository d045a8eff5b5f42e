"""Memory is compared with what is free before it is taken, and the message says what to do."""

import re
from math import inf

import numpy as np
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, SparsitronGraph
from hedgerow.base import memory
from hedgerow.cli import cli
from hedgerow.engines.numba_cpu._learn import needed_bytes

GIB = 2**30


@pytest.fixture
def free(monkeypatch):
    """Let so many bytes be free, and ask for however few."""

    def free(size):
        monkeypatch.setattr(memory, "free_bytes", lambda: size)
        monkeypatch.setattr(memory, "_WORTH_ASKING", 0)

    return free


def walk(n_rows=300, n_columns=6):
    return np.cumsum(np.random.default_rng(0).standard_normal((n_rows, n_columns)), axis=1)


def test_too_many_columns_are_told_before_the_first_row(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 21.4 * GIB)
    told = (
        r"^100,000 columns need about 1\d\d GiB to learn and test, and 21.4 GiB are free; choose "
        "columns, or take a machine with more memory$"
    )
    model = HedgeGraph()
    rows = np.zeros((2, 100_000), dtype=np.float32)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(MemoryError, match=told):
            learn(rows)
    assert not hasattr(model, "_stream")
    with pytest.raises(MemoryError, match=r"100,000 columns need about \d{3,4} GiB to learn, and"):
        SparsitronGraph().fit(np.zeros((5, 100_000), dtype=np.float32))


def test_what_is_needed_grows_with_the_square_of_the_columns():
    assert 20 * 10_000**2 < needed_bytes(10_000) < 2.3 * GIB  # measured: 2.26 in all
    assert 20e10 < needed_bytes(100_000) < 23e10


def test_a_small_table_does_not_ask(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", None)  # calling it is an error
    model = HedgeGraph().fit(walk())
    assert model.precision_.shape == model.partial_corr_.shape == (6, 6)
    SparsitronGraph().fit(walk())


@pytest.mark.parametrize(
    ("name", "needed"),
    [("precision_", 56 * 36), ("covariance_", 56 * 36), ("partial_corr_", 8 * 36)],
)
def test_dense_results_are_told_when_they_are_asked_for(free, name, needed):
    model = HedgeGraph().fit(walk())  # a chain: all columns are connected
    assert len(model.edges_) == 5
    free(needed - 1)
    with pytest.raises(MemoryError, match=rf"6 columns need about .* GiB for .*{name}"):
        getattr(model, name)
    assert len(model.edges_) == 5
    free(needed)
    assert getattr(model, name).shape == (6, 6)


def test_setting_columns_aside_takes_more(free):
    rows = walk()
    rows[:, 5] = 3.0
    model = HedgeGraph(rows="independent", columns="normal").partial_fit(rows)
    free(8 * 36 + 12 * 25 - 1)
    with pytest.raises(MemoryError, match="to set some of them aside"):
        _ = model.edges_
    free(inf)
    with pytest.warns(UserWarning, match="constant"):
        assert len(model.edges_) == 4


def test_the_command_line_tells_it_in_one_line(free, tmp_path):
    np.savetxt(tmp_path / "rows.csv", walk(), delimiter=",", header="a,b,c,d,e,f", comments="")
    free(1000.0)
    result = CliRunner().invoke(cli, ["learn", str(tmp_path / "rows.csv")])
    assert result.exit_code == 1
    assert re.search(
        r"rows.csv: not enough memory: 6 columns need about .* GiB to learn and test, and .* free",
        result.output,
    )


# --- what is free -------------------------------------------------------------------------------


@pytest.fixture
def linux(monkeypatch, tmp_path):
    """Return a writer of the files in which Linux tells about memory."""
    places = {"_MACHINE": "meminfo", "_GROUPS_OF_PROCESS": "cgroup", "_GROUPS": "groups"}
    for name, place in places.items():
        monkeypatch.setattr(memory, name, tmp_path / place)

    def write(**files):
        for name, content in files.items():
            (tmp_path / name).write_text(content)

    return write


MEMINFO = "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:   5000 kB\nSwapFree: 200 kB\nHuge: 0\n"


def test_the_machine_tells_what_is_free(linux):
    linux(meminfo=MEMINFO)
    assert memory.free_bytes() == 5200 * 1024


def test_a_container_has_a_limit_of_the_second_kind(linux, tmp_path):
    linux(meminfo=MEMINFO, cgroup="0::/a/b\n")
    group = tmp_path / "groups" / "a"
    (group / "b").mkdir(parents=True)
    (group / "b" / "memory.max").write_text("max\n")  # no limit of its own, but its parent has
    (group / "memory.max").write_text("1000000\n")
    (group / "memory.current").write_text("600000\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 50000\n")
    assert memory.free_bytes() == 450_000


def test_a_container_has_a_limit_of_the_first_kind(linux, tmp_path):
    linux(meminfo=MEMINFO, cgroup="9:name=systemd:/x\n4:cpu,memory:/docker/123\n")
    group = tmp_path / "groups" / "memory"  # seen from inside, without the path
    group.mkdir(parents=True)
    (group / "memory.limit_in_bytes").write_text("2000000\n")
    (group / "memory.usage_in_bytes").write_text("600000\n")
    (group / "memory.stat").write_text("total_inactive_file 1\n")
    assert memory.free_bytes() == 1_400_001


@pytest.mark.parametrize("content", [None, "", "MemTotal: x\n", "nonsense"])
def test_elsewhere_it_is_the_whole_machine_or_not_known(linux, monkeypatch, content):
    if content is not None:
        linux(meminfo=content)
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__)
    assert memory.free_bytes() == 4_096_000
    monkeypatch.delattr(memory.os, "sysconf")
    assert memory.free_bytes() == inf
    memory.check_memory(1e30, 10, "to learn")


def test_this_machine_has_some():
    assert memory.free_bytes() > 1 << 20
