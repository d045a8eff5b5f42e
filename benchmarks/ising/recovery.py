"""Rows with which the graph is exactly right in nine of ten data sets."""

from benchmarks.ising.models import TOLD, Case, fitted, rows_of
from hedgerow import rivals

STEPS = 8  # numbers of rows to the decade
SEEDS, MOST_WRONG = 10, 1
CASES = {
    ("torus, J = 0.4", 16): Case("torus", 0.4),
    ("3-regular, ±0.4", 16): Case("random_regular", 0.4, "mixed", options=(("degree", 3),)),
    ("3-regular, ±0.7", 16): Case("random_regular", 0.7, "mixed", options=(("degree", 3),)),
    ("3-regular, ±0.4", 36): Case("random_regular", 0.4, "mixed", options=(("degree", 3),)),
    ("3-regular, ±0.4", 64): Case("random_regular", 0.4, "mixed", options=(("degree", 3),)),
    ("torus, J = 0.4", 36): Case("torus", 0.4),
    ("3-regular, ±0.7", 36): Case("random_regular", 0.7, "mixed", options=(("degree", 3),)),
    ("torus, J = 0.7", 16): Case("torus", 0.7),
    ("3-regular, ±0.7", 64): Case("random_regular", 0.7, "mixed", options=(("degree", 3),)),
}
FIRST = 16  # step: 100 rows
LAST = {16: 35, 36: 30, 64: 30}  # by number of columns: about 24,000 and 5,600 rows
# Which are not made to have no false edge, and two of them take long where couplings are strong.
LEFT_OUT = ("logistic_cv", "logistic_ebic", "hedgerow_balanced", "ising_balanced")


def methods() -> list[str]:
    """Methods that are told what their papers take as known, and those that need not be told."""
    return [name for name in rivals.names("signs") if name not in LEFT_OUT]


def cells() -> list[tuple]:
    """Return all curves; the slowest, which is for few columns, in the end."""
    slow = "ising_exhaustive"
    quick = [(name, p, method) for name, p in CASES for method in methods() if method != slow]
    return quick + [(name, p, slow) for name, p in CASES if p == 16]


def rows_at(step: int) -> int:
    return round(10 ** (step / STEPS))


def work(name: str, p: int, method: str) -> list[dict]:
    """Bisection for the first step at which at most one data set of ten goes wrong."""
    case = CASES[name, p]
    model = case.model(p)

    def enough(step: int) -> bool:
        wrong = 0
        for seed in range(SEEDS):
            rows = rows_of(case, p, rows_at(LAST[p]), seed)[: rows_at(step)]
            found = fitted(method, rows, told=model).adjacency_
            wrong += (found != model.adjacency).nnz > 0
            if wrong > MOST_WRONG:
                return False
        return True

    low, high = FIRST - 1, LAST[p]
    reached = enough(high)
    while reached and high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return [
        {
            "case": name,
            "p": p,
            "method": method,
            "rows": rows_at(high) if reached else None,
            "told": method in TOLD,
        }
    ]
