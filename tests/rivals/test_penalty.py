"""Choosing a penalty: each criterion against its definition."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.covariance import log_likelihood
from sklearn.linear_model import LinearRegression

from hedgerow.rivals import Clime, NeighbourhoodSelection, Quic
from hedgerow.rivals._base import correlation
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


@pytest.mark.parametrize("seed", range(3))
def test_ebic_is_least_where_it_is_said_to_be(draw, seed):
    _, rows = draw("chain", 6, 200, seed=seed, strength=0.45)
    corr = correlation(standard(rows))
    edges = {penalty: Quic(penalty).fit(rows).adjacency_ for penalty in grid(corr, 200)}

    def ebic(penalty):
        precision = greatest_likelihood(corr, edges[penalty].toarray())
        fit = -2 * 200 * log_likelihood(corr, precision)  # scikit-learn's is of one row
        return fit + edges[penalty].nnz / 2 * (np.log(200) + 2 * np.log(6))

    np.testing.assert_allclose(Quic("ebic").fit(rows).penalty_, min(edges, key=ebic))


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


def test_ebic_of_neighbourhoods_is_least_where_it_is_said_to_be(draw):
    _, rows = draw("grid", 9, 200, seed=3)
    Z = standard(rows)

    def ebic(penalty):
        weights = NeighbourhoodSelection(penalty).fit(rows).weights_
        unexplained = 0.0
        for node, row in enumerate(weights):
            near = row != 0
            if near.any():
                fitted = LinearRegression(fit_intercept=False).fit(Z[:, near], Z[:, node])
                unexplained += np.log(np.mean((Z[:, node] - fitted.predict(Z[:, near])) ** 2))
        return 200 * unexplained + (weights != 0).sum() * (np.log(200) + np.log(9))

    best = min(grid(correlation(Z), 200), key=ebic)
    np.testing.assert_allclose(NeighbourhoodSelection("ebic").fit(rows).penalty_, best)


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
def test_ebic_is_not_fooled_by_nodes_that_fit_all_rows(rival, seed):
    """With few rows a node's neighbours can explain it entirely, and say nothing."""
    rows = np.random.default_rng(seed).standard_normal((10, 30))
    graph = rival("ebic").fit(rows).adjacency_
    assert graph.sum(axis=0).max() <= 5
