"""Patterns that come back after many rows, as the hours of a week, are found and taken out."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.method.echoes import echoing, stays
from hedgerow.method.seasons import period_of
from hedgerow.method.spectra import spectrum_of

P = 12
WEEK, DAY = 168, 24


def noise(rng, n_rows, echo=0.0):
    return lfilter([1.0], [1.0, -echo], rng.standard_normal((n_rows + 100, P)), axis=0)[100:]


def hours_of_a_week(rng, n_rows):
    """A wave each day, and at weekends another level."""
    time = np.arange(n_rows)[:, None]
    daily = np.cos(2 * np.pi * time / DAY + rng.uniform(0, 6, P))
    return daily + 1.5 * rng.standard_normal(P) * (time // DAY % 7 >= 5)


@pytest.mark.parametrize("period", [5, 12, 50, 168])
def test_patterns_without_a_shape_are_found_to_the_row(period):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        pattern = rng.standard_normal((period, P))
        rows = noise(rng, 512) + pattern[np.arange(512) % period]
        assert echoing(rows, np.arange(2, 171)) == period


def test_chance_seldom_has_echoes():
    """At a level of .001 for each table, five of 120 would come once in 50 million runs."""
    rng = np.random.default_rng()
    sizes = [(n, p) for n in (20, 60, 512) for p in (2, 20)] * 20
    tables = [rng.standard_normal(size) for size in sizes]
    assert sum(echoing(rows, np.arange(2, len(rows) // 3 + 1)) > 1 for rows in tables) < 5


@pytest.mark.parametrize("echo", [0.5, 0.9])
def test_memory_that_fades_is_no_echo(echo):
    rng = np.random.default_rng()
    assert sum(echoing(noise(rng, 512, echo), np.arange(2, 171)) > 1 for _ in range(20)) < 4


def test_memory_that_comes_back_does_not_stay():
    rng = np.random.default_rng()
    rows = lfilter([1.0], np.append(1.0, [0] * 29 + [-0.6]), noise(rng, 1200), axis=0)[-512:]
    assert not stays(rows, 30)
    assert stays(noise(rng, 512) + rng.standard_normal((30, P))[np.arange(512) % 30], 30)


@pytest.mark.parametrize("echo", [0.0, 0.5])
def test_a_week_of_hours_is_found(echo):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert period_of(noise(rng, 512, echo) + hours_of_a_week(rng, 512)) == WEEK


def test_weekdays_and_hours_that_have_no_day_in_common_are_taken_out_together():
    """The joint period of 7 and 24 rows comes three times among 512."""
    rng = np.random.default_rng()
    rows = noise(rng, 512)
    for period in (7, DAY):
        rows += 1.5 * np.cos(2 * np.pi * np.arange(512)[:, None] / period + rng.uniform(0, 6, P))
    assert period_of(rows) == WEEK


def test_slow_waves_are_measured_to_the_row():
    """Means of many phases are mostly noise; a wave has two numbers."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        wave = np.cos(2 * np.pi * np.arange(512)[:, None] / 96 + rng.uniform(0, 6, P))
        assert period_of(noise(rng, 512) + 1.5 * wave) == 96


@pytest.mark.parametrize("n_rows", [600, 3000])
def test_hours_of_a_week_make_no_edges(n_rows):
    """Of twelve independent columns; as they were, most pairs were edges."""
    found = 0
    for seed in range(10):
        rng = np.random.default_rng([seed, n_rows])
        model = HedgeGraph(error="fwer").fit(noise(rng, n_rows) + hours_of_a_week(rng, n_rows))
        assert model.treatment_.season == WEEK
        found += len(model.edges_) > 0
    assert found <= 3


@pytest.mark.parametrize("n_rows", [60, 61])
def test_a_spectrum_has_the_periodogram_and_the_echoes_of_its_rows(n_rows):
    rows = np.random.default_rng().standard_normal((n_rows, P)) + 1e6
    unit = (rows - rows.mean(axis=0)) / (np.sqrt(n_rows) * rows.std(axis=0))
    found = spectrum_of(rows)
    power = np.square(np.abs(np.fft.rfft(unit, axis=0))).mean(axis=1)
    echoes = [(unit[lag:] * unit[: n_rows - lag]).sum(axis=0).mean() for lag in range(n_rows)]
    assert np.abs(found.at_frequencies - power).max() < 1e-5
    assert np.abs(found.echoes - echoes).max() < 1e-5
