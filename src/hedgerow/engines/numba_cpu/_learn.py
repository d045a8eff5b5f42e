"""Rows in, moments and Hedge's state out: who does what, in which order."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.memory import check_memory
from hedgerow.engines.numba_cpu._columns import contrast, prepare_rows
from hedgerow.engines.numba_cpu._gram import add_gram, mirror
from hedgerow.engines.numba_cpu._nodes import learn_nodes
from hedgerow.engines.numba_cpu._products import LINE, WHOLE_TILES, zeros
from hedgerow.engines.numba_cpu._residuals import with_more
from hedgerow.engines.numba_cpu._threads import Job, Run, blocks, job_size, team, thread_count
from hedgerow.method import hedge
from hedgerow.method.engine import Array, Named
from hedgerow.method.forgetting import NEVER, decline, row_weights
from hedgerow.method.hedge import HedgeState, share_of
from hedgerow.method.learned import Learned, learned_of, named, scaled
from hedgerow.method.marginals import FIRST_ROWS, KNOTS
from hedgerow.method.moments import Columns, Moments, init_moments, scaled_columns
from hedgerow.method.residuals import LAGS, Residuals
from hedgerow.progress import report

Rows = NDArray[np.floating]
Strip = tuple[int, int]  # the first of some nodes, and the first that is none of them
Piece = tuple[int, NDArray[np.intp]]  # where it starts, and where its batches end
Room = tuple[NDArray[np.float64], NDArray[np.float32]]

_SINGLES_PER_LINE = LINE // np.dtype(np.float32).itemsize
_CHUNK = 2**20  # numbers of a chunk of rows
_SHORTEST_CHUNK, _LONGEST_CHUNK = 512, 4096  # rows of a chunk
_MOST_NODES = 96  # learned at a time, for their state to stay in the cache of a core
_MOST_COLUMNS = 24  # whose products are added at a time
_PER_THREAD = 2300  # bytes for each column while Hedge is asked, and while neighbours are chosen
# The first rows as they came and scored, knots and counts, and some copies of these in passing.
BYTES_PER_COLUMN = 8 * (2 * FIRST_ROWS + 10 * KNOTS)
_MIRRORED = 64  # rows of the matrix of products that are copied to columns at a time


class Chunk(NamedTuple):
    """Some rows, whole batches, in the forms that the learner wants."""

    columns: Columns  # moments of the columns after these rows
    row_weights: NDArray[np.float64]
    contrasts: NDArray[np.float64]
    standard: NDArray[np.float32]
    ends: NDArray[np.intp]  # where batches end
    shares: NDArray[np.float32]  # of the batches in the average


def init(n_columns: int, half_life: float = NEVER) -> Learned:
    """Return the state before the first row, if there is memory to learn and to test."""
    check_memory(needed_bytes(n_columns), n_columns, "to learn and test")
    gradient, average = np.zeros((2, n_columns, n_columns), dtype=np.float32)
    learner = hedge.init(n_columns)._replace(gradient=gradient, average=average)
    return Learned(init_moments(n_columns), learner, half_life)


def needed_bytes(n_columns: int) -> int:
    """Return about how much memory learning and testing take at most, beside the rows.

    That is products, gradients and averages, what is known of single columns, and then either two
    chunks of rows, or the scores and codes of all pairs and what each thread has in hand
    (docs/speed.md).
    """
    held, scores = 16 * n_columns**2 + BYTES_PER_COLUMN * n_columns, 5 * n_columns**2
    chunks = 2 * (8 + 4) * _SHORTEST_CHUNK * n_columns
    return held + max(chunks, scores + _PER_THREAD * n_columns * thread_count())


def learn(state: Learned, rows: Rows) -> Learned:
    """Return the state after more rows: whole batches, as `hedge.batch_ends` cuts them."""
    pieces = list(pieces_of(state, rows))
    if not pieces:
        return state
    start = 0
    rooms = cycle([room_for(pieces, rows.shape[1]), room_for(pieces, rows.shape[1])])
    errors = _room_for_errors(state, pieces)
    prepared = partial(prepare, state.half_life, rows)
    with team(rows.size * rows.shape[1]) as run:
        chunk = prepared(next(rooms), state.hedge.columns, *pieces[0])
        for following in [*pieces[1:], None]:
            jobs = jobs_of(state, chunk, errors)
            if following is not None:  # one thread prepares the next chunk meanwhile
                jobs.insert(0, partial(prepared, next(rooms), chunk.columns, *following))
            end = start + len(chunk.standard)
            result = run(jobs, partial(_tell, start, end, len(rows)))
            start = end
            state = after(_with_residuals(state, chunk, errors, run), chunk)
            chunk = result[0]
    return state


def count(state: Learned, rows: Rows, strip: Strip | None = None) -> Learned:
    """Return the state with the rows of an unfinished batch in its moments, and no more.

    Of a ``strip`` of nodes only, if there is one.
    """
    moments, learner, half_life, _ = state
    counted = moments.rows - learner.rows
    if counted == len(rows):
        return state
    new_weights = row_weights(learner.rows, len(rows), half_life)[counted:]
    totals = _running(moments.weight, new_weights)
    mean, contrasts = moments.mean.copy(), zeros(len(new_weights), rows.shape[1], np.float64)
    contrast(rows[counted:], new_weights, totals, mean, contrasts)
    with team(contrasts.size * len(mean)) as run:
        run(gram_jobs(contrasts, moments.products, strip or (0, len(mean))))
    squared_weight = _running(moments.squared_weight, np.square(new_weights))[-1]
    rows_seen = learner.rows + len(rows)
    moments = Moments(rows_seen, mean, moments.products, totals[-1], squared_weight)
    return state._replace(moments=moments)


def residuals(state: Learned) -> Residuals | None:
    """Return sums over residuals; None if `look_back` was never called."""
    return state.residuals


def mean(state: Learned) -> Array:
    """Return the mean of each column."""
    return state.moments.mean


def moments(state: Learned) -> Moments:
    """Return the moments of the rows, half of whose products may have been out of date."""
    products = state.moments.products
    with team(products.size) as run:
        run(partial(mirror, *some, products) for some in blocks(len(products), _MIRRORED))
    return state.moments


def to_numpy(state: Learned) -> Named:
    """Return all that is kept, by name."""
    moments(state)
    return named(state)


def from_numpy(arrays: Named) -> Learned:
    """Return the state whose `to_numpy` these are, in memory of its own; or that of a table."""
    if "table" in arrays:
        return learn(init(arrays["table"].shape[1]), arrays["table"])
    moments, learner, half_life, residuals = learned_of(arrays)
    kinds = {"gradient": np.float32, "average": np.float32}
    own: dict[str, Any] = {
        name: np.array(getattr(learner, name), dtype=kinds.get(name, np.float64))
        for name in HedgeState._fields[1:]
    }
    moments = moments._replace(products=np.array(moments.products, dtype=np.float64))
    return Learned(moments, HedgeState(learner.columns, **own), half_life, residuals)


def pieces_of(state: Learned, rows: Rows) -> Iterator[Piece]:
    """Yield where chunks of whole batches start, and where their batches end.

    The first is short where threads are several, because all but one wait for it. After the batch
    that ends a period of weights, a new chunk begins.
    """
    seen, half_life = state.hedge.rows, state.half_life
    length = min(max(_CHUNK // rows.shape[1], _SHORTEST_CHUNK), _LONGEST_CHUNK)
    start, limit = 0, _SHORTEST_CHUNK if thread_count() > 1 else length
    some: list[int] = []
    for end in hedge.batch_ends(seen, len(rows), half_life):
        if some and (
            end > start + limit or decline(seen + start, seen + some[-1], half_life) < 1.0
        ):
            yield start, np.array(some)
            start, some, limit = some[-1], [], length
        some.append(end)
    if some:
        yield start, np.array(some)


def room_for(pieces: list[Piece], n_columns: int) -> Room:
    """Return memory for the contrasts and standardised rows of the longest piece."""
    longest = max(int(ends[-1]) - start for start, ends in pieces)
    return zeros(longest, n_columns, np.float64), zeros(longest, n_columns, np.float32)


def prepare(
    half_life: float,
    rows: Rows,
    room: Room,
    columns: Columns,
    start: int,
    ends: NDArray[np.intp],
) -> Chunk:
    """Return the rows from ``start`` to the last of ``ends``, ready to be learned from."""
    rows, ends = rows[start : ends[-1]], ends - start
    seen, n_rows = columns.rows, len(rows)
    new_weights = row_weights(seen, n_rows, half_life)
    totals = _running(columns.weight, new_weights)
    shares = [share_of(*around) for around in pairwise(totals[[0, *ends]])]
    contrasts, standard = room[0][:n_rows], room[1][:n_rows]
    mean, squares = columns.mean.copy(), columns.squares.copy()
    columns = Columns(seen + n_rows, mean, squares, float(totals[-1]))
    prepare_rows(rows, new_weights, totals, ends, columns, contrasts, standard)
    columns = scaled_columns(columns, decline(seen, seen + n_rows, half_life))
    return Chunk(
        columns, new_weights, contrasts, standard, ends, np.array(shares, dtype=np.float32)
    )


def _running(start: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return running sums, one value after the other, so that no cut changes a bit."""
    return np.cumsum(np.concatenate([[start], values]))


def _room_for_errors(state: Learned, pieces: list[Piece]) -> NDArray[np.float32]:
    """Return memory for the residuals of the longest piece and those before it, if they matter."""
    if state.residuals is None:
        return np.empty((0, LAGS), dtype=np.float32)
    longest = max(int(ends[-1]) - start for start, ends in pieces)
    # One column more than are used: a matrix without gaps between its rows would be another type to
    # the compiler, with sums in another order, and whether there are gaps depends on the cut.
    return zeros(len(state.moments.mean), LAGS + longest + 1, np.float32)


def _with_residuals(state: Learned, chunk: Chunk, errors: NDArray[np.float32], run: Run) -> Learned:
    """Return the state with the residuals of a chunk in its sums."""
    sums = state.residuals
    if sums is None:
        return state
    errors[:, :LAGS] = sums.recent.T
    return state._replace(residuals=with_more(sums, errors, chunk.row_weights, chunk.ends, run))


def jobs_of(
    state: Learned, chunk: Chunk, errors: NDArray[np.float32], strip: Strip | None = None
) -> list[Job]:
    """Return the jobs that bring gradients, averages and products up to date, of a strip or all."""
    moments, learner, *_ = state
    n_columns = len(moments.mean)
    first, last = strip or (0, n_columns)
    width = -(-n_columns // _SINGLES_PER_LINE) * _SINGLES_PER_LINE
    row_weights = chunk.row_weights.astype(np.float32)
    batches = (chunk.standard, width, row_weights, chunk.ends, chunk.shares)
    counted = moments.rows - learner.rows
    size = job_size(n_columns, WHOLE_TILES, _MOST_NODES)
    return [
        *(
            partial(learn_nodes, *nodes, *batches, learner, errors)
            for nodes in blocks(last, size, first)
        ),
        *gram_jobs(chunk.contrasts[counted:], moments.products, (first, last)),
    ]


def after(state: Learned, chunk: Chunk) -> Learned:
    """Return the state after the jobs of a chunk."""
    moments, learner, half_life, residuals = state
    new = np.square(chunk.row_weights[moments.rows - learner.rows :])
    squared_weight = _running(moments.squared_weight, new)[-1]
    factor = decline(learner.rows, chunk.columns.rows, half_life)
    moments = moments._replace(squared_weight=squared_weight)
    moments, learner, _, residuals = scaled(Learned(moments, learner, half_life, residuals), factor)
    rows, mean, _, weight = chunk.columns
    moments = moments._replace(rows=rows, mean=mean, weight=weight)
    return Learned(moments, learner._replace(columns=chunk.columns), half_life, residuals)


def _tell(start: int, end: int, n_rows: int, share: float) -> None:
    report("learning", (start + share * (end - start)) / n_rows)


def gram_jobs(
    contrasts: NDArray[np.float64], products: NDArray[np.float64], strip: Strip
) -> list[Job]:
    """Return the jobs that add products of contrasts, those of a strip of columns."""
    first, last = strip
    # The last rows of a triangle are the longest: begun first, they do not keep others waiting.
    size = job_size(len(products), WHOLE_TILES, _MOST_COLUMNS)
    some_columns = list(blocks(last, size, first))[::-1]
    return [partial(add_gram, *columns, contrasts, products) for columns in some_columns]
