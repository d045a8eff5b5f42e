"""Persons who were asked several times, held fixed: graphs of what goes together within them."""

from zlib import crc32

import numpy as np

from benchmarks import document, kept
from benchmarks.groups.coverage import FAMILIES, LEVEL
from benchmarks.groups.given import COLUMNS, Judged, cell, judged
from benchmarks.quality.cases import CASES
from hedgerow import HedgeGraph
from hedgerow.datasets import rescale

ROWS = (480, 1200)
TIMES = 4  # that each person is asked
APART = 0.8  # standard deviation of persons' own levels, over that within them


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups persons --sets {sets}")
    cells = [
        cell([one(family, n_rows, seed) for family in FAMILIES for seed in range(sets)])
        for n_rows in ROWS
    ]
    said = (
        f"{COLUMNS} columns, {len(FAMILIES)} families, {sets} data sets of each; every person "
        f"{TIMES} rows on end, and levels of their own with a standard deviation of {APART}."
    )
    header = ["given / as many rows without persons / nothing given"]
    header += [f"{n:,} rows" for n in ROWS]
    line = [f"persons asked {TIMES} times", *cells]
    print(*line, sep=" | ", flush=True)
    document.publish("groups", made, {"persons": f"{said}\n\n{document.table(header, [line])}"})


def one(family: str, n_rows: int, seed: int) -> tuple[Judged, ...]:
    """Return errors of graphs: persons given; rows of one level, without those it cost; neither."""
    rng = np.random.default_rng([crc32(family.encode()), n_rows, seed])
    model = CASES[family].make(COLUMNS, rng)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    who = np.arange(n_rows) // TIMES
    within = model.sample(n_rows, rng)
    rows = within + rng.normal(0, APART, (n_rows // TIMES, COLUMNS))[who]
    graphs = (
        HedgeGraph(level=LEVEL, given={COLUMNS: "categories"}).fit(np.column_stack([rows, who])),
        HedgeGraph(level=LEVEL).fit(within[n_rows // TIMES :]),
        HedgeGraph(level=LEVEL).fit(rows),
    )
    return tuple(judged(graph, model) for graph in graphs)
