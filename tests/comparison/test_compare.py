"""`compare`: what a method does in its process harms no other, and what is done is kept."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import hedgerow.comparison
from hedgerow import compare, rivals
from hedgerow.comparison import Status
from hedgerow.comparison._job import JOB, ROWS
from hedgerow.datasets import make
from hedgerow.estimators import DataWarning
from hedgerow.progress import watching

HERE = "tests.comparison.methods:"


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def rows():
    """Seventy rows of five columns; the first numbers the rows."""
    return np.c_[np.arange(70.0), np.random.default_rng().standard_normal((70, 4))]


def outcomes(rows, names):
    result = compare(rows, [HERE + name for name in names], time_budget=2, resamples=0)
    return {each.method.removeprefix(HERE): (str(each.status), each.reason) for each in result}


def test_what_one_method_does_harms_no_other(rows, tmp_path, monkeypatch):
    monkeypatch.setenv("CHILD_PID_FILE", str(tmp_path / "pid"))
    names = ["Hangs", "Crashes", "Aborts", "IsKilled", "Chain"]
    assert outcomes(rows, names) == {
        "Hangs": ("out of time", "no graph after 2 s"),
        "Crashes": ("failed", "its process ended with exit status 7: last words"),
        "Aborts": ("failed", "its process ended with SIGABRT"),
        "IsKilled": ("failed", "its process was killed, which is what systems short of memory do"),
        "Chain": ("ok", ""),
    }
    assert not is_running(int((tmp_path / "pid").read_text()))


@pytest.mark.usefixtures("methods_here")
def test_what_a_method_raises_is_told(rows):
    assert outcomes(rows, ["Raises", "LacksMemory", "SaysSo", "Chain"]) == {
        "Raises": ("failed", "ValueError: rows must be other rows"),
        "LacksMemory": ("failed", "not enough memory"),
        "SaysSo": ("out of time", "True"),
        "Chain": ("ok", ""),
    }


@pytest.mark.usefixtures("methods_here")
def test_graphs_scores_and_splits(rows):
    result = compare(
        rows,
        {HERE + "Chain": {"weight": 3.0}}
        | {HERE + name: {} for name in ("OfFirstRow", "NeedsAllRows", "Sure")},
        truth=make("chain", 5).adjacency,
        resamples=2,
    )
    chain, other, needs_all, _ = result
    assert chain.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    np.testing.assert_allclose(chain.scores, [3, 1.5, 1, 0.75])
    assert chain.warnings == ("this is not a method",)
    assert chain.stability == 1.0
    assert chain.seconds > 0
    # The halves of a split are disjoint, and their rows keep their order: the first row of one
    # half is row 0, and of the other the first row that is not in it.
    for first, second in other.halves:
        assert [0, 1] in [*first.tolist(), *second.tolist()]
        assert len(first) == len(second) == 1
    assert needs_all.status is Status.OK
    assert needs_all.halves == ()
    assert np.isnan(needs_all.stability)
    rows_of = {row["method"].removeprefix(HERE): row for row in result.rows()}
    assert json.loads(result.to_json())["methods"][3]["graph"][0]["score"] > 1e300
    assert rows_of["Chain"]["exact"] is True
    assert rows_of["OfFirstRow"]["f1"] == pytest.approx(2 / 5)
    assert rows_of["NeedsAllRows"]["stability"] is None
    assert result.agreement[0].tolist() == [1, 0.25, 1, 1]


def test_ctrl_c_keeps_what_is_done(rows, tmp_path, monkeypatch):
    monkeypatch.setenv("CHILD_PID_FILE", str(tmp_path / "pid"))

    def interrupt(stage, done):
        if stage.endswith("Hangs") and (tmp_path / "pid").exists() and done < 1:
            raise KeyboardInterrupt

    with watching(interrupt):
        result = compare(rows, [HERE + name for name in ("Chain", "Hangs", "Raises")], resamples=0)
    assert [str(each.status) for each in result] == ["ok", "not run", "not run"]
    assert result.interrupted
    assert len(result[HERE + "Chain"].edges) == 4
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_worker_ends_when_its_parent_is_gone(rows, tmp_path):
    np.save(tmp_path / ROWS, rows)
    (tmp_path / "0").mkdir()
    job = {"method": HERE + "Hangs", "parameters": {}, "budget": 600}
    job |= {"resamples": 0, "seed": 0}
    (tmp_path / "0" / JOB).write_text(json.dumps(job))
    worker = subprocess.Popen(
        [sys.executable, "-m", "hedgerow.comparison._worker", str(tmp_path / "0")],
        stdin=subprocess.PIPE,
        env={**os.environ, "CHILD_PID_FILE": str(tmp_path / "pid")},
    )
    try:
        worker.stdin.close()
        assert worker.wait(60) == 1
    finally:
        worker.kill()
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), 9)


@pytest.mark.usefixtures("methods_here")
def test_names_of_columns_and_the_same_splits_again():
    model = make("star", 8, seed=np.random.default_rng())
    frame = pl.DataFrame(model.sample(300), schema=[f"name {j}" for j in range(8)], orient="row")
    first, second = (compare(frame, "hedgerow", resamples=2) for _ in range(2))
    assert first.names[3] == "name 3"
    for one, other in zip(first["hedgerow"].halves, second["hedgerow"].halves, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
    content = json.loads(first.to_json())
    [method] = content["methods"]
    expected = [[f"name {i}", f"name {j}"] for i, j in first["hedgerow"].edges.tolist()]
    assert [[edge["source"], edge["target"]] for edge in method["graph"]] == expected
    assert content["agreement"] == [[1.0]]


def test_unknown_method_gives_the_list(rows):
    with pytest.raises(ValueError, match=re.escape(", ".join(rivals.names()))) as caught:
        compare(rows, ["hedgerow", "glaso"])
    assert str(caught.value).endswith("or a module:Class, got 'glaso'")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": []}, "methods must name at least one, got none"),
        ({"time_budget": 0}, "time_budget must be a finite number > 0, got 0"),
        ({"resamples": -1}, "resamples must be an integer >= 0, got -1"),
        ({"truth": np.eye(3)}, "truth must have shape (5, 5), got (3, 3)"),
        ({"truth": np.eye(5, k=1)}, "must be symmetric"),
        ({"methods": {"hedgerow": {"level": object}}}, "parameters of hedgerow must be plain"),
    ],
)
def test_bad_arguments(rows, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        compare(rows, **arguments)


@pytest.mark.usefixtures("methods_here")
def test_constant_columns_are_set_aside_once_for_all(rows):
    rows = np.insert(rows, [1, 4], 3.0, axis=1)  # columns 1 and 5
    with pytest.warns(DataWarning, match="constant columns are isolated nodes: 1, 5"):
        result = compare(rows, HERE + "Chain", resamples=1)
    [chain] = result
    assert chain.edges.tolist() == [[0, 2], [2, 3], [3, 4], [4, 6]]
    assert chain.adjacency.shape == (7, 7)
    assert chain.stability == 1.0


@pytest.mark.usefixtures("methods_here")
def test_a_column_that_varies_in_one_half_only_is_set_aside_in_the_other(rows):
    rows[:, 2] = 0.0
    rows[7, 2] = 1.0
    [[first, second]] = compare(rows, HERE + "Chain", resamples=1)[HERE + "Chain"].halves
    whole, without = [[0, 1], [1, 2], [2, 3], [3, 4]], [[0, 1], [1, 3], [3, 4]]
    assert sorted([first.tolist(), second.tolist()]) == sorted([whole, without])


def test_bad_rows():
    with pytest.raises(ValueError, match="X must have at least two columns that vary, got 1"):
        compare(np.c_[np.arange(5.0), np.ones(5)])
    with pytest.raises(ValueError, match="X must be finite, got 1 NaN"):
        compare(np.array([[1.0, np.nan], [2, 3], [3, 4], [5, 6]]))


def test_it_is_a_public_name():
    assert hedgerow.compare is compare
    assert {"compare", "Comparison"} <= set(hedgerow.__all__)
