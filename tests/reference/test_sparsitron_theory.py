"""The paper's lemmas, tried on models where everything is known.

Simulations accept by exact distributions at a level of one false alarm in 10⁹, so they may draw
fresh rows each time: a failure means that something is wrong.
"""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgerow.estimators import GuaranteeWarning, SparsitronGraph
from hedgerow.paper.sparsitron import row_bound
from hedgerow.theory import constants

FALSE_ALARM = 1e-9
seeds = st.integers(0, 2**32 - 1)


@st.composite
def precisions(draw, max_size=7):
    """Random positive definite matrices, some entries exactly zero, variables in any units."""
    p = draw(st.integers(2, max_size))
    rng = np.random.default_rng(draw(seeds))
    theta = rng.uniform(-1, 1, (p, p)) * (rng.random((p, p)) < draw(st.floats(0.2, 1.0)))
    theta = theta + theta.T
    np.fill_diagonal(theta, np.abs(theta).sum(axis=1) + rng.uniform(0.05, 1.0, p))
    units = 10.0 ** rng.uniform(-1, 1, p)
    return theta * np.outer(units, units)


def neighbourhood_weights(theta):
    weights = -theta / theta.diagonal()[:, None]
    np.fill_diagonal(weights, 0.0)
    return weights


def gaussian_rows(theta, m, rng):
    return rng.standard_normal((m, len(theta))) @ np.linalg.inv(np.linalg.cholesky(theta))


# --- Lemma 1 ----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(precisions(), seeds)
def test_lemma_1_parts_1_and_2_the_residual_is_independent_noise(theta, seed):
    """X_i - w·X_rest has variance 1/θ_ii and mean zero given anything known of X_rest."""
    m, rng = 4000, np.random.default_rng(seed)
    X = gaussian_rows(theta, m, rng)
    noise = X - X @ neighbourhood_weights(theta).T
    for i in range(len(theta)):
        others = np.arange(len(theta)) != i
        squares = (noise[:, i] ** 2).sum() * theta[i, i]
        assert FALSE_ALARM < stats.chi2.cdf(squares, m) < 1 - FALSE_ALARM
        # Flipped by a sign that only X_rest decides, independent noise keeps its distribution.
        direction = rng.standard_normal(others.sum())
        flips = np.column_stack([np.sign(X[:, others] @ direction), np.sign(X[:, others])])
        z = (flips.T @ noise[:, i]) * sqrt(theta[i, i] / m)
        assert np.abs(z).max() < stats.norm.isf(FALSE_ALARM)


@pytest.mark.parametrize("delta", [0.1, 0.9])
def test_lemma_1_part_3_all_rows_stay_within_the_bound(delta):
    theta = np.array([[1.0, -0.6, 0.0], [-0.6, 1.0, 0.3], [0.0, 0.3, 1.0]])
    runs, steps, rng = 2000, 50, np.random.default_rng()
    bound = row_bound(constants(theta).nu_max, delta, len(theta), steps)
    peaks = np.abs(gaussian_rows(theta, runs * steps, rng)).reshape(runs, -1).max(axis=1)
    broken = int((peaks > bound).sum())
    assert stats.binom.sf(broken - 1, runs, delta) > FALSE_ALARM
    assert (peaks > bound / 2).mean() > delta  # a bound half as large would not do


# --- Lemma "risk to norm" ---------------------------------------------------------------------


@given(precisions(), seeds)
def test_low_risk_means_every_weight_is_close(theta, seed):
    p, rng = len(theta), np.random.default_rng(seed)
    sigma, weights = np.linalg.inv(theta), neighbourhood_weights(theta)
    guess = weights + rng.standard_normal((p, p)) * 10.0 ** rng.uniform(-3, 1, (p, 1))
    np.fill_diagonal(guess, 0.0)
    error = guess - weights
    risk = np.einsum("ij,jk,ik->i", error, sigma, error)
    largest = np.abs(error).max(axis=1)
    assert (largest <= np.sqrt(risk * theta.diagonal().max()) * (1 + 1e-9)).all()
    # Node by node the bound is sharper, with θ_jj in place of the largest.
    assert (np.abs(error) <= np.sqrt(np.outer(risk, theta.diagonal())) * (1 + 1e-9)).all()


def test_low_risk_bound_is_attained():
    """Where i and j are not joined, moving along column j of Θ costs exactly 1/θ_jj."""
    theta = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.4], [0.0, 0.4, 3.0]])
    error = theta[:, 2] / theta[2, 2]  # the error of node 0 on node 2 is 1
    assert error[0] == 0.0
    risk = error @ np.linalg.inv(theta) @ error
    assert sqrt(risk * theta.diagonal().max()) == pytest.approx(error[2], rel=1e-12)


# --- Theorem 1 --------------------------------------------------------------------------------


def four_pairs(strength=0.8):
    """Eight nodes in four pairs, joined with alternating signs."""
    theta = np.eye(8)
    for i in range(0, 8, 2):
        theta[i, i + 1] = theta[i + 1, i] = strength * (-1) ** (i // 2)
    return theta


@pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")
def test_true_parameters_and_enough_rows_recover_the_graph():
    """The number of rows stands in docs/theory.md, section 7."""
    theta = four_pairs()
    model = constants(theta)
    truth = (theta != 0) & ~np.eye(8, dtype=bool)
    learner = SparsitronGraph(
        model.lambda_max, model.kappa, model.nu_max, model.theta_max, delta=0.05
    )
    for seed in range(12):  # 19 of 20 are promised; nine of ten would pass with 28 %
        X = gaussian_rows(theta, 400_000, np.random.default_rng(seed))
        assert np.array_equal(learner.fit(X).adjacency_.toarray(), truth)
