"""Columns with many neighbours: are the bounds kept, and how early are hubs seen?

Of each data set: whether any column is said to have more neighbours than it has; and of the column
that has most, its neighbours, edges found and bound.
"""

import warnings
from functools import partial
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks import document, kept
from benchmarks.quality import cut, elsewhere, kinds
from benchmarks.quality.cases import COLUMNS
from hedgerow import HedgeGraph

RATIOS = (1.0, 2.0, 4.0, 10.0)  # rows for each column
WITH_HUBS = ("star", "hubs", "barabasi_albert", "barabasi_albert, mixed")
DRAWN = tuple(
    elsewhere.Case(*case) for case in product(("Les Misérables", "wheel"), elsewhere.SIGNS)
)
FAMILIES = ("star", "hubs", "barabasi_albert", "watts_strogatz", "free_field", "empty")
KINDS = (
    *("normal", "Student t, 3", "exp", "volatility", "outlying cells, 2 %", "AR 0.8"),
    *("own memories", "five steps, even", "yes or no, shares 0.1 to 0.9", "Poisson counts"),
    "10 % missing",
)


class Seen(NamedTuple):
    """What one data set shows."""

    too_large: bool  # a bound
    neighbours: int
    edges: int
    at_least: int


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality hubs --seeds {seeds}")
    with get_context("spawn").Pool(processes) as pool:
        early = [_early(pool, case, seeds) for case in (*WITH_HUBS, *DRAWN)]
        kept_ = [_kept(pool, kind, seeds) for kind in KINDS]
    header = ["graph", "neighbours", *(f"m/p = {ratio:g}" for ratio in RATIOS)]
    said = (
        f"Of the column with most neighbours: edges found at a false discovery rate of 0.05 / "
        f"bound; means of {seeds} data sets."
    )
    blocks = {
        "hubs": f"{said}\n\n{document.table(header, early)}",
        "hubs-kept": document.table(["kind", "tables", "any bound too large"], kept_),
    }
    for text in blocks.values():
        print(text, flush=True)
    document.publish("quality", made, blocks)


def seen(rows_of, *place) -> Seen:
    """Return what the data set at some place shows."""
    warnings.simplefilter("ignore")
    model, rows = rows_of(*place)
    graph = HedgeGraph().fit(getattr(rows, "seen", rows))
    degrees = np.asarray(model.adjacency.sum(axis=1)).ravel()
    at_least, most = graph.fewest_neighbours_, int(degrees.argmax())
    found = int(graph.adjacency_.sum(axis=1)[most])
    return Seen(bool((at_least > degrees).any()), int(degrees[most]), found, int(at_least[most]))


def _early(pool, case, seeds: int) -> list[str]:
    cells, neighbours = [], []
    for ratio in RATIOS:
        if isinstance(case, elsewhere.Case):
            places = [(case, ratio, seed) for seed in range(seeds)]
            all_seen = pool.starmap(partial(seen, elsewhere.rows_of), places)
        else:
            places = [("normal", case, COLUMNS, round(ratio * COLUMNS), s) for s in range(seeds)]
            all_seen = pool.starmap(partial(seen, kinds.rows_of), places)
        neighbours += [each.neighbours for each in all_seen]
        edges, at_least = (np.mean([each[k] for each in all_seen]) for k in (2, 3))
        cells.append(f"{edges:.1f} / {at_least:.1f}")
    name = case if isinstance(case, str) else ", ".join(case)
    return [name, f"{np.mean(neighbours):.0f}", *cells]


def _kept(pool, kind: str, seeds: int) -> list[str]:
    rows_of = kinds.rows_of if kind in kinds.KINDS else cut.rows_of
    places = [
        (kind, family, COLUMNS, round(ratio * COLUMNS), seed)
        for family, ratio, seed in product(FAMILIES, RATIOS[1:], range(seeds))
    ]
    broken = [each.too_large for each in pool.starmap(partial(seen, rows_of), places)]
    return [kind, f"{len(broken)}", f"{np.mean(broken):.3f}"]
