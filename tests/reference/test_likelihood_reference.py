"""The maximum-likelihood precision against two other ways to find it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from hedgerow.datasets import make
from hedgerow.engines import scaling_cpu
from hedgerow.engines.likelihood_cpu import fit_precision
from hedgerow.method import scaling

CASES = [("grid", 9), ("cycle", 8), ("erdos_renyi", 10), ("watts_strogatz", 9), ("free_field", 9)]


@pytest.fixture(params=CASES, ids=[name for name, _ in CASES])
def problem(request):
    model = make(*request.param)
    correlation = np.corrcoef(model.sample(80), rowvar=False)
    return (correlation + correlation.T) / 2, model.adjacency.toarray()


def trust_region_newton(covariance, adjacency):
    """Minimise -log det Θ + tr SΘ over the entries of Θ on the graph."""
    p = len(covariance)
    i, j = np.nonzero(np.triu(adjacency | np.eye(p, dtype=bool)))
    times = np.where(i == j, 1.0, 2.0)

    def matrix(x):
        result = np.zeros((p, p))
        result[i, j] = result[j, i] = x
        return result

    def loss(x):
        sign, log_determinant = np.linalg.slogdet(matrix(x))
        positive = sign > 0 and np.linalg.eigvalsh(matrix(x))[0] > 0
        return times @ (x * covariance[i, j]) - log_determinant if positive else np.inf

    def gradient(x):
        return times * (covariance - np.linalg.inv(matrix(x)))[i, j]

    def curvature(x):
        w = np.linalg.inv(matrix(x))
        products = w[np.ix_(i, i)] * w[np.ix_(j, j)] + w[np.ix_(i, j)] * w[np.ix_(j, i)]
        return np.outer(times, times) * products / 2

    found = minimize(
        loss,
        np.where(i == j, 1.0, 0.0),
        jac=gradient,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    return matrix(found.x)


def textbook_scaling(covariance, adjacency, sweeps):
    """Hastie, Tibshirani and Friedman (2009), algorithm 17.1, with all its loops."""
    p = len(covariance)
    filled = covariance.copy()
    precision = np.zeros((p, p))
    for _ in range(sweeps):
        for i in range(p):
            rest, around = np.arange(p) != i, np.flatnonzero(adjacency[i])
            beta = np.zeros(p)
            beta[around] = np.linalg.solve(filled[np.ix_(around, around)], covariance[around, i])
            filled[rest, i] = filled[i, rest] = filled[np.ix_(rest, rest)] @ beta[rest]
            precision[i, i] = 1 / (covariance[i, i] - filled[i] @ beta)
            precision[i, rest] = -beta[rest] * precision[i, i]
    return precision


def assert_same_precision(ours, expected):
    """Entries are compared in units of the diagonal, as partial correlations are."""
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(ours.toarray() / size, expected / size, rtol=0, atol=1e-6)


def test_an_independent_optimiser_agrees(problem):
    correlation, adjacency = problem
    fit = fit_precision(correlation, 80, csr_array(adjacency))
    expected = trust_region_newton(correlation, adjacency)
    assert_same_precision(fit.precision, expected)


def test_the_textbook_algorithm_agrees(problem):
    correlation, adjacency = problem
    fit = fit_precision(correlation, 80, csr_array(adjacency))
    expected = textbook_scaling(correlation, adjacency, sweeps=400)
    assert_same_precision(fit.precision, expected)


@pytest.mark.parametrize("relaxation", [1.0, 1.5, 1.9])
def test_every_sweep_raises_the_determinant(problem, relaxation):
    """Section 3 of docs/likelihood.md: relaxed or not, no sweep can lower it."""
    correlation, adjacency = problem
    graph = csr_array(adjacency)
    filled, coefficients = correlation.copy(), np.empty(graph.nnz)
    before = np.linalg.slogdet(filled).logabsdet
    for _ in range(20):
        scaling_cpu.sweep(
            correlation,
            filled,
            graph.indptr,
            graph.indices,
            relaxation,
            coefficients,
            np.empty(len(filled)),
        )
        after = np.linalg.slogdet(filled).logabsdet
        assert after >= before - 1e-12
        before = after
    np.testing.assert_array_equal(filled[adjacency], correlation[adjacency])
    np.testing.assert_array_equal(filled, filled.T)


def sweeps_apart(seed: int, precision: type = np.float64) -> float:
    """Return how far compiled sweeps are from readable ones, in units of what rounding explains.

    The compiled ones may be given what they are to agree with in less precision.
    """
    rng = np.random.default_rng(seed)
    p = 12
    target = np.corrcoef(rng.standard_normal((200, p)), rowvar=False)
    joined = np.triu(rng.random((p, p)) < 0.3, 1)
    graph = csr_array(joined | joined.T)
    around = graph.indptr, graph.indices
    order = scaling.search_order(*around)
    assert np.array_equal(order, scaling_cpu.search_order(*around))
    # Each number is a sum of at most p products of solutions of equations of this condition.
    most = p * np.linalg.cond(target) * np.finfo(np.float64).eps
    results = []
    for module, given in ((scaling, target), (scaling_cpu, target.astype(precision).astype(float))):
        filled, positive = module.fill_in_order(given, *around, order, 1e-9)
        coefficients, variance = np.empty(graph.nnz), np.empty(p)
        moves = [
            module.sweep(given, filled, *around, relaxation, coefficients, variance)
            for relaxation in (1.0, 1.3)
        ]
        results.append((np.array(moves), filled, coefficients, variance))
        assert positive
    return max(np.abs(compiled - readable).max() / most for readable, compiled in zip(*results))


@pytest.mark.parametrize("seed", range(5))
def test_compiled_sweeps_agree_with_the_readable_ones(seed: int) -> None:
    assert sweeps_apart(seed) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_sweeps_in_single_precision_would_be_noticed(seed: int) -> None:
    assert sweeps_apart(seed, np.float32) > 1
