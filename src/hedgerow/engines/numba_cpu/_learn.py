"""Rows in, moments and Hedge's state out: who does what, in which order."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import hedge
from hedgerow.engines._interface import Learned
from hedgerow.engines.numba_cpu._columns import contrast, prepare_columns
from hedgerow.engines.numba_cpu._gram import add_gram, mirror
from hedgerow.engines.numba_cpu._nodes import average_rows, learn_nodes
from hedgerow.engines.numba_cpu._products import LINE, zeros
from hedgerow.engines.numba_cpu._threads import Job, Run, team
from hedgerow.hedge import HedgeState
from hedgerow.moments import Columns, Moments, init_moments

Rows = NDArray[np.floating]

_SINGLES_PER_LINE = LINE // np.dtype(np.float32).itemsize
_CHUNK = 2**21  # numbers of a chunk of rows
_SHORTEST_CHUNK, _LONGEST_CHUNK = 512, 4096  # rows of a chunk; a multiple of every batch
_NODES = 24  # learned at a time: their state fits into the cache of a core
_COLUMNS = 64  # prepared at a time, at least


def init(n_columns: int) -> Learned:
    """Return the state before the first row."""
    start = hedge.init(n_columns)
    return from_numpy(Learned(init_moments(n_columns), start))


def learn(state: Learned, rows: Rows) -> Learned:
    """Return the state after more rows: whole batches, as `hedge.batch_ends` cuts them."""
    ends = np.array(hedge.batch_ends(state.hedge.rows, len(rows)), dtype=np.intp)
    with team() as run:
        for first, last, ends_in_chunk in _chunks(ends, rows.shape[1]):
            state = _learn_chunk(state, rows[first:last], ends_in_chunk, run)
    return state


def count(state: Learned, rows: Rows) -> Learned:
    """Return the state with the rows of an unfinished batch in its moments, and no more.

    The matrix of products is then symmetric.
    """
    moments, learner = state
    new = rows[moments.rows - learner.rows :]
    n_columns = len(moments.mean)
    mean, squares = moments.mean.copy(), np.zeros(n_columns)
    contrasts = zeros(len(new), n_columns, np.float64)
    contrast(new, moments.rows, mean, squares, contrasts, 0)
    with team() as run:
        run(_gram_jobs(contrasts, moments.products))
        run(partial(mirror, *nodes, moments.products) for nodes in _blocks(n_columns, _NODES))
    return Learned(Moments(moments.rows + len(new), mean, moments.products), learner)


def weights(state: Learned, rows: Rows) -> NDArray[np.floating]:
    """Return Hedge's average weights, those for the rows of an unfinished batch included."""
    learner = state.hedge
    share = np.float32(_share(learner.rows, learner.rows + len(rows)))
    result = learner.average.copy()
    with team() as run:
        blocks = _blocks(len(result), _NODES)
        run(partial(average_rows, *nodes, share, learner, result) for nodes in blocks)
    return result


def to_numpy(state: Learned) -> Learned:
    """Return the state as NumPy arrays."""
    return count(state, np.empty((0, len(state.moments.mean))))


def from_numpy(learned: Learned) -> Learned:
    """Return the state that `to_numpy` gave, in memory of its own and in this engine's types."""
    moments, learner = learned
    kinds = {"gradient": np.float32, "average": np.float32}
    arrays: dict[str, Any] = {
        name: np.array(getattr(learner, name), dtype=kinds.get(name, np.float64))
        for name in HedgeState._fields[1:]
    }
    products = np.array(moments.products, dtype=np.float64)
    return Learned(
        Moments(moments.rows, moments.mean, products), HedgeState(learner.columns, **arrays)
    )


def _learn_chunk(state: Learned, rows: Rows, ends: NDArray[np.intp], run: Run) -> Learned:
    moments, learner = state
    n_rows, n_columns = rows.shape
    columns = Columns(learner.rows, learner.columns.mean.copy(), learner.columns.squares.copy())
    contrasts = zeros(n_rows, n_columns, np.float64)
    standard = zeros(n_rows, n_columns, np.float32)
    run(
        partial(prepare_columns, *some, rows, ends, columns, contrasts, standard)
        for some in _blocks(n_columns, _COLUMNS)
    )
    seen = learner.rows + np.concatenate([[0], ends])
    shares = _share(seen[:-1], seen[1:]).astype(np.float32)
    width = -(-n_columns // _SINGLES_PER_LINE) * _SINGLES_PER_LINE
    counted = moments.rows - learner.rows
    run(
        [
            *(
                partial(learn_nodes, *nodes, standard, width, ends, shares, learner)
                for nodes in _blocks(n_columns, _NODES)
            ),
            *_gram_jobs(contrasts[counted:], moments.products),
        ]
    )
    columns = columns._replace(rows=learner.rows + n_rows)
    return Learned(
        Moments(columns.rows, columns.mean, moments.products),
        learner._replace(columns=columns),
    )


def _chunks(ends: NDArray[np.intp], n_columns: int) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
    """Yield where chunks of whole batches start and end, and their batches within them."""
    length = min(max(_CHUNK // n_columns, _SHORTEST_CHUNK), _LONGEST_CHUNK)
    first = 0
    while ends.size:
        inside = ends[: max(np.searchsorted(ends, first + length, side="right"), 1)]
        yield first, int(inside[-1]), inside - first
        first, ends = int(inside[-1]), ends[len(inside) :]


def _gram_jobs(contrasts: NDArray[np.float64], products: NDArray[np.float64]) -> list[Job]:
    # The last rows of a triangle are the longest: begun first, they do not keep others waiting.
    blocks = reversed(list(_blocks(len(products), _NODES)))
    return [partial(add_gram, *nodes, contrasts, products) for nodes in blocks]


def _blocks(n: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, n, size):
        yield start, min(start + size, n)


def _share(before: Any, after: Any) -> Any:
    """Return a batch's share in the average of all so far, row t counting in proportion to t."""
    return 1.0 - (before / np.maximum(after, 1)) ** 2
