"""Factors that make tests less sure: compared with equations solved directly, and simulation."""

import warnings

import numpy as np
import pytest
from scipy.linalg import toeplitz

from hedgerow import HedgeGraph
from hedgerow.method.inflation import (
    Inflation,
    autocorrelations,
    autoregressions,
    calming,
    continued,
    echoes_of,
    inflation_of,
    measured_echoes,
    no_inflation,
    of_pairs,
    tail_factors,
    without_tails,
)
from hedgerow.method.residuals import LAGS, first_residuals

DOUBLE = float(np.finfo(np.float64).eps)


def measured_lags(series):
    rows = np.concatenate([np.zeros((LAGS, series.shape[1])), series])
    return np.array(
        [(series * rows[LAGS - k : len(rows) - k]).sum(axis=0) for k in range(LAGS + 1)]
    )


def autoregressive(rng, coefficients, shape):
    """Return rows of autoregressive columns, long after their beginning."""
    rows = rng.standard_normal((shape[0] + 200, *shape[1:]))
    for t in range(len(coefficients), len(rows)):
        for k, coefficient in enumerate(coefficients, start=1):
            rows[t] += coefficient * rows[t - k]
    return rows[200:]


@pytest.mark.parametrize(
    "coefficients", [[], [0.7], [-0.5], [0.9, -0.3], [0.2, 0.0, 0.5], [0.0] * 11 + [0.6]]
)
def test_autoregressions_solve_the_equations_of_yule_and_walker(coefficients):
    rng = np.random.default_rng()
    lags = measured_lags(autoregressive(rng, coefficients, (900, 6)))
    measured = measured_echoes(lags, 900.0)
    order, found = autoregressions(measured, 900.0)
    for j in range(6):
        r = lags[:, j] / lags[0, j] / (1 - np.arange(LAGS + 1) / 900.0)  # of fewer pairs
        np.testing.assert_allclose(measured[:, j], r, rtol=1e-14)
        criterion = [0.0]
        for k in range(1, LAGS + 1):
            matrix = toeplitz(r[:k])
            solved = np.linalg.solve(matrix, r[1 : k + 1])
            criterion.append(900.0 * np.log(1 - solved @ r[1 : k + 1]) + 2 * k)
            if k == order[j]:
                # Both solve a system with rounded numbers.
                off = 10 * k * DOUBLE * np.linalg.cond(matrix)
                np.testing.assert_allclose(found[1 : k + 1, j], solved, atol=off)
                assert not found[k + 1 :, j].any()
        assert criterion[order[j]] <= min(criterion) + 1e-9
    if coefficients:
        assert (order >= len(coefficients)).all()


@pytest.mark.parametrize("coefficients", [[0.7], [-0.6], [0.9, -0.3], [0.3, 0.0, 0.4]])
def test_autocorrelations_go_on_beyond_the_lags_that_are_measured(coefficients):
    """Expected ones are those of the answer to one shock, which is another way to have them."""
    answer = np.zeros(4000)
    answer[0] = 1.0
    for t in range(1, len(answer)):
        for k, coefficient in enumerate(coefficients[:t], start=1):
            answer[t] += coefficient * answer[t - k]
    products = [answer[: len(answer) - k] @ answer[k:] for k in range(200)]
    expected = np.array(products) / products[0]
    found = continued(expected[: LAGS + 1, None], 1000.0)[:, 0]
    np.testing.assert_allclose(found, expected[1 : len(found) + 1], atol=1e-9)
    assert (np.abs(expected[len(found) + 1 :]) < 0.02).all()


@pytest.mark.parametrize("memory", [0.5, 0.8, 0.9])
def test_short_series_do_not_seem_to_remember_less(memory):
    """The mean of 2,500 autocorrelations has a standard error of sqrt((1 - r²) / 100 / 2500).

    The logarithm of a sum over lags, 2 r² / (1 - r²), has the derivative 2 / (r (1 - r²)).
    """
    n_rows, number = 100, 2500
    rows = autoregressive(np.random.default_rng(), [memory], (n_rows, number))
    lags = measured_lags(rows - rows.mean(axis=0))
    lag = np.arange(1, n_rows)
    true = 2 * ((1 - lag / n_rows) * memory ** (2 * lag)).sum()
    biased = continued(measured_echoes(lags, n_rows).mean(axis=1, keepdims=True), n_rows)
    found = np.square(echoes_of(autocorrelations(lags, n_rows), n_rows)).sum(axis=1)
    slope = 2 / (memory * (1 - memory**2))
    error = np.sqrt((1 - memory**2) / n_rows / number) * slope
    # Kendall's formula leaves out what is of the order of the square of what it has.
    left_out = ((1 + 3 * memory) / n_rows * slope) ** 2
    assert abs(np.log(np.median(found) / true)) <= 5 * error + left_out
    assert np.log(np.square(echoes_of(biased, n_rows)).sum() / true) < -5 * error


def test_independent_columns_hardly_inflate():
    """Squares of a pair have covariances with a variance of 4 / n, of which 105 are averaged."""
    sums = first_residuals(np.random.default_rng().standard_normal((1000, 15)), np.ones(1000))
    found = inflation_of(sums, 1000.0)
    assert 1.0 <= found.typical <= 1.0 + 5 * np.sqrt(4 / 1000 / 105)


@pytest.mark.parametrize("memories", [(0.8, 0.8), (0.8, 0.3), (0.9, 0.0), (0.6, -0.6)])
def test_the_factor_for_memory_is_the_simulated_variance(memories):
    """Of 20,000 series, the variance of mean products is known to 1 or 2 % (a standard error)."""
    n_rows, number = 100, 20_000
    rng = np.random.default_rng()
    first, second = (autoregressive(rng, [phi], (n_rows, number)) for phi in memories)
    variance = (1 / (1 - memories[0] ** 2)) * (1 / (1 - memories[1] ** 2))
    squares = np.square((first * second).mean(axis=0)) * n_rows / variance
    simulated = squares.mean()
    lag = np.arange(LAGS + 1)[:, None]
    echoes = echoes_of(continued(np.array(memories) ** lag, float(n_rows)), float(n_rows))
    factor = of_pairs(Inflation(np.ones(2), echoes, 1.0), np.array([0]), np.array([1]))[0]
    # No factor is below one; and autocorrelations below .01 are left out.
    product = memories[0] * memories[1]
    left_out = 2 * 0.01 * 0.01 / (1 - abs(product))
    error = 5 * squares.std() / np.sqrt(number)
    assert abs(factor - max(simulated, 1.0)) <= error + left_out


@pytest.mark.parametrize("sizes", [[1.0, 1.0], [1.0, 3.0], [0.2, 1.0, 2.0]])
def test_the_factor_for_rows_of_unlike_size_is_the_simulated_variance(sizes):
    rng = np.random.default_rng()
    n_rows, number = 200, 20_000
    scale = rng.choice(sizes, (n_rows, number))
    first, second = (rng.standard_normal((n_rows, number)) * scale for _ in range(2))
    simulated = np.var((first * second).mean(axis=0)) * n_rows / np.mean(np.square(sizes)) ** 2
    rows = rng.standard_normal((20_000, 20)) * rng.choice(sizes, (20_000, 1))
    tails = tail_factors(first_residuals(rows, np.ones(20_000)), 20_000.0)
    i, j = np.triu_indices(20, 1)
    factors = of_pairs(Inflation(tails, np.empty((20, 0)), 1.0), i, j)
    squares = np.square(sizes)
    spread = np.std(squares**2) / np.mean(squares**2) + 2 * np.std(squares) / np.mean(squares)
    error = simulated * np.sqrt(2 / number) + simulated * (spread + 0.5) / np.sqrt(20_000)
    assert np.abs(factors - simulated).max() <= 5 * error


def test_sizes_of_single_columns_are_told_apart():
    """Only the first half of the columns has rows of unlike size."""
    rng = np.random.default_rng()
    rows = rng.standard_normal((5000, 20))
    rows[:, :10] *= rng.choice([1.0, 3.0], (5000, 1))
    tails = tail_factors(first_residuals(rows, np.ones(5000)), 5000.0)
    assert tails[:10].min() > tails[10:].max()
    assert np.median(np.outer(tails[:10], tails[:10])) > 1.2


def test_pairs_are_calmed_by_their_factor_over_the_typical_one():
    rng = np.random.default_rng()
    inflation = Inflation(rng.uniform(1, 2, 5), rng.uniform(0, 1, (5, 3)), 2.5)
    i, j = np.triu_indices(5, 1)
    expected = [
        inflation.tails[a] * inflation.tails[b] * (1 + inflation.echoes[a] @ inflation.echoes[b])
        for a, b in zip(i, j)
    ]
    np.testing.assert_allclose(of_pairs(inflation, i, j), expected, rtol=1e-12)
    np.testing.assert_allclose(calming(inflation, i, j), np.sqrt(2.5 / np.array(expected)))
    part = inflation.part(np.array([4, 1]))
    assert of_pairs(part, np.array([0]), np.array([1])) == pytest.approx(
        of_pairs(inflation, np.array([4]), np.array([1]))
    )


def test_nothing_is_inflated_without_reason():
    nothing = no_inflation(3)
    i, j = np.triu_indices(3, 1)
    assert not nothing.matters
    assert of_pairs(nothing, i, j).tolist() == calming(nothing, i, j).tolist() == [1.0, 1.0, 1.0]
    assert nothing.per_effective == 1.0


@pytest.mark.parametrize("n_rows", [2, 5, 8, 12, 31, 40])
def test_few_rows_have_finite_factors(n_rows):
    """Fewer than there are lags."""
    rows = np.cumsum(np.random.default_rng().standard_normal((n_rows, 4)), axis=0)
    rows[:, 3] = 0.0
    found = inflation_of(first_residuals(rows, np.ones(n_rows)), float(n_rows))
    assert np.isfinite(found.tails).all()
    assert np.isfinite(found.echoes).all()
    assert found.echoes.shape[1] < n_rows
    assert 1.0 <= found.typical <= n_rows


def test_columns_whose_rows_have_no_size_leave_the_factors_of_others():
    known = Inflation(np.array([2.0, 3.0, 1.5, 1.0]), np.empty((4, 0)), 3.0)
    fewer = without_tails(known, np.array([True, False, False, True]))
    assert fewer.tails.tolist() == [1.0, 3.0, 1.5, 1.0]
    assert fewer.typical == np.median([3.0, 1.5, 1.0, 4.5, 3.0, 1.5])


@pytest.mark.parametrize("apart", [1e-4, 1e-5, 3e-6, 1e-6])
def test_columns_that_part_after_the_first_rows_are_measured_in_finite_units(apart):
    """As pixels at the rim of pictures: what they are by themselves is next to nothing at first."""
    rows = np.random.default_rng(0).standard_normal((3000, 8))
    for j in (1, 3, 5):
        rows[:512, j] = rows[:512, j - 1] + apart * rows[:512, j]
    model = HedgeGraph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows)
    sums = model._stream.asked().teller().residuals()
    # Beyond the square root of the largest single, products of two would not be numbers.
    assert (np.sqrt(sums.beside) < np.sqrt(np.finfo(np.float32).max) / 100).all()
    inflation = model._inflation()
    assert np.isfinite(inflation.tails).all()
    assert 1.0 <= inflation.typical < 1.5
