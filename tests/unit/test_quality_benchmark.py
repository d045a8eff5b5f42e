"""The quality benchmark's own machinery: resuming, filling the page, the search."""

import numpy as np
import pytest

from benchmarks.quality import elsewhere, recovery, store
from benchmarks.quality.cases import CASES, rows_of
from benchmarks.quality.methods import METHODS, partial_given
from benchmarks.quality.study import forget, missing
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


def test_results_of_some_methods_are_forgotten(tmp_path):
    path = tmp_path / "results.ndjson"
    key = {"case": "chain", "ratio": 1.0, "seed": 0}
    store.rewrite(path, [{**key, "method": method} for method in ("hedgerow", "lasso")])
    assert forget(path, ["hedgerow"]) == {("chain", 1.0, 0, "lasso")}
    assert [record["method"] for record in store.read(path)] == ["lasso"]


def test_partial_correlations_given_true_neighbours_are_those_of_residuals():
    model, rows = rows_of("erdos_renyi", 10, 60, seed=int(np.random.default_rng().integers(2**31)))
    joined = model.adjacency.toarray()
    partial, given = partial_given(np.corrcoef(rows, rowvar=False), joined, len(rows))
    for i, j in np.argwhere(~np.eye(10, dtype=bool)):
        others = np.setdiff1d(np.flatnonzero(joined[i]), j)
        design = np.column_stack([np.ones(60), rows[:, others]])
        pair = rows[:, [i, j]]
        left = pair - design @ np.linalg.lstsq(design, pair, rcond=None)[0]
        assert partial[i, j] == pytest.approx(np.corrcoef(left.T)[0, 1], abs=1e-9)
        assert given[i, j] == len(others)


@pytest.mark.parametrize("signs", elsewhere.SIGNS)
@pytest.mark.parametrize("graph", elsewhere.GRAPHS)
def test_models_from_elsewhere_have_the_graph_they_are_named_after(graph, signs):
    model, rows = elsewhere.rows_of(elsewhere.Case(graph, signs), 0.5, seed=0)
    assert rows.shape == (max(round(0.5 * model.size), 10), model.size)
    assert np.linalg.eigvalsh(model.precision.toarray()).min() > 0
    off = model.precision.toarray()[model.adjacency.toarray()]
    assert (off < 0).all() if signs == "attractive" else len(set(np.sign(off))) == 2
