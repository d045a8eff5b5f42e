"""Choosing a penalty: each criterion against its definition."""

import numpy as np
import pytest
from sklearn.covariance import log_likelihood

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
    _, rows = draw("grid", 9, 200, seed=seed)
    corr = correlation(standard(rows))

    def ebic(penalty):
        fitted = Quic(penalty).fit(standard(rows))
        # scikit-learn's likelihood is of one row.
        fit = -2 * 200 * log_likelihood(corr, fitted.precision_)
        return fit + fitted.adjacency_.nnz / 2 * (np.log(200) + 2 * np.log(9))

    best = min(grid(corr, 200), key=ebic)
    np.testing.assert_allclose(Quic("ebic").fit(rows).penalty_, best)


def test_ebic_of_neighbourhoods_is_least_where_it_is_said_to_be(draw):
    _, rows = draw("grid", 9, 200, seed=3)
    Z = standard(rows)

    def ebic(penalty):
        weights = NeighbourhoodSelection(penalty).fit(rows).weights_
        variances = ((Z - Z @ weights.T) ** 2).mean(axis=0)
        return 200 * np.log(variances).sum() + (weights != 0).sum() * (np.log(200) + np.log(9))

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
