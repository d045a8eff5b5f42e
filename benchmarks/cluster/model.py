"""Time against workers, on paper: operations, bytes and transfers, with constants measured here.

Computing is measured in the processor's own seconds of one thread, so that what else the machine
does hardly matters. The network is nobody's here: its speed is assumed, and said.
"""

import argparse
from collections.abc import Callable
from time import thread_time
from typing import NamedTuple

import numpy as np

from benchmarks import document, kept
from hedgerow.engines.dask.asking import _at_once
from hedgerow.engines.dask.learning import StripEngine
from hedgerow.engines.dask.room import PER_PAIR, Workers, division_of
from hedgerow.engines.numba_cpu import first_marginals, score_rows
from hedgerow.engines.numba_cpu.strips import with_threads
from hedgerow.method.forgetting import NEVER
from hedgerow.method.ordered import in_order

COMMAND = "python -m benchmarks.cluster model"
NETWORK = 1.25e9  # bytes a second of each worker: ten gigabits
ROWS = 10_000
# Threads and gibibytes of each worker, and how many of them.
CASES = {100_000: (16, 128, (4, 16, 64)), 1_000_000: (4, 384, (128, 512, 2048))}
NEIGHBOURS = 4  # chosen for a node, and rounds in which most are; one more finds none
_COLUMNS, _NODES, _LEARNED = 3000, 576, 1536


class Constants(NamedTuple):
    """Seconds of one thread."""

    learn: float  # for a row, a node and a column
    treat: float  # for a row and a column
    ask: float  # for a node and a pair of columns


def measured() -> Constants:
    """Return constants of this machine."""
    rows = np.random.default_rng(0).standard_normal((_LEARNED, _COLUMNS))
    engine = StripEngine((_COLUMNS - _NODES, _COLUMNS))
    with with_threads(1):
        learn = _least(lambda: engine.learn(engine.init(_COLUMNS), rows))
        known = first_marginals(in_order(rows[:512]), np.zeros(_COLUMNS, dtype=bool), NEVER)
        treat = _least(lambda: score_rows(known, rows[:512], NEVER))
        some = rows[:_NODES].astype(np.float32) / _COLUMNS
        strips = [(0, _NODES)]
        ask = _least(lambda: _at_once(0, strips, [some], some, [some]))
    # A strip's own columns, in both products.
    return Constants(
        learn / (_LEARNED * _NODES * _COLUMNS),
        treat / (512 * _COLUMNS),
        ask / (2 * _NODES * _NODES * _COLUMNS),
    )


def _least(work: Callable[[], object]) -> float:
    times = []
    for _ in range(4):  # the first compiles, or loads what was compiled
        begun = thread_time()
        work()
        times.append(thread_time() - begun)
    return min(times[1:])


def row_of(constants: Constants, n_columns: int, own: int, size: int, number: int) -> list[str]:
    """Return a line of the table: hours by what they are spent on."""
    threads, held = number * own, PER_PAIR * n_columns**2 / number
    head = [f"{n_columns:,}", f"{number:,} of {own} threads, {size} GiB", f"{held / 2**30:.0f}"]
    layout, _ = division_of(Workers(number, threads, size << 30), n_columns)
    strips = len(layout.strips)
    pairs = float(n_columns) ** 2
    learn = ROWS * (constants.learn * pairs + constants.treat * strips * n_columns) / threads
    # Products with all columns, and then with earlier nodes only: half of them.
    ask = constants.ask * 1.5 * pairs * n_columns / threads
    # What passes by when Hedge is asked; tiles of products, scores, weights and Hedge's scores; and
    # candidates of all strips in each round.
    candidates = 8.0 * sum(step + 4 for step in range(NEIGHBOURS + 1))
    carried = pairs * (6.0 * strips + 10.0) + candidates * strips * n_columns
    move = carried / number / NETWORK
    return [*head, *(f"{x / 3600:.2g}" for x in (learn, ask, move, learn + ask + move))]


def run(options: argparse.Namespace) -> None:
    constants = measured()
    text = (
        f"One thread of this machine takes {constants.learn * 1e9:.2f} ns to learn from a row for "
        f"a pair of columns, {constants.treat * 1e9:.0f} ns to treat a cell, and "
        f"{constants.ask * 1e9:.3f} ns to ask Hedge for a pair and a column. With {ROWS:,} "
        f"rows, and a network of {NETWORK / 1e9:.2f} GB/s for each worker (assumed), that makes "
        f"these hours:"
    )
    header = ["columns", "workers", "GiB held by each", "learn", "ask Hedge", "move", "all"]
    lines = [
        row_of(constants, n_columns, threads, size, number)
        for n_columns, (threads, size, numbers) in CASES.items()
        for number in numbers
    ]
    text += "\n\n" + document.table(header, lines)
    print(text)
    kept.keep("distributed", kept.made(COMMAND), {"model": text})
