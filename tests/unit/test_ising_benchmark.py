"""The benchmark of methods for Ising models, reduced to seconds."""

import polars as pl
import pytest

from benchmarks.ising import page, quality, recovery, times
from benchmarks.ising.models import LABELS, TOLD, Case, fitted, rows_of
from hedgerow import rivals
from hedgerow.datasets import SamplingWarning


def test_every_method_has_a_name_in_the_tables():
    assert set(LABELS) == set(rivals.names("signs"))
    assert set(TOLD) <= set(LABELS)


def test_fewer_rows_are_the_first_of_more():
    case = Case("grid", 0.4)
    assert (rows_of(case, 9, 50, 1)[:20] == rows_of(case, 9, 20, 1)).all()


def test_rows_that_may_not_follow_their_model_are_refused():
    with pytest.raises(SamplingWarning):
        rows_of(Case("grid", 1.0), 36, 5, 0)


def test_what_is_told_is_true():
    model = Case("torus", 0.7).model(9)
    rows = model.sample(300, seed=0)
    assert fitted("rise", rows, told=model).min_coupling == pytest.approx(0.7)
    assert fitted("sparsitron_ising", rows, told=model).width == pytest.approx(4 * 0.7)
    assert fitted("ising_exhaustive", rows, told=model).max_degree == 4
    assert fitted("rise", rows).min_coupling is None
    assert fitted("ising", rows, told=model).error == "fwer"
    assert fitted("ising", rows).error == "fdr"


def test_rows_needed_are_found_by_bisection(monkeypatch):
    monkeypatch.setitem(recovery.LAST, 9, 28)
    monkeypatch.setitem(recovery.CASES, ("small", 9), Case("chain", 0.8))
    [record] = recovery.work("small", 9, "logrise")
    steps = [recovery.rows_at(step) for step in range(recovery.FIRST, 29)]
    assert record["rows"] in steps
    monkeypatch.setitem(recovery.LAST, 9, recovery.FIRST)
    monkeypatch.setitem(recovery.CASES, ("small", 9), Case("chain", 0.05))
    [record] = recovery.work("small", 9, "logrise")
    assert record["rows"] is None


def test_tables_have_a_row_for_each_method(monkeypatch):
    monkeypatch.setattr(quality, "COLUMNS", 9)
    monkeypatch.setattr(quality, "ROWS", (100,))
    monkeypatch.setattr(quality, "methods", lambda: ["rise", "bethe"])
    cells = [cell for cell in quality.cells() if cell[:2] == (0, "star, J = 0.3")]
    frame = pl.DataFrame([record for cell in cells for record in quality.work(*cell)])
    assert page.quality_table(frame).count("\n| ") == 3
    monkeypatch.setattr(times, "AXES", {"p": [(8, 100)], "m": [(8, 100), (8, 200)]})
    frame = pl.DataFrame([r for axis in ("p", "m") for r in times.work(axis, "rise")])
    assert "| RISE |" in page.times_table(frame)
    frame = pl.DataFrame(
        {"case": ["torus, J = 0.7"], "p": [16], "method": ["rise"], "rows": [None]}
    )
    assert "> 23,714" in page.recovery_table(frame)
