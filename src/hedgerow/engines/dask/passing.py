"""Products of a strip's weights with rows of all nodes, which pass by strip after strip."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu.strips import (
    WHOLE_TILES,
    add_related,
    blocks,
    nodes_of_a_slab,
    zeros,
)
from hedgerow.method.engine import Array

Singles = NDArray[np.float32]


class Beside(NamedTuple):
    """Covariances of the residuals of a strip with those of another."""

    covariances: Singles
    variance: Array  # of the strip's own; only if the other is the same strip


def whole_tiles(n_nodes: int) -> int:
    """Return the least number of nodes, from ``n_nodes`` on, that fill whole tiles."""
    return -(-n_nodes // WHOLE_TILES) * WHOLE_TILES


def negative(own: Singles) -> Singles:
    """Return a strip's own rows, times -1, to which products are added as others pass by."""
    n_nodes, n_columns = own.shape
    left: Singles = zeros(whole_tiles(n_nodes), n_columns, np.float32)
    np.negative(own, out=left[:n_nodes, :n_columns])
    return left


def go_on(left: Singles, weights: Singles, rows: Singles, before: int) -> Singles:
    """Add the products of weights with the rows of a strip, ``before`` which there are others."""
    left = left.copy()
    own = np.zeros((len(left), weights.shape[1]), dtype=np.float32)
    own[: len(weights)] = weights
    for start, stop in blocks(len(left), nodes_of_a_slab(weights.shape[1])):
        add_related(own[start:stop], before, rows, left[start:stop])
    return left
