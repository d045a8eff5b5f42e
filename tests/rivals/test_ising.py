"""Rivals for Ising models: their solvers against others, closed forms, rules, and bad input."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from hedgerow import IsingGraph, rivals
from hedgerow.cli import cli
from hedgerow.comparison import fitting
from hedgerow.datasets import IsingModel, make_ising
from hedgerow.rivals import (
    InteractionScreening,
    IsingExhaustive,
    IsingInversion,
    LogisticNeighbourhoods,
    _registry,
)
from hedgerow.rivals._ising_descent import LOSSES, descend, features_of, odds_of
from hedgerow.rivals._ising_exhaustive import fit_set
from hedgerow.rivals._ising_inversion import bethe


def random_signs(seed, rows, columns):
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns))
    signs = np.where(mixed + 0.3 > 0, 1, -1).astype(np.int8)
    signs[:2] = [[1], [-1]]
    return signs


def objective(signs, node, loss, penalty, weights):
    x = signs.astype(float)
    inputs = x.copy()
    inputs[:, node] = 1.0
    z = x[:, node] * (inputs @ weights)
    value = {
        "logistic": np.logaddexp(0, -2 * z).mean(),
        "rise": np.exp(-z).mean(),
        "logrise": np.log(np.exp(-z).mean()),
    }[loss]
    return value + penalty * np.abs(np.delete(weights, node)).sum()


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    columns=st.integers(2, 6),
    loss=st.sampled_from(sorted(LOSSES)),
    penalty=st.floats(0.03, 0.5),
)
def test_descent_finds_the_minimum(seed, columns, loss, penalty):
    signs = random_signs(seed, 200, columns)
    features, weights = features_of(signs, 1), np.zeros(columns)
    penalties = np.full(columns, penalty)
    penalties[1] = 0.0
    odds = odds_of(features, weights, LOSSES[loss])
    descend(features, LOSSES[loss], penalties, weights, odds)
    found = objective(signs, 1, loss, penalty, weights)
    np.testing.assert_allclose(odds, odds_of(features, weights, LOSSES[loss]), rtol=1e-9)

    def parts(both):  # a positive and a negative part make the penalty smooth
        return objective(signs, 1, loss, 0.0, both[:columns] - both[columns:]) + penalty * (
            np.delete(both.reshape(2, -1), 1, axis=1).sum()
        )

    other = minimize(parts, np.full(2 * columns, 0.1), bounds=[(0, 5)] * (2 * columns)).fun
    # No condition fails by more than the couplings' tolerance, times a curvature of at most e^|z|.
    assert found <= other + 1e-5


def test_the_logistic_lasso_is_scikit_learns():
    signs = make_ising("cycle", 6, strength=0.6, field=0.2).sample(500, seed=1)
    penalty = 0.05
    ours = LogisticNeighbourhoods(penalty).fit(signs)
    x = np.delete(signs, 0, axis=1)
    theirs = LogisticRegression(l1_ratio=1, C=1 / (500 * penalty), solver="saga", tol=1e-10)
    theirs.max_iter = 100_000
    theirs.fit(2 * x, signs[:, 0])  # coefficients are then couplings
    features, weights = features_of(signs.astype(np.int8), 0), np.zeros(6)
    penalties = np.full(6, penalty)
    penalties[0] = 0.0
    descend(features, LOSSES["logistic"], penalties, weights, odds_of(features, weights, 0))
    np.testing.assert_allclose(weights[1:], theirs.coef_[0], atol=1e-3)
    assert ours.couplings_.shape == (6, 6)


def exact_statistics(model):
    p = model.size
    states = 2.0 * (np.arange(2**p)[:, None] >> np.arange(p) & 1) - 1.0
    chance = model.probabilities()
    mean = chance @ states
    covariance = (states * chance[:, None]).T @ states - np.outer(mean, mean)
    return mean, np.linalg.inv(covariance)


@pytest.mark.parametrize("family", ["chain", "star", "random_tree"])
def test_bethe_is_exact_on_trees(family):
    rng = np.random.default_rng(3)
    tree = make_ising(family, 7, strength=0.7, signs="mixed", seed=1)
    model = IsingModel(tree.couplings, rng.uniform(-0.6, 0.6, 7))
    couplings = bethe(*exact_statistics(model))
    np.fill_diagonal(couplings, 0.0)
    np.testing.assert_allclose(couplings, model.couplings.toarray(), atol=1e-7)


def test_mean_field_is_right_to_first_order():
    errors = []
    for strength in (0.02, 0.04):
        model = make_ising("cycle", 5, strength=strength)
        _, inverse = exact_statistics(model)
        errors.append(np.abs(-inverse[0, 1] - strength))
    assert errors[0] < 0.02**2
    assert errors[1] / errors[0] == pytest.approx(8, rel=0.1)  # without fields the next order is J³


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(0, 4))
def test_regression_on_a_table_of_cells(seed, size):
    signs = random_signs(seed, 300, 6)
    states, counts = np.unique(signs, axis=0, return_counts=True)
    members = np.arange(1, size + 1)
    weights, loss = fit_set(states, counts, 0, members)
    margin = signs[:, 0] * (weights[0] + signs[:, members] @ weights[1:])
    assert loss == pytest.approx(np.logaddexp(0, -2 * margin).sum())
    if np.abs(weights).max() < 5:  # not where the likelihood has no largest value
        pull = signs[:, 0] / (1 + np.exp(2 * margin))
        inputs = np.column_stack([np.ones(300), signs[:, members]])
        np.testing.assert_allclose(inputs.T @ pull, 0, atol=1e-4)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("logistic_ebic", {}),
        ("logrise", {"min_coupling": 0.5}),
        ("rise", {"min_coupling": 0.5}),
        ("logistic", {"min_coupling": 0.5}),
        ("bethe", {"min_coupling": 0.5}),
        ("mean_field", {"min_coupling": 0.5}),
        ("ising_exhaustive", {"max_degree": 4, "gamma": 1.0}),
    ],
)
@pytest.mark.parametrize("signs", ["attractive", "mixed", "frustrated"])
def test_a_lattice_is_found_from_many_rows(method, parameters, signs):
    model = make_ising("grid", 9, strength=0.5, signs=signs, seed=2)
    found = rivals.make(method, **parameters).fit(model.sample(8_000, seed=5))
    assert (model.adjacency > found.adjacency_).nnz == 0
    if method != "logistic_ebic":  # the lasso's shrinkage makes its EBIC keep false edges, too
        assert (found.adjacency_ > model.adjacency).nnz == 0
    assert np.array_equal(
        np.sign(found.couplings_[tuple(model.edges.T)]), np.sign(model.edge_couplings)
    )


def test_penalties_are_those_published():
    signs = make_ising("chain", 5).sample(400, seed=0)
    rate = np.sqrt(np.log(25 / 0.05) / 400)
    assert InteractionScreening("rise").fit(signs).penalty_ == pytest.approx(0.4 * rate)
    assert InteractionScreening("logrise").fit(signs).penalty_ == pytest.approx(0.8 * rate)
    by_theory = LogisticNeighbourhoods("theory").fit(signs).penalties_
    np.testing.assert_allclose(by_theory, 0.2 * rate)


def test_rules_for_pairs():
    signs = make_ising("barabasi_albert", 12, strength=0.3, seed=4).sample(300, seed=0)
    both, one = (LogisticNeighbourhoods(rule=rule).fit(signs).adjacency_ for rule in ("and", "or"))
    assert (both > one).nnz == 0
    assert both.nnz < one.nnz


def test_a_determined_variable_has_large_but_finite_couplings():
    signs = make_ising("chain", 4).sample(300, seed=0)
    signs[:, 3] = signs[:, 0]
    for method in ("logistic_ebic", "logrise", "rise", "ising_exhaustive"):
        found = rivals.make(method).fit(signs)
        assert np.isfinite(found.couplings_).all()
        assert found.adjacency_[0, 3]
    with pytest.raises(ValueError, match="columns that others determine, got 0, 3"):
        IsingInversion().fit(signs)


@pytest.mark.parametrize("method", [m for m in rivals.names("signs") if "hedgerow" not in m])
def test_three_values_are_refused_by_name(method):
    signs = make_ising("chain", 4).sample(50, seed=0)
    signs[7, 2] = 0.0
    with pytest.raises(ValueError, match="columns of two values, got more in columns: 2"):
        rivals.make(method).fit(signs)


@pytest.mark.parametrize(
    ("rival", "message"),
    [
        (LogisticNeighbourhoods("bic"), "penalty must be one of 'ebic', 'cv', 'theory'"),
        (LogisticNeighbourhoods(-1.0), "penalty must be a finite number > 0"),
        (LogisticNeighbourhoods(rule="xor"), "rule must be one of 'and', 'or'"),
        (LogisticNeighbourhoods(gamma=2), r"gamma must be a number in \[0, 1\]"),
        (InteractionScreening("log"), "loss must be one of 'rise', 'logrise'"),
        (InteractionScreening(min_coupling=0), "min_coupling must be a finite number > 0"),
        (IsingInversion("tap"), "approximation must be one of 'bethe', 'mean_field'"),
        (IsingExhaustive(0), "max_degree must be an integer >= 1"),
    ],
)
def test_bad_parameters_are_refused(rival, message):
    with pytest.raises(ValueError, match=message):
        rival.fit(make_ising("chain", 4).sample(50, seed=0))


def test_too_many_sets_and_too_few_rows_are_refused():
    signs = make_ising("random_tree", 60, seed=0).sample(50, seed=0)
    with pytest.raises(ValueError, match=r"max_degree must be smaller for p = 60, got 5"):
        IsingExhaustive(5).fit(signs)
    with pytest.raises(ValueError, match="more rows than columns"):
        IsingInversion().fit(signs)


def test_methods_are_offered_by_what_columns_hold():
    signs = make_ising("chain", 4).sample(50, seed=0)
    assert fitting(signs) == rivals.names("signs")
    assert fitting(np.column_stack([signs, np.ones(50)])) == rivals.names("signs")
    signs[0, 0] = 0.5
    assert fitting(signs) == rivals.names("numbers")


@pytest.mark.usefixtures("methods_here")
def test_the_command_compares_methods_for_ising_models(monkeypatch):
    few = {name: rivals.REGISTRY[name] for name in ("ising", "rise", "pc")}
    monkeypatch.setattr(_registry, "REGISTRY", few)
    options = ("--family", "chain", "--model", "ising", "-p", "4", "-n", "300", "--resamples", "0")
    result = CliRunner().invoke(cli, ["compare", *options, "--json", "--budget", "20"])
    assert result.exit_code == 0, result.stderr
    methods = json.loads(result.stdout)["methods"]
    assert {method["method"]: (method["status"], method["f1"]) for method in methods} == {
        "ising": ("ok", 1.0),
        "rise": ("ok", 1.0),
    }


def test_our_own_method_is_what_it_is_alone():
    signs = make_ising("grid", 9, strength=0.5, seed=0).sample(500, seed=0)
    alone, beside = IsingGraph(error="fwer").fit(signs), rivals.make("ising", error="fwer")
    beside.fit(signs * 3.0 + 1)
    np.testing.assert_array_equal(beside.adjacency_.toarray(), alone.adjacency_.toarray())
    np.testing.assert_array_equal(beside.couplings_, alone.couplings_)
    np.testing.assert_array_equal(beside.fields_, alone.fields_)
    edges = beside.adjacency_.toarray()
    assert beside.score_matrix_[edges].min() > beside.score_matrix_[~edges].max()
    assert beside.score_matrix_[edges].min() > -np.log10(0.05)
    balanced = rivals.make("ising_balanced").fit(signs).adjacency_
    assert (balanced != IsingGraph(level="balanced").fit(signs).adjacency_).nnz == 0
