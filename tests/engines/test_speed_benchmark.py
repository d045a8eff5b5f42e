"""The speed benchmark at sizes that take no time, from measuring to the page."""

import shutil
from argparse import Namespace

import numpy as np
import pytest

from benchmarks import document, kept, pictures
from benchmarks.speed import aims, clock, growth, lasso, many_rows, peers, report, targets, treated

ONE_ROUND = Namespace(rounds=1)


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A copy of docs/speed.md and its record; results and pictures go beside it."""
    shutil.copytree(kept.FOLDER, tmp_path / "records")
    (tmp_path / "docs").mkdir()
    shutil.copy(document.ROOT / "docs" / "speed.md", tmp_path / "docs")
    (tmp_path / "README.md").write_text("")
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "records")
    monkeypatch.setattr(document, "ROOT", tmp_path)
    monkeypatch.setattr(pictures, "IMAGES", tmp_path)
    monkeypatch.setattr(clock, "RESULTS", tmp_path / "results" / "speed.json")
    monkeypatch.setattr(lasso, "KEPT", tmp_path / "lasso.json")
    monkeypatch.setattr(clock, "PAUSE", 0.0)
    return tmp_path / "docs" / "speed.md"


def test_parts_fill_the_page(page, monkeypatch):
    monkeypatch.setattr(targets, "SIZES", ((31, 300),))
    monkeypatch.setattr(treated, "SIZES", ((17, 300),))
    monkeypatch.setattr(growth, "ROWS", (200, 400))
    monkeypatch.setattr(growth, "COLUMNS_FIXED", 20)
    monkeypatch.setattr(growth, "COLUMNS", (10, 20))
    monkeypatch.setattr(growth, "ROWS_FIXED", 200)
    monkeypatch.setattr(many_rows, "COLUMNS", (13,))
    for part in (targets, treated, growth, many_rows):
        part.run(ONE_ROUND)
    report.run(ONE_ROUND)
    text = page.read_text()
    assert "| 31 | 300 | 1 |" in text
    assert "| 17 | 300 | 1 |" in text
    assert "| 13 | 260 |" in text
    assert "learning / np.cov, 31 columns, cores: 1" in text
    assert f"`python -m benchmarks.speed growth`, at commit `{kept.commit()}`" in text
    assert "1.5620" not in text  # the seconds with many rows that were there before
    assert (pictures.IMAGES / "speed_growth.svg").stat().st_size > 1000


def test_parts_measured_again_replace_themselves_only(page):
    clock.keep("start", {"import hedgerow": 1.0, "hedgerow --help": 1.0})
    clock.keep("memory", [])
    clock.keep("start", {"import hedgerow": 0.1, "hedgerow --help": 0.9})
    kept = clock.read()
    assert kept["memory"] == []
    assert [aim.verdict for aim in aims.all_aims({"start": kept["start"]})] == ["yes", "**no**"]


def test_a_peer_beyond_the_limit_is_stopped():
    [slow] = peers.in_a_process("glassocv", "chain", 400, 2000, 1)
    assert slow == {"seconds": 1, "f1": None}


def test_graphs_that_a_peer_did_not_finish_count_in_time_only():
    ours = [{"seconds": 1.0, "f1": 0.9}, {"seconds": 2.0, "f1": 0.1}]
    theirs = [{"seconds": 4.0, "f1": 0.8}, {"seconds": 10.0, "f1": None}]
    found = peers.compared(ours, theirs)
    assert (found["graphs"], found["stopped"]) == (2, 1)
    assert (found["ours_f1"], found["theirs_f1"]) == (0.9, 0.8)
    assert (found["ours_seconds"], found["theirs_seconds"]) == (1.5, 7.0)


def test_a_difference_in_doubt_is_called_so():
    f1 = [(0.9, 0.8), (0.7, 0.9), (0.8, 0.84)]
    ours, theirs = ([{"seconds": 1.0, "f1": pair[k]} for pair in f1] for k in (0, 1))
    found = peers.compared(ours, theirs) | {"columns": 10, "peer": "ric"}
    assert found["f1_doubt"] == pytest.approx(np.std([0.1, -0.2, -0.04], ddof=1) / 3**0.5)
    assert [aim.verdict for aim in aims.all_aims({"peers": [found]})] == ["**no**", "within doubt"]
