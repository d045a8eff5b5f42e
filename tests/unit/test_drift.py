"""Levels that drift: contrasts, their bits, and the promise on rows whose columns have trends."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.engines import numba_cpu
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.alike import adrift, steps_alike, steps_remember
from hedgerow.method.drift import (
    WINDOW,
    first_contrasts,
    first_steps,
    slow_shares,
    without_level,
)
from hedgerow.method.inflation import shared
from hedgerow.method.residuals import first_residuals

SEEDS = range(12)
COLUMNS, ROWS = 30, 900


def noise(seed, rows=ROWS, columns=COLUMNS):
    return np.random.default_rng([37, seed]).standard_normal((rows, columns))


def trend(seed):
    slopes = np.random.default_rng([38, seed]).standard_normal(COLUMNS)
    return noise(seed) + np.linspace(-1, 1, ROWS)[:, None] * slopes


def long_memory(seed, power=0.4):
    steps = np.arange(1, 801)
    weights = np.append(1.0, np.cumprod((steps - 1 + power) / steps))
    white = noise(seed, ROWS + 800)
    return np.stack([np.convolve(column, weights, "valid") for column in white.T], axis=1)


def persons(seed, each=20):
    means = np.repeat(noise(seed + 1000, ROWS // each), each, axis=0)
    return 0.8 * means + noise(seed)


@given(st.integers(1, 3 * WINDOW), st.integers(0, 2**32 - 1))
def test_no_cut_changes_a_bit(cut, seed):
    rows = np.random.default_rng(seed).standard_normal((4 * WINDOW, 3))
    whole, level = first_contrasts(rows, numba_cpu.without_level)
    first, half = first_contrasts(rows[: WINDOW + cut], numba_cpu.without_level)
    later, end = numba_cpu.without_level(rows[WINDOW + cut :], half)
    assert np.array_equal(np.concatenate([first, later]), whole)
    assert all(np.array_equal(a, b) for a, b in zip(level, end, strict=True))


def test_the_compiled_level_is_that_of_the_reference():
    rows = noise(0, 200, 5) + 1e3
    found, level = first_contrasts(rows, numba_cpu.without_level)
    expected, reference = first_contrasts(rows, without_level)
    for a, b in zip((found, *level), (expected, *reference), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def steps_of(rows, later):
    first, level = first_contrasts(rows[: 2 * WINDOW], later)
    first, level = first_steps(rows[: 2 * WINDOW], level)
    others, level = later(rows[2 * WINDOW :], level)
    return np.concatenate([first, others]), level


def test_steps_are_differences_in_any_engine():
    rows = noise(0, 200, 5) + 1e3
    found, level = steps_of(rows, numba_cpu.without_level)
    np.testing.assert_allclose(found[1:], np.diff(rows, axis=0) / np.sqrt(2.0), rtol=1e-12)
    assert not found[0].any()
    expected, reference = steps_of(rows, without_level)
    for a, b in zip((found, *level), (expected, *reference), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_independent_rows_keep_their_variance_and_hardly_remember():
    contrasts, level = first_contrasts(noise(1, 40_000, 20), numba_cpu.without_level)
    assert contrasts[WINDOW:].var() == pytest.approx(1.0, abs=5 * np.sqrt(2 / contrasts.size))
    echo = (contrasts[1:] * contrasts[:-1]).mean()
    assert echo == pytest.approx(-1 / (2 * WINDOW), abs=5 / np.sqrt(contrasts.size))
    assert slow_shares(level, 40_000).max() < 0.02


def test_a_line_becomes_a_constant():
    contrasts, _ = first_contrasts(np.arange(2000.0)[:, None], numba_cpu.without_level)
    assert np.ptp(contrasts[-100:]) < 1e-9


def any_false(rows_of, **known):
    return sum(
        len(HedgeGraph(error="fwer", **known).fit(rows_of(seed)).edges_) > 0 for seed in SEEDS
    )


@pytest.mark.parametrize("rows_of", [trend, long_memory, persons])
def test_what_is_slow_makes_no_edges(rows_of):
    """Of 12 tables without edges four or more have some, at level .05, in 1 of 400 cases."""
    assert any_false(rows_of) < 4


@pytest.mark.parametrize("rows_of", [trend, long_memory])
def test_who_says_that_rows_are_independent_gets_what_they_say(rows_of):
    assert any_false(rows_of, rows="independent") > 9


def test_drifting_columns_are_named():
    rows = noise(2)
    rows[:, 4] += np.linspace(-2, 2, ROWS)
    said = " ".join(HedgeGraph().fit(rows).treatment_.sentences())
    assert "1 column is adrift (4, up to 5" in said
    assert HedgeGraph().fit(noise(2)).treatment_.slowest == []


def some_walk(seed, walks=8):
    rows = noise(seed, 2000)
    rows[:, :walks] += 0.3 * np.cumsum(noise(seed + 500, 2000, walks), axis=0)
    return rows


def test_walks_are_no_errors_of_each_other():
    """In the first rows, what one is tells what others are, by chance; later it does not."""
    false = 0
    for seed in SEEDS:
        model = HedgeGraph(error="fwer").fit(some_walk(seed))
        assert model.treatment_.outlying <= 1
        assert len(model.treatment_.slowest) >= 8
        false += len(model.edges_) > 0
    assert false < 4


def test_errors_beside_walks_are_found():
    rows = some_walk(0)
    rows[:, 29] = 0.95 * rows[:, 28] + 0.3 * rows[:, 29]
    wrong = np.arange(600, 2000, 200)
    rows[wrong, 29] += 9.0
    cells = HedgeGraph().fit(rows).treatment_.outlying_cells
    assert [(row, 29) for row in wrong] == cells[: len(wrong)]


def test_memory_that_columns_share_counts_for_all_pairs():
    """All columns forget a person at once: 1 - k / 20, autocorrelations give its square."""
    rows = persons(3)
    sums = first_residuals(rows[:512], np.ones(512))
    of_pairs = 2 * sum((1 - k / 20) * (1 - k / 512) for k in range(1, 20)) * (0.64 / 1.64) ** 2
    assert sums.together == pytest.approx(of_pairs, rel=0.15)
    assert shared(np.zeros((COLUMNS, 0)), sums.together, 512.0) > 0.9 * (1 + of_pairs)
    alone = first_residuals(noise(3)[:512], np.ones(512)).together
    assert shared(np.zeros((COLUMNS, 0)), alone, 512.0) == pytest.approx(1.0, abs=0.02)


def autoregression(seed, echo):
    rows = noise(seed)
    for t in range(1, ROWS):
        rows[t] = echo * rows[t - 1] + np.sqrt(1 - echo**2) * rows[t]
    return rows


def jump(seed):
    rows = noise(seed)
    rows[ROWS // 2 :] += np.random.default_rng([39, seed]).standard_normal(COLUMNS)
    return rows


def wave(seed):
    phase = np.random.default_rng([40, seed]).uniform(0, 2 * np.pi, COLUMNS)
    return noise(seed) + np.cos(2 * np.pi * np.arange(ROWS)[:, None] / 530 + phase)


def own_memories(seed):
    echoes = np.random.default_rng([41, seed]).uniform(0, 0.95, COLUMNS)
    rows = noise(seed)
    for t in range(1, ROWS):
        rows[t] = echoes * rows[t - 1] + np.sqrt(1 - echoes**2) * rows[t]
    return rows


@pytest.mark.parametrize("rows_of", [jump, wave])
def test_rows_of_columns_that_jump_or_sway_are_compared_with_the_one_before(rows_of):
    """Of 12 tables without edges four or more have some, at level .05, in 1 of 400 cases."""
    models = [HedgeGraph(error="fwer").fit(rows_of(seed)) for seed in SEEDS]
    assert sum(len(model.edges_) > 0 for model in models) < 4
    told = [model for model in models if model.treatment_.by_steps]
    assert len(told) > 9
    said = " ".join(told[0].treatment_.sentences())
    assert re.search(r"columns? (is|are) adrift \(.*each row was compared with the one", said)
    assert not [doubt for doubt in told[0].treatment_.doubts() if "drift" in doubt]
    # Of independent rows, two thirds are left: 1 + 2 / 4 rows for one.
    assert told[0].n_samples_effective_ == pytest.approx(ROWS / 1.5, rel=0.08)


def test_independent_rows_are_not_adrift():
    """Of 200 tables more than eight are at level .01 in 1 of 5000 cases."""
    rng = np.random.default_rng()
    assert sum(adrift(rng.standard_normal((200, 12))) for _ in range(200)) <= 8


def test_columns_with_memories_of_their_own_are_not_compared_by_steps():
    rows = own_memories(3)
    assert adrift(rows)
    assert not steps_alike(np.diff(rows, axis=0))
    assert not HedgeGraph().fit(rows).treatment_.by_steps


def remembering(echoes, seed, rows, columns):
    """Rows of drivers that remember, mixed; of independent steps to begin with."""
    drivers = noise(seed, rows + 400, columns)
    for t in range(1, len(drivers)):
        drivers[t] = echoes * drivers[t - 1] + np.sqrt(1 - echoes**2) * drivers[t]
    mixed = np.eye(columns) + 0.5 * np.eye(columns, k=1)
    return drivers[400:] @ mixed


@pytest.mark.parametrize("between", [(0.2, 0.5), (0.6, 0.95), (0.75, 0.85), (0.85, 0.98)])
@pytest.mark.parametrize("columns", [8, 24])
def test_drivers_that_remember_are_never_taken_for_drift(between, columns):
    """Their steps are related in other proportions: -(1 - a) / 2 by one row apart."""
    for seed in range(6):
        echoes = np.random.default_rng([43, seed]).uniform(*between, columns)
        residual = np.diff(remembering(echoes, seed, 512, columns), axis=0)
        assert not steps_alike(residual), seed


def test_steps_of_what_remembers_nothing_but_a_jump_are_alike():
    """Of 60 tables more than 12 are not, at levels of .05, .001 and .001, in 1 of 10,000 cases."""
    rng = np.random.default_rng()
    rows = rng.standard_normal((60, 300, 10))
    rows[:, 100:] += 20.0 * rng.standard_normal((60, 1, 10))
    assert sum(not steps_alike(np.diff(each, axis=0)) for each in rows) <= 12


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_memory_that_begins_after_a_jump_is_warned_of():
    rows = jump(1)
    model = HedgeGraph().partial_fit(rows[:600])
    assert model.treatment_.by_steps
    assert not model.treatment_.steps_remember
    later = remembering(np.linspace(0.5, 0.9, COLUMNS), 5, 3000, COLUMNS)
    model.partial_fit(later)
    assert model.treatment_.steps_remember
    with pytest.warns(GuaranteeWarning, match="remember those before them in other ways"):
        assert model.edges_ is not None


def test_columns_that_remember_for_long_each_in_its_own_way_are_warned_of():
    unlike = remembering(np.linspace(0.85, 0.98, 24), 7, 4000, 24)
    with pytest.warns(GuaranteeWarning, match="do not seem to remember alike"):
        HedgeGraph().fit(unlike)
    alike = HedgeGraph().fit(remembering(np.full(24, 0.95), 7, 4000, 24)).treatment_
    assert not [doubt for doubt in alike.doubts() if "remember alike" in doubt]


def test_rows_that_remember_nothing_are_not_said_to():
    """Of 200 tables more than eight are at level .01 in 1 of 5000 cases."""
    rng = np.random.default_rng()
    steps = np.diff(rng.standard_normal((200, 301, 8)), axis=1)
    sums = [first_residuals(each, np.ones(300)) for each in steps]
    assert sum(steps_remember(each, 300.0) for each in sums) <= 8


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("cuts", [[511], [512], [513, 600], [40, 700]])
def test_steps_are_the_same_for_any_cut_and_from_a_file(tmp_path, cuts):
    rows = jump(1)
    whole = HedgeGraph().fit(rows)
    assert whole.treatment_.by_steps
    model = HedgeGraph()
    for some in np.split(rows, cuts):
        model.partial_fit(some)
        model.save(tmp_path / "model.hedgerow")
        model = HedgeGraph.load(tmp_path / "model.hedgerow")
    mine, theirs = model.parts()[1], HedgeGraph().partial_fit(rows).parts()[1]
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    np.testing.assert_array_equal(model.edges_.z, whole.edges_.z)
    assert model.treatment_.by_steps


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_columns_that_nearly_determine_each_other_are_doubted():
    rows = noise(1)
    rows[250:] += np.random.default_rng(39).standard_normal(COLUMNS)
    rows[:, 1:] += 3.0 * rows[:, :1]
    with pytest.warns(GuaranteeWarning, match="levels drift or jump, and columns nearly determine"):
        _ = HedgeGraph().fit(rows).edges_


def test_drift_is_warned_of_where_steps_would_not_do():
    """Its columns remember in their own ways."""
    rows = own_memories(5) + trend(5) - noise(5)
    with pytest.warns(GuaranteeWarning, match=r"the levels of \d+ of 30 columns drift or jump \("):
        _ = HedgeGraph().fit(rows).edges_


@pytest.mark.parametrize("echo", [0.0, 0.5, 0.8, 0.95])
def test_memory_that_fades_is_no_drift(echo):
    doubts = HedgeGraph().fit(autoregression(6, echo)).treatment_.doubts()
    assert not [doubt for doubt in doubts if "drift" in doubt]


@pytest.mark.parametrize("steps", [1, COLUMNS])
def test_levels_that_drift_are_told_where_columns_are_steps(steps):
    """Scores of steps must stay what they are, so that nothing is taken out."""
    rows = trend(0)
    rows[:, :steps] = np.round(rows[:, :steps])
    model = HedgeGraph()
    with pytest.warns(GuaranteeWarning, match=r"levels of .* Levels stay where a column"):
        model.fit(rows)
    assert len(model.treatment_.slowest) > 5
    assert not any("adrift" in said for said in model.treatment_.sentences())
    assert any("Levels stay" in doubt for doubt in model.treatment_.doubts())
    pieces = HedgeGraph()
    for some in np.split(rows, [3, 700]):
        pieces.partial_fit(some)
    np.testing.assert_array_equal(pieces.treatment_.slow, model.treatment_.slow)


def test_columns_of_steps_that_do_not_drift_are_not_told_to():
    rng = np.random.default_rng(4)
    for _ in range(3):
        rows = np.round(1.5 * rng.standard_normal((600, 20)))
        with warnings.catch_warnings():
            warnings.simplefilter("error", GuaranteeWarning)
            model = HedgeGraph().fit(rows)
        assert not model.treatment_.slowest
