"""The inequalities behind the explicit row counts, put to the test on simulated rows.

Each holds with the stated probability by docs/planning.md; the runs are not seeded.
"""

import math

import numpy as np
import pytest

from hedgerow.paper.bounds import _bernstein_deviation
from hedgerow.theory import constants, hedge_regret

RUNS, ROUNDS, DELTA = 50, 3000, 0.1
STAR = np.eye(5)
STAR[0, 1:] = STAR[1:, 0] = [0.4, -0.4, 0.3, -0.3]


@pytest.fixture(scope="module")
def played():
    """Play Hedge for the hub of a star, ``RUNS`` times at once, on [x, -x, 0].

    Returns, for each run, the mean excess risk of the candidates, the regret and the sum of Z.
    """
    model = constants(STAR)
    lam, p = model.lambda_max, model.p
    covariance = np.linalg.inv(STAR)
    b_squared = 2 * math.log(2 * p * ROUNDS / DELTA)
    rng = np.random.default_rng()
    rows = rng.multivariate_normal(np.zeros(p), covariance, size=(ROUNDS, RUNS))
    rows /= math.sqrt(b_squared * model.nu_max * (lam + 1))
    y, x = rows[..., 0], rows[..., 1:]
    x = np.concatenate([x, -x, np.zeros_like(x[..., :1])], axis=-1)
    weights = -STAR[0, 1:] / STAR[0, 0]
    truth = np.concatenate([np.maximum(weights, 0), np.maximum(-weights, 0), [0.0]])
    truth[-1] = lam - truth.sum()

    n = p - 1
    rate = math.log(1 + math.sqrt(math.log(2 * n + 1) / ROUNDS))
    total = np.zeros((RUNS, 2 * n + 1))
    risk, suffered, ideal = np.zeros(RUNS), np.zeros(RUNS), np.zeros(RUNS)
    for t in range(ROUNDS):
        share = np.exp(-rate * (total - total.min(axis=1, keepdims=True)))
        share /= share.sum(axis=1, keepdims=True)
        error = lam * (share[:, :n] - share[:, n : 2 * n]) - weights
        risk += np.einsum("ri,ij,rj->r", error, covariance[1:, 1:], error)
        residual = lam * (share * x[t]).sum(axis=1) - y[t]
        loss = 0.5 * (1 + residual[:, np.newaxis] * x[t])
        suffered += (share * loss).sum(axis=1)
        ideal += loss @ truth / lam
        total += loss
    expected = risk / (2 * lam * (lam + 1) * model.nu_max * b_squared)
    return {
        "risk": risk / ROUNDS,
        "gain": 2 * lam * (lam + 1) * model.nu_max * b_squared,
        "regret": suffered - total.min(axis=1),
        "martingale": suffered - ideal - expected,
        "b_squared": b_squared,
        "experts": 2 * n + 1,
    }


def test_mean_risk_is_within_its_bound(played):
    deviation = _bernstein_deviation(ROUNDS, played["b_squared"], DELTA / 2)
    bound = played["gain"] * (hedge_regret(ROUNDS, played["experts"]) + deviation) / ROUNDS
    assert np.mean(played["risk"] > bound) <= DELTA


def test_regret_is_within_its_bound(played):
    assert np.mean(played["regret"] > hedge_regret(ROUNDS, played["experts"])) <= DELTA / 2


def test_the_martingale_has_the_stated_mean_and_variance(played):
    """Its sum is centred on zero: E[Q] is the risk over 2 lambda (lambda+1) nu B^2, exactly."""
    total = played["martingale"]
    assert abs(total.mean()) < 5 * total.std(ddof=1) / math.sqrt(RUNS)
    variance_bound = 3 * ROUNDS / played["b_squared"] ** 2
    assert total.var(ddof=1) < variance_bound


def test_held_out_risks_concentrate():
    """Squares of a Gaussian of variance s: both tails of a mean of M are as bounded."""
    spread, rows, runs = 2.0, 400, 2000
    for chance in (0.2, 0.05):
        log_chance = math.log(1 / chance)
        # Solves M g^2 = (6 s^2 + 4 s g) log(1/chance) for the deviation g.
        half = 2 * spread * log_chance / rows
        deviation = half + math.sqrt(half**2 + 6 * spread**2 * log_chance / rows)
        squares = spread * np.random.default_rng().standard_normal((runs, rows)) ** 2
        gap = squares.mean(axis=1) - spread
        assert np.mean(gap >= deviation) <= chance
        assert np.mean(gap <= -deviation) <= chance
