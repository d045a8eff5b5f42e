"""Two populations in one table are told; what only looks a little like them is not."""

import numpy as np
import pytest
from scipy import special, stats

from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.ordered import in_order
from hedgerow.method.populations import ONE, populations, second_hump


def scores(rows):
    """Return the scores of columns that can tell populations."""
    rows = rows[:, in_order(rows).mostly_different]
    return special.ndtri(stats.rankdata(rows, axis=0) / (len(rows) + 1))


def with_memory(noise, echo):
    rows = noise.copy()
    for t in range(1, len(rows)):
        rows[t] = echo * rows[t - 1] + np.sqrt(1 - echo**2) * noise[t]
    return rows


def one_factor(rng):
    return 2.0 * rng.standard_normal((512, 1)) + rng.standard_normal((512, 10))


ONE_HUMP = {
    "independent": lambda rng: rng.standard_normal((512, 10)),
    "one strong factor": one_factor,
    "few rows": lambda rng: rng.standard_normal((40, 60)),
    "heavy tails": lambda rng: one_factor(rng) / np.sqrt(rng.chisquare(3, (512, 1)) / 3),
    "skewed": lambda rng: np.exp(one_factor(rng)),
    "memory": lambda rng: with_memory(one_factor(rng), 0.95),
    "memories": lambda rng: with_memory(rng.standard_normal((512, 10)), 0.95),
    "sorted": lambda rng: (rows := one_factor(rng))[np.argsort(rows[:, 0])],
    "steps": lambda rng: (one_factor(rng) > 0).astype(float),
}


@pytest.mark.parametrize("draw", ONE_HUMP.values(), ids=ONE_HUMP)
def test_one_population_is_one(draw):
    # Each is told for two by chance in fewer than one of a thousand tables.
    found = [
        populations(scores(draw(np.random.default_rng(seed))), second_hump) for seed in range(20)
    ]
    assert found == [ONE] * 20


@pytest.mark.parametrize("order", ["mixed", "one after the other"])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_two_populations_are_told_with_their_sizes(share, order):
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((1000, 12))
    second = rng.random(1000) < share
    if order == "one after the other":
        second = np.tile(np.sort(second[:500]), 2)
    rows[second, :6] += 3.0
    with pytest.warns(GuaranteeWarning, match="two populations mixed, .* learn each by itself"):
        model = HedgeGraph().fit(rows)
    treatment = model.treatment_
    assert treatment.smaller_group == pytest.approx(second[:512].mean(), abs=0.02)
    assert treatment.groups_apart > 4.0
    apart = rows - np.where(second[:, None], rows[second].mean(axis=0), rows[~second].mean(axis=0))
    assert HedgeGraph().fit(apart).treatment_.smaller_group == 0.0


def test_nobody_looks_in_columns_that_are_said_to_be_normal():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((700, 6)) + 5.0 * (rng.random((700, 1)) < 0.5)
    assert HedgeGraph(columns="normal").fit(rows).treatment_.smaller_group == 0.0
    assert HedgeGraph(rows="independent").partial_fit(rows).treatment_.smaller_group > 0.4


@pytest.mark.parametrize("factor", [-1.0, 1e-100, 1e100])
def test_units_do_not_matter(factor):
    values = np.r_[np.random.default_rng().standard_normal(300), 10.0, 11.0]
    mass, gap = second_hump(values)
    scaled_mass, scaled_gap = second_hump(factor * values)
    assert scaled_mass == pytest.approx(mass)
    if factor > 0:
        assert scaled_gap / factor == pytest.approx(gap)


def test_the_limit_is_beyond_what_uniform_rows_do():
    rng = np.random.default_rng(11)
    found = [second_hump(rng.random(200))[0] * np.sqrt(200) for _ in range(1000)]
    assert np.quantile(found, 0.5) > 0.5
    assert np.count_nonzero(np.array(found) > 1.5) <= 1


@pytest.mark.filterwarnings("ignore:.*effective rows are few")
def test_walks_are_told_for_walks_alone():
    for seed in range(5):
        rows = np.cumsum(np.random.default_rng(seed).standard_normal((512, 10)), axis=0)
        with pytest.warns(GuaranteeWarning, match="wander like a random walk"):
            assert HedgeGraph().fit(rows).treatment_.smaller_group == 0.0


def test_values_that_hardly_vary_have_no_humps():
    assert second_hump(np.r_[np.zeros(100), 1.0])[0] == 0.0
