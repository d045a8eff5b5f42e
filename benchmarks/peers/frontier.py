"""F1 and time of every method as it comes, on easy and hard families."""

from itertools import product

from benchmarks.peers.objective import Record, judged, rows_of, warm_up
from benchmarks.peers.solvers import SOLVERS

FAMILIES = ("random_regular", "grid", "erdos_renyi", "barabasi_albert", "hubs", "brownian_path",
            "path_cliques", "free_field")  # fmt: skip
COLUMNS = 64
ROWS = (150, 500)
SEEDS, SEEDS_OF_SLOW = 10, 4
LIMIT = 60.0  # seconds


def cells() -> list[tuple]:
    taking_part = (method for method, solver in SOLVERS.items() if not solver.twin)
    return list(product(taking_part, FAMILIES, ROWS))


def work(method: str, family: str, m: int) -> list[Record]:
    """Judge a method on the data sets of a cell."""
    warm_up(method)
    records = []
    for seed in range(SEEDS_OF_SLOW if SOLVERS[method].slow else SEEDS):
        model, rows = rows_of(family, COLUMNS, m, seed)
        result = judged(method, rows, model, LIMIT)
        records.append({"method": method, "family": family, "m": m, "seed": seed, **result})
    return records
