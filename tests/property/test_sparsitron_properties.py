"""What must hold of Algorithm 1 and of its compiled copy, whatever the rows."""

from math import log, sqrt

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgerow.estimators import GuaranteeWarning, SparsitronGraph
from hedgerow.paper import sparsitron as paper
from hedgerow.paper import sparsitron_cpu as kernels
from hedgerow.paper.exponential import exp
from hedgerow.theory import hedge_regret

pytestmark = pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")

betas = st.floats(0.05, 0.999)
seeds = st.integers(0, 2**32 - 1)
selections = st.sampled_from(paper.SELECTIONS)


@st.composite
def bounded_rows(draw, max_steps=40, max_others=5):
    """Rows as Algorithm 2 normalises them: all entries within 1 / sqrt(λ + 1)."""
    steps, n = draw(st.integers(1, max_steps)), draw(st.integers(1, max_others))
    l1_bound = draw(st.floats(0.1, 10.0))
    entries = st.floats(-1.0, 1.0)
    rows = draw(arrays(np.float64, (steps, n + 1), elements=entries)) / sqrt(l1_bound + 1.0)
    return rows[:, :n], rows[:, n], l1_bound


def default_beta(x):
    return paper.default_beta(2 * x.shape[1] + 1, len(x))


# --- the readable reference -------------------------------------------------------------------


@given(bounded_rows(), st.none() | betas)
def test_closed_form_is_the_literal_algorithm(rows, beta):
    x, y, l1_bound = rows
    beta = default_beta(x) if beta is None else beta
    literal = np.array(list(paper.literal_candidates(x, y, l1_bound, beta)))
    closed = np.array(list(paper.candidates(x, y, l1_bound, beta)))
    np.testing.assert_allclose(closed, literal, rtol=0, atol=1e-9)


@given(bounded_rows(), bounded_rows(), st.none() | betas)
def test_both_forms_choose_the_same_candidate(rows, other_rows, beta):
    x, y, l1_bound = rows
    held_out = np.resize(other_rows[0], (7, x.shape[1])), np.resize(other_rows[1], 7)
    literal = paper.literal_sparsitron(x, y, *held_out, l1_bound, beta)
    closed = paper.sparsitron(x, y, l1_bound, holdout=held_out, beta=beta)
    risk = paper.empirical_risk(closed.weights, *held_out)
    assert risk == pytest.approx(paper.empirical_risk(literal.weights, *held_out), abs=1e-9)
    assert literal.span == closed.span == 1


@given(
    arrays(np.float64, st.integers(1, 6), elements=st.floats(-1e6, 1e6)),
    st.floats(0.01, 100.0),
    betas,
)
def test_candidates_lie_in_the_l1_ball_and_oppose_the_gradient(gradient, l1_bound, beta):
    weights = paper.closed_form(gradient, l1_bound, beta)
    assert np.abs(weights).sum() <= l1_bound * (1 + 1e-12)
    assert (weights * gradient <= 0).all()


@given(st.integers(2, 8).flatmap(lambda n: arrays(np.float64, (25, n), elements=st.floats(0, 1))))
def test_hedge_regret_on_arbitrary_losses(losses):
    steps, experts = losses.shape
    for beta in (paper.default_beta(experts, steps), 0.2, 0.9):
        paid, weights = 0.0, np.full(experts, 1.0 / experts)
        for loss in losses:
            paid += weights @ loss / weights.sum()
            weights = paper.hedge_step(weights, loss, beta)
        least = losses.sum(axis=0).min()
        assert paid <= (log(1 / beta) * least + log(experts)) / (1 - beta) + 1e-9
        if beta == paper.default_beta(experts, steps):
            assert paid <= least + hedge_regret(steps, experts) + 1e-9


@given(st.integers(1, 400), st.integers(2, 20))
def test_hedge_regret_against_an_adversary(steps, experts):
    """The loss falls on whichever expert is trusted most, so that every step is paid for."""
    beta = paper.default_beta(experts, steps)
    paid, weights, losses = 0.0, np.full(experts, 1.0 / experts), np.zeros(experts)
    for _ in range(steps):
        loss = np.zeros(experts)
        loss[weights.argmax()] = 1.0
        paid += weights @ loss / weights.sum()
        losses += loss
        weights = paper.hedge_step(weights, loss, beta)
    assert paid <= losses.min() + hedge_regret(steps, experts) + 1e-9


@given(bounded_rows(), st.data())
def test_regret_against_every_vector_in_the_l1_ball(rows, data):
    """The inequality that the proof of Theorem 1 sums up (docs/theory.md, section 2.3)."""
    x, y, l1_bound = rows
    steps, n = x.shape
    rival = data.draw(arrays(np.float64, n, elements=st.floats(-1, 1)))
    rival *= l1_bound / max(1.0, np.abs(rival).sum())
    made = np.array(list(paper.candidates(x, y, l1_bound, default_beta(x))))
    predicted = (made * x).sum(axis=1)
    regret = ((predicted - y) * (predicted - x @ rival)).sum()
    assert regret <= 2 * l1_bound * hedge_regret(steps, 2 * n + 1) + 1e-9


@given(st.integers(1, 5000))
def test_checkpoint_windows_are_few_distinct_and_hold_the_full_average(n_steps):
    windows = paper.checkpoint_windows(n_steps)
    assert windows[0] == (0, n_steps)
    assert len(set(windows)) == len(windows) <= 2 * (log(n_steps, 2) + 2) - 1
    assert all(0 <= start < stop <= n_steps for start, stop in windows)


@given(st.integers(2, 60))
def test_centring_is_by_orthonormal_contrasts(m):
    contrasts = paper.centre_rows(np.eye(m))
    np.testing.assert_allclose(contrasts @ contrasts.T, np.eye(m - 1), atol=1e-12)
    np.testing.assert_allclose(contrasts @ np.ones(m), 0.0, atol=1e-12)


# --- the compiled copy ------------------------------------------------------------------------


@given(arrays(np.float64, 50, elements=st.floats(-708.0, 709.0)))
def test_exponential_is_accurate_to_two_units_in_the_last_place(x):
    ours = np.array([exp(value) for value in x])
    assert (np.abs(ours - np.exp(x)) <= 2 * np.spacing(np.exp(x))).all()


@st.composite
def tables(draw):
    """Correlated rows with a mean, and a sound choice of parameters."""
    m, p = draw(st.integers(3, 120)), draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(seeds))
    X = rng.standard_normal((m, p)) @ rng.standard_normal((p, p)) + rng.standard_normal(p)
    parameters = {
        "l1_bound": draw(st.floats(0.5, 5.0)),
        "max_variance": float(X.var(axis=0).max()) * draw(st.floats(0.05, 2.0)),
        "max_precision": 1e6,
        "selection": draw(selections),
        "assume_centered": draw(st.booleans()),
    }
    return X, parameters


@settings(deadline=None, max_examples=40)
@given(tables())
def test_estimator_is_the_readable_algorithm(table):
    X, parameters = table
    graph = SparsitronGraph(**parameters).fit(X)
    rows = X if parameters["assume_centered"] else paper.centre_rows(X)
    held_out, learned = rows[: graph.n_holdout_], rows[graph.n_holdout_ :]
    expected = paper.learn_graph(
        learned,
        held_out,
        l1_bound=graph.l1_bound,
        min_edge_strength=graph.min_edge_strength,
        max_variance=graph.max_variance,
        delta=graph.delta,
        selection=graph.selection,
    )
    assert graph.n_steps_ == len(learned)
    for i in range(X.shape[1]):
        if graph.selected_step_[i] == expected.steps[i]:
            assert graph.selected_span_[i] == expected.spans[i]
            np.testing.assert_allclose(graph.weights_[i], expected.weights[i], atol=1e-9)
        else:  # only where rounding decides between two equally good ones
            ours, theirs = graph.weights_[i], expected.weights[i]
            at_i = held_out[:, i]
            assert paper.empirical_risk(ours, held_out, at_i) == pytest.approx(
                paper.empirical_risk(theirs, held_out, at_i), rel=1e-9
            )


@settings(deadline=None, max_examples=40)
@given(tables(), st.data())
def test_any_cut_into_chunks_gives_the_identical_result(table, data):
    X, parameters = table
    whole = SparsitronGraph(**parameters).fit(X)
    cuts = data.draw(st.lists(st.integers(1, len(X) - 1), unique=True, max_size=6).map(sorted))
    pieces = SparsitronGraph(**parameters, horizon=len(X))
    for chunk in np.split(X, cuts):
        pieces.partial_fit(chunk)
    np.testing.assert_array_equal(pieces.weights_, whole.weights_)
    np.testing.assert_array_equal(pieces.selected_step_, whole.selected_step_)
    np.testing.assert_array_equal(pieces.selected_span_, whole.selected_span_)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
@pytest.mark.parametrize("selection", paper.SELECTIONS)
def test_number_of_threads_changes_nothing(selection):
    X = np.random.default_rng().standard_normal((3000, 23))
    two = SparsitronGraph(selection=selection).fit(X)
    numba.set_num_threads(1)
    try:
        one = SparsitronGraph(selection=selection).fit(X)
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    np.testing.assert_array_equal(one.weights_, two.weights_)


@settings(deadline=None, max_examples=40)
@given(tables(), st.data())
def test_order_and_sign_of_columns_carry_over(table, data):
    X, parameters = table
    p = X.shape[1]
    order = np.array(data.draw(st.permutations(range(p))))
    sign = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=p, max_size=p)))
    parameters["selection"] = "average"  # nothing to be chosen, so nothing to be tied
    plain = SparsitronGraph(**parameters).fit(X).weights_
    moved = SparsitronGraph(**parameters).fit((X * sign)[:, order]).weights_
    expected = (plain * np.outer(sign, sign))[np.ix_(order, order)]
    np.testing.assert_allclose(moved, expected, atol=1e-9)


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(-8, 8))
def test_change_of_units_is_undone_by_the_parameters(table, power):
    X, parameters = table
    plain = SparsitronGraph(**parameters).fit(X)
    parameters["max_variance"] *= 4.0**power
    parameters["max_precision"] *= 4.0**8
    scaled = SparsitronGraph(**parameters).fit(X * 2.0**power)
    np.testing.assert_array_equal(scaled.weights_, plain.weights_)  # powers of two are exact


@settings(deadline=None, max_examples=40)
@given(st.floats(-1e5, 1e5), st.integers(2, 6))
def test_huge_exponents_neither_overflow_nor_vanish(size, p):
    gradient = np.full((p, p), size)
    np.fill_diagonal(gradient, 0.0)
    total, ends = np.zeros((p, p)), np.array([1])
    kernels.learn_sum(
        np.zeros((1, p)), gradient, total, 0, ends, np.empty((1, p, p)), 2.0, 0.5, False
    )
    others = ~np.eye(p, dtype=bool)
    expected = paper.closed_form(np.full(p - 1, size), 2.0, np.exp(-1.0))
    for i in range(p):
        np.testing.assert_allclose(total[i, others[i]], expected, rtol=0, atol=1e-14)
        assert total[i, i] == 0.0
