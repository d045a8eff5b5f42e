"""Gaps that are not alike in all columns, in rows that may remember: are the promises kept?

Tables of the families, with independent normal rows or an autocorrelation of 0.8, of which cells
are missing in one of several ways. For each: the share of false edges at a false discovery rate of
0.05, how often any edge is false at a familywise error rate of 0.05, and the share of edges found
at the former.
"""

import warnings
from itertools import product
from multiprocessing import get_context

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks import document, kept
from benchmarks.quality import kinds
from hedgerow import HedgeGraph

Array = NDArray[np.float64]

COLUMNS = 24
ROWS = (300, 900, 3000)
FAMILIES = ("watts_strogatz", "random_tree", "free_field", "hubs", "empty")
MEMORIES = {"independent rows": "normal", "AR 0.8": "AR 0.8"}
LEVEL = 0.05


def anywhere(rows: Array, rng: Generator) -> NDArray[np.bool_]:
    """Say that one cell in ten is missing by pure chance."""
    return rng.random(rows.shape) < 0.1


def in_some_columns(rows: Array, rng: Generator) -> NDArray[np.bool_]:
    """Say that four cells in ten are missing by pure chance, in every third column."""
    return (rng.random(rows.shape) < 0.4) & _some(rows)


def every_other(rows: Array, rng: Generator) -> NDArray[np.bool_]:
    """Say that every third column is measured in every other row."""
    return (np.arange(len(rows)) % 2 == 0)[:, None] & _some(rows)


def stretches(rows: Array, rng: Generator) -> NDArray[np.bool_]:
    """Say that each column has three stretches of a twentieth of the rows without a cell."""
    length = len(rows) // 20
    starts = rng.integers(len(rows) - length, size=(3, 1, rows.shape[1]))
    row = np.arange(len(rows))[:, None]
    return ((row >= starts) & (row < starts + length)).any(axis=0)


WAYS = {
    "one in ten": anywhere,
    "four in ten, in every third column": in_some_columns,
    "every other row, in every third column": every_other,
    "stretches": stretches,
}


def measure(place: tuple[str, str, str, int, int]) -> tuple[float, bool, float]:
    """Return share of false edges, whether any is false, and share of edges found."""
    warnings.simplefilter("ignore")
    way, memory, family, n_rows, seed = place
    model, rows = kinds.rows_of(MEMORIES[memory], family, COLUMNS, n_rows, seed)
    gone = WAYS[way](rows, np.random.default_rng([seed, n_rows]))
    rows = np.where(gone, np.nan, rows)
    true = model.adjacency.toarray() != 0
    number = true.sum() // 2
    false, found = _false(HedgeGraph().fit(rows), true)
    any_false, _ = _false(HedgeGraph(error="fwer").fit(rows), true)
    share = false / max(found, 1)
    return share, any_false > 0, (found - false) / number if number else np.nan


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality gaps --seeds {seeds}")
    lines = []
    with get_context("spawn").Pool(processes) as pool:
        for way, memory in product(WAYS, MEMORIES):
            cells = [f"{way}, {memory}"]
            for n_rows in ROWS:
                places = list(product([way], [memory], FAMILIES, [n_rows], range(seeds)))
                of_all = np.array(pool.map(measure, places, chunksize=4))
                cells.append(" / ".join(f"{mean:.3f}" for mean in np.nanmean(of_all, axis=0)))
            lines.append(cells)
    header = ["false / any false / found", *(f"{n_rows:,} rows" for n_rows in ROWS)]
    error = np.sqrt(LEVEL * (1 - LEVEL) / (seeds * len(FAMILIES)))
    text = (
        f"{COLUMNS} columns, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {seeds} data sets "
        f"of each; a share of tables that is {LEVEL} has a standard error of {error:.3f}.\n\n"
        + document.table(header, lines)
    )
    print(text)
    document.publish("quality", made, {"gaps": text})


def _some(rows: Array) -> NDArray[np.bool_]:
    return np.arange(rows.shape[1]) % 3 == 0


def _false(graph: HedgeGraph, true: NDArray[np.bool_]) -> tuple[int, int]:
    edges = graph.edges_
    wrong = [not true[a, b] for a, b in zip(edges.source, edges.target, strict=True)]
    return sum(wrong), len(wrong)
