"""How much memory workers need, asked beforehand, and how nodes are divided for it."""

from math import ceil, inf
from typing import Any, NamedTuple

from hedgerow.engines.dask.layout import ROWS_PER_NODE, Layout, layout_of

# Bytes for each pair of columns that all workers hold together when most is held: products,
# weights, scores and codes given neighbours, residuals of weights and what comes of them.
PER_PAIR = 25
# Bytes for each pair of a strip's nodes with all columns, while a thread works on it.
_PER_PAIR_AT_WORK = 20
_PER_COLUMN = 20_000  # for each thread: knots and counts, and a piece of rows in several forms
_PER_CELL = 16  # of a partition, while it is read: as it comes, and as numbers
_PER_COLUMN_AT_FIRST = 40_000  # once: the first rows, also in order, and scored
_STRIPS_PER_THREAD = 2  # at most, so that none waits long for the last; and at least one
_WIDE = 2000  # nodes of a strip, beside whose learning it hardly counts that all rows are treated
_SHARE_HELD, _SHARE_AT_WORK, _SHARE_FOR_ROWS = 0.6, 0.25, 0.1  # of a worker's memory
_MOST_TOGETHER = 16 << 30  # of a worker's memory, if it has more or no limit
_LEAST_ROWS = 4096  # between two exchanges of what predictions left


class Workers(NamedTuple):
    """What a cluster has."""

    number: int
    threads: int  # of all workers
    memory: float  # of the smallest; infinite where no limit was set


class Division(NamedTuple):
    """How the work is divided; the result does not depend on it."""

    layout: Layout
    rows: int  # that strips learn from before what predictions left is exchanged


def workers_of(client: Any) -> Workers:
    """Return what the cluster of a client has now."""
    known = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] or inf for worker in known]
    threads = sum(worker["nthreads"] for worker in known)
    return Workers(len(limits), threads, min(limits, default=inf))


def division_of(workers: Workers, n_columns: int, block: int = 0) -> Division:
    """Return how to divide the work; raise MemoryError if the workers have no room for it.

    ``block`` is the number of rows in the largest partition that is read at once.
    """
    number, threads, memory = workers
    own = threads / number
    most = _SHARE_AT_WORK * memory / (_PER_CELL * n_columns * own)
    if block > most:
        raise MemoryError(
            f"{_gibibytes(_PER_CELL * n_columns * block)} are needed to read a partition of "
            f"{block:,} rows, as each thread of a worker does, and workers of "
            f"{_gibibytes(memory)} are there; X.rechunk(({max(int(most), 1)}, -1)) has smaller "
            f"partitions"
        )
    held = PER_PAIR * n_columns**2
    columns = max(_PER_COLUMN * own, _PER_COLUMN_AT_FIRST) * n_columns
    if held / number > _SHARE_HELD * memory or columns > _SHARE_AT_WORK * memory:
        raise MemoryError(_advice(workers, n_columns, held, columns))
    n_strips = min(max(n_columns // _WIDE, threads), _STRIPS_PER_THREAD * threads)
    run, rows = n_columns, 1 << 20
    if memory < inf:
        at_work = _PER_PAIR_AT_WORK * n_columns**2 * own
        n_strips = max(n_strips, ceil(at_work / (_SHARE_AT_WORK * memory)))
        run = int(_SHARE_FOR_ROWS * memory / own / (8 * ROWS_PER_NODE * n_columns))
        rows = int(_SHARE_FOR_ROWS * memory * number / (4 * n_columns))
    together = 8 * n_columns**2 < _SHARE_FOR_ROWS * min(memory, _MOST_TOGETHER)
    layout = layout_of(n_columns, n_strips, run, together=together)
    return Division(layout, max(rows, _LEAST_ROWS))


def _advice(workers: Workers, n_columns: int, held: float, columns: float) -> str:
    number, _, memory = workers
    size = max(memory, columns / _SHARE_AT_WORK)
    enough = max(ceil(held / (_SHARE_HELD * size)), 1)
    return (
        f"{n_columns:,} columns need about {_gibibytes(held / _SHARE_HELD)} of memory on all "
        f"workers together, and {number} worker{'' if number == 1 else 's'} of "
        f"{_gibibytes(memory)} are there; {enough} of {_gibibytes(size)} would do"
    )


def _gibibytes(number: float) -> str:
    return f"{number / 2**30:.1f} GiB"
