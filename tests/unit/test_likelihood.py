"""The maximum-likelihood precision on small graphs whose answer is known, and on bad input."""

from math import log, pi

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal

from hedgerow.datasets import make
from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.method.likelihood import TOLERANCE, mean_log_likelihood


def graph_of(p, *edges):
    adjacency = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = True
    return csr_array(adjacency)


def complete(p):
    return csr_array(~np.eye(p, dtype=bool))


def random_rows(m, p):
    """Related columns, but never so nearly singular that rounding matters."""
    rng = np.random.default_rng()
    mixing = 3 * np.eye(p) + rng.standard_normal((p, p)) / np.sqrt(p)
    return rng.standard_normal((m, p)) @ mixing


def covariance_of(rows):
    return np.cov(rows, rowvar=False, bias=True)


def assert_equations_hold(fit, covariance, adjacency):
    """The inverse, computed afresh, agrees where it should; the precision is zero elsewhere."""
    precision = fit.precision.toarray()
    on_graph = adjacency.toarray() | np.eye(len(covariance), dtype=bool)
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    error = np.abs(np.linalg.inv(precision) - covariance) / scale
    assert error[on_graph].max() <= TOLERANCE
    assert not precision[~on_graph].any()
    np.testing.assert_array_equal(precision, precision.T)
    np.linalg.cholesky(precision)
    assert (np.abs(fit.covariance - covariance) / scale)[on_graph].max() <= TOLERANCE
    assert (np.abs(fit.covariance - np.linalg.inv(precision)) / scale).max() <= TOLERANCE


# --- known answers ----------------------------------------------------------------------------


def test_without_edges_only_the_variances_count():
    covariance = covariance_of(random_rows(50, 4))
    fit = fit_precision(covariance, 50, graph_of(4))
    np.testing.assert_allclose(fit.precision.toarray(), np.diag(1 / np.diag(covariance)))
    np.testing.assert_allclose(fit.covariance, np.diag(np.diag(covariance)))
    assert fit.shrinkage == 0.0
    assert not fit.shrunk.any()


@pytest.mark.parametrize("p", [0, 1])
def test_no_and_one_column(p):
    fit = fit_precision(4.0 * np.eye(p), 10, graph_of(p))
    np.testing.assert_array_equal(fit.precision.toarray(), 0.25 * np.eye(p))
    assert fit.shrinkage == 0.0


def test_a_single_edge():
    covariance = np.array([[4.0, 1.0, 0.5], [1.0, 1.0, 0.3], [0.5, 0.3, 9.0]])
    fit = fit_precision(covariance, 50, graph_of(3, (0, 1)))
    expected = np.zeros((3, 3))
    expected[:2, :2] = np.linalg.inv(covariance[:2, :2])
    expected[2, 2] = 1 / 9
    np.testing.assert_allclose(fit.precision.toarray(), expected, rtol=1e-12)


def test_the_complete_graph_gives_the_inverse_covariance():
    covariance = covariance_of(random_rows(400, 12))
    fit = fit_precision(covariance, 400, complete(12))
    expected = np.linalg.inv(covariance)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(fit.precision.toarray() / scale, expected / scale, atol=1e-8)


@pytest.mark.parametrize("family", ["chain", "star", "random_tree"])
def test_trees_have_a_closed_form(family):
    """Sum of the inverses on the edges, less what the nodes between them count too often."""
    p = 30
    adjacency = make(family, p).adjacency
    covariance = covariance_of(random_rows(60, p))
    expected = np.zeros((p, p))
    for i, j in np.argwhere(np.triu(adjacency.toarray())):
        pair = np.ix_([i, j], [i, j])
        expected[pair] += np.linalg.inv(covariance[pair])
    surplus = adjacency.sum(axis=0) - 1
    expected -= np.diag(surplus / np.diag(covariance))
    fit = fit_precision(covariance, 60, adjacency)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(fit.precision.toarray() / scale, expected / scale, atol=1e-9)


def test_cliques_that_share_nodes_have_a_closed_form():
    """0-1-2-3 and 2-3-4-5: inverses on the cliques, less the inverse on what they share."""
    covariance = covariance_of(random_rows(100, 6))
    adjacency = np.zeros((6, 6), dtype=bool)
    expected = np.zeros((6, 6))
    for nodes, sign in (([0, 1, 2, 3], 1), ([2, 3, 4, 5], 1), ([2, 3], -1)):
        block = np.ix_(nodes, nodes)
        adjacency[block] = True
        expected[block] += sign * np.linalg.inv(covariance[block])
    np.fill_diagonal(adjacency, False)
    fit = fit_precision(covariance, 100, csr_array(adjacency))
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(fit.precision.toarray() / scale, expected / scale, atol=1e-8)


def test_components_do_not_feel_each_other():
    rows = random_rows(40, 9)
    covariance = covariance_of(rows)
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6)]
    fit = fit_precision(covariance, 40, graph_of(9, *edges))
    cycle = fit_precision(covariance[:4, :4], 40, graph_of(4, *edges[:4]))
    np.testing.assert_array_equal(fit.precision.toarray()[:4, :4], cycle.precision.toarray())
    assert not fit.covariance[:4, 4:].any()


def test_the_diagonal_of_the_graph_is_ignored_and_the_graph_left_alone():
    covariance = covariance_of(random_rows(40, 3))
    looped = csr_array(np.ones((3, 3), dtype=bool))
    fit = fit_precision(covariance, 40, looped)
    plain = fit_precision(covariance, 40, complete(3))
    np.testing.assert_array_equal(fit.precision.toarray(), plain.precision.toarray())
    assert looped.nnz == 9


# --- graphs of every family, also the hard ones --------------------------------------------------


@pytest.mark.parametrize(
    ("family", "p", "m"),
    [
        ("grid", 49, 30),
        ("cycle", 40, 500),
        ("erdos_renyi", 60, 40),
        ("barabasi_albert", 60, 50),
        ("random_regular", 60, 60),
        ("hubs", 60, 20),
        ("brownian_path", 80, 30),
        ("free_field", 100, 40),
        ("near_copies", 60, 100),
        ("path_cliques", 64, 100),
    ],
)
def test_equations_hold_in_every_family(family, p, m):
    model = make(family, p)
    covariance = covariance_of(model.sample(m))
    fit = fit_precision(covariance, m, model.adjacency)
    assert fit.shrinkage == 0.0
    assert_equations_hold(fit, covariance, model.adjacency)


def test_two_thousand_columns_with_fewer_rows():
    model = make("random_regular", 2000)
    covariance = covariance_of(model.sample(500))
    fit = fit_precision(covariance, 500, model.adjacency)
    assert fit.shrinkage == 0.0
    assert fit.precision.nnz == model.adjacency.nnz + 2000
    product = fit.precision @ fit.covariance
    np.testing.assert_allclose(product, np.eye(2000), atol=TOLERANCE)
    i, j = model.adjacency.nonzero()
    np.testing.assert_allclose(fit.covariance[i, j], covariance[i, j], rtol=1e-9)


# --- where likelihood has no maximum --------------------------------------------------------------


def assert_sound(fit):
    precision = fit.precision.toarray()
    assert np.isfinite(precision).all()
    assert np.isfinite(fit.covariance).all()
    np.linalg.cholesky(precision)


def test_duplicates_are_shrunk_by_one_row_and_named():
    rows = random_rows(200, 6)
    rows[:, 1] = 3.0 * rows[:, 0]
    covariance = covariance_of(rows)
    fit = fit_precision(covariance, 200, graph_of(6, (0, 1), (1, 2), (4, 5)))
    assert_sound(fit)
    assert fit.shrinkage == 1 / 201
    np.testing.assert_array_equal(fit.shrunk, [True, True, True, False, False, False])
    np.testing.assert_allclose(np.diag(fit.covariance), np.diag(covariance))
    np.testing.assert_allclose(fit.covariance[0, 1], covariance[0, 1] * 200 / 201)
    np.testing.assert_allclose(fit.covariance[4, 5], covariance[4, 5])


def test_a_column_that_is_the_sum_of_its_neighbours():
    rows = random_rows(100, 5)
    rows[:, 0] = rows[:, 1] + rows[:, 2]
    fit = fit_precision(covariance_of(rows), 100, complete(5))
    assert_sound(fit)
    assert fit.shrinkage == 1 / 101


@pytest.mark.parametrize("m", [2, 5, 12])
def test_fewer_rows_than_a_clique_has_nodes(m):
    covariance = covariance_of(random_rows(m, 12))
    fit = fit_precision(covariance, m, complete(12))
    assert_sound(fit)
    assert 0 < fit.shrinkage <= 0.5
    assert fit.shrunk.all()


def test_a_hub_may_have_more_neighbours_than_there_are_rows():
    """A tree needs three rows, whatever its degrees: nothing is shrunk that need not be."""
    model = make("star", 40)
    covariance = covariance_of(model.sample(5))
    fit = fit_precision(covariance, 5, model.adjacency)
    assert fit.shrinkage == 0.0
    assert_equations_hold(fit, covariance, model.adjacency)


def test_correlations_on_a_cycle_that_contradict_each_other():
    """No matrix has them: the more they contradict, the more they are shrunk."""
    covariance = np.eye(4)
    for i, j, value in ((0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.9), (3, 0, -0.9)):
        covariance[i, j] = covariance[j, i] = value
    fit = fit_precision(covariance, 100, graph_of(4, (0, 1), (1, 2), (2, 3), (3, 0)))
    assert_sound(fit)
    assert (1 - fit.shrinkage) * 0.9 < np.sqrt(0.5)  # where contradiction ends


@pytest.mark.parametrize("noise", [1e-2, 1e-3, 1e-4])
def test_near_copies_are_not_shrunk(noise):
    model = make("grid", 36)
    rows = model.sample(300)
    rows[:, 7] = rows[:, 8] + noise * rows[:, 7]
    adjacency = model.adjacency.toarray()
    adjacency[7] |= adjacency[8]
    adjacency[7, 7], adjacency[7, 8] = False, True
    adjacency |= adjacency.T
    covariance = covariance_of(rows)
    fit = fit_precision(covariance, 300, csr_array(adjacency))
    assert fit.shrinkage == 0.0
    assert_equations_hold(fit, covariance, csr_array(adjacency))


def test_constant_columns_get_unit_variance():
    rows = random_rows(50, 4)
    rows[:, 2] = 7.0
    fit = fit_precision(covariance_of(rows), 50, graph_of(4, (0, 1), (1, 2)))
    assert_sound(fit)
    assert fit.precision[2, 2] == fit.covariance[2, 2] == 1.0
    assert fit.shrinkage == 0.0


@pytest.mark.parametrize("size", [1e-320, 1e-290, 1e290])
def test_extreme_variances_stay_finite(size):
    covariance = np.array([[size, 0.0], [0.0, 1.0]])
    assert_sound(fit_precision(covariance, 50, graph_of(2, (0, 1))))


@pytest.mark.parametrize(
    ("covariance", "n_rows", "adjacency", "message"),
    [
        (np.eye(3), 0, graph_of(3), "n_rows must be an integer >= 1, got 0"),
        (np.eye(3), 5, graph_of(2), r"adjacency must have shape \(3, 3\), got \(2, 2\)"),
        (np.eye(2), 5, csr_array(np.triu(np.ones((2, 2)))), "adjacency must be symmetric"),
        (np.full((2, 2), np.nan), 5, graph_of(2), "matrix of finite numbers"),
        (np.ones((2, 3)), 5, graph_of(2), "square matrix"),
        (np.diag([1.0, -2.0]), 5, graph_of(2), "numbers >= 0, got -2"),
    ],
)
def test_bad_arguments_are_named(covariance, n_rows, adjacency, message):
    with pytest.raises(ValueError, match=message):
        fit_precision(covariance, n_rows, adjacency)


# --- likelihood of rows ---------------------------------------------------------------------------


def test_log_likelihood_is_the_mean_log_density():
    # Well conditioned: of a random matrix, once in a thousand times, few digits would be left.
    rows, location = np.random.default_rng().standard_normal((50, 8)), np.arange(8.0)
    model = make("cycle", 8, strength=0.4)
    expected = multivariate_normal(location, model.covariance()).logpdf(rows).mean()
    found = mean_log_likelihood(rows, location, csr_array(model.precision))
    assert found == pytest.approx(expected)


def test_log_likelihood_of_columns_on_very_different_scales():
    scale = 10.0 ** np.arange(-6, 7)
    rows = np.random.default_rng().standard_normal((20, 13))
    plain = mean_log_likelihood(rows, np.zeros(13), csr_array(np.eye(13)))
    scaled = mean_log_likelihood(rows * scale, np.zeros(13), csr_array(np.diag(scale**-2.0)))
    assert scaled == pytest.approx(plain - np.log(scale).sum())
    assert plain == pytest.approx(-0.5 * (13 * log(2 * pi) + (rows**2).sum(axis=1).mean()))


def test_no_other_precision_on_the_graph_makes_the_rows_more_likely():
    model = make("grid", 16)
    rows = model.sample(60)
    fit = fit_precision(covariance_of(rows), 60, model.adjacency)
    best = mean_log_likelihood(rows, rows.mean(axis=0), fit.precision)
    assert best > mean_log_likelihood(rows, rows.mean(axis=0), csr_array(model.precision))


@pytest.mark.parametrize(
    ("matrix", "what"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "an indefinite one"),
        ([[-1.0, 0.0], [0.0, 1.0]], "an indefinite one"),
        ([[0.0, 1.0], [1.0, 0.0]], "an indefinite one"),
        ([[0.0, 0.0], [0.0, 1.0]], "a singular one"),
    ],
)
def test_other_matrices_than_positive_definite_are_refused(matrix, what):
    with pytest.raises(ValueError, match=f"precision must be positive definite, got {what}"):
        mean_log_likelihood(np.zeros((1, 2)), np.zeros(2), csr_array(np.array(matrix)))
