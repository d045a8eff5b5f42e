"""What lies behind steps: coefficients, correlations, and their errors, found in other ways."""

from functools import cache

import numpy as np
import pytest
from scipy import integrate, special, stats

from hedgerow.engines import numba_cpu
from hedgerow.method import neighbours, noisy
from hedgerow.method.counting import counting_curve, rates_of
from hedgerow.method.forgetting import NEVER
from hedgerow.method.inflation import no_inflation
from hedgerow.method.latent import LARGEST, at_their_bound, latent_of
from hedgerow.method.latent_edges import judge_latent
from hedgerow.method.marginals import first_marginals
from hedgerow.method.ordered import in_order
from hedgerow.method.steps import curves_of_steps, cut_curves, hermite, straight

SHARES = ([0.5, 0.5], [0.1, 0.9], [0.2, 0.3, 0.1, 0.25, 0.15])


def steps_of(shares, scores=None):
    ends = np.concatenate([[0.0], np.cumsum(shares)])
    ends[-1] = 1.0
    middle = special.ndtri((ends[:-1] + ends[1:]) / 2)
    return ends[:-1], ends[1:], middle if scores is None else np.array(scores)


def curves_of_columns(columns):
    parts = [steps_of(shares) for shares in columns]
    place = np.repeat(np.arange(len(columns)), [len(shares) for shares in columns])
    return curves_of_steps(*map(np.concatenate, zip(*parts)), place, len(columns))


def standard(shares):
    _, _, score = steps_of(shares)
    mean = np.dot(shares, score)
    return (score - mean) / np.sqrt(np.dot(shares, (score - mean) ** 2))


def cells(first, second, rho):
    """The probabilities of all pairs of steps, by the distribution function of two variables."""
    bounds = [
        special.ndtri(np.concatenate([[0.0], np.cumsum(s)[:-1], [1.0]])) for s in (first, second)
    ]
    both = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    below = np.array(
        [[both.cdf([a, b]) for b in np.clip(bounds[1], -9, 9)] for a in np.clip(bounds[0], -9, 9)]
    )
    return np.diff(np.diff(below, axis=0), axis=1)


@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_coefficients_are_those_of_integration(shares, power):
    curves, score = curves_of_columns([shares]), standard(shares)
    ends = np.clip(special.ndtri(np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]])), -12, 12)
    for k in (0, 1, 2, 7):
        parts = [
            score[a] ** power
            * integrate.quad(
                lambda z, k=k: hermite(np.array(z), 8)[k] * stats.norm.pdf(z), ends[a], ends[a + 1]
            )[0]
            for a in range(len(shares))
        ]
        assert curves.powers[power - 1, 0, k] == pytest.approx(sum(parts), abs=1e-8)
    assert curves.fourth[0] == pytest.approx(np.dot(shares, score**4))


@pytest.mark.parametrize("shares", SHARES)
def test_scores_say_nearly_all_that_steps_can_of_weak_relations(shares):
    """At no correlation that is the mean of the variable within a step, and nothing else."""
    ends = stats.norm.pdf(special.ndtri(np.cumsum([0.0, *shares]).clip(0.0, 1.0)))
    within = (ends[:-1] - ends[1:]) / shares
    most = np.dot(shares, within**2)
    assert 0.99 * most < curves_of_columns([shares]).coefficients[0, 1] ** 2 < most * (1 + 1e-9)


def test_a_mass_at_one_end_and_the_rest_as_it_is():
    mass, value = 0.4, -0.9
    threshold = special.ndtri(mass)
    curves = curves_of_steps(np.array([0.0]), np.array([mass]), np.array([value]), np.array([0]), 1)

    def mean(function):
        below = integrate.quad(lambda z: function(value, z) * stats.norm.pdf(z), -12, threshold)[0]
        return (
            below + integrate.quad(lambda z: function(z, z) * stats.norm.pdf(z), threshold, 12)[0]
        )

    centre = mean(lambda s, z: s)
    spread = np.sqrt(mean(lambda s, z: (s - centre) ** 2))
    for power in (1, 2, 3):
        for k in (1, 2, 5):
            expected = mean(
                lambda s, z, power=power, k=k: (
                    ((s - centre) / spread) ** power * hermite(np.array(z), 6)[k]
                )
            )
            assert curves.powers[power - 1, 0, k] == pytest.approx(expected, abs=1e-7)
    assert curves.fourth[0] == pytest.approx(mean(lambda s, z: ((s - centre) / spread) ** 4))


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.9])
@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 2), (2, 2)])
def test_correlations_behind_steps_are_polychoric(first, second, rho):
    columns = SHARES[first], SHARES[second]
    one, other = map(standard, columns)
    chance = cells(*columns, rho)
    seen = one @ chance @ other
    latent = latent_of(np.array([[1.0, seen], [seen, 1.0]]), curves_of_columns(columns))
    assert latent.corr[0, 1] == pytest.approx(rho, abs=2e-4)
    influence = np.outer(one, other) - seen / 2 * (one[:, None] ** 2 + other**2)
    step = 1e-3
    slope = (one @ (cells(*columns, rho + step) - cells(*columns, rho - step)) @ other) / (2 * step)
    error = np.sqrt((chance * influence**2).sum()) / slope
    assert latent.looseness[0, 1] * (1 - seen**2) == pytest.approx(error, rel=0.02)


def test_a_straight_column_beside_steps_has_the_biserial_correlation():
    curves = curves_of_columns([SHARES[1], SHARES[0]])
    powers = curves.powers.copy()
    powers[:, 1] = straight(1).powers[:, 0]
    mixed = curves._replace(powers=powers, fourth=np.array([curves.fourth[0], 3.0]))
    density = stats.norm.pdf(special.ndtri(0.1)) / 0.3  # of the threshold, over the spread
    latent = latent_of(np.array([[1.0, 0.2], [0.2, 1.0]]), mixed)
    assert latent.corr[0, 1] == pytest.approx(0.2 / density)


def test_correlations_that_steps_cannot_have_end_at_a_bound_and_are_named():
    curves = curves_of_columns([SHARES[0], SHARES[0]])
    latent = latent_of(np.array([[1.0, -0.99], [-0.99, 1.0]]), curves)
    assert latent.corr[0, 1] == pytest.approx(-LARGEST, abs=1e-6)
    assert [list(ends) for ends in at_their_bound(latent)] == [[0], [1]]


def test_so_many_standard_errors_from_the_bound_is_at_it():
    curves = curves_of_columns([SHARES[0], SHARES[0]])
    latent = latent_of(np.array([[1.0, 0.9], [0.9, 1.0]]), curves)
    assert latent.corr[0, 1] < 0.99
    missing = LARGEST - latent.corr[0, 1]
    error = latent.looseness[0, 1] * (1 - 0.9**2)
    assert not at_their_bound(latent, 0.99 * missing / error)[0].size
    assert at_their_bound(latent, 1.01 * missing / error)[0].size == 1


def test_of_columns_that_the_rows_do_not_tell_apart_another_may_be_the_neighbour():
    """Three in a row, 0 - 1 - 2, whose ends look more alike than either and the middle."""
    curves = curves_of_columns([SHARES[0]] * 8)
    corr = np.eye(8)
    corr[0, 1] = corr[1, 2] = 0.993
    corr[0, 2] = LARGEST
    corr = np.maximum(corr, corr.T)
    scores = np.where(np.eye(8), 1.0, 2 / np.pi * np.arcsin(corr))
    asked = latent_of(scores, curves), 300.0, np.zeros((8, 8))
    fair = no_inflation(8)

    def q_value(error):
        return judge_latent(*asked, error, fair)[0].q_value

    first, second = np.triu_indices(8, 1)
    ends = (first == 0) & (second == 2)
    assert q_value("balanced")[ends] < 1e-6 < 0.05 < q_value("fdr")[ends]


def test_without_noise_neighbours_and_tests_are_those_of_correlations():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((200, 12))
    rows[:, 1:] += 0.6 * rows[:, :-1]
    corr = np.corrcoef(rows.T)
    without = noisy.refit(latent_of(corr, straight(12)), 200)
    usual = neighbours.refit(corr, 200)
    assert np.array_equal(without.fitted.sizes, usual.sizes)
    assert without.fitted.partial == pytest.approx(usual.partial, abs=1e-9)
    assert without.fitted.coefficients.toarray() == pytest.approx(usual.coefficients.toarray())
    assert without.factor == pytest.approx(1.0, abs=1e-6)


def test_without_noise_given_both_is_the_partial_correlation_given_all_that_were_chosen():
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((300, 10))
    rows[:, 2:] += 0.7 * rows[:, :-2]
    corr = np.corrcoef(rows.T)
    fitted = neighbours.refit(corr, 300)
    chosen = fitted.coefficients.toarray() != 0
    first, second = np.triu_indices(10, 1)
    partial, size = noisy.given_both(latent_of(corr, straight(10)), 300, fitted, first, second)
    assert size.max() > fitted.sizes.max()
    for pair, (i, j) in enumerate(zip(first, second)):
        theirs = np.flatnonzero(chosen[i] | chosen[j])
        some = np.array([i, j, *theirs[(theirs != i) & (theirs != j)]])
        inverse = np.linalg.inv(corr[np.ix_(some, some)])
        wanted = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
        assert partial[pair] == pytest.approx(wanted, abs=1e-9)
        assert size[pair] == len(some) - 2


def test_counts_are_curves_of_the_logarithm_of_their_rates():
    rng = np.random.default_rng(5)
    centre, spread = np.log(3.0), 0.7
    counts = rng.poisson(np.exp(centre + spread * rng.standard_normal(200_000))).astype(float)
    marginals = numba_cpu.first_marginals(in_order(counts[:, None]), np.array([False]), NEVER)
    curves = counting_curve(marginals, 0)
    rates = rates_of(counts.mean(), counts.var())
    assert rates.centre == pytest.approx(centre, abs=0.02)
    assert rates.spread == pytest.approx(spread, abs=0.02)
    # Hardly less than the mean of the rate's logarithm given the count could tell.
    z = np.linspace(-8.0, 8.0, 801)
    chances = stats.poisson.pmf(np.arange(400), np.exp(centre + spread * z)[:, None])
    both = chances * stats.norm.pdf(z)[:, None] * (z[1] - z[0])
    most = np.square(z @ both) @ (1.0 / np.maximum(both.sum(axis=0), 1e-300))
    assert 0.96 * most < curves.coefficients[0, 1] ** 2 < 1.02 * most
    finite = np.isfinite(marginals.knots[0])
    possible = np.arange(400)
    known = np.minimum(possible, counts.max())
    score = np.interp(known, marginals.knots[0][finite], marginals.scores[0][finite])

    @cache  # integrals have most points in common
    def chance(z):
        rate = np.exp(rates.centre + rates.spread * z)
        return stats.poisson.pmf(possible, rate) * stats.norm.pdf(z)

    def mean(function):
        return integrate.quad(lambda z: chance(z) @ function(z), -8, 8, limit=200)[0]

    middle = mean(lambda z: score)
    size = np.sqrt(mean(lambda z: (score - middle) ** 2))
    for power in (1, 2, 3):
        for k in (1, 2):
            expected = mean(
                lambda z, power=power, k=k: (
                    ((score - middle) / size) ** power * hermite(np.array(z), 3)[k]
                )
            )
            assert curves.powers[power - 1, 0, k] == pytest.approx(expected, abs=1e-4)


def test_standard_errors_are_those_of_many_data_sets():
    """Three columns, 0 - 1 - 2: what the middle one leaves of the others' relation, in z."""
    rng = np.random.default_rng(8)
    corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])
    cuts = special.ndtri([[0.5], [0.3], [0.8]]).T
    tables = (rng.multivariate_normal(np.zeros(3), corr, (1000, 400)) > cuts).astype(float)
    side_by_side = in_order(tables.reshape(1000, -1))
    curves = cut_curves(first_marginals(side_by_side, np.zeros(3 * 400, bool)))
    found = []
    for k in range(400):
        rows, columns = tables[:, k], np.arange(3 * k, 3 * k + 3)
        latent = latent_of(np.corrcoef(rows.T), curves.part(columns))
        left = noisy._given(latent, np.array([1]), 1000)
        partial, *_ = noisy._tested(latent, left, 0, np.array([2]), 1000)
        found.append(partial[0] / np.sqrt(1 - partial[0] ** 2) * np.sqrt(1000))
    # The standard deviation of 400 normal numbers is off by more than .16 once in 100,000 times.
    assert np.std(found) == pytest.approx(1.0, abs=0.16)
    assert abs(np.mean(found)) < 0.25
