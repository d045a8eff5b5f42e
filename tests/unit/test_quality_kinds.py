"""Kinds of data in the quality benchmark are what their names say; so are their rivals."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from benchmarks import kept
from benchmarks.quality import kinds_study, kinds_tables, store
from benchmarks.quality.kinds import FAMILIES, KINDS, RATIOS, remembered, rows_of
from benchmarks.quality.treated import (
    FOR_SERIES,
    TREATED,
    differences,
    kendall,
    memory,
    positive,
    rows_with,
    spearman,
    thinned,
)

MANY = 20_000


def autocorrelation(rows, lag):
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return (standard[lag:] * standard[:-lag]).mean(axis=0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_rows_and_another_gives_others(kind):
    model, rows = rows_of(kind, "hubs", 12, 31, seed=3)
    _, again = rows_of(kind, "hubs", 12, 31, seed=3)
    _, others = rows_of(kind, "hubs", 12, 31, seed=4)
    assert rows.shape == (31, model.size)
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rows, again)
    assert not np.array_equal(rows, others)


@pytest.mark.parametrize(
    "kind",
    [
        *["normal", "Student t, 5", "Laplace", "scales mixed", "volatility of groups", "AR 0.8"],
        *["own memories", "moving average", "seasonal memory", "Laplace drivers", "each row twice"],
    ],
)
def test_rows_are_related_as_in_the_model(kind):
    model, rows = rows_of(kind, "random_tree", 6, MANY, seed=0)
    truth = model.covariance()
    np.testing.assert_allclose(np.diag(truth), 1.0)
    # The least of these kinds has a tenth as many independent rows; four standard errors of those.
    assert np.abs(np.corrcoef(rows, rowvar=False) - truth).max() < 4 / np.sqrt(MANY / 10)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("AR 0.3", {1: 0.3, 2: 0.09}),
        ("AR 0.8", {1: 0.8, 3: 0.512}),
        ("moving average", {1: 7 / 8, 4: 1 / 2, 8: 0.0}),
        ("seasonal memory", {1: 0.0, 12: 0.8, 24: 0.64}),
        ("Student t, 3", {1: 0.0}),
    ],
)
def test_rows_remember_as_long_as_they_should(kind, expected):
    _, rows = rows_of(kind, "empty", 8, MANY, seed=0)
    for lag, value in expected.items():
        assert autocorrelation(rows, lag).mean() == pytest.approx(value, abs=0.02)


def test_series_begin_as_large_as_they_go_on():
    noise = np.random.default_rng(0).standard_normal((3, 50_000))
    assert remembered(noise, 0.9).std(axis=1) == pytest.approx(1.0, abs=0.02)
    np.testing.assert_allclose(remembered(np.eye(3)[:, :1], 0.5).ravel(), [1.0, 0.5, 0.25])


def test_copies_are_copies():
    _, twice = rows_of("each row twice", "hubs", 8, 11, seed=0)
    np.testing.assert_array_equal(twice[:10:2], twice[1::2])
    _, shuffled = rows_of("shuffled copies", "hubs", 8, 20, seed=0)
    assert len(np.unique(shuffled, axis=0)) == 10
    assert not np.array_equal(shuffled[::2], shuffled[1::2])


def test_outlying_cells_are_as_many_as_said():
    _, rows = rows_of("outlying cells, 2 %", "empty", 8, MANY, seed=0)
    assert (np.abs(rows) > 5).mean() == pytest.approx(0.02, abs=0.002)


def test_rank_correlations_are_those_of_scipy():
    _, rows = rows_of("exp", "hubs", 6, 80, seed=0)
    for ours, theirs, shape in (
        (kendall, stats.kendalltau, lambda tau: np.sin(np.pi / 2 * tau)),
        (spearman, stats.spearmanr, lambda rho: 2 * np.sin(np.pi / 6 * rho)),
    ):
        corr = ours(rows)
        np.testing.assert_allclose(np.diag(corr), 1.0)
        for i, j in ((0, 1), (2, 5)):
            assert corr[i, j] == pytest.approx(shape(theirs(rows[:, i], rows[:, j])[0]), abs=1e-6)


def test_rows_with_some_correlations_have_them():
    corr = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]])
    assert np.linalg.eigvalsh(corr).min() < 0
    mended = positive(corr)
    np.testing.assert_allclose(np.diag(mended), 1.0)
    np.testing.assert_allclose(np.corrcoef(rows_with(mended, 7), rowvar=False), mended, atol=1e-9)


def test_rows_are_thinned_until_they_have_forgotten():
    model, rows = rows_of("each row twice", "hubs", 8, 4000, seed=0)
    assert memory(rows) == 2
    assert memory(rows[::2]) == 1
    _, steady = rows_of("AR 0.8", "hubs", 8, 2000, seed=0)
    assert abs(0.8 ** memory(steady)) < 3 * 1.96 / np.sqrt(2000)
    assert set(thinned(steady, model)) == set(differences(steady, model))


def test_what_is_missing_is_done_and_series_have_their_own_rivals():
    everything = kinds_study.missing(["exp", "AR 0.8"], list(TREATED), set())
    first = {job.case: job.methods for job in everything if job[1:3] == (RATIOS[0], 0)}
    assert len(first) == 2 * len(FAMILIES)
    assert set(first["AR 0.8; hubs"]) - set(first["exp; hubs"]) == set(FOR_SERIES)
    done = {(job.case, job.ratio, job.seed, name) for job in everything for name in job.methods}
    assert kinds_study.missing(["exp", "AR 0.8"], list(TREATED), done) == []
    left = next(iter(done))
    [job] = kinds_study.missing(["exp", "AR 0.8"], list(TREATED), done - {left})
    assert (job.case, job.ratio, job.seed, job.methods) == (*left[:3], left[3:])


def test_records_name_kind_and_family(monkeypatch):
    monkeypatch.setattr(kinds_study, "COLUMNS", 10)
    job = kinds_study.Job("exp; hubs", RATIOS[-1], 0, ("hedgerow", "ric"))
    records = kinds_study.work(job)
    assert {record["method"] for record in records} == {"hedgerow", "ric"}
    assert {(r["kind"], r["family"], r["failure"]) for r in records} == {("exp", "hubs", None)}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Tables of a study in which every graph is right, but for some with outlying rows on hubs."""
    rng = np.random.default_rng(0)
    records = []
    seeds = {name: 8 if name == "hedgerow" else 1 for name in TREATED}
    for method, seed in ((name, seed) for name in TREATED for seed in range(seeds[name])):
        for kind, family, ratio in product(KINDS, FAMILIES, RATIOS):
            bad = (kind, family, method) == ("outlying rows", "hubs", "hedgerow")
            edges = {"found": 10, "false": int(bad * rng.integers(3, 6)), "missed": 0}
            about = {"kind": kind, "family": family, "ratio": ratio, "method": method, "seed": seed}
            records += [about | edges | {"promise": cut} for cut in ("FDR 0.05", "FWER 0.05")]
    path = tmp_path_factory.mktemp("kinds") / "kinds.ndjson"
    store.rewrite(path, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kinds_study, "RESULTS", path)
        patch.setattr(kinds_tables, "is_warned", lambda rows: len(rows) > 1000)
        return {name: kept.parts_of(text)[0] for name, text in kinds_tables.blocks().items()}


def test_broken_promises_are_marked_and_listed(told):
    assert told["kinds"].cell("outlying rows", "now").startswith("0.0")
    assert told["kinds"].cell("outlying rows", "now#2").startswith("**0.167")
    assert told["kinds"].cell("normal", "now#2") == "0.000 ± 0.000"
    assert [row[:3] for row in told["kinds-misses"].rows] == [
        ["FDR 0.05", "outlying rows", "hubs"],
        ["FWER 0.05", "outlying rows", "hubs"],
    ]
    assert told["kinds-rows"].cell("outlying rows", "m/p = 2").split(" / ")[1] == "**0.17**"


def test_refused_kinds_are_told_apart(told):
    refused = [name for name, kind in KINDS.items() if kind.refused]
    assert [row[0] for row in told["kinds-refused"].rows] == refused
    assert {row[-1] for row in told["kinds-refused"].rows} == {"6 of 24"}
    for name in ("kinds", "kinds-rivals", "kinds-rows"):
        assert [row[0] for row in told[name].rows] == [k for k in KINDS if k not in refused]
    assert [row[0] for row in told["kinds-made"].rows] == list(KINDS)
    assert told["kinds-setting"].endswith(
        f"{len(KINDS) * 24} cells, 8 data sets in each; 1 for *before*."
    )


def test_kinds_that_are_not_measured_again_keep_their_lines():
    older = kept.table_of(
        "| promise | kind | x |\n| --- |\n| a | one | 1 |\n| a | two | 2 |\n| b | two | 3 |"
    )
    newer = kept.table_of("| promise | kind | x |\n| --- |\n| a | three | 4 |\n| b | one | 5 |")
    merged = newer.with_others(older, {"one", "three"}, ["one", "two", "three"])
    assert merged.rows == [
        ["a", "two", "2"],
        ["a", "three", "4"],
        ["b", "one", "5"],
        ["b", "two", "3"],
    ]
    first = kept.table_of("| edges | x |\n| --- |\n| two | 9 |").with_others(
        kept.table_of("| edges | x |\n| --- |\n| one | 1 |\n| two | 2 |"), {"two"}, ["two", "one"]
    )
    assert first.rows == [["two", "9"], ["one", "1"]]
