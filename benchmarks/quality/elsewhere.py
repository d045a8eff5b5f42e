"""Graphs from elsewhere: networks that people have drawn, and families that no test was made on.

The cases of the main study were at hand while HedgeGraph was made. These were not: they are from
networkx, with strengths of their own, and were drawn when the tests were done.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple
from zlib import crc32

import networkx as nx
import numpy as np
import polars as pl
from numpy.random import Generator
from scipy.sparse import csc_array

from benchmarks.document import table
from benchmarks.quality import store, study, summary
from benchmarks.quality.cases import RATIOS
from benchmarks.quality.methods import METHODS
from benchmarks.quality.study import Job
from benchmarks.quality.summary import LOOSE, MAIN, OURS, graphs, mean_of_cells
from hedgerow.datasets import Model
from hedgerow.method.promises import BALANCED

RESULTS = store.FOLDER / "elsewhere.ndjson"
SEEDS = 5
COMPARED = (OURS, "lasso", "nebic", "ric", "stars")
WEAKEST, STRONGEST = 0.3, 0.9  # couplings before all are scaled
ROOM = 1.15  # by this factor the diagonal exceeds what makes the matrix singular
SIGNS = ("attractive", "mixed")


def _seeded(make: Callable[..., nx.Graph], *parameters: float) -> Callable[[Generator], nx.Graph]:
    return lambda rng: make(*parameters, seed=int(rng.integers(2**31)))


GRAPHS: dict[str, Callable[[Generator], nx.Graph]] = {
    "Zachary's karate club": lambda rng: nx.karate_club_graph(),
    "Les Misérables": lambda rng: nx.les_miserables_graph(),
    "Florentine families": lambda rng: nx.florentine_families_graph(),
    "Southern women": lambda rng: nx.davis_southern_women_graph(),
    "ladder": lambda rng: nx.ladder_graph(32),
    "torus": lambda rng: nx.grid_2d_graph(8, 8, periodic=True),
    "lattice in space": lambda rng: nx.grid_graph([4, 4, 4]),
    "binary tree": lambda rng: nx.balanced_tree(2, 5),
    "wheel": lambda rng: nx.wheel_graph(64),
    "caves": lambda rng: nx.connected_caveman_graph(12, 5),
    "scale-free with triangles": _seeded(nx.powerlaw_cluster_graph, 64, 2, 0.5),
    "points in the plane": _seeded(nx.random_geometric_graph, 64, 0.15),
    "dense and random": _seeded(nx.gnp_random_graph, 64, 0.125),
}


class Case(NamedTuple):
    """A graph and how the signs of its edges are drawn."""

    graph: str
    signs: str


def rows_of(case: Case, ratio: float, seed: int) -> tuple[Model, np.ndarray]:
    """Return a model on the graph and so many rows for each of its columns."""
    rng = np.random.default_rng([crc32(" ".join(case).encode()), round(10 * ratio), seed])
    joined = np.triu(nx.to_numpy_array(GRAPHS[case.graph](rng), weight=None), 1)
    coupling = joined * rng.uniform(WEAKEST, STRONGEST, joined.shape)
    if case.signs == "mixed":
        coupling *= rng.choice([-1.0, 1.0], joined.shape)
    coupling += coupling.T
    needed = np.abs(np.linalg.eigvalsh(coupling)).max()
    model = Model(case.graph, csc_array(ROOM * needed * np.eye(len(coupling)) - coupling))
    return model, model.sample(max(round(ratio * model.size), 10), rng)


def run(again: list[str], processes: int) -> None:
    """Do what is missing; results of the methods ``again`` are forgotten first."""
    done = study.forget(RESULTS, again)
    jobs = []
    for seed, case, ratio in product(range(SEEDS), product(GRAPHS, SIGNS), RATIOS):
        of_set = (", ".join(case), ratio, seed)
        left = tuple(method for method in COMPARED if (*of_set, method) not in done)
        if left:
            jobs.append(Job(*of_set, left))
    store.run_all(RESULTS, jobs, work, processes, "elsewhere")


def work(job: Job) -> list[store.Record]:
    """Run all methods on the data set of a job."""
    model, rows = rows_of(Case(*job.case.split(", ")), job.ratio, job.seed)
    return study.judged(job, model, rows)


def block() -> str:
    """Return our error rates, and F1 and share of false edges of all methods, by graph."""
    frame = summary.scored(store.read(RESULTS))
    lines = [_line(name, frame.filter(pl.col("case").str.starts_with(name))) for name in GRAPHS]
    lines.append(_line("all", frame))
    rivals = [METHODS[method].label for method in COMPARED[1:]]
    header = ["graph", f"false, {MAIN}", "any false, FWER 0.05"]
    header += [f"ours, {cut}" for cut in (MAIN, LOOSE, BALANCED)]
    return table(header + rivals, lines)


def _line(name: str, frame: pl.DataFrame) -> list[str]:
    ours = {cut: graphs(frame, OURS, cut) for cut in (MAIN, LOOSE, BALANCED)}
    rivals = [graphs(frame, method) for method in COMPARED[1:]]
    errors = [mean_of_cells(ours[MAIN], "fdp")]
    errors.append(mean_of_cells(graphs(frame, OURS, "FWER 0.05"), "any_false"))
    parts = [*ours.values(), *rivals]
    score, false = ([mean_of_cells(part, of).mean for part in parts] for of in ("f1", "fdp"))
    shown = [f"**{mean:.2f}**" if mean == max(score) else f"{mean:.2f}" for mean in score]
    shown = [f"{mean} ({share:.2f})" for mean, share in zip(shown, false)]
    return [name, *(f"{error.mean:.3f} ± {error.error:.3f}" for error in errors), *shown]
