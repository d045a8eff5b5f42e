"""How often edges are found again in halves of the rows: the numbers, the command, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.estimators import GuaranteeWarning, _resampled
from hedgerow.estimators._fresh_rows import FreshRows
from hedgerow.method.moments import moments_of
from hedgerow.method.resampling import block_length, both_moments, halves


@pytest.fixture
def rng():
    return np.random.default_rng()


@pytest.fixture(scope="module")
def weak():
    """A chain whose edges are found in some halves."""
    rows = np.random.default_rng(3).standard_normal((500, 12))
    for j in range(1, 12):
        rows[:, j] += 0.2 * rows[:, j - 1]
    return rows


@pytest.fixture(scope="module")
def resampled(weak):
    return HedgeGraph().fit(weak).resample(weak, times=60)


def returns_of(model):
    return {(edge.source, edge.target): edge.returns for edge in model.edges_}


def test_halves_are_halves_and_come_with_their_others(rng):
    whole = list(halves(1001, 1, 9, seed=1))
    assert len(whole) == 5
    assert {int(half.sum()) for half in whole} == {500}
    blocks = next(halves(1000, 100, 2, seed=1)).reshape(10, 100)
    assert (blocks.all(axis=1) | ~blocks.any(axis=1)).all()
    rows = 1e6 + rng.standard_normal((101, 3))
    half = rng.random(101) < 0.5
    for mine, wanted in zip(
        both_moments(rows, moments_of(rows), half),
        (moments_of(rows[half]), moments_of(rows[~half])),
    ):
        assert mine.rows == wanted.rows
        assert mine.weight == wanted.weight
        np.testing.assert_allclose(mine.mean, wanted.mean, rtol=1e-12)
        np.testing.assert_allclose(mine.products, wanted.products, atol=1e-9)


def test_a_column_that_is_constant_in_a_half_does_not_vary_by_rounding(rng):
    rows = rng.standard_normal((100, 3))
    half = np.arange(100) < 50
    rows[~half, 1] = 1 / 3
    _, other = both_moments(rows, moments_of(rows), half)
    assert not other.products[1].any()
    assert other.products[0, 2] != 0


def test_returns_are_those_of_fits_to_the_halves(weak, resampled):
    """What is shared (scores, Hedge) changes little: compared with learning each half anew."""
    times, found = 60, dict.fromkeys(returns_of(resampled), 0)
    for half in halves(len(weak), 1, times, seed=0):
        for part in (half, ~half):
            for edge in HedgeGraph().fit(weak[part]).edges_:
                if (edge.source, edge.target) in found:
                    found[edge.source, edge.target] += 1 / times
    mine = returns_of(resampled)
    both = np.array([[mine[pair], found[pair]] for pair in mine])
    assert 0.1 < both[:, 0].mean() < 0.95  # else the comparison says nothing
    assert np.abs(both[:, 0] - both[:, 1]).mean() < 0.05
    assert np.corrcoef(both.T)[0, 1] > 0.95


def test_the_seed_decides(weak, resampled):
    model = HedgeGraph().fit(weak)
    assert returns_of(model.resample(weak, times=60)) == returns_of(resampled)
    assert returns_of(model.resample(weak, times=60, seed=1)) != returns_of(resampled)


def test_returns_follow_the_level_and_go_with_new_rows(weak, resampled):
    loose = {(e.source, e.target): e.returns for e in resampled.edges_up_to(0.4)}
    tight = returns_of(resampled)
    assert all(loose[pair] >= tight[pair] for pair in tight)
    assert sum(loose[pair] > tight[pair] for pair in tight) > 0
    model = HedgeGraph().fit(weak).resample(weak, times=4)
    assert "returns" in model.edges_.COLUMNS
    assert "4 random halves" in model.summary()
    assert "returns" not in model.partial_fit(weak[:3]).edges_.COLUMNS
    assert model.resamples() is None
    balanced = HedgeGraph(level="balanced").fit(weak).resample(weak, times=4)
    assert 0 < balanced.edges_.returns.max() <= 1


def test_rows_that_remember_are_drawn_in_blocks(rng, monkeypatch):
    monkeypatch.setattr(FreshRows, "begin", lambda *_: None)  # or hardly any memory would be left
    assert block_length(1000, 1.0) == 1
    steps = rng.standard_normal((3000, 4))
    for t in range(1, len(steps)):
        steps[t] += np.array([0.7, 0.8, 0.9, 0.75]) * steps[t - 1]
    rows = np.cumsum(steps, axis=1)
    model = HedgeGraph().fit(rows).resample(rows, times=2)
    _, memory = model._inflation().typical_parts()
    assert model.resamples().block == block_length(3000, memory) > 10
    long = model.resamples().block
    assert f"in blocks of {long}," in model.summary()
    fewest = 3000 // (long // 2)
    monkeypatch.setattr(_resampled, "FEWEST_BLOCKS", fewest)
    with pytest.warns(GuaranteeWarning, match=f"remember for so long that blocks of {long}"):
        model.resample(rows, times=2)
    assert model.resamples().block == 3000 // fewest < long


def test_missing_cells_steps_and_short_tables(rng):
    rows = np.cumsum(rng.standard_normal((400, 4)), axis=1)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    steps = np.clip(np.rint(np.cumsum(rng.standard_normal((1500, 4)), axis=1)), -2, 2)
    for table in (rows, steps):
        edges = HedgeGraph().fit(table).resample(table, times=6).edges_
        true = np.abs(edges.source - edges.target) == 1
        assert edges.returns[true].mean() > 0.8
    frame = pd.DataFrame(rows, columns=list("abcd"))
    assert set(HedgeGraph().fit(frame).resample(frame, times=2).edges_.source) <= set("abcd")


def test_bad_input(weak):
    model = HedgeGraph().fit(weak)
    for wrong, message in (
        ({"times": 1}, "times must be an integer >= 2, got 1"),
        ({"times": 2.5}, "times must be an integer >= 2, got 2.5"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"X": weak[1:]}, "X must be the 500 rows of the model, got 499"),
        ({"X": weak[:, :5]}, "features"),
        ({"X": np.vstack([weak[1:], weak[:1] + 9])}, "X must be the rows of the model in their"),
    ):
        with pytest.raises(ValueError, match=message):
            model.resample(**{"X": weak} | wrong)
    forgets = HedgeGraph(half_life=100).fit(weak)
    with pytest.raises(ValueError, match="rows that count the same, got half_life=100"):
        forgets.resample(weak)


def test_a_break_keeps_what_was_done(weak, monkeypatch):
    model = HedgeGraph().fit(weak)
    before, done = model.edges_.z, []

    def stop(stage, share):
        done.append(share)
        if len(done) == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr("hedgerow.estimators._resampled.report", stop)
    with pytest.raises(KeyboardInterrupt):
        model.resample(weak, times=20)
    assert model.resamples().to_dict() == {"asked": 20, "done": 7, "block": 1, "seed": 0}
    assert np.array_equal(model.edges_.z, before)
    assert np.allclose(model.edges_.returns * 7, np.rint(model.edges_.returns * 7))


@pytest.fixture
def table(tmp_path, weak):
    path = tmp_path / "weak.csv"
    pd.DataFrame(weak, columns=[f"c{i}" for i in range(12)]).to_csv(path, index=False)
    return path


def learn(*arguments):
    return CliRunner().invoke(cli, ["learn", *map(str, arguments)])


def test_the_command_tells_and_writes_returns(table, tmp_path, resampled):
    out = tmp_path / "edges.csv"
    ran = learn(table, "--resample", 60, "--out", out)
    assert ran.exit_code == 0, ran.output
    assert "of 60 random halves of the rows" in ran.output
    assert "returns" in ran.output
    written = pd.read_csv(out, float_precision="round_trip")
    assert written.returns.tolist() == resampled.edges_.returns.tolist()
    told = json.loads(learn(table, "--resample", 4, "--seed", 5, "--json").stdout)
    assert told["resamples"] == {"asked": 4, "done": 4, "block": 1, "seed": 5}
    assert 0 <= told["edges"][0]["returns"] <= 1


def test_the_command_stopped_says_how_far_it_was(table, monkeypatch, tmp_path):
    def stop(stage, share):
        if share == 0.3:
            raise KeyboardInterrupt

    monkeypatch.setattr("hedgerow.estimators._resampled.report", stop)
    ran = learn(table, "--resample", 10, "--out", tmp_path / "edges.csv")
    assert ran.exit_code == 130
    assert "Interrupted after 3 of 10 halves of the rows; the graph is whole." in ran.output
    assert "of 3 random halves" in ran.output
    assert "returns" in pd.read_csv(tmp_path / "edges.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "1"], "--seed goes with --resample"),
        (["--resample", "1"], "--resample"),
        (["--resample", "4", "--seed", "-1"], "--seed"),
        (["--resample", "4", "--by", "c1"], "--resample goes without --by"),
        (["--resample", "4", "--model", "ising"], "--resample is for --model gaussian"),
        (["--resample", "4", "--device", "cuda"], "--resample is for --device cpu or numpy"),
        (["--resample", "4", "--cluster", "x:1"], "--resample is for one machine"),
    ],
)
def test_options_that_do_not_go_together(table, options, message):
    ran = learn(table, *options)
    assert ran.exit_code == 2
    assert message in ran.output


def test_columns_that_are_held_fixed(tmp_path, rng):
    walk = np.cumsum(rng.standard_normal((700, 4)), axis=1)
    batch = rng.integers(0, 3, 700)
    frame = pd.DataFrame(walk + 5.0 * batch[:, None], columns=list("abcd"))
    frame["batch"] = np.array(["x", "y", "z"])[batch]
    model = HedgeGraph(given=["batch"]).fit(frame).resample(frame, times=6)
    assert model.edges_.returns.mean() > 0.8
    assert set(model.residuals_of("a", "c").given) >= {"b"}
    numbers = frame.assign(batch=batch).to_numpy()
    held = HedgeGraph(given={"batch": "categories"}).partial_fit(
        numbers, feature_names=list(frame.columns)
    )
    held.resample(numbers, times=6, feature_names=frame.columns)
    assert held.edges_.returns.tolist() == model.edges_.returns.tolist()
    frame.to_csv(tmp_path / "held.csv", index=False)
    page = tmp_path / "page.html"
    ran = learn(tmp_path / "held.csv", "--given", "batch", "--resample", 6, "--html", page)
    assert ran.exit_code == 0, ran.output
    assert "of 6 random halves" in ran.output
    ran = learn(tmp_path / "held.csv", "--by", "batch", "--against", "rest", "--html", page)
    assert ran.exit_code == 0, ran.output
    assert "the rest" in page.read_text()
