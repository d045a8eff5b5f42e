"""The quality benchmark's own machinery: resuming, filling the page, the search."""

import numpy as np
import pytest

from benchmarks.quality import page, recovery, store
from benchmarks.quality.cases import CASES, rows_of
from benchmarks.quality.methods import METHODS
from benchmarks.quality.study import missing
from hedgerow.datasets import FAMILIES


def test_an_unfinished_line_is_not_a_record(tmp_path):
    path = tmp_path / "results.ndjson"
    store.rewrite(path, [{"seed": 0}, {"seed": 1}])
    with path.open("a") as file:
        file.write('{"seed": 2')
    assert store.read(path) == [{"seed": 0}, {"seed": 1}]


def test_only_what_is_missing_is_done():
    everything = missing(["chain"], ["inverse"], set())
    ratios = METHODS["inverse"].ratios
    assert len(everything) == len(ratios) * METHODS["inverse"].seeds
    done = {("chain", job.ratio, job.seed, "inverse") for job in everything[1:]}
    assert missing(["chain"], ["inverse"], done) == everything[:1]


def test_blocks_are_filled_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text("before\n<!-- a -->\n<!-- /a -->\nafter\n")
    page.fill({"a": "old"})
    page.fill({"a": "new"})
    assert page.PAGE.read_text() == "before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n"
    with pytest.raises(ValueError, match=r"page.md must have a block 'b'"):
        page.fill({"b": "text"})


def test_every_family_is_a_case():
    assert set(FAMILIES) <= set(CASES)


def test_other_units_are_the_same_rows():
    _, old = rows_of("erdos_renyi", 16, 40, seed=3)
    _, new = rows_of("erdos_renyi, other units", 16, 40, seed=3)
    standard = [(X - X.mean(axis=0)) / X.std(axis=0) for X in (old, new)]
    np.testing.assert_allclose(*standard, atol=1e-9)
    assert new.std(axis=0).max() > 1e8 * new.std(axis=0).min()


@pytest.mark.parametrize("needed", [200, 1000, None])
def test_the_search_finds_where_success_begins(monkeypatch, needed):
    limit = recovery.MOST_ROWS + 1 if needed is None else needed
    monkeypatch.setattr(recovery, "success_rate", lambda task, rows: float(rows >= limit))
    [record] = recovery.search(recovery.Task("chain", 64, "hedgerow"))
    if needed is None:
        assert record["rows"] is None
    else:
        assert needed <= record["rows"] < needed * 10 ** (1.01 / recovery.STEPS)
