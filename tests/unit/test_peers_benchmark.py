"""The comparison with rivals, on a scale of seconds: it runs, resumes, and fills its page."""

import re

import numpy as np
import polars as pl
import pytest

from benchmarks import document, kept, pictures
from benchmarks.peers import frontier, page, plots, real, recovery, store, times
from benchmarks.peers.objective import ranks_it, reaches_it, rows_of
from benchmarks.peers.recovery import Curve, rows_at
from benchmarks.peers.solvers import SOLVERS
from benchmarks.peers.summary import OURS, margins, on_the_frontier, rows_needed, slope
from hedgerow import rivals

FEW = {name: SOLVERS[name] for name in (*OURS, "inverse_gram", "neighbourhoods")}


def test_every_rival_takes_part():
    assert set(SOLVERS) == set(rivals.names("numbers"))


def test_the_page_describes_every_rival():
    text = (document.ROOT / "docs" / "comparison.md").read_text()
    for name in rivals.names():
        assert f"`{name}`" in text, name


@pytest.fixture
def small(monkeypatch, tmp_path):
    """All studies, reduced to four methods and a few variables, in another folder."""
    monkeypatch.setattr(store, "FOLDER", tmp_path / "results")
    for study in (frontier, times, recovery):
        monkeypatch.setattr(study, "SOLVERS", FEW)
    monkeypatch.setattr(frontier, "FAMILIES", ("brownian_path",))
    monkeypatch.setattr(frontier, "COLUMNS", 8)
    monkeypatch.setattr(frontier, "ROWS", (200,))
    monkeypatch.setattr(times, "AXES", {"p": ((8, 16), 100), "m": ((100, 200), 8)})
    monkeypatch.setattr(recovery, "FAMILIES", {8: ("brownian_path",)})
    monkeypatch.setattr(recovery, "SEEDS", 3)
    monkeypatch.setattr(pictures, "IMAGES", tmp_path)
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "records")
    monkeypatch.setattr(document, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("")
    blocks = "frontier", "recovery-data", "recovery-oracle", "times", "setting"
    (tmp_path / "docs" / "comparison.md").write_text(
        "".join(f"<!-- {name} -->\n<!-- /{name} -->\n" for name in blocks)
    )
    return tmp_path


def test_a_reduced_run_fills_the_page(small):
    for name, study in (("frontier", frontier), ("times", times), ("recovery", recovery)):
        store.run(name, study.cells(), study.work)
    page.write()
    text = (small / "docs" / "comparison.md").read_text()
    found = re.search(r"^\| HedgeGraph \| \**(\d\.\d\d)\** \|", text, re.M)
    assert float(found[1]) > 0.7  # of a path of eight variables with 200 rows
    assert len(re.findall(r"^\| HedgeGraph balanced \|", text, re.M)) == 3  # in a table of each
    assert re.search(r"^\| HedgeGraph, best cut \| [\d,]+ \|$", text, re.M)
    assert text.count(f"at commit `{kept.commit()}`") == 5  # below every block
    assert "real" not in kept.read("comparison")
    for name in ("frontier", "times", "recovery_data", "recovery_oracle"):
        assert (small / f"peers_{name}.svg").stat().st_size > 1000
    assert plots.STYLES.keys() == SOLVERS.keys()


def test_only_what_is_missing_is_done(small):
    done = []

    def work(*cell):
        done.append(cell)
        if len(done) == 2:
            raise KeyboardInterrupt
        return [{"cell": str(cell)}]

    with pytest.raises(KeyboardInterrupt):
        store.run("study", [(1, "a"), (2, "b"), (3, "c")], work)
    store.run("study", [(1, "a"), (2, "b"), (3, "c")], work)
    assert done == [(1, "a"), (2, "b"), (2, "b"), (3, "c")]
    assert len(store.read("study")) == 3


@pytest.mark.parametrize("needed", [50, 420, 3000, 10**6])
def test_a_curve_is_followed_around_its_middle(monkeypatch, needed):
    monkeypatch.setattr(recovery, "rows_of", lambda family, p, m, seed: (None, np.zeros((m, 1))))

    def asked(method, tuning, rows, model):
        return recovery.Answer(len(rows) >= needed, 0.0)

    monkeypatch.setattr(recovery, "asked", asked)
    records = Curve(64, "grid", "data", "hedgerow").follow()
    shares = {record["m"]: record["exact"] for record in records}
    assert all(share == (m >= needed) for m, share in shares.items())
    first = next((m for m in map(rows_at, range(recovery.FIRST, 36)) if m >= needed), None)
    expected = f"{first:,}" if first else f"> {rows_at(recovery.LAST):,}"
    assert rows_needed(pl.DataFrame(records, infer_schema_length=None)) == expected


def test_oracles_find_the_graph_where_it_can_be_found():
    model, rows = rows_of("brownian_path", 8, 5000, seed=0)
    assert ranks_it("inverse_gram", rows, model, {}, 10.0).right
    assert reaches_it("neighbourhoods", rows, model, 10.0).right
    _, noise = rows_of("random_regular", 8, 10, seed=0)
    assert not ranks_it("neighbourhoods", noise, model, {}, 10.0).right


def test_slopes_and_frontiers():
    points = pl.DataFrame({"p": [10, 20, 40], "seconds": [1.0, 4.0, 16.0]})
    assert slope(points, "p") == pytest.approx(2.0)
    assert slope(points[:2], "p") is None
    assert on_the_frontier([1, 2, 3], [0.5, 0.9, 0.8]) == [True, True, False]


def test_margins_compare_the_same_data_sets():
    cell = {"family": "grid", "m": 100, "fdp": 0.0}
    frame = pl.DataFrame(
        [
            {"method": "hedgerow", "seed": 0, "f1": 0.5, **cell},
            {"method": "hedgerow", "seed": 1, "f1": 0.9, **cell},
            {"method": "hedgerow_balanced", "seed": 0, "f1": 0.8, **cell},  # ours: no rival
            {"method": "pc", "seed": 0, "f1": 0.6, **cell},
        ]
    )
    assert margins(frame, "hedgerow")["margin"].to_list() == [pytest.approx(0.1)]


def test_causes_of_a_common_effect_are_married():
    assert real.marriages([(0, 2), (1, 2), (2, 3)]) == [(0, 1)]


def test_columns_of_one_value_nearly_everywhere_are_left_out():
    rows = np.zeros((100, 3))
    rows[:, 0] = np.arange(100)
    rows[:4, 1] = 1.0
    rows[:6, 2] = 1.0
    assert real.mostly_equal(rows).tolist() == [False, True, False]


def test_normal_scores_keep_order_and_ties():
    scores = real.normal_scores(np.array([[3.0], [1.0], [3.0], [100.0]]))[:, 0]
    assert scores[0] == scores[2]
    assert scores[1] < scores[0] < scores[3]
    assert abs(scores.sum()) < 1
