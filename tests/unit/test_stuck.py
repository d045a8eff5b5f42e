"""Columns that are stuck: found with their rows, whatever the cut, and nothing else is."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.forgetting import NEVER
from hedgerow.method.stuck import LONG, continued, finished, no_runs, stuck

TOLD = "columns seem to be stuck, with one value in many rows on end: 'b' (rows 700 to 899)"


def one_by_one(column, half_life):
    """Return cells and repeats of short runs, and the long run that counts most."""
    runs = []
    for t, value in enumerate(column):
        if value == value:
            if runs and runs[-1][0] == value:
                runs[-1][1:] = [runs[-1][1] + 1, runs[-1][2], t]
            else:
                runs.append([value, 1, t, t])
    cells = sum(length for _, length, *_ in runs if length < LONG)
    repeats = sum(length - 1 for _, length, *_ in runs if length < LONG)
    best, again = None, False
    for run in (run for run in runs if run[1] >= LONG):
        same = best is not None and run[0] == best[0]
        left = 0 if best is None else best[1] * 2 ** ((best[3] - run[3]) / half_life)
        if run[1] > left:
            again, best = again and same, run
        again |= same
    return cells, repeats, best, again


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([NEVER, 20.0]),
    st.lists(st.integers(1, 299), max_size=5),
)
def test_runs_are_those_found_one_by_one_however_rows_are_cut(seed, half_life, cuts):
    rng = np.random.default_rng(seed)
    values = rng.choice([0.0, 1.0, 2.5], (300, 4))
    rows = np.repeat(values, rng.choice([1, 2, 15, 16, 40], 300), axis=0)[:300]
    rows[:, 1] = rng.standard_normal(300)
    rows[50:90, 1] = 0.0
    rows[rng.random(300) < 0.2, 2] = np.nan
    watched, whole, done = np.array([True, True, True, False]), no_runs(4), 0
    whole = continued(whole, rows, watched, 0, half_life)
    parts = no_runs(4)
    for part in np.split(rows, sorted(set(cuts))):
        parts, done = continued(parts, part, watched, done, half_life), done + len(part)
    for a, b in zip(whole, parts):
        assert np.array_equal(a, b)
    found = finished(whole, half_life)
    assert found.cells[3] == found.length[3] == 0
    for j in range(3):
        cells, repeats, best, again = one_by_one(rows[:, j].tolist(), half_life)
        assert (found.cells[j], found.repeats[j], found.again[j]) == (cells, repeats, again)
        if best is None:
            assert found.rows[j] == 0
        else:
            kept = found.value[j], found.rows[j], found.first[j], found.final[j]
            assert kept == tuple(best)


def walk(n_rows=2000, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal((n_rows, 4)), axis=1)


def is_stuck(rows):
    found = continued(no_runs(rows.shape[1]), rows, np.ones(rows.shape[1], dtype=bool), 0)
    return stuck(finished(found), len(rows))


@pytest.mark.parametrize("digits", [12, 3, 1])
def test_a_stuck_column_is_found_among_rounded_numbers_and_gaps(digits):
    rows = walk().round(digits)
    rows[700:900, 1] = rows[700, 1]
    rows[::7, 1] = np.nan
    assert is_stuck(rows).tolist() == [False, True, False, False]
    assert not is_stuck(walk().round(digits)).any()


def night(rng, n):
    """Light: nothing for half the day."""
    hours = np.arange(n) % 144
    return np.where(hours < 72, 0.0, rng.random(n))


USUAL = {
    "whole numbers": lambda rng, n: rng.normal(0, 3, n).round(),
    "counts": lambda rng, n: rng.poisson(2, n),
    "mostly zero": lambda rng, n: np.maximum(rng.standard_normal(n) - 0.5, 0),
    "rounded series": lambda rng, n: np.cumsum(rng.standard_normal(n)).round(),
    "slow series": lambda rng, n: np.cumsum(0.05 * rng.standard_normal(n)).round(),
    "dry and wet": lambda rng, n: (
        np.repeat(rng.random(n) < 0.5, rng.integers(1, 40, n))[:n] * rng.random(n)
    ),
    "night": night,
    "sorted": lambda rng, n: np.sort(rng.normal(50, 15, n).round()),
    "the same for a day": lambda rng, n: np.repeat(rng.standard_normal(n), 24)[:n],
    "of persons": lambda rng, n: np.repeat(rng.standard_normal(n), rng.integers(2, 40, n))[:n],
    "yes or no": lambda rng, n: rng.random(n) < 0.05,
    "constant": lambda rng, n: np.full(n, 3.0),
    "constant but once": lambda rng, n: np.arange(n) == n // 2,
}


@pytest.mark.parametrize("shape", USUAL.values(), ids=USUAL)
def test_columns_that_repeat_by_nature_are_not_stuck(shape):
    rng = np.random.default_rng(0)
    for n in (100, 500, 3000):
        rows = np.column_stack([shape(rng, n) for _ in range(50)]).astype(float)
        assert not is_stuck(rows).any()


def write(path, rows):
    if path.suffix == ".csv":
        lines = [",".join("abcd"), *(",".join(map(str, row)) for row in rows.tolist())]
    else:
        lines = [json.dumps(dict(zip("abcd", row))) for row in rows.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("n_rows", [2000, 1000])
def test_python_and_commands_tell_which_rows(tmp_path, n_rows):
    rows = walk(n_rows)
    rows[700:900, 1] = rows[700, 1]
    with pytest.warns(GuaranteeWarning, match="seem to be stuck.*: 1 .rows 700 to 899"):
        model = HedgeGraph().fit(rows)
    assert model.treatment_.stuck == [(1, 700, 899)]
    assert "1 column has one value in many rows on end: 1 (rows 700 to 899)." in model.summary()
    assert any("stuck" in doubt for doubt in model.treatment_.doubts())
    for command, name in (("learn", "table.csv"), ("stream", "table.jsonl")):
        path = write(tmp_path / name, rows)
        result = CliRunner().invoke(cli, [command, str(path), "--json"])
        told = json.loads(result.stdout)
        assert any(TOLD in warning for warning in told["warnings"])
        assert told["treatment"]["stuck"] == [["b", 700, 899]]


def test_few_rows_are_enough_and_independent_rows_have_no_order():
    rows = walk(200)
    rows[20:60, 1] = rows[20, 1]
    with pytest.warns(GuaranteeWarning, match="seem to be stuck.*: 1 .rows 20 to 59"):
        HedgeGraph().fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        HedgeGraph(rows="independent").fit(rows)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_stretch_is_forgotten_and_saved(tmp_path):
    rows = walk(3000)
    rows[700:900, 1] = rows[700, 1]
    model = HedgeGraph(half_life=100).partial_fit(rows[:1100])
    model.save(tmp_path / "model.hedgerow")
    model = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert model.treatment_.stuck == [(1, 700, 899)]
    assert not model.partial_fit(rows[1100:]).treatment_.stuck
