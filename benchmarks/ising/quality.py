"""F1, the share of false edges and seconds against rows."""

from time import process_time

from benchmarks.ising.models import SLOW, Case, fitted, rows_of
from hedgerow import rivals
from hedgerow.metrics import f1, fdp

COLUMNS = 36
ROWS = (250, 1000, 4000)
SEEDS = 3
CASES = {
    "grid, J = 0.4": Case("grid", 0.4),
    "grid, ±0.5": Case("grid", 0.5, "mixed"),
    "3-regular, ±0.5": Case("random_regular", 0.5, "mixed", options=(("degree", 3),)),
    "triangular, frustrated, 0.4": Case("triangular", 0.4, "frustrated"),
    "scale-free, J = 0.2, h = 0.2": Case("barabasi_albert", 0.2, field=0.2),
    "star, J = 0.3": Case("star", 0.3),
    "cliques of 4, J = 0.3": Case("cliques", 0.3, options=(("size", 4),)),
}


def methods() -> list[str]:
    return [name for name in rivals.names("signs") if name != "ising_exhaustive"]


def cells() -> list[tuple]:
    """Return the data sets, with every method that is to learn from each."""
    return [
        (seed, case, m, method)
        for seed in range(SEEDS)
        for case in CASES
        for m in ROWS
        for method in methods()
        if not (seed and method in SLOW)
    ]


def work(seed: int, name: str, m: int, method: str) -> list[dict]:
    """One method on one data set."""
    case = CASES[name]
    rows, truth = rows_of(case, COLUMNS, max(ROWS), seed)[:m], case.model(COLUMNS).adjacency
    fitted(method, rows[:60, :5])  # compiles
    begun = process_time()
    found = fitted(method, rows).adjacency_
    seconds = process_time() - begun
    return [
        {
            "case": name,
            "m": m,
            "seed": seed,
            "method": method,
            "f1": f1(found, truth),
            "false": fdp(found, truth),
            "seconds": seconds,
        }
    ]
