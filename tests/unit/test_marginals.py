"""Normal scores of ranks: compared with other ways to compute them, and with simulation."""

import numpy as np
import pytest
from scipy import stats

from hedgerow.method.forgetting import NEVER
from hedgerow.method.marginals import (
    FIRST_ROWS,
    KNOTS,
    counted,
    first_marginals,
    first_scores,
    knots_only,
    look_normal,
    next_refresh,
    normality,
    refreshed_when_due,
    scored,
    straightness,
)
from hedgerow.method.ordered import in_order

NOT_AS_IS = np.array([False])


@pytest.mark.parametrize("n_rows", [5, 12, 50, 500])
def test_straightness_is_the_squared_correlation_of_a_normal_plot(n_rows):
    rows = np.random.default_rng().standard_exponential((n_rows, 3)) * [1e-100, 1.0, 1e100]
    places = stats.norm.ppf((np.arange(1, n_rows + 1) - 3 / 8) / (n_rows + 1 / 4))
    expected = [np.corrcoef(np.sort(column), places)[0, 1] ** 2 for column in rows.T]
    np.testing.assert_allclose(straightness(in_order(rows)), expected, rtol=1e-10)


@pytest.mark.parametrize("n_rows", [10, 30, 100, 500])
def test_normal_columns_are_doubted_as_often_as_the_level_says(n_rows):
    """To a tenth of the level, which is as much as we ask of an approximation, beside chance."""
    number = 20_000
    p_values = normality(in_order(np.random.default_rng().standard_normal((n_rows, number))))
    for level in (0.01, 0.05, 0.1):
        doubted = np.mean(p_values <= level)
        error = np.sqrt(level * (1 - level) / number)
        assert abs(doubted - level) <= 0.1 * level + 5 * error


def test_tables_of_normal_columns_are_left_alone_nineteen_times_in_twenty():
    rng = np.random.default_rng()
    tables = [rng.standard_normal((100, 10)) for _ in range(2000)]
    left = np.mean([look_normal(in_order(rows), np.zeros(10, dtype=bool)) for rows in tables])
    assert 0.95 - 0.005 - 5 * np.sqrt(0.05 * 0.95 / 2000) <= left < 1.0


def test_columns_far_from_normal_are_told():
    rng = np.random.default_rng()
    rows = np.column_stack([rng.standard_exponential(500), rng.integers(0, 2, 500)])
    assert (normality(in_order(rows)) < 1e-6).all()
    both = np.column_stack([stats.norm.ppf((np.arange(500) + 0.5) / 500), rows[:, 0]])
    assert not look_normal(in_order(both), np.array([False, False]))
    assert look_normal(in_order(both), np.array([False, True]))


def test_first_scores_are_normal_quantiles_of_mean_ranks():
    values = np.random.default_rng().integers(0, 20, (200, 1)).astype(float)
    below, same = (values > values.T).sum(axis=1), (values == values.T).sum(axis=1)
    rank = below + (same + 1) / 2
    expected = stats.norm.ppf(rank / 201)
    np.testing.assert_allclose(
        first_scores(in_order(values), NOT_AS_IS)[:, 0], expected, atol=1e-12
    )


@pytest.mark.parametrize("half_life", [NEVER, 100.0, 1000.0])
def test_counts_of_knots_are_counts_of_rows(half_life):
    """The weight of rows up to each knot, recomputed from all rows."""
    rows = np.rint(4 * np.random.default_rng().standard_normal((2500, 1)))
    known = first_marginals(in_order(rows[:FIRST_ROWS]), NOT_AS_IS, half_life)
    weights = np.ones(2500)
    slowly = max(half_life, FIRST_ROWS)
    weights[:FIRST_ROWS] = 0.5 ** (np.arange(FIRST_ROWS)[::-1] / slowly)
    seen = FIRST_ROWS
    while seen < 2500:
        stop = min(next_refresh(seen, half_life), 2500)
        known = refreshed_when_due(counted(known, rows[seen:stop], half_life), half_life)
        if stop == next_refresh(seen, half_life) and half_life != NEVER:
            weights[:stop] /= 2
        seen = stop
    knots = known.knots[0]
    for k in np.flatnonzero(np.isfinite(knots)):
        assert known.at[0, k] == pytest.approx(weights[rows[:, 0] == knots[k]].sum(), rel=1e-12)
        up_to = known.at[0, : k + 1].sum() + known.between[0, :k].sum()
        assert up_to == pytest.approx(weights[rows[:, 0] <= knots[k]].sum(), rel=1e-12)


def test_first_rows_are_not_forgotten_faster_than_others():
    """With a half-life that is long beside them, they count as if none was forgotten."""
    rows = np.random.default_rng().standard_exponential((FIRST_ROWS, 1))
    for_ever, long = (first_marginals(in_order(rows), NOT_AS_IS, life) for life in (NEVER, 1e9))
    np.testing.assert_allclose(long.at, for_ever.at, rtol=1e-6)
    np.testing.assert_allclose(long.between, for_ever.between, rtol=1e-6)
    np.testing.assert_allclose(long.scores, for_ever.scores, atol=1e-5)


def test_moments_are_those_of_forgotten_rows():
    rows = 1e6 + np.random.default_rng().standard_normal((700, 2))
    known = counted(knots_only(in_order(rows), np.zeros(2, dtype=bool)), rows, 50.0)
    weights = 0.5 ** (np.arange(700)[::-1] / 50.0)
    mean = np.average(rows, axis=0, weights=weights)
    np.testing.assert_allclose(known.mean, mean, rtol=1e-12)
    squares = (weights[:, None] * np.square(rows - mean)).sum(axis=0)
    np.testing.assert_allclose(known.squares, squares, rtol=1e-8)
    assert known.weight == pytest.approx(weights.sum())


def test_scores_of_many_rows_are_nearly_those_of_their_ranks():
    """Ranks have standard errors; so have scores, by the density: a few of them is the bound."""
    rows = np.random.default_rng().standard_gamma(0.5, (8192, 1))
    known = first_marginals(in_order(rows[:FIRST_ROWS]), NOT_AS_IS)
    for stop in (1024, 2048, 4096):
        known = refreshed_when_due(counted(known, rows[stop // 2 : stop]))
    found = scored(known, rows[4096:])[:, 0]
    expected = stats.norm.ppf(stats.gamma.cdf(rows[4096:, 0], 0.5))
    middle = np.abs(expected) < 2
    share = stats.norm.cdf(expected)
    error = np.sqrt(share * (1 - share) / 4096) / stats.norm.pdf(expected)
    gap = np.diff(stats.norm.ppf(np.linspace(1 / 513, 512 / 513, 3))).max() / (KNOTS / 2)
    assert (np.abs(found - expected) <= 5 * error + gap)[middle].all()


@pytest.mark.parametrize("values", [[7.0], [0.0, 1.0], [0.0, 1.0, 5.0], list(range(109))])
def test_a_column_of_few_values_has_as_many_scores(values):
    rng = np.random.default_rng()
    rows = rng.choice(values, (1024, 1))
    rows[: len(values), 0] = values
    known = first_marginals(in_order(rows[:FIRST_ROWS]), NOT_AS_IS)
    assert set(values) <= set(known.knots[0])
    later = scored(known, rows[FIRST_ROWS:])
    assert len(np.unique(later)) == len(np.unique(rows[FIRST_ROWS:]))
    order = np.argsort(rows[FIRST_ROWS:, 0])
    assert (np.diff(later[order, 0]) >= 0).all()


def test_one_outlying_cell_has_the_score_of_the_largest():
    rows = np.random.default_rng().standard_normal((FIRST_ROWS, 1))
    known = first_marginals(in_order(rows), NOT_AS_IS)
    far = scored(known, np.array([[1e3], [1e30], [-1e30], [1e145]]))[:, 0]
    most = -stats.norm.ppf(0.5 / (FIRST_ROWS + 1))
    assert (np.abs(far) <= most).all()
    assert (np.abs(far) >= np.abs(first_scores(in_order(rows), NOT_AS_IS)).max()).all()
    assert np.sign(far).tolist() == [1, 1, -1, 1]


def test_refreshes_do_not_depend_on_how_far_one_has_come():
    for half_life in (NEVER, 16.0, 700.5, 5000.0):
        due = []
        for rows in range(FIRST_ROWS, 6000):
            due.append(next_refresh(rows, half_life))
            assert due[-1] > rows
        assert due == sorted(due)
        assert all(next_refresh(stop - 1, half_life) == stop for stop in set(due))
