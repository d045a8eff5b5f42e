"""What is left of most columns together (`hedgerow.method.shared`), from a triangle of scores."""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import FAST, IN_ORDER
from hedgerow.engines.numba_cpu._threads import Run, blocks, job_size
from hedgerow.method.shared import CLEAR, PARTS, followed

_SHARED_OUT = 600  # columns; with fewer, to hand out a product takes longer than to make it


def strength_of(scores: NDArray[np.float32], n_rows: float, run: Run) -> float:
    """Return how strongly most columns share something; below the diagonal is something else."""
    n_columns = len(scores)
    size = n_columns if n_columns < _SHARED_OUT else job_size(n_columns, 1, n_columns)
    jobs = list(blocks(n_columns, size))

    def product(direction: NDArray[np.float64]) -> NDArray[np.float64]:
        parts = run(partial(product_of, 0, *some, scores, direction) for some in jobs)
        return np.asarray(np.sum(parts, axis=0))

    return followed(product, n_columns, n_rows)


@njit(**IN_ORDER)
def product_of(corner, first, last, scores, direction):
    """Return the part that pairs of some nodes with later ones have in a product with a vector.

    ``corner`` is the number of the node that the first row and the first column of scores have.
    """
    result = np.zeros_like(direction)
    later = result[corner:]
    for i in range(first - corner, last - corner):
        later[i] += _row(scores[i], i + 1, direction[corner:], direction[corner + i], later)
    return result


@njit(**FAST)
def _row(scores, start, direction, here, result):
    own = 0.0
    for j in range(start, direction.size):
        score = np.rint(PARTS * scores[j]) if abs(scores[j]) <= CLEAR else 0.0
        own += score * direction[j]
        result[j] += score * here
    return own
