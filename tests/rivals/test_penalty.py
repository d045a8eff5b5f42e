"""Choosing a penalty: each criterion against its definition."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.covariance import log_likelihood
from sklearn.linear_model import LinearRegression

from hedgerow.rivals import Clime, NeighbourhoodSelection, Quic, _penalty
from hedgerow.rivals._base import correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._penalty import grid


def standard(rows):
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def test_the_grid_goes_from_the_empty_graph_to_half_the_noise(draw):
    _, rows = draw("chain", 8, 300, seed=0)
    corr = correlation(standard(rows))
    penalties = grid(corr, 300)
    assert penalties == sorted(penalties, reverse=True)
    np.testing.assert_allclose(penalties[0], np.abs(corr - np.eye(8)).max())
    np.testing.assert_allclose(penalties[-1], np.sqrt(np.log(8) / 300) / 2)
    assert Quic(penalties[0]).fit(rows).adjacency_.nnz == 0
    assert Quic(penalties[1]).fit(rows).adjacency_.nnz > 0


@pytest.mark.parametrize("penalty", [0.4, 0.2, 0.1])
def test_ebic_of_a_graph(draw, penalty):
    _, rows = draw("grid", 6, 200, seed=0)
    corr = correlation(standard(rows))
    fitted = Quic(penalty).fit(standard(rows))
    graph = fitted.adjacency_.toarray()
    fit = -2 * 200 * log_likelihood(corr, greatest_likelihood(corr, graph))  # theirs is of one row
    expected = fit + graph.sum() / 2 * (np.log(200) + 4 * 0.5 * np.log(6))
    # scikit-learn's has the factor log 2π, ours leaves it out.
    expected -= 200 * 6 * np.log(2 * np.pi)
    np.testing.assert_allclose(fitted._ebic(fitted.precision_, corr, 200), expected, rtol=1e-6)


def greatest_likelihood(corr, graph):
    """Return the precision matrix on a graph, by a solver of smooth problems."""
    upper = np.nonzero(np.triu(graph | np.eye(len(corr), dtype=bool)))

    def matrix(entries):
        half = np.zeros_like(corr)
        half[upper] = entries
        return half + half.T - np.diag(np.diag(half))

    def loss(entries):
        precision = matrix(entries)
        sign, log_determinant = np.linalg.slogdet(precision)
        if sign <= 0 or np.linalg.eigvalsh(precision)[0] <= 0:
            return np.inf, np.zeros(len(entries))
        slope = corr - np.linalg.inv(precision)
        twice = np.where(upper[0] == upper[1], 1.0, 2.0)
        return np.sum(corr * precision) - log_determinant, twice * slope[upper]

    return matrix(minimize(loss, np.eye(len(corr))[upper], jac=True, method="BFGS").x)


@pytest.mark.parametrize("penalty", [0.4, 0.2, 0.1])
def test_ebic_of_neighbourhoods(draw, penalty):
    _, rows = draw("grid", 6, 200, seed=0)
    Z = standard(rows)
    fitted = NeighbourhoodSelection(penalty).fit(rows)
    expected = (fitted.weights_ != 0).sum() * (np.log(200) + 2 * 0.5 * np.log(6))
    for node, row in enumerate(fitted.weights_):
        near = row != 0
        if near.any():
            by_neighbours = LinearRegression(fit_intercept=False).fit(Z[:, near], Z[:, node])
            residual = Z[:, node] - by_neighbours.predict(Z[:, near])
            expected += 200 * np.log(np.mean(residual**2))
    np.testing.assert_allclose(fitted._ebic(fitted.weights_, correlation(Z), 200), expected)


@pytest.mark.parametrize("rival", [Quic, NeighbourhoodSelection])
@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_of_least_ebic_is_chosen(draw, rival, seed):
    _, rows = draw("grid", 9, 200, seed=seed)
    corr = correlation(standard(rows))
    method = rival("ebic").fit(rows)

    def ebic(penalty):
        return method._ebic(method._solve(corr, penalty, None, Clock(None)), corr, 200)

    np.testing.assert_allclose(method.penalty_, min(grid(corr, 200), key=ebic))


@pytest.mark.parametrize("rival", [Quic, NeighbourhoodSelection])
def test_stars_stops_before_graphs_of_subsamples_differ(draw, rival):
    """The instability of fresh subsamples is small at the penalty chosen, large at the end."""
    _, rows = draw("grid", 9, 400, seed=0)
    chosen = rival("stars").fit(rows).penalty_
    rng = np.random.default_rng(99)
    parts = [rows[rng.choice(400, 200, replace=False)] for _ in range(40)]

    def instability(penalty):
        share = np.mean([rival(penalty).fit(part).adjacency_.toarray() for part in parts], axis=0)
        return 2 * (share * (1 - share)).sum() / (9 * 8)

    assert instability(chosen) < 0.1  # the limit is 0.05; two sets of subsamples differ by less
    assert instability(grid(correlation(standard(rows)), 400)[-1]) > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_cross_validation_comes_near_the_best_prediction(draw, seed):
    """In likelihood of the true model, against all penalties and against an empty graph."""
    model, rows = draw("chain", 6, 200, seed=seed, strength=0.4)
    scale = np.sqrt(np.diag(model.covariance()))
    truth = model.covariance() / scale / scale[:, None]
    fitted = Quic("cv").fit(rows)

    def expected_loss(penalty):
        return -log_likelihood(truth, Quic(penalty).fit(standard(rows)).precision_)

    losses = [expected_loss(penalty) for penalty in grid(correlation(standard(rows)), 200)]
    empty = losses[0]
    assert expected_loss(fitted.penalty_) - min(losses) < 0.1 * (empty - min(losses))


def test_cross_validation_of_clime_improves_on_an_empty_graph(draw):
    _, rows = draw("chain", 4, 200, seed=0, strength=0.4)
    penalty = Clime("cv").fit(rows).penalty_
    assert penalty < np.abs(correlation(standard(rows)) - np.eye(4)).max() / 2


def test_the_same_seed_draws_the_same_subsamples(draw):
    _, rows = draw("grid", 9, 200, seed=0)
    first, second = (Quic("cv", random_state=7).fit(rows).penalty_ for _ in range(2))
    assert first == second


def test_a_column_may_be_constant_in_a_part_of_the_rows(draw):
    """A rare event never happens in most subsamples."""
    _, rows = draw("chain", 4, 60, seed=0)
    rows[:, 3] = 0.0
    rows[0, 3] = 1.0
    for criterion in ("ebic", "stars", "cv"):
        assert np.isfinite(Quic(criterion).fit(rows).precision_).all()
        assert np.isfinite(NeighbourhoodSelection(criterion).fit(rows).weights_).all()


@pytest.mark.parametrize("rival", [Quic, NeighbourhoodSelection])
@pytest.mark.parametrize("seed", range(3))
def test_ebic_is_not_fooled_by_nodes_that_fit_all_rows(rival, seed, monkeypatch):
    """With few rows a node's neighbours can explain it entirely, and say nothing."""
    monkeypatch.setattr(_penalty, "_PATIENCE", 1000)  # so that the whole path is looked at
    monkeypatch.setattr(_penalty, "grid", lambda corr, n_rows: np.geomspace(0.9, 0.01, 20).tolist())
    rows = np.random.default_rng(seed).standard_normal((10, 30))
    graph = rival("ebic").fit(rows).adjacency_
    assert graph.sum(axis=0).max() <= 5


@pytest.mark.parametrize("criterion", ["ebic", "cv", "stars"])
def test_a_path_ends_where_the_solver_breaks_down(draw, criterion, monkeypatch):
    _, rows = draw("chain", 5, 200, seed=0)
    first, *smaller = grid(correlation(standard(rows)), 200)
    solve = Quic._solve

    def fragile(self, corr, penalty, start, clock):
        if penalty <= smaller[0] * (1 + 1e-9):
            raise FloatingPointError
        return solve(self, corr, penalty, start, clock)

    monkeypatch.setattr(Quic, "_solve", fragile)
    np.testing.assert_allclose(Quic(criterion).fit(rows).penalty_, first)
