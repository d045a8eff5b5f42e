"""Columns held fixed: graphs of rows that batches and age act on, with them, without, and unharmed.

Of each data set three graphs: with batch and age given, of the same rows as if nothing had acted on
them, and with nothing given. Batches shift all columns, each by its own amount; age adds to all
of them.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks import document, kept
from benchmarks.groups.coverage import FAMILIES, LEVEL
from benchmarks.quality.cases import CASES
from benchmarks.quality.kinds import remembered
from hedgerow import HedgeGraph
from hedgerow.datasets import Model, rescale

Array = NDArray[np.float64]
Rows = Callable[[Array, Array, Generator], tuple[Array, Array]]

COLUMNS = 24
ROWS = (120, 480, 1920)
BATCHES = ("north", "south", "east", "west", "centre")
SHIFT, SLOPE = 0.7, 0.5  # standard deviations, over columns, of what batches and age do


class Effects(NamedTuple):
    """What is done to normal rows, and to the same rows with effects added."""

    rows: Rows
    acts: float = 1.0
    sorted: bool = False  # by batch
    fewer: int = 1  # data sets


def _added(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    return rows, rows + effects


def _heavy_tails(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    rows = rows * np.sqrt(3.0 / rng.chisquare(3, (len(rows), 1)))
    return rows, rows + effects


def _a_series(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    rows = remembered(rows, 0.8)
    return rows, rows + effects


def _skewed(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    rows = np.exp(rows)
    return rows, rows + effects * rows.std(axis=0)


def _multiplied(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    return np.exp(rows), np.exp(rows + effects)


def _missing(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    gone = rng.random(rows.shape) < 0.1
    return np.where(gone, np.nan, rows), np.where(gone, np.nan, rows + effects)


def _five_steps(rows: Array, effects: Array, rng: Generator) -> tuple[Array, Array]:
    cuts = [-1.2, -0.4, 0.4, 1.2]
    return np.digitize(rows, cuts).astype(float), np.digitize(rows + effects, cuts).astype(float)


SITUATIONS = {
    "normal rows": Effects(_added),
    "rows sorted by batch": Effects(_added, sorted=True),
    "three times the effects": Effects(_added, acts=3.0),
    "no effects": Effects(_added, acts=0.0),
    "heavy tails (Student t, 3)": Effects(_heavy_tails),
    "a series (AR 0.8)": Effects(_a_series),
    "skewed columns (exp)": Effects(_skewed),
    "effects that multiply (exp)": Effects(_multiplied),
    "10 % missing": Effects(_missing, fewer=2),
    "five steps": Effects(_five_steps, fewer=3),
}


class Judged(NamedTuple):
    """Errors of a graph."""

    f1: float
    false: float  # share of edges, at a false discovery rate
    any: float  # whether any is false, familywise


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups given --sets {sets}")
    lines = []
    for situation, effects in SITUATIONS.items():
        some = max(sets // effects.fewer, 1)
        cells = [
            [one(situation, family, n_rows, seed) for family in FAMILIES for seed in range(some)]
            for n_rows in ROWS
        ]
        lines.append([situation, *map(cell, cells)])
        print(*lines[-1], sep=" | ", flush=True)
    n_sets = sets * len(FAMILIES)
    said = (
        f"{COLUMNS} columns, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {sets} data sets of "
        f"each for a cell, half as many with missing cells and a third with steps. For each: F1 "
        f"and share of false edges at a false discovery rate of {LEVEL}, and how often any edge is "
        f"false at a familywise error rate of {LEVEL}: {document.chance(LEVEL, n_sets)}."
    )
    header = ["given / without effects / nothing given", *(f"{n:,} rows" for n in ROWS)]
    document.publish("groups", made, {"given": f"{said}\n\n{document.table(header, lines)}"})


def one(situation: str, family: str, n_rows: int, seed: int) -> tuple[Judged, ...]:
    """Return errors of three graphs: with what acts on rows given, without effects, not given."""
    effects = SITUATIONS[situation]
    rng = np.random.default_rng([crc32(family.encode()), n_rows, seed])
    model = CASES[family].make(COLUMNS, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    batch = rng.integers(0, len(BATCHES), n_rows)
    if effects.sorted:
        batch = np.sort(batch)
    age = rng.normal(50.0, 15.0, n_rows)
    shifts, slopes = rng.normal(0, SHIFT, (len(BATCHES), COLUMNS)), rng.normal(0, SLOPE, COLUMNS)
    acts = effects.acts * (shifts[batch] + (age[:, None] - 50.0) / 15.0 * slopes)
    unharmed, rows = effects.rows(model.sample(n_rows, rng), acts, rng)
    table = np.empty((n_rows, COLUMNS + 2), dtype=object)
    table[:, :COLUMNS], table[:, COLUMNS] = rows, age
    table[:, -1] = np.array(BATCHES)[batch]
    held = HedgeGraph(level=LEVEL, given=[COLUMNS, COLUMNS + 1]).fit(table)
    graphs = held, HedgeGraph(level=LEVEL).fit(unharmed), HedgeGraph(level=LEVEL).fit(rows)
    return tuple(judged(graph, model) for graph in graphs)


def judged(graph: HedgeGraph, model: Model) -> Judged:
    """Return the errors of a graph."""
    true = np.zeros((COLUMNS, COLUMNS), dtype=bool)
    true[tuple(np.transpose(model.edges))] = True
    true |= true.T
    found = graph.adjacency_.toarray()
    right, wrong, lost = (found & true).sum(), (found & ~true).sum(), (~found & true).sum()
    strict = graph.set_params(error="fwer").adjacency_.toarray()
    return Judged(
        2.0 * right / max(2 * right + wrong + lost, 1),
        wrong / max(right + wrong, 1),
        float((strict & ~true).any()),
    )


def cell(found: Sequence[tuple[Judged, ...]]) -> str:
    """Return what a table says, in bold where a promise is clearly not kept."""
    values = np.array(found)
    told = []
    for k in range(values.shape[1]):
        f1, false, strict = (values[:, k, j] for j in range(3))
        told.append(f"{f1.mean():.2f}, {_rate(false)}, {_rate(strict)}")
    return " / ".join(told)


def _rate(values: Array) -> str:
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    text = f"{mean:.2f}"
    return f"**{text}**" if mean - 2.0 * error > LEVEL else text
