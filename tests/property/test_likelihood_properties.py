"""What must hold of the maximum-likelihood precision, whatever the rows and the graph."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.method.likelihood import TOLERANCE, mean_log_likelihood

seeds = st.integers(0, 2**32 - 1)


@st.composite
def graphs(draw, min_nodes=1, max_nodes=14):
    """Any graph, from empty to complete."""
    p = draw(st.integers(min_nodes, max_nodes))
    rng = np.random.default_rng(draw(seeds))
    upper = np.triu(rng.random((p, p)) < draw(st.floats(0, 1)), k=1)
    return upper | upper.T


@st.composite
def problems(draw):
    """A graph, and enough correlated rows for likelihood to have a maximum on any graph."""
    adjacency = draw(graphs())
    p = len(adjacency)
    m = draw(st.integers(3 * p + 2, 200))
    rng = np.random.default_rng(draw(seeds))
    common = rng.standard_normal((m, 1)) * draw(st.floats(0, 3))
    rows = rng.standard_normal((m, p)) + common * rng.choice([-1, 1], p)
    return np.cov(rows, rowvar=False, bias=True).reshape(p, p), m, adjacency


def fit_dense(covariance, m, adjacency):
    fit = fit_precision(covariance, m, csr_array(adjacency))
    return fit, fit.precision.toarray()


@settings(deadline=None)
@given(problems())
def test_likelihood_equations(problem):
    covariance, _, adjacency = problem
    fit, precision = fit_dense(*problem)
    on_graph = adjacency | np.eye(len(adjacency), dtype=bool)
    inverse = np.linalg.inv(precision)
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert fit.shrinkage == 0.0
    assert not precision[~on_graph].any()
    assert (np.abs(inverse - covariance) / scale)[on_graph].max() <= TOLERANCE
    assert (np.abs(inverse - fit.covariance) / scale).max() <= TOLERANCE
    np.testing.assert_array_equal(precision, precision.T)
    assert np.linalg.eigvalsh(precision)[0] > 0


@settings(deadline=None)
@given(problems(), seeds)
def test_no_neighbouring_precision_is_more_likely(problem, seed):
    covariance, _, adjacency = problem
    _, precision = fit_dense(*problem)
    p = len(precision)
    step = np.random.default_rng(seed).standard_normal((p, p))
    step = (step + step.T) * (adjacency | np.eye(p, dtype=bool))
    step *= 0.3 * np.linalg.eigvalsh(precision)[0] / np.linalg.norm(step, 2)
    rows = np.sqrt(p) * np.linalg.cholesky(covariance).T  # rows with this covariance about zero
    best = mean_log_likelihood(rows, np.zeros(p), csr_array(precision))
    assert best > mean_log_likelihood(rows, np.zeros(p), csr_array(precision + step))


@settings(deadline=None)
@given(problems(), seeds)
def test_change_of_units_carries_over(problem, seed):
    covariance, m, adjacency = problem
    units = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, len(covariance))
    _, plain = fit_dense(*problem)
    _, scaled = fit_dense(covariance * np.outer(units, units), m, adjacency)
    size = np.sqrt(np.outer(np.diag(plain), np.diag(plain)))
    np.testing.assert_allclose(scaled * np.outer(units, units) / size, plain / size, atol=1e-6)


@settings(deadline=None)
@given(problems(), st.data())
def test_order_of_columns_carries_over(problem, data):
    covariance, m, adjacency = problem
    order = np.array(data.draw(st.permutations(range(len(covariance)))))
    moved = np.ix_(order, order)
    _, plain = fit_dense(*problem)
    _, permuted = fit_dense(covariance[moved], m, adjacency[moved])
    size = np.sqrt(np.outer(np.diag(plain), np.diag(plain)))
    np.testing.assert_allclose(permuted / size[moved], (plain / size)[moved], atol=1e-6)


@settings(deadline=None)
@given(graphs(min_nodes=2), st.integers(1, 20), st.floats(0, 1e-3), seeds)
def test_few_rows_and_collinear_columns_never_fail(adjacency, m, noise, seed):
    p = len(adjacency)
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((m, p)) * 10.0 ** rng.uniform(-6, 6, p)
    rows[:, rng.integers(p)] = rows @ rng.integers(-1, 2, p) + noise * rng.standard_normal(m)
    covariance = np.cov(rows, rowvar=False, bias=True)
    fit, precision = fit_dense(covariance, m, adjacency)
    assert np.isfinite(precision).all()
    assert not precision[~(adjacency | np.eye(p, dtype=bool))].any()
    size = np.sqrt(np.diag(precision))
    assert np.linalg.eigvalsh(precision / np.outer(size, size))[0] > 0
    assert fit.shrinkage in (0, 1 / (m + 1))
    assert fit.shrunk.any() == (fit.shrinkage > 0)


@settings(deadline=None)
@given(graphs(min_nodes=2), st.integers(1, 1000), seeds)
def test_matrices_that_are_no_covariance_never_fail(adjacency, m, seed):
    p = len(adjacency)
    matrix = np.random.default_rng(seed).uniform(-1, 1, (p, p))
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, np.abs(np.diag(matrix)))
    _, precision = fit_dense(matrix, m, adjacency)
    assert np.isfinite(precision).all()
    np.linalg.cholesky(precision)
