"""Ising models: samplers against enumeration, families, and bad input."""

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import chisquare

from hedgerow.cli import cli
from hedgerow.datasets import (
    ISING_FAMILIES,
    IsingModel,
    Sampling,
    SamplingWarning,
    make_ising,
)
from hedgerow.datasets._ising_sampling import Chains, autocorrelation_time

ALARM = 1e-7  # a right program fails a test of randomness this rarely
ROWS = 8_000


def small(signs, field, p=7):
    """A model with couplings of all sizes on a graph with triangles."""
    rng = np.random.default_rng(5)
    couplings = np.triu(rng.uniform(0.1, 0.7, (p, p)) * (rng.random((p, p)) < 0.5), 1)
    if signs == "mixed":
        couplings *= rng.choice([-1, 1], (p, p))
    return IsingModel(couplings + couplings.T, field * rng.standard_normal(p))


def by_hand(model):
    """Probabilities straight from the definition, states in the order of their numbers."""
    j, h = model.couplings.toarray(), model.fields
    states = [np.array(x[::-1]) for x in product([-1, 1], repeat=model.size)]
    weights = np.array([np.exp(x @ j @ x / 2 + h @ x) for x in states])
    return weights / weights.sum()


def counted(rows):
    numbers = (rows > 0) @ (1 << np.arange(rows.shape[1]))
    return np.bincount(numbers, minlength=2 ** rows.shape[1])


@pytest.mark.parametrize("signs", ["attractive", "mixed"])
@pytest.mark.parametrize("field", [0.0, 0.4])
def test_probabilities_are_those_of_the_definition(signs, field):
    model = small(signs, field)
    np.testing.assert_allclose(model.probabilities(), by_hand(model), rtol=1e-12)


@pytest.mark.parametrize("signs", ["attractive", "mixed"])
@pytest.mark.parametrize("field", [0.0, 0.4])
@pytest.mark.parametrize("method", ["enumeration", "coupling", "gibbs"])
def test_rows_follow_the_model(method, signs, field):
    model, rng = small(signs, field), np.random.default_rng()
    if method == "enumeration":
        rows = model.sample(ROWS, rng)
    else:
        chains = Chains(model.couplings, model.fields)
        rows = chains.draw(Sampling(method, 200, 1.0), ROWS, rng)
    expected = by_hand(model) * len(rows)
    frequent = expected >= 5
    seen = np.append(counted(rows)[frequent], counted(rows)[~frequent].sum())
    due = np.append(expected[frequent], expected[~frequent].sum())
    assert chisquare(seen[due > 0], due[due > 0]).pvalue > ALARM


def test_one_sweep_is_not_enough_and_the_test_sees_it():
    model = small("attractive", 0.0)
    rows = Chains(model.couplings, model.fields).draw(
        Sampling("gibbs", 1, 1.0), ROWS, np.random.default_rng(0)
    )
    assert chisquare(counted(rows), by_hand(model) * len(rows)).pvalue < ALARM


@pytest.mark.parametrize("p", [12, 40])
def test_rows_drawn_in_pieces_are_those_drawn_at_once(p):
    model = make_ising("random_regular", p, signs="mixed", seed=1)
    rng = np.random.default_rng(3)
    pieces = np.vstack([model.sample(n, rng) for n in (1, 5, 10)])
    np.testing.assert_array_equal(pieces, model.sample(16, seed=3))
    assert set(np.unique(pieces)) == {-1.0, 1.0}


def test_the_way_of_sampling_follows_from_the_model():
    assert make_ising("grid", 16).sampling.method == "enumeration"
    weak = make_ising("grid", 36).sampling
    assert (weak.method, weak.exact, weak.measured) == ("coupling", True, True)
    mixed = make_ising("grid", 100, strength=0.6, signs="mixed", seed=0).sampling
    assert (mixed.method, mixed.exact, mixed.measured) == ("gibbs", False, True)
    assert mixed.sweeps >= max(200, 20 * mixed.autocorrelation)


def test_a_magnet_that_never_turns_is_warned_of():
    magnet = make_ising("grid", 64, strength=1.0)
    assert not magnet.sampling.measured
    with pytest.warns(SamplingWarning, match="may not follow the model"):
        magnet.sample(2, seed=0)


def test_signs_on_a_tree_couple_as_fast_as_none():
    rows = {
        signs: make_ising("random_tree", 60, signs=signs, seed=2).sampling
        for signs in ("attractive", "mixed")
    }
    assert {plan.method for plan in rows.values()} == {"coupling"}


def test_autocorrelation_time_of_an_autoregression():
    rng = np.random.default_rng(1)
    rho, n = 0.8, 100_000
    noise = rng.standard_normal((2, n))
    series = np.zeros((2, n))
    for t in range(1, n):
        series[:, t] = rho * series[:, t - 1] + noise[:, t]
    # Sokal: the relative standard error is sqrt(2 (2 W + 1) / N), with a window W of 5 times 9.
    assert autocorrelation_time(series) == pytest.approx(9.0, rel=5 * np.sqrt(182 / (2 * n)))


@pytest.mark.parametrize("family", list(ISING_FAMILIES))
def test_families_have_couplings_of_one_size(family):
    model = make_ising(family, 16, strength=0.5, signs="mixed", field=0.1, seed=1)
    size = 0.5 / 16 if family == "curie_weiss" else 0.5
    np.testing.assert_allclose(np.abs(model.edge_couplings), size)
    np.testing.assert_array_equal(model.fields, np.full(16, 0.1))
    assert model.min_coupling == pytest.approx(size)
    degrees = np.asarray(model.adjacency.sum(axis=0))
    assert model.width == pytest.approx(size * degrees.max() + 0.1)
    assert len(model.edges) == degrees.sum() / 2 > 0


def test_every_family_is_named_in_the_documents():
    page = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text("utf-8")
    assert all(f"`{family}`" in page for family in ISING_FAMILIES)


def test_lattices():
    torus = make_ising("torus", 16)
    assert set(torus.adjacency.sum(axis=0)) == {4}
    triangular = make_ising("triangular", 16).adjacency.toarray()
    assert sorted(np.flatnonzero(triangular[5])) == [0, 1, 4, 6, 9, 10]
    assert len(make_ising("curie_weiss", 9).edges) == 36


@pytest.mark.parametrize(("family", "sides"), [("grid", 4), ("triangular", 3), ("curie_weiss", 3)])
def test_every_smallest_cycle_is_frustrated(family, sides):
    signs = np.sign(make_ising(family, 16, signs="frustrated").couplings.toarray())
    if sides == 3:
        around = [
            signs[i, j] * signs[j, k] * signs[k, i] for i, j, k in product(range(16), repeat=3)
        ]
    else:
        corner = [i for i in range(12) if i % 4 < 3]
        around = [
            signs[i, i + 1] * signs[i, i + 4] * signs[i + 1, i + 5] * signs[i + 4, i + 5]
            for i in corner
        ]
    assert {a for a in around if a} == {-1.0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: IsingModel(np.ones((2, 3))), r"couplings must be a square matrix, got shape"),
        (lambda: IsingModel(np.ones((2, 2))), "couplings must be symmetric with a zero diagonal"),
        (lambda: IsingModel([[0, 1], [2, 0]]), "couplings must be symmetric with a zero diagonal"),
        (lambda: IsingModel([[0, np.inf], [np.inf, 0]]), "couplings must be finite"),
        (lambda: IsingModel(np.zeros((2, 2)), [1.0]), "fields must be one or 2 finite numbers"),
        (lambda: make_ising("ring", 5), "family must be one of 'chain'"),
        (lambda: make_ising("grid", 5, signs="odd"), "signs must be one of 'attractive', 'mixed'"),
        (lambda: make_ising("grid", 5, strength=-1.0), "strength must be a finite number > 0"),
        (lambda: make_ising("grid", 5, degree=2), "grid has no options, got 'degree'"),
        (lambda: make_ising("torus", 10), "p must be a square for a torus, got 10"),
        (lambda: make_ising("grid", 17).probabilities(), "at most 16 variables, got 17"),
        (lambda: make_ising("grid", 4).sample(0), "n must be an integer >= 1, got 0"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def simulate(*arguments):
    return CliRunner().invoke(cli, ["simulate", *map(str, arguments)])


def test_the_command_draws_the_rows_of_the_library(tmp_path):
    rows, edges = tmp_path / "rows.csv", tmp_path / "edges.csv"
    options = ("--strength", 0.4, "--signs", "frustrated", "--field", 0.2, "--seed", 3)
    result = simulate(
        *("grid", "--model", "ising", "-p", 9, "-n", 20, *options, "--out", rows, "--truth", edges)
    )
    assert result.exit_code == 0, result.stderr
    rng = np.random.default_rng(3)
    model = make_ising("grid", 9, strength=0.4, signs="frustrated", field=0.2, seed=rng)
    np.testing.assert_array_equal(pl.read_csv(rows).to_numpy(), model.sample(20, rng))
    assert rows.read_text().splitlines()[1].replace("-", "") == ",".join("1" * 9)
    truth = pl.read_csv(edges)
    assert truth.columns == ["source", "target", "coupling"]
    np.testing.assert_allclose(truth["coupling"], model.edge_couplings)


def test_the_command_says_where_rows_are_not_exact(tmp_path):
    options = ("--model", "ising", "-p", 64, "-n", 100, "--out", tmp_path / "a.csv")
    assert simulate("grid", *options).stderr == ""
    told = simulate("grid", *options, "--strength", 1.0).stderr
    assert "drawn by Gibbs sampling, each after" in told
    assert told.count("Warning: that is too long to be measured") == 1  # not for each piece


def test_fields_are_for_ising_models():
    result = simulate("grid", "--field", 0.1)
    assert (result.exit_code, "--field goes with --model ising" in result.stderr) == (2, True)
