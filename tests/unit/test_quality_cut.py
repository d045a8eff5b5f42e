"""Tables with steps and gaps in the quality benchmark are what their names say."""

from itertools import product

import numpy as np
import pytest

from benchmarks import kept
from benchmarks.quality import cut_oracle, cut_study, cut_tables, store
from benchmarks.quality.cut import EVEN, FAMILIES, KINDS, RATIOS, SKEWED, cut, rows_of
from benchmarks.quality.cut_methods import METHODS, WHOLE, complete, filled, polychoric
from benchmarks.quality.treated import AS_IT_COMES
from hedgerow import HedgeGraph

MANY = 20_000
STANDARD_ERRORS = 4.5  # of shares and correlations; the seed is fixed


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_table_and_gaps_are_where_they_should_be(kind):
    model, rows = rows_of(kind, "hubs", 12, 60, seed=3)
    _, again = rows_of(kind, "hubs", 12, 60, seed=3)
    _, others = rows_of(kind, "hubs", 12, 60, seed=4)
    assert rows.seen.shape == rows.whole.shape == (60, model.size)
    np.testing.assert_array_equal(rows.seen, again.seen)
    assert not np.array_equal(rows.seen, others.seen, equal_nan=True)
    assert np.isfinite(rows.whole).all()
    gone = np.isnan(rows.seen)
    assert gone.any() == KINDS[kind].gaps
    if KINDS[kind].gaps:
        np.testing.assert_array_equal(rows.seen[~gone], rows.whole[~gone])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("five steps, even", {"steps"}),
        ("five steps, skewed", {"steps"}),
        ("seven steps", {"steps"}),
        ("yes or no, half", {"yes/no"}),
        ("yes or no, shares 0.1 to 0.9", {"yes/no"}),
        ("many zeros", {"zeros"}),
        ("Poisson counts", {"counts"}),
        ("mixed table", {"continuous", "steps", "yes/no", "counts"}),
        ("10 % missing", {"continuous"}),
        ("10 % missing, five steps", {"steps"}),
    ],
)
def test_kinds_are_found_for_what_they_are(kind, expected):
    _, rows = rows_of(kind, "random_tree", 8, 600, seed=0)
    assert set(HedgeGraph().fit(rows.seen).column_kinds_) == expected


def test_steps_have_their_shares_and_the_order_of_what_was_cut():
    rows = np.random.default_rng(0).standard_normal((MANY, 2))
    for below in (EVEN, SKEWED):
        found = cut(rows, below)
        shares = np.diff([0.0, *below, 1.0])
        error = STANDARD_ERRORS * np.sqrt(0.25 / MANY)
        for column, expected in zip(found.T, (shares, shares[::-1]), strict=True):
            assert np.unique(column, return_counts=True)[1] / MANY == pytest.approx(
                expected, abs=error
            )
        order = np.argsort(rows[:, 1])
        assert (np.diff(found[order, 1]) >= 0).all()


@pytest.mark.parametrize(
    ("kind", "share"),
    [("1 % missing", 0.01), ("30 % missing", 0.3), ("10 % missing, given another", 0.1)],
)
def test_as_many_cells_are_missing_as_said(kind, share):
    _, rows = rows_of(kind, "empty", 8, MANY, seed=0)
    gone = np.isnan(rows.seen)
    error = STANDARD_ERRORS * np.sqrt(share / (8 * MANY)) * 2
    assert gone.mean() == pytest.approx(share, abs=error)
    high = rows.whole[:, 0] > 0
    tells = abs(gone[high, 1].mean() - gone[~high, 1].mean()) > 0.1
    assert tells == (kind == "10 % missing, given another")


@pytest.mark.parametrize("kind", ["five steps, even", "10 % missing, five steps", "mixed table"])
def test_polychoric_correlations_are_those_behind_the_steps(kind):
    model, rows = rows_of(kind, "random_tree", 6, MANY, seed=0)
    # Yes or no is the worst: a latent correlation has up to three times a correlation's error.
    error = STANDARD_ERRORS * 3 / np.sqrt(0.8 * MANY)
    assert np.abs(polychoric(rows.seen) - model.covariance()).max() < error


def test_gaps_are_left_out_or_filled_with_means():
    model, rows = rows_of("10 % missing", "hubs", 6, 600, seed=0)
    for method in (complete, filled):
        assert method(rows.seen, model)["FDR 0.05"].shape == (6, 6)
    with pytest.raises(ValueError, match="minimum of 2"):
        complete(np.full((50, 6), np.nan), model)


def test_whole_rows_are_as_many_as_pairs_of_cells():
    _, rows = rows_of("30 % missing", "hubs", 12, 4000, seed=0)
    assert len(cut_study.whole(rows)) == pytest.approx(0.49 * 4000, abs=60)
    _, rows = rows_of("five steps, even", "hubs", 12, 100, seed=0)
    np.testing.assert_array_equal(cut_study.whole(rows), rows.whole)


def test_what_is_missing_is_done_and_gaps_have_their_own_rivals():
    kinds = ["five steps, even", "10 % missing"]
    everything = cut_study.missing(kinds, list(METHODS), set())
    first = {job.case: set(job.methods) for job in everything if job[1:3] == (10.0, 0)}
    assert first["five steps, even; hubs"] == set(METHODS) - {"complete", "filled"}
    assert first["10 % missing; hubs"] == set(METHODS) - {*("before", "oracle", "ric", "stars")}
    assert "polychoric" not in first["10 % missing; empty"]
    seeds = {ratio: {job.seed for job in everything if job.ratio == ratio} for ratio in RATIOS}
    assert [len(seeds[ratio]) for ratio in RATIOS] == [14, 14, 7]
    again = cut_study.missing(["mixed table"], list(METHODS), set())
    assert {job.seed for job in again if job[:2] == ("mixed table; path_cliques", 4.0)} == {
        *range(20)
    }
    done = {(job.case, job.ratio, job.seed, name) for job in everything for name in job.methods}
    assert cut_study.missing(kinds, list(METHODS), done) == []


def test_records_name_kind_and_family_and_how_many_rows_were_shown(monkeypatch):
    monkeypatch.setattr(cut_study, "COLUMNS", 10)
    job = cut_study.Job("30 % missing; hubs", 40.0, 0, (AS_IT_COMES, WHOLE))
    records = cut_study.work(job)
    assert {(r["kind"], r["family"], r["failure"]) for r in records} == {
        ("30 % missing", "hubs", None)
    }
    shown = {r["method"]: r["rows"] for r in records}
    assert shown[AS_IT_COMES] == 400
    assert 150 < shown[WHOLE] < 250


def test_the_oracle_is_as_sure_as_it_says(monkeypatch):
    monkeypatch.setattr(cut_oracle, "_SIMULATED", 5000)
    first, second = np.triu_indices(8, 1)
    z = []
    for seed in range(12):
        model, rows = rows_of("yes or no, half", "random_tree", 8, 1000, seed)
        joined = model.adjacency.toarray()[first, second] != 0
        scores = cut_oracle.scores_of_pairs(rows.seen, model)
        z += scores[~joined].tolist()
        assert np.abs(scores[joined]).mean() > 3
    error = 1 / np.sqrt(2 * len(z))
    assert np.std(z) == pytest.approx(1.0, abs=STANDARD_ERRORS * error)


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Tables of a study in which half of the edges are found, and yes or no is wrong on hubs."""
    records = []
    for kind, family, ratio in product(KINDS, FAMILIES, RATIOS):
        for method, seed in product(METHODS, range(4)):
            if not cut_study.is_tried(method, kind, family, ratio, seed):
                continue
            bad = (kind, family, method) == ("yes or no, half", "hubs", AS_IT_COMES)
            found = 0 if family == "empty" else 20 if method == WHOLE else 10
            edges = {"found": found, "false": 5 * bad + seed * bad, "missed": 0}
            about = {"kind": kind, "family": family, "ratio": ratio, "method": method, "seed": seed}
            records += [about | edges | {"promise": cut} for cut in ("FDR 0.05", "FWER 0.05")]
    monkeypatch.setattr(cut_study, "RESULTS", tmp_path / "cut.ndjson")
    store.rewrite(cut_study.RESULTS, records)
    return {name: kept.parts_of(text)[0] for name, text in cut_tables.blocks().items()}


def test_broken_promises_are_marked_and_listed(told):
    assert told["cut-families"].cell("yes or no, half", "hubs").startswith("**0.3")
    assert told["cut-families"].cell("yes or no, half", "empty") == "0.000"
    assert [row[:3] for row in told["cut-misses"].rows] == [
        [promise, "yes or no, half", "hubs"] for promise in ("FDR 0.05", "FWER 0.05")
    ]


def test_tables_have_their_kinds_and_say_how_much_was_measured(told):
    assert [row[0] for row in told["cut-steps"].rows] == cut_tables.STEPS
    assert [row[0] for row in told["cut-gaps"].rows] == cut_tables.GAPS
    assert [row[0] for row in told["cut-made"].rows] == list(KINDS)
    assert {row[1].split(" ")[0] for row in told["cut-kept"].rows} == {"0.50"}
    assert told["cut-kept"].cell("yes or no, half", "oracle, m/p = 10") == "0.50"
    assert told["cut-kept"].cell("10 % missing", "oracle, m/p = 10") == ""
    assert "at least 4 with 4, 4 with 10, 4 with 40." in told["cut-setting"]
    assert told["cut-gaps"].cell("10 % missing", "before, complete rows") == "1.00 (0.00)"


def test_the_oracle_takes_as_many_pairs_as_have_no_more_false_ones_than_promised(monkeypatch):
    model, rows = rows_of("five steps, even", "random_tree", 24, 96, 0)
    truth = model.adjacency.toarray()[np.triu_indices(24, 1)]
    rng = np.random.default_rng(0)
    z = rng.standard_normal(len(truth)) + 3.0 * truth
    monkeypatch.setattr(cut_oracle, "scores_of_pairs", lambda *_: z)
    graph = cut_oracle.oracle(rows.seen, model)["FDR 0.05"][np.triu_indices(24, 1)]
    assert graph.any()
    assert (graph & ~truth).sum() <= 0.05 * graph.sum()
    for more in range(graph.sum() + 1, len(truth) + 1):
        strongest = np.argsort(-np.abs(z))[:more]
        assert (~truth[strongest]).sum() > 0.05 * more
