"""Seasons, walks, repetitions and exact relations in the first rows."""

import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method.determined import determined_columns
from hedgerow.method.ordered import in_order
from hedgerow.method.repeats import first_repeats, hashes_of, mean_times
from hedgerow.method.seasons import first_season, period_of, wandering, without_season


def waves(n_rows, period, phases, size=1.0):
    time = np.arange(n_rows)[:, None]
    return size * np.cos(2 * np.pi * time / period + phases)


def or_a_week(period):
    """Of which chance makes a week once in twenty times, at most."""
    return period, 7 * period


@pytest.mark.parametrize("period", [7, 12, 24, 60])
def test_the_period_is_found_to_the_row(period):
    rng = np.random.default_rng()
    rows = waves(512, period, rng.uniform(0, 2 * np.pi, 10), size=2.0)
    assert period_of(rng.standard_normal(rows.shape) + rows) in or_a_week(period)


@pytest.mark.parametrize("period", [5, 7, 12])
@pytest.mark.parametrize("n_rows", [301, 512])
def test_patterns_whose_clearest_line_is_a_harmonic_are_found(period, n_rows):
    """A day of the week with a level of its own has lines at two and three sevenths, too."""
    rng = np.random.default_rng()
    levels = 2.0 * rng.standard_normal((period, 20))
    rows = rng.standard_normal((n_rows, 20)) + levels[np.arange(n_rows) % period]
    assert period_of(rows) in (2 * period, *or_a_week(period))  # chance may make it the double


def test_two_seasons_are_one_of_their_common_period():
    rng = np.random.default_rng()
    phases = rng.uniform(0, 2 * np.pi, (2, 10))
    rows = waves(512, 6, phases[0], size=2.0) + waves(512, 8, phases[1], size=2.0)
    assert period_of(rng.standard_normal(rows.shape) + rows) in or_a_week(24)


def test_rows_without_a_season_seldom_show_one():
    """At a level of .001 for each table, three of sixty would come once in thirty thousand runs."""
    rng = np.random.default_rng()
    tables = [rng.standard_normal((n, p)) for n in (60, 512) for p in (2, 20) for _ in range(15)]
    assert sum(period_of(rows) > 1 for rows in tables) < 3


def test_contrasts_have_the_products_of_deviations_within_phases():
    rng = np.random.default_rng()
    rows = rng.standard_normal((700, 3)) + waves(700, 12, np.arange(3.0))
    first, season = first_season(rows[:512], 12, np.empty(0, dtype=np.intp))
    assert season.period == 12
    pieces = []
    for piece in np.split(rows[512:], [5, 6, 80]):
        contrasts, season = without_season(piece, season)
        pieces.append(contrasts)
    found = np.concatenate([first, *pieces])
    phases = np.arange(700) % 12
    means = np.array([rows[phases == phase].mean(axis=0) for phase in range(12)])
    within = rows - means[phases]
    np.testing.assert_allclose(found.T @ found, within.T @ within, rtol=1e-10)
    np.testing.assert_allclose(season.means, means, rtol=1e-10, atol=1e-12)


def test_a_common_season_makes_no_edges():
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((1500, 12)) + waves(1500, 24, rng.uniform(0, 2 * np.pi, 12))
    graph = HedgeGraph(error="fwer", level=0.001).fit(rows)
    assert graph.treatment_.season == 24
    assert "A season of 24 rows was taken out." in graph.summary()
    assert not len(graph.edges_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(graph.set_params(rows="independent").fit(rows).edges_) > 10


def test_walks_and_trends_are_named():
    """Of a hundred walks about eight go unnamed; 26 of them would once in ten million runs."""
    rng = np.random.default_rng()
    steps = rng.standard_normal((400, 100))
    assert wandering(np.cumsum(steps, axis=0)).sum() >= 75
    assert wandering(steps + np.arange(400)[:, None]).all()
    assert not wandering(steps).any()


def test_columns_that_wander_are_in_the_warning():
    rows = np.random.default_rng().standard_normal((400, 3))
    rows[:, [0, 2]] += np.arange(400)[:, None]
    with pytest.warns(GuaranteeWarning, match=r"2 of 3 columns wander .*\('a', 'c'\)"):
        HedgeGraph().fit(rows, feature_names=["a", "b", "c"])


def test_memory_that_fades_is_no_walk():
    rng = np.random.default_rng()
    rows = rng.standard_normal((512, 50))
    for t in range(1, 512):
        rows[t] = 0.9 * rows[t - 1] + np.sqrt(1 - 0.81) * rows[t]
    assert not wandering(rows).any()


def test_repeated_rows_count_once():
    rng = np.random.default_rng()
    rows = rng.standard_normal((150, 4))
    three_times = rng.permutation(np.repeat(rows, 3, axis=0))
    assert mean_times(first_repeats(hashes_of(rows), in_order(rows))) == (1.0, 1.0)
    assert mean_times(first_repeats(hashes_of(three_times), in_order(three_times)))[0] == 3.0
    with pytest.warns(GuaranteeWarning, match="3 times in the mean: they count as 150 different"):
        graph = HedgeGraph().fit(three_times)
    assert graph.n_samples_effective_ <= 150 * (1 + 1e-9)


def test_rows_of_few_values_may_be_the_same_by_chance():
    rows = np.random.default_rng().integers(0, 3, (200, 2)).astype(float)
    assert mean_times(first_repeats(hashes_of(rows), in_order(rows))) == (1.0, 1.0)


def test_a_total_beside_its_parts_is_told_though_columns_are_scored():
    rng = np.random.default_rng()
    parts = np.exp(rng.standard_normal((600, 3)))
    rows = np.column_stack([parts, parts.sum(axis=1), rng.standard_normal(600)])
    assert determined_columns(rows[:512]).tolist() == [True, True, True, True, False]
    assert not determined_columns(parts).any()
    with pytest.warns(DataWarning, match="columns that others determine .*: 0, 1, 2, 3"):
        HedgeGraph().fit(rows)
