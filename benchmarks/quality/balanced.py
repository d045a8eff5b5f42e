"""Balanced graphs: what is their own estimate of false edges worth?

Two hubs of 300 leaves each, whose leaves look related to each other while the hub is not clear:
with the hubs given to all columns, and without. And all families, by numbers of columns and rows:
the estimate, the truth, and where the truth is far above the estimate.
"""

import warnings
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from benchmarks import document, kept
from benchmarks.quality import cases, elsewhere
from hedgerow import HedgeGraph
from hedgerow.datasets import Model
from hedgerow.method.graph import graph_of
from hedgerow.method.promises import BALANCED

ROWS = (100, 200, 400, 1000)
SHARES = (0.9, 0.97)  # of the strength at which two hubs are singular
RATIOS = (0.15, 0.5, 1.0, 2.0, 4.0, 10.0, 40.0)
COLUMNS = (30, cases.COLUMNS, 200, 600)
MOST_CELLS = 400_000  # of a table; larger ones are left out
TOO_LOW = 1.5  # times the estimate, and by no less than ...
CLEAR = 0.02  # ... this
SKIPPED = ("empty", "erdos_renyi, other units")


class Found(NamedTuple):
    """What a balanced graph is like."""

    edges: int
    false: float  # share
    estimate: float
    f1: float


class Place(NamedTuple):
    """A data set."""

    case: str | elsewhere.Case
    columns: int
    ratio: float
    seed: int


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality balanced --seeds {seeds}")
    with get_context("spawn").Pool(processes) as pool:
        of_two = [_line_of_two(pool, *place, seeds) for place in product(SHARES, ROWS)]
        lines = [_line(pool, *place, seeds) for place in _sizes()]
    header = ["strength", "rows", *(f"hubs {how}: {x}" for how in ("given", "not") for x in _TOLD)]
    blocks = {"balanced-hubs": document.table(header, of_two)}
    header = ["graphs", "columns", "m/p", "estimate", "false", "without edges", "too low", "worst"]
    blocks["balanced"] = document.table(header, lines)
    for text in blocks.values():
        print(text, flush=True)
    document.publish("quality", made, blocks)


_TOLD = ("edges", "false", "estimate", "F1")


def two_hubs(share: float, columns: int = 600) -> Model:
    """Return two stars side by side."""
    half = columns // 2
    precision = np.eye(columns)
    for hub in (0, half):
        leaves = slice(hub + 1, hub + half)
        precision[hub, leaves] = precision[leaves, hub] = -share / np.sqrt(half - 1)
    return Model("two hubs", csc_array(precision))


def of_two_hubs(place: tuple[float, int, int]) -> tuple[Found, Found]:
    """Return the graph with hubs given, and the one without."""
    warnings.simplefilter("ignore")
    share, n_rows, seed = place
    model = two_hubs(share)
    graph = _fitted(model.sample(n_rows, np.random.default_rng([n_rows, seed])))
    engine, evidence = graph._stream.evidence(graph._inflation())
    plain = graph_of(engine, evidence, n_rows, BALANCED)
    level = plain.balanced_level()
    plain = plain.up_to(level)
    return _found(graph, model), _judged(plain.source, plain.target, level, model)


def of_place(place: Place) -> Found:
    """Return what the graph of a data set is like."""
    warnings.simplefilter("ignore")
    case, columns, ratio, seed = place
    if isinstance(case, elsewhere.Case):
        model, rows = elsewhere.rows_of(case, ratio, seed)
    else:
        model, rows = cases.rows_of(case, columns, max(round(ratio * columns), 8), seed)
    return _found(_fitted(rows), model)


def _fitted(rows: np.ndarray) -> HedgeGraph:
    return HedgeGraph(level=BALANCED, rows="independent", columns="normal").fit(rows)


def _found(graph: HedgeGraph, model: Model) -> Found:
    level = graph.level_
    edges = graph.graph_up_to(level)
    return _judged(edges.source, edges.target, level, model)


def _judged(source: np.ndarray, target: np.ndarray, level: float, model: Model) -> Found:
    truth = model.adjacency.toarray()
    right, number, n_edges = int(truth[source, target].sum()), len(source), int(truth.sum()) // 2
    false = 1.0 - right / number if number else 0.0
    return Found(number, false, level, 2 * right / max(number + n_edges, 1))


def _line_of_two(pool, share: float, n_rows: int, seeds: int) -> list[str]:
    both = pool.map(of_two_hubs, [(share, n_rows, seed) for seed in range(seeds)])
    cells = [f"{share:g}", f"{n_rows}"]
    for found in zip(*both):
        edges, false, estimate, f1 = np.mean(found, axis=0)
        shown = f"{estimate:.2f}" if edges else ""
        cells += [f"{edges:.0f}", f"{false:.2f}", shown, f"{f1:.2f}"]
    return cells


def _sizes() -> list[tuple[str, int, float]]:
    sizes = [
        ("cases above", columns, ratio)
        for columns, ratio in product(COLUMNS, RATIOS)
        if columns * columns * ratio <= MOST_CELLS
    ]
    return sizes + [("elsewhere", 0, ratio) for ratio in RATIOS]


def _line(pool, graphs: str, columns: int, ratio: float, seeds: int) -> list[str]:
    if columns:
        names = [name for name in cases.CASES if name not in SKIPPED]
    else:
        names = [elsewhere.Case(*case) for case in product(elsewhere.GRAPHS, elsewhere.SIGNS)]
    number = max(min(seeds, seeds * cases.COLUMNS // max(columns, 1)), 1)
    places = [Place(*each) for each in product(names, [columns], [ratio], range(number))]
    of_all = pool.map(of_place, places, chunksize=4)
    some = [each for each in of_all if each.edges]
    shown = f"{columns}" if columns else "15 to 77"
    empty = 1.0 - len(some) / len(of_all)
    if not some:
        return [graphs, shown, f"{ratio:g}", "", "", f"{empty:.2f}", "0", ""]
    low = []
    for k, name in enumerate(names):
        cell = [each for each in of_all[number * k : number * (k + 1)] if each.edges]
        if not cell:
            continue
        _, false, estimate, _ = np.mean(cell, axis=0)
        if false > max(TOO_LOW * estimate, estimate + CLEAR):
            called = name if isinstance(name, str) else ", ".join(name)
            low.append((false / max(estimate, 0.001), f"{called} {false:.2f} for {estimate:.2f}"))
    _, false, estimate, _ = np.mean(some, axis=0)
    worst = max(low)[1] if low else ""
    cells = [f"{estimate:.3f}", f"{false:.3f}", f"{empty:.2f}", f"{len(low)} of {len(names)}"]
    return [graphs, shown, f"{ratio:g}", *cells, worst]
