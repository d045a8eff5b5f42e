"""What stands between two variables: the way from one to the other along the strongest edges.

In a graph of partial correlations the covariance of two variables is a sum over the paths between
them, and what a path adds has the product of its partial correlations as a factor (Jones and West,
2005). The strongest path is the one with the largest product.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

_STEP = 1e-9  # of an edge of strength one: a length of zero would be no edge

Indices = NDArray[np.signedinteger]


def strongest_path(
    source: Indices,
    target: Indices,
    partial_corr: NDArray[np.float64],
    n_columns: int,
    ends: tuple[int, int],
) -> list[int] | None:
    """Return the variables from one end to the other, both included; None if no path joins them.

    Examples
    --------
    >>> source, target = np.array([0, 1, 0, 2]), np.array([1, 3, 2, 3])
    >>> strongest_path(source, target, np.array([0.5, 0.5, -0.9, 0.4]), 5, (0, 3))
    [0, 2, 3]
    >>> strongest_path(source, target, np.array([0.5, 0.5, -0.9, 0.4]), 5, (0, 4))
    """
    length = _STEP - np.log(np.minimum(np.abs(partial_corr), 1.0))
    lengths = csr_array((length, (source, target)), shape=(n_columns, n_columns))
    start, node = ends
    _, before = dijkstra(lengths, directed=False, indices=start, return_predecessors=True)
    path = [node]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
        if path[-1] < 0:
            return None
    return path[::-1]
