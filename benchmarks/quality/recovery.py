"""How many rows exact recovery takes: the first m on a grid at which nine graphs in ten are right.

Methods that are told nothing stand beside methods whose one free number is set by an oracle: for
each data set, they succeed if any value of it gives the true graph. The grid has 16 steps to the
decade, and the first success is found by bisection.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.quality import store
from benchmarks.quality.methods import hedgerow, inverse_gram
from benchmarks.quality.store import Record
from hedgerow import HedgeGraph, datasets
from hedgerow.datasets import Model
from hedgerow.metrics import exact_recovery
from hedgerow.rivals import InverseGram
from hedgerow.theory import constants, plan

GRAPHS = ("chain", "grid", "random_regular", "star")
SEEDS = {64: 100, 256: 20}  # by number of columns
GOAL = 0.9
PROMISE = "FWER 0.05"
STEPS = 16  # to the decade
MOST_ROWS = 100_000
PENALTIES = 60


class Task(NamedTuple):
    """One search."""

    graph: str
    p: int
    method: str


def told_nothing(graphs: Callable) -> Callable[[np.ndarray, Model], bool]:
    return lambda rows, model: exact_recovery(graphs(rows, model)[PROMISE], model.adjacency)


def hedgerow_ranking(rows: np.ndarray, model: Model) -> bool:
    """Whether the table of edges, the surest first, begins with the true edges and no other."""
    table = HedgeGraph(error="fwer", level=0.99).fit(rows).edges_
    first = set(zip(table.source[: len(model.edges)], table.target[: len(model.edges)]))
    return first == set(map(tuple, model.edges))


def inverse_gram_ranking(rows: np.ndarray, model: Model) -> bool:
    """Whether some threshold on the partial correlations separates edges from the others."""
    strength = np.abs(InverseGram().fit(rows).partial_corr_)[np.triu_indices(model.size, 1)]
    edge = model.adjacency.toarray()[np.triu_indices(model.size, 1)]
    return bool(strength[edge].min() > strength[~edge].max())


def best_penalty(method: str, **options: str) -> Callable[[np.ndarray, Model], bool]:
    """Whether some penalty, from one that leaves no edge down to half the noise, is right."""

    def recovers(rows: np.ndarray, model: Model) -> bool:
        import pyhuge

        corr = np.corrcoef(rows, rowvar=False)
        np.fill_diagonal(corr, 0.0)
        noise = np.sqrt(np.log(model.size) / len(rows))
        largest = np.abs(corr).max()
        penalties = np.geomspace(largest, min(0.5 * noise, 0.1 * largest), PENALTIES)
        path = pyhuge.huge(rows, lambda_=penalties, method=method, verbose=False, **options)
        return any(exact_recovery(_either(graph), model.adjacency) for graph in path.path)

    return recovers


def _either(graph):
    return (graph + graph.T) != 0


RECOVERS: dict[str, tuple[str, Callable[[np.ndarray, Model], bool]]] = {
    "hedgerow": ("HedgeGraph, FWER 0.05", told_nothing(hedgerow)),
    "inverse": ("inverse Gram + Holm, FWER 0.05", told_nothing(inverse_gram)),
    "hedgerow oracle": ("HedgeGraph, best cut", hedgerow_ranking),
    "inverse oracle": ("inverse Gram, best cut", inverse_gram_ranking),
    "either oracle": ("neighbourhoods (or), best penalty", best_penalty("mb", sym="or")),
    "both oracle": ("neighbourhoods (and), best penalty", best_penalty("mb", sym="and")),
    "glasso oracle": ("graphical lasso, best penalty", best_penalty("glasso")),
}


def run(columns: list[int], graphs: list[str], again: list[str], processes: int) -> None:
    """Do the searches that are missing; results of the methods ``again`` are forgotten first."""
    kept = [r for r in store.read(store.RECOVERY) if r["method"] not in again]
    store.rewrite(store.RECOVERY, kept)
    done = {Task(r["graph"], r["p"], r["method"]) for r in kept}
    tasks = [Task(g, p, method) for p in columns for g in graphs for method in RECOVERS]
    left = [task for task in tasks if task not in done]
    store.run_all(store.RECOVERY, left, search, processes, "recovery")


def search(task: Task) -> list[Record]:
    """Bisect over the grid of rows, from a lower bound for any method upwards."""
    warnings.simplefilter("ignore")
    tried: dict[int, float] = {}

    def enough(step: int) -> bool:
        rows = rows_at(step)
        if rows > MOST_ROWS:
            return True  # the end of the search, not a success
        if rows not in tried:
            tried[rows] = success_rate(task, rows)
        return tried[rows] >= GOAL

    low = int(STEPS * np.log10(lower_bounds(task.graph, task.p)[0])) - 1
    if task.method.startswith("inverse"):
        low = max(low, int(STEPS * np.log10(task.p + 1)))  # fewer rows cannot be inverted
    high = low + STEPS // 4
    while not enough(high):
        low, high = high, high + STEPS // 4
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    rows = rows_at(high) if rows_at(high) <= MOST_ROWS else None
    return [{**task._asdict(), "rows": rows, "seeds": SEEDS[task.p], "rate": tried.get(rows)}]


def success_rate(task: Task, rows: int) -> float:
    """Return the share of seeds with the right graph; 0 as soon as the goal is out of reach."""
    recovers = RECOVERS[task.method][1]
    seeds, failures = SEEDS[task.p], 0
    for seed in range(seeds):
        rng = np.random.default_rng([GRAPHS.index(task.graph), task.p, rows, seed])
        model = datasets.make(task.graph, task.p, seed=rng)
        failures += not recovers(model.sample(rows, rng), model)
        if failures > (1 - GOAL) * seeds + 1e-9:
            return 0.0
    return 1 - failures / seeds


def rows_at(step: int) -> int:
    return round(10 ** (step / STEPS))


def lower_bounds(graph: str, p: int) -> tuple[int, int]:
    """Return rows without which nobody can succeed: by Fano's inequality, and eq. (1)'s order."""
    model = constants(datasets.make(graph, p, seed=0).precision)
    bounds = {bound.name: bound.rows for bound in plan(model.problem(delta=1 - GOAL))}
    return bounds["Any method, one edge"], bounds["Any method, at least"]
