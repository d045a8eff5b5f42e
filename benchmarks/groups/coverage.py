"""How many intervals miss the partial correlation that they are for: by kind of data and rows.

Of each data set: the share of edges whose interval misses, at a false discovery rate of 0.05 (the
mean over data sets is the false coverage rate); whether any misses, at a familywise error rate of
0.05; and the share of intervals at 0.95 that miss, over pairs chosen before any row was drawn.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import document, kept
from benchmarks.quality import cut, kinds
from hedgerow import HedgeGraph
from hedgerow.base.table import EdgeTable
from hedgerow.datasets import Model
from hedgerow.method.intervals import interval
from hedgerow.method.one_pair import of_pair

COLUMNS = 32
RATIOS = (4, 10, 40)  # rows for each column
FAMILIES = ("watts_strogatz", "random_tree", "free_field", "path_cliques", "hubs")
KINDS = (
    "normal",
    "Student t, 3",
    "exp",
    "volatility",
    "AR 0.8",
    "own memories",
    "outlying cells, 0.5 %",
    "five steps, even",
    "yes or no, half",
    "Poisson counts",
    "mixed table",
    "10 % missing",
)
LEVEL = 0.05
PAIRS = 150  # of a data set


class Missed(NamedTuple):
    """What one data set says."""

    edges: float  # share of edges
    any: float  # whether any edge's, familywise
    pairs: float  # share of pairs


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups coverage --sets {sets}")
    lines: list[list[str]] = []
    for kind in KINDS:
        lines.append(measured(kind, sets))
        print(*lines[-1], sep=" | ", flush=True)
    header = ["edges / any edge / pairs", *(f"{ratio * COLUMNS:,} rows" for ratio in RATIOS)]
    said = (
        f"{COLUMNS} columns, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {sets} data sets of "
        f"each for a cell, half as many of tables with steps, counts or gaps; ± is one standard "
        f"error. Of data sets with any edge whose interval misses, "
        f"{document.chance(LEVEL, sets * len(FAMILIES))}."
    )
    document.publish("groups", made, {"coverage": f"{said}\n\n{document.table(header, lines)}"})


def measured(kind: str, sets: int) -> list[str]:
    """Return the line of a kind."""
    some = sets if kind in kinds.KINDS else max(sets // 2, 1)
    cells = [
        [one(kind, family, ratio * COLUMNS, seed) for family in FAMILIES for seed in range(some)]
        for ratio in RATIOS
    ]
    return [kind, *map(cell, cells)]


def one(kind: str, family: str, n_rows: int, seed: int) -> Missed:
    """Return how many intervals miss in one data set."""
    rng = np.random.default_rng([seed, n_rows])
    every = np.transpose(np.triu_indices(COLUMNS, 1))
    ends = rng.choice(every, PAIRS, replace=False)
    model, rows = rows_of(kind, family, n_rows, seed)
    truth = true_partial_corr(model)
    graph = HedgeGraph(level=LEVEL).fit(rows)
    edges = missing(graph.edges_, truth)
    known = graph._known(np.arange(COLUMNS))
    found = [of_pair(known, *pair) for pair in ends]
    low, high = interval(
        np.array([pair.partial_corr for pair in found]),
        np.array([pair.spread for pair in found]),
        LEVEL,
    )
    wanted = truth[tuple(ends.T)]
    pairs = (wanted < low) | (wanted > high)
    strict = missing(graph.set_params(error="fwer").edges_, truth)
    return Missed(float(edges.mean()) if len(edges) else 0.0, float(strict.any()), pairs.mean())


def rows_of(kind: str, family: str, n_rows: int, seed: int) -> tuple[Model, np.ndarray]:
    """Return a model of the family and rows of the kind."""
    if kind in kinds.KINDS:
        return kinds.rows_of(kind, family, COLUMNS, n_rows, seed)
    model, rows = cut.rows_of(kind, family, COLUMNS, n_rows, seed)
    return model, rows.seen


def true_partial_corr(model: Model) -> np.ndarray:
    """Return the matrix of partial correlations given all other variables."""
    scale = np.sqrt(model.precision.diagonal())
    result: np.ndarray = -model.precision.toarray() / np.outer(scale, scale)
    return result


def missing(edges: EdgeTable, truth: np.ndarray) -> np.ndarray:
    """Return which edges have an interval that misses."""
    wanted = truth[edges.source, edges.target]
    result: np.ndarray = (wanted < edges.low) | (wanted > edges.high)
    return result


def cell(found: Sequence[Missed]) -> str:
    """Return what a table says of some data sets, in bold where a promise is clearly not kept."""
    edges, strict, pairs = np.array(found).T
    texts = []
    for values, form in ((edges, ".3f"), (strict, ".2f"), (pairs, ".3f")):
        mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
        text = f"{mean:{form}}" if values is strict else f"{mean:{form}} ± {error:{form}}"
        texts.append(f"**{text}**" if mean - 2.0 * error > LEVEL else text)
    return " / ".join(texts)
