"""Models that streams are drawn from, and the pairs of columns that are edges."""

import numpy as np
from numpy.random import Generator
from scipy.sparse import csc_array, eye_array

from hedgerow.base.table import EdgeTable
from hedgerow.datasets import Model, make

COLUMNS = 50
FAMILIES = ("empty", "chain", "grid", "hubs", "ar1")

Pairs = set[tuple[int, int]]


def world(family: str, rng: Generator) -> Model:
    """Return a random model of the family."""
    if family == "empty":
        return Model("empty", csc_array(eye_array(COLUMNS)))
    return make(family, COLUMNS, seed=rng, **({"rho": 0.95} if family == "ar1" else {}))


def changed(model: Model, rng: Generator) -> Model:
    """Return the model with a quarter of the variables in each other's places."""
    moved = rng.choice(COLUMNS, COLUMNS // 4, replace=False)
    order = np.arange(COLUMNS)
    order[moved] = np.roll(moved, 1)
    return Model(model.name, csc_array(model.precision[order][:, order]))


def true_edges(model: Model) -> Pairs:
    """Return the edges of a model."""
    return {(min(edge), max(edge)) for edge in model.edges.tolist()}


def edges_in(table: EdgeTable) -> Pairs:
    """Return the edges in a table."""
    return set(zip(table.source.tolist(), table.target.tolist()))
