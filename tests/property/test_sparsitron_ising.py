"""Klivans and Meka's algorithm: both forms, the compiled copy, and what its proof rests on."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from hedgerow.datasets import IsingModel, make_ising
from hedgerow.estimators import GuaranteeWarning, SparsitronIsing
from hedgerow.paper import sparsitron as paper
from hedgerow.paper.sparsitron_ising import learn_ising, node_problem
from hedgerow.theory import IsingProblem, hedge_regret, plan_ising, sufficient_ising_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")

seeds = st.integers(0, 2**32 - 1)
selections = st.sampled_from(paper.SELECTIONS)


@st.composite
def tables(draw, min_rows=3):
    m, p = draw(st.integers(min_rows, 120)), draw(st.integers(2, 8))
    rng = np.random.default_rng(draw(seeds))
    rows = np.sign(rng.standard_normal((m, p)) @ rng.standard_normal((p, p)) + 1e-9)
    rows[:2] = [[-1.0] * p, [1.0] * p]  # no column is constant
    return rows, draw(st.floats(0.3, 4.0))


@st.composite
def models(draw):
    """Ising models of up to 6 variables, with fields."""
    p = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(seeds))
    couplings = np.triu(rng.uniform(-1, 1, (p, p)) * (rng.random((p, p)) < 0.6), 1)
    return IsingModel(couplings + couplings.T, rng.uniform(-0.5, 0.5, p))


def states(p):
    return 2.0 * (np.arange(2**p)[:, None] >> np.arange(p) & 1) - 1.0


# --- the algorithm ----------------------------------------------------------------------------


@given(tables(), st.floats(0.05, 0.999))
def test_closed_form_is_the_literal_algorithm(table, beta):
    rows, width = table
    problem = *node_problem(rows, 0), 2 * width, beta, expit
    literal = np.array(list(paper.literal_candidates(*problem)))
    closed = np.array(list(paper.candidates(*problem)))
    np.testing.assert_allclose(closed, literal, rtol=0, atol=1e-9)


@given(tables(min_rows=10))
def test_both_forms_choose_candidates_of_the_same_risk(table):
    rows, width = table
    (x, y), held = node_problem(rows[5:], 1), node_problem(rows[:5], 1)
    literal = paper.literal_sparsitron(x, y, *held, 2 * width, link=expit)
    closed = paper.sparsitron(x, y, 2 * width, holdout=held, link=expit)
    risks = [paper.empirical_risk(each.weights, *held, expit) for each in (literal, closed)]
    assert risks[0] == pytest.approx(risks[1], abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(tables(), selections)
def test_estimator_is_the_readable_algorithm(table, selection):
    rows, width = table
    graph = SparsitronIsing(width, 0.2, selection=selection).fit(rows)
    held_out, learned = rows[: graph.n_holdout_], rows[graph.n_holdout_ :]
    expected = learn_ising(learned, held_out, width=width, min_coupling=0.2, selection=selection)
    for i in range(rows.shape[1]):
        if graph.selected_step_[i] == expected.steps[i]:
            assert graph.selected_span_[i] == expected.spans[i]
            np.testing.assert_allclose(graph.couplings_[i], expected.couplings[i], atol=1e-9)
            assert graph.fields_[i] == pytest.approx(expected.fields[i], abs=1e-9)
        else:  # only where rounding decides between two equally good ones
            a, b = node_problem(held_out, i)
            risks = [
                paper.empirical_risk(np.append(np.delete(j, i), h) * 2, a, b, expit)
                for j, h in (
                    (graph.couplings_[i], graph.fields_[i]),
                    (expected.couplings[i], expected.fields[i]),
                )
            ]
            assert risks[0] == pytest.approx(risks[1], rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(tables(), selections, st.data())
def test_any_cut_into_chunks_gives_the_identical_result(table, selection, data):
    rows, width = table
    whole = SparsitronIsing(width, selection=selection).fit(rows)
    cuts = data.draw(st.lists(st.integers(1, len(rows) - 1), unique=True, max_size=6).map(sorted))
    pieces = SparsitronIsing(width, selection=selection, horizon=len(rows))
    for chunk in np.split(rows, cuts):
        pieces.partial_fit(chunk)
    np.testing.assert_array_equal(pieces.couplings_, whole.couplings_)
    np.testing.assert_array_equal(pieces.fields_, whole.fields_)
    np.testing.assert_array_equal(pieces.selected_step_, whole.selected_step_)


@pytest.mark.parametrize("selection", paper.SELECTIONS)
@pytest.mark.parametrize("signs", ["attractive", "mixed"])
def test_finds_a_ring_with_fields(selection, signs):
    model = make_ising("cycle", 5, strength=0.5, signs=signs, field=0.2, seed=0)
    rows = model.sample(6_000, seed=1)
    graph = SparsitronIsing(model.width, 0.5, selection=selection).fit(rows)
    assert (graph.adjacency_ != model.adjacency).nnz == 0
    assert (graph.couplings_ * model.couplings.toarray() >= 0).all()
    assert not graph.couplings_.diagonal().any()
    assert np.abs(graph.fields_ - 0.2).max() < 0.2


# --- the proof (docs/planning.md, section 8) --------------------------------------------------


@given(models(), st.floats(0.01, 1.0), seeds)
def test_excess_risk_bounds_every_weight(model, share, seed):
    """No vector in the ball that is off by η somewhere has less risk than the bound states."""
    rng, p = np.random.default_rng(seed), model.size
    width = model.width
    x = np.delete(states(p), 0, axis=1)
    x = np.column_stack([x, np.ones(len(x))])
    w = 2 * np.append(model.couplings.toarray()[0, 1:], model.fields[0])
    v = rng.standard_normal(p) * (rng.random(p) < 0.7)
    v *= share * 2 * width / max(np.abs(v).sum(), 1e-9)
    risk = model.probabilities() @ (expit(x @ v) - expit(x @ w)) ** 2
    off = np.abs(v - w)[:-1].max()
    if off / 2 > 1e-3:
        # A problem whose edges are so strong that an error of `off` could hide one.
        assert risk >= IsingProblem(p, min(off, width), width).risk * (1 - 1e-9)


@given(models(), st.floats(-1, 1), seeds)
def test_mean_loss_beyond_the_truth_is_at_least_the_risk(model, share, seed):
    """E[(v·x - w·x)(σ(v·x) - y)] ≥ 4 ε(v), and the logistic loss exceeds its least by 2 ε(v)."""
    p = model.size
    x = np.column_stack([np.delete(states(p), 0, axis=1), np.ones(2**p)])
    y = (states(p)[:, 0] + 1) / 2
    chance = model.probabilities()
    w = 2 * np.append(model.couplings.toarray()[0, 1:], model.fields[0])
    v = np.random.default_rng(seed).uniform(-1, 1, p) * share * 4
    risk = chance @ (expit(x @ v) - expit(x @ w)) ** 2
    assert chance @ ((x @ (v - w)) * (expit(x @ v) - y)) >= 4 * risk - 1e-9

    def loss(weights):
        return chance @ (np.logaddexp(0, x @ weights) - y * (x @ weights))

    assert loss(v) - loss(w) >= 2 * risk - 1e-9


@given(tables(), st.data())
def test_regret_against_every_vector_in_the_ball(table, data):
    rows, width = table
    x, y = node_problem(rows, 0)
    n, bound = x.shape[1], 2 * width
    rival = np.random.default_rng(data.draw(seeds)).standard_normal(n)
    rival *= bound / np.abs(rival).sum()
    beta = paper.default_beta(2 * n + 1, len(x))
    made = np.array(list(paper.candidates(x, y, bound, beta, expit)))
    sums = (made * x).sum(axis=1)
    regret = ((expit(sums) - y) * (sums - x @ rival)).sum()
    assert regret <= 2 * bound * hedge_regret(len(x), 2 * n + 1) + 1e-9


def test_rows_are_the_fewest_that_the_proof_allows():
    problem = IsingProblem(p=10, min_coupling=0.5, width=1.0)
    lam = 1.0
    least = expit(-2 * lam) * (expit(2 * lam) - expit(2 * lam - 0.5)) ** 2
    assert problem.risk == pytest.approx(least)
    for selection, gain, target, share in (
        ("argmin", lam, least / 2, 2),
        ("checkpoints", 2 * lam, least / 2, 2),
        ("average", 2 * lam, least, 1),
    ):
        budget = sufficient_ising_rows(problem, selection=selection)

        def bound(rounds, share=share, gain=gain):
            strays = np.sqrt(2 * rounds * log(share * 10 / 0.05))
            return gain * (hedge_regret(rounds, 21) + strays) / rounds

        assert bound(budget.train) <= target < bound(budget.train - 1)
        if selection == "average":
            assert budget.holdout == 0
        else:
            gamma = least / 4
            chance = 2 * 10 * budget.train * exp(-2 * budget.holdout * gamma**2)
            assert chance <= 0.05 / 2


def test_rows_grow_like_e_to_twelve_times_the_width():
    rows = [sufficient_ising_rows(IsingProblem(50, 0.2, w)).train / w**2 for w in (9, 10)]
    assert log(rows[1] / rows[0]) == pytest.approx(12, rel=1e-3)


def test_one_edge_bound_is_fano():
    bound = plan_ising(IsingProblem(100, min_coupling=0.3, width=1.0, delta=0.1))[0]
    chance = np.exp([0.3, -0.3]) / (2 * np.cosh(0.3))  # of equal and of opposite values
    divergence = (chance * np.log(2 * chance)).sum()
    needed = 0.9 * log(100 * 99 / 2) - log(2)
    assert bound.rows == np.ceil(needed / divergence)
