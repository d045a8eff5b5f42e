"""F1 and time of every method as it comes, on easy and hard families."""

from itertools import product

from benchmarks.peers.objective import Record, judged, rows_of, warm_up
from benchmarks.peers.solvers import SOLVERS

FAMILIES = ("random_regular", "grid", "erdos_renyi", "barabasi_albert", "hubs", "brownian_path",
            "path_cliques", "free_field")  # fmt: skip
COLUMNS = 64
ROWS = (150, 500)
LIMIT = 60.0  # seconds


def cells() -> list[tuple]:
    return list(product(SOLVERS, FAMILIES, ROWS))


def work(method: str, family: str, m: int) -> list[Record]:
    """Judge a method on the data sets of a cell."""
    warm_up(method)
    records = []
    for seed in range(SOLVERS[method].seeds):
        model, rows = rows_of(family, COLUMNS, m, seed)
        result = judged(method, rows, model, LIMIT)
        records.append({"method": method, "family": family, "m": m, "seed": seed, **result})
    return records
