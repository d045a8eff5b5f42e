"""Rivals by name, and rows for them."""

import numpy as np
import pytest

from hedgerow import datasets, rivals


@pytest.fixture(params=[name for name in rivals.names() if rivals.why_not(name) is None])
def name(request):
    """Every method whose package is installed."""
    return request.param


@pytest.fixture
def draw(request):
    """Rows of a model by the name of its family: ``draw(family, p, m, seed)``.

    Of an Ising model with strong couplings, where the test is about a method for nothing else.
    """
    method = request.getfixturevalue("name") if "name" in request.fixturenames else None
    signs = method is not None and method not in rivals.names("numbers")

    def draw(family, size, rows, seed, **options):
        rng = np.random.default_rng(seed)
        if signs:
            model = datasets.make_ising(family, size, seed=rng, strength=0.8)
        else:
            model = datasets.make(family, size, seed=rng, **options)
        return model, model.sample(rows, rng)

    return draw


@pytest.fixture
def exact():
    """Rows whose sample covariance is the one given: what infinitely many rows would show."""

    def exact(covariance, rows=1000):
        noise = np.random.default_rng(0).standard_normal((rows, len(covariance)))
        orthogonal, _ = np.linalg.qr(noise - noise.mean(axis=0))
        return np.sqrt(rows) * orthogonal @ np.linalg.cholesky(covariance).T

    return exact


@pytest.fixture
def star():
    """Correlations of a star of four nodes, the first of them the hub."""

    def star(corr):
        matrix = np.full((4, 4), corr**2)
        matrix[0] = matrix[:, 0] = corr
        np.fill_diagonal(matrix, 1.0)
        return matrix

    return star


@pytest.fixture
def diamond():
    """Correlations of four nodes with all edges but 0 - 3, of which 1 and 2 are uncorrelated."""

    def diamond(corr):
        matrix = np.full((4, 4), corr)
        matrix[1, 2] = matrix[2, 1] = 0.0
        matrix[0, 3] = matrix[3, 0] = 2 * corr**2
        np.fill_diagonal(matrix, 1.0)
        return matrix

    return diamond


@pytest.fixture
def exact_rows():
    """Rows whose sample covariance is the given matrix: ``exact_rows(covariance, m)``."""

    def exact_rows(covariance, rows):
        noise = np.random.default_rng(0).standard_normal((rows, len(covariance)))
        white = np.linalg.qr(noise - noise.mean(axis=0))[0] * np.sqrt(rows)
        return white @ np.linalg.cholesky(covariance).T

    return exact_rows
