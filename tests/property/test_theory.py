"""Invariants of the constants and of the bounds, on random models and problems."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from hedgerow.theory import Problem, constants, hedge_regret, plan, sufficient_rows

SELECTIONS = st.sampled_from(["argmin", "average"])
CONCENTRATIONS = st.sampled_from(["bernstein", "paper"])


@st.composite
def precision_matrices(draw):
    """Sparse diagonally dominant matrices with columns in different units."""
    p = draw(st.integers(2, 8))
    entries = st.one_of(st.just(0.0), st.floats(0.05, 1.0), st.floats(-1.0, -0.05))
    upper = np.triu(draw(arrays.arrays(np.float64, (p, p), elements=entries)), 1)
    theta = upper + upper.T
    theta += np.diag(np.abs(theta).sum(axis=1) + draw(st.floats(0.1, 2.0)))
    units = np.exp(draw(arrays.arrays(np.float64, p, elements=st.floats(-3, 3))))
    return theta * np.outer(units, units)


@st.composite
def problems(draw):
    p = draw(st.integers(2, 10**5))
    kappa = draw(st.floats(1e-3, 0.95))
    theta_max = draw(st.floats(1e-3, 1e3))
    return Problem(
        p=p,
        kappa=kappa,
        lambda_max=kappa * draw(st.floats(1.0, 100.0)),
        nu_max=draw(st.floats(1.0, 100.0)) / theta_max,
        theta_max=theta_max,
        degree=draw(st.integers(1, p - 1)),
        delta=draw(st.floats(1e-6, 0.99)),
    )


@given(precision_matrices())
def test_constants_agree_with_their_definitions(theta):
    found = constants(theta)
    diagonal = np.diag(theta)
    off = np.abs(theta - np.diag(diagonal))
    strength = off / np.sqrt(np.outer(diagonal, diagonal))
    np.testing.assert_allclose(found.lambdas, off.sum(axis=1) / diagonal, rtol=1e-12)
    assert found.degree == (off > 0).sum(axis=1).max()
    assert found.kappa == (pytest.approx(strength[off > 0].min()) if off.any() else None)
    assert found.nu_max == pytest.approx(np.linalg.inv(theta).diagonal().max(), rel=1e-8)
    assert found.condition == pytest.approx(np.linalg.cond(theta), rel=1e-5)


@given(precision_matrices())
def test_sparse_and_dense_agree(theta):
    dense, thin = constants(theta), constants(sparse.csc_array(theta))
    for field in dataclasses.fields(dense):
        expected = getattr(dense, field.name)
        # Both eigenvalues of the condition number are iterated to a relative 1e-6.
        tolerance = 1e-5 if field.name == "condition" else 1e-9
        if expected is None:
            assert getattr(thin, field.name) is None
        else:
            np.testing.assert_allclose(getattr(thin, field.name), expected, rtol=tolerance)


@given(precision_matrices(), st.randoms(use_true_random=False))
def test_the_order_of_the_variables_does_not_matter(theta, random):
    order = list(range(len(theta)))
    random.shuffle(order)
    found, shuffled = constants(theta), constants(theta[np.ix_(order, order)])
    np.testing.assert_allclose(shuffled.lambdas, found.lambdas[order])
    for name in ("nu_max", "theta_max", "row_norm", "degree"):
        assert getattr(shuffled, name) == pytest.approx(getattr(found, name))
    assert (shuffled.kappa or 0) == pytest.approx(found.kappa or 0)


@given(precision_matrices(), st.floats(1e-3, 1e3))
def test_units_change_what_they_must_and_nothing_else(theta, unit):
    found, scaled = constants(theta), constants(theta * unit)
    assert (scaled.kappa or 0) == pytest.approx(found.kappa or 0)
    np.testing.assert_allclose(scaled.lambdas, found.lambdas)
    assert scaled.nu_max == pytest.approx(found.nu_max / unit)
    assert scaled.theta_max == pytest.approx(found.theta_max * unit)
    assert scaled.row_norm == pytest.approx(found.row_norm * unit)


@given(precision_matrices())
def test_every_model_with_an_edge_is_a_valid_problem(theta):
    found = constants(theta)
    if found.kappa is not None:
        problem = found.problem()
        assert problem.row_bound <= (1 + found.lambda_max) * found.theta_max * (1 + 1e-9)


@given(problems(), SELECTIONS, CONCENTRATIONS)
def test_train_rows_are_the_smallest_that_satisfy_the_inequality(problem, selection, concentration):
    train = sufficient_rows(problem, selection=selection, concentration=concentration).train
    assert risk_bound(problem, train, selection, concentration) <= 1 + 1e-9
    assert risk_bound(problem, train * (1 - 1e-6), selection, concentration) > 1


def risk_bound(problem, rows, selection, concentration):
    """Proved risk of T rows over the risk aimed at: docs/planning.md section 5, written out."""
    p, delta, lam = problem.p, problem.delta, problem.lambda_max
    clip = 2 * math.log(2 * p * rows / delta)
    share = {"argmin": delta / 4, "average": delta / 2}[selection] / p
    log_share = -math.log(share)
    if concentration == "paper":
        deviation = 1024 * math.sqrt(rows * (log_share - math.log(2)))
    else:
        root = math.sqrt((2 * log_share) ** 2 + 6 * rows * log_share)
        deviation = (2 * log_share + root) / clip
    log_experts = math.log(2 * p - 1)
    regret = 1.125 * math.sqrt(rows * log_experts) + 0.5 * log_experts
    risk = 2 * lam * (lam + 1) * problem.nu_max * clip * (regret + deviation) / rows
    aim = problem.kappa**2 / (9 * problem.theta_max)
    return risk / (aim / 2 if selection == "argmin" else aim)


HARDER = {
    "kappa": lambda q: q.kappa / 1.5,
    "lambda_max": lambda q: q.lambda_max * 1.5,
    "nu_max": lambda q: q.nu_max * 1.5,
    "theta_max": lambda q: q.theta_max * 1.5,
    "p": lambda q: q.p * 2,
    "delta": lambda q: q.delta / 1.5,
}


@pytest.mark.parametrize("name", HARDER)
@given(problem=problems(), selection=SELECTIONS, concentration=CONCENTRATIONS)
def test_a_harder_problem_needs_more_rows(name, problem, selection, concentration):
    harder = dataclasses.replace(problem, **{name: HARDER[name](problem)})
    arguments = {"selection": selection, "concentration": concentration}
    before, after = sufficient_rows(problem, **arguments), sufficient_rows(harder, **arguments)
    assert after.train > before.train
    assert after.holdout >= before.holdout


@pytest.mark.parametrize("name", HARDER)
@given(problem=problems())
def test_no_bound_shrinks_when_the_problem_gets_harder(name, problem):
    harder = dataclasses.replace(problem, **{name: HARDER[name](problem)})
    for before, after in zip(plan(problem), plan(harder), strict=True):
        assert after.rows >= before.rows, before.name


@given(problems())
def test_what_is_enough_is_not_less_than_what_is_needed(problem):
    """The one-edge models belong to the class once nu * theta allows a correlation of kappa."""
    room = 1 / (1 - problem.kappa**2)
    problem = dataclasses.replace(problem, nu_max=max(problem.nu_max, room / problem.theta_max))
    needed, average, argmin, paper, *_ = (bound.rows for bound in plan(problem))
    assert needed <= average <= argmin <= paper


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 60), st.integers(2, 12)),
        elements=st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)),
    )
)
def test_regret_of_hedge_on_any_losses(losses):
    rounds, experts = losses.shape
    rate = math.log(1 + math.sqrt(math.log(experts) / rounds))
    total, suffered = np.zeros(experts), 0.0
    for loss in losses:
        weights = np.exp(-rate * (total - total.min()))
        suffered += weights @ loss / weights.sum()
        total += loss
    assert suffered - total.min() <= hedge_regret(rounds, experts) + 1e-9
