"""What the tests are made from: moments, and Hedge's average weights, computed when they are read.

Each query of an unfinished stream has weights of its own: the average moves with every row. Kept
as a matrix they would cost as much memory as the gradients; but a few rows of them at a time cost
next to nothing.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.memory import check_memory
from hedgerow.engines.numba_cpu._learn import moments
from hedgerow.engines.numba_cpu._nodes import weight_rows
from hedgerow.engines.numba_cpu._threads import blocks, team
from hedgerow.method.engine import Indices, Repeats
from hedgerow.method.hedge import HedgeState, share_of
from hedgerow.method.inflation import Inflation
from hedgerow.method.learned import Learned, part_of
from hedgerow.method.moments import Moments, init_columns, with_unknown

_NODES = 64  # at a time


class Weights(NamedTuple):
    """What `_nodes.weight_rows` needs."""

    share: np.float32  # of the present weights in the average
    state: HedgeState


class Evidence(NamedTuple):
    """Moments of all rows, and weights."""

    moments: Moments
    weights: Weights
    inflation: Inflation


def evidence(
    state: Learned,
    rows: NDArray[np.floating],
    inflation: Inflation,
    unknown: NDArray[np.float64] | None = None,
) -> Evidence:
    """Return what all rows say, those of an unfinished batch (counted before) included."""
    share = np.float32(share_of(state.hedge.columns.weight, state.moments.weight))
    known = with_unknown(moments(state), unknown)
    return Evidence(known, Weights(share, state.hedge), inflation)


def weights(evidence: Evidence) -> NDArray[np.float32]:
    """Return the matrix of weights: row i holds node i's."""
    n_columns = len(evidence.moments.mean)
    result = np.empty((n_columns, n_columns), dtype=np.float32)
    with team() as run:
        run(
            partial(weight_rows, first, last, *evidence.weights, result[first:last])
            for first, last in blocks(n_columns, _NODES)
        )
    return result


def part(evidence: Evidence, columns: Indices, repeats: Repeats) -> Evidence:
    """Return the evidence on some columns; weight on a repeated one goes to its original."""
    # Copies of the weights, twice, and of the products and weights of these columns.
    n_columns = len(evidence.moments.mean)
    check_memory(8 * n_columns**2 + 12 * len(columns) ** 2, n_columns, "to set some of them aside")
    moments, matrix = part_of(evidence.moments, weights(evidence), columns, repeats)
    return Evidence(moments, given(matrix), evidence.inflation.part(columns))


def given(matrix: NDArray[np.floating]) -> Weights:
    """Return weights from their matrix."""
    n_columns = len(matrix)
    average = np.ascontiguousarray(matrix, dtype=np.float32)
    none, nothing = np.zeros(n_columns), np.zeros((0, n_columns), dtype=np.float32)
    state = HedgeState(init_columns(n_columns), nothing, none, none, none, average)
    return Weights(np.float32(0.0), state)
