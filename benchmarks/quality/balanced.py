"""Balanced graphs: what is their own estimate of false edges worth?

Two hubs of 300 leaves each, whose leaves look related to each other while the hub is not clear:
with hubs given to all columns and shadows counted, and by tests alone. And all families, by numbers
of columns and rows: the estimate, the truth, and where one is far from the other, by more than
chance.
"""

import warnings
from collections.abc import Sequence
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, norm

from benchmarks import document, kept
from benchmarks.quality import cases, elsewhere
from hedgerow import HedgeGraph
from hedgerow.datasets import Model
from hedgerow.method.graph import graph_of
from hedgerow.method.promises import BALANCED

ROWS = (100, 200, 400, 1000)
SHARES = (0.9, 0.97)  # of the strength at which two hubs are singular
RATIOS = (0.15, 0.5, 1.0, 2.0, 4.0, 10.0, 40.0)
COLUMNS = (30, cases.COLUMNS, 200, 600, 1000)
MOST_CELLS = 1_000_000  # of a table; larger ones are left out
FACTOR = 1.5  # truth and estimate are far apart from here on, if they are by no less than ...
CLEAR = 0.02  # ... this, and chance does so ...
RARE = 0.01  # ... with a smaller probability
HUB_COLUMNS = 600
SKIPPED = ("empty", "erdos_renyi, other units")


class Found(NamedTuple):
    """What a balanced graph is like."""

    edges: int
    false: float  # share
    estimate: float
    f1: float
    refused: bool = False


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
    blocks["balanced"] = document.table(_HEADER, lines)
    for text in blocks.values():
        print(text, flush=True)
    document.publish("quality", made, blocks)


_TOLD = ("edges", "false", "estimate", "F1")
_MEANS = ("estimate", "false", "F1", "without edges", "refused")
_FAR = ("tests alone: too low", "lowest alone", "too low", "lowest", "too high", "highest")
_HEADER = ("graphs", "columns", "m/p", *_MEANS, *_FAR)


def of_two_hubs(place: tuple[float, int, int]) -> tuple[Found, Found]:
    """Return the graph of a table of two hubs, and the one by tests alone."""
    share, n_rows, seed = place
    model = cases.two_hubs(HUB_COLUMNS, share)
    return _both(model.sample(n_rows, np.random.default_rng([n_rows, seed])), model)


def of_place(place: Place) -> tuple[Found, Found]:
    """Return what the graph of a data set is like, and the one by tests alone."""
    case, columns, ratio, seed = place
    if isinstance(case, elsewhere.Case):
        model, rows = elsewhere.rows_of(case, ratio, seed)
    else:
        model, rows = cases.rows_of(case, columns, max(round(ratio * columns), 8), seed)
    return _both(rows, model)


def _both(rows: np.ndarray, model: Model) -> tuple[Found, Found]:
    """Return the graph, and the one that neither is given hubs nor counts shadows."""
    warnings.simplefilter("ignore")
    graph = _fitted(rows)
    engine, evidence = graph._stream.evidence(graph._inflation())
    plain = graph_of(engine, evidence, len(rows), BALANCED)
    level = plain.balanced_level()
    plain = plain.up_to(level)
    return _found(graph, model), _judged(plain.source, plain.target, level, model)


def _fitted(rows: np.ndarray) -> HedgeGraph:
    return HedgeGraph(level=BALANCED, rows="independent", columns="normal").fit(rows)


def _found(graph: HedgeGraph, model: Model) -> Found:
    level = graph.level_
    edges = graph.graph_up_to(level)
    found = _judged(edges.source, edges.target, level, model)
    return found._replace(refused=bool(graph.why_no_edges()))


def _judged(source: np.ndarray, target: np.ndarray, level: float, model: Model) -> Found:
    truth = model.adjacency.toarray()
    right, number, n_edges = int(truth[source, target].sum()), len(source), int(truth.sum()) // 2
    false = 1.0 - right / number if number else 0.0
    return Found(number, false, level, 2 * right / max(number + n_edges, 1))


def _line_of_two(pool, share: float, n_rows: int, seeds: int) -> list[str]:
    both = pool.map(of_two_hubs, [(share, n_rows, seed) for seed in range(seeds)])
    cells = [f"{share:g}", f"{n_rows}"]
    for found in zip(*both):
        edges, false, estimate, f1 = np.mean([each[:4] for each in found], axis=0)
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
    of_all, alone = zip(*pool.map(of_place, places, chunksize=4))
    some = [each for each in of_all if each.edges]
    of_graphs = [f"{np.mean([each[k] for each in some]):.3f}" if some else "" for k in (2, 1)]
    of_tables = [f"{np.mean([each.f1 for each in of_all]):.3f}"]
    for what in zip(*((not each.edges, each.refused) for each in of_all)):
        of_tables.append(f"{np.mean(what):.2f}")
    shown = f"{columns}" if columns else "15 to 77"
    cells = [graphs, shown, f"{ratio:g}", *of_graphs, *of_tables]
    called = [name if isinstance(name, str) else ", ".join(name) for name in names]
    for found, low in ((alone, True), (of_all, True), (of_all, False)):
        far = _far(
            dict(
                zip(
                    called,
                    [found[k : k + number] for k in range(0, len(found), number)],
                    strict=True,
                )
            ),
            low=low,
        )
        cells += [f"{len(far)} of {len(names)}", max(far)[1] if far else ""]
    return cells


def _far(families: dict[str, Sequence[Found]], *, low: bool) -> list[tuple[float, str]]:
    """Return by how much, and where, estimates are too low, or too high."""
    far = []
    for name, found in families.items():
        cell = [each for each in found if each.edges]
        if cell and far_apart(cell, low=low):
            false, estimate = (np.mean([each[k] for each in cell]) for k in (1, 2))
            times = max(false, 0.001) / max(estimate, 0.001)
            far.append((times if low else 1.0 / times, f"{name} {false:.2f} for {estimate:.2f}"))
    return far


def far_apart(cell: Sequence[Found], *, low: bool) -> bool:
    """Return whether estimates are too low, or too high, by more than a factor and than chance.

    Chance is what independent edges have, and what is seen from one data set to the other.
    """
    edges, false, estimate = np.array([each[:3] for each in cell]).T
    truth, told = false.mean(), estimate.mean()
    less, more = (told, truth) if low else (truth, told)
    if more <= max(FACTOR * less, less + CLEAR):
        return False
    number, wrong = int(edges.sum()), round(float(edges @ false))
    if low:
        chance = binom.sf(wrong - 1, number, min(max(FACTOR * told, told + CLEAR), 1.0))
    else:
        chance = binom.cdf(wrong, number, min(told / FACTOR, told - CLEAR))
    if len(cell) > 1:
        beyond = false - FACTOR * estimate if low else estimate - FACTOR * false
        error = beyond.std(ddof=1) / np.sqrt(len(cell))
        chance = max(chance, norm.sf(beyond.mean() / error) if error else 0.0)
    return bool(chance < RARE)
