"""Rivals by name, and rows for them."""

import numpy as np
import pytest

from hedgerow import datasets, rivals


@pytest.fixture(params=[name for name in rivals.names() if rivals.why_not(name) is None])
def name(request):
    """Every method whose package is installed."""
    return request.param


@pytest.fixture
def draw():
    """Rows of a model by the name of its family: ``draw(family, p, m, seed)``."""

    def draw(family, size, rows, seed, **options):
        rng = np.random.default_rng(seed)
        model = datasets.make(family, size, seed=rng, **options)
        return model, model.sample(rows, rng)

    return draw
