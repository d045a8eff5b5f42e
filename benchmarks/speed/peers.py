"""Time and F1 beside other methods, each in a process of its own, with a limit."""

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.speed import clock

SIZES = ((300, 1000), (1000, 1000))
AIMS = {"pyhuge MB + RIC": 5.0, "GraphicalLassoCV": 500.0}  # times as fast
OURS = "HedgeGraph"


def hedgerow(rows: np.ndarray) -> np.ndarray:
    from hedgerow import HedgeGraph

    return HedgeGraph().fit(rows).adjacency_.toarray()


def huge(rows: np.ndarray) -> np.ndarray:
    """Neighbourhood selection with the rotation information criterion, as its authors ship it."""
    import pyhuge

    path = pyhuge.huge(rows, method="mb", verbose=False)
    return pyhuge.huge_select(path, criterion="ric", verbose=False).refit.toarray() != 0


def graphical_lasso_cv(rows: np.ndarray) -> np.ndarray:
    from sklearn.covariance import GraphicalLassoCV

    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return GraphicalLassoCV(n_jobs=-1).fit(standard).precision_ != 0


PEERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    OURS: hedgerow,
    "pyhuge MB + RIC": huge,
    "GraphicalLassoCV": graphical_lasso_cv,
}


def run(options: argparse.Namespace) -> None:
    figures = []
    print("columns  rows  method                 s      F1")
    for n_columns, n_rows in SIZES:
        for name in PEERS:
            found = _in_a_process(name, n_columns, n_rows, options)
            figures.append({"columns": n_columns, "rows": n_rows, "method": name} | found)
            seconds, f1 = found["seconds"], found["f1"]
            shown = f"> {options.limit:.0f}" if f1 is None else f"{seconds:.4f}"
            print(f"{n_columns:7,} {n_rows:5,}  {name:<17} {shown:>10}  {f1 or float('nan'):.3f}")
    clock.keep("peers", figures)


def _in_a_process(name: str, n_columns: int, n_rows: int, options: argparse.Namespace) -> dict:
    command = [sys.executable, "-m", "benchmarks.speed.peers", name]
    command += [str(n_columns), str(n_rows), str(options.rounds)]
    try:
        done = subprocess.run(
            command, capture_output=True, check=True, text=True, timeout=options.limit
        )
    except subprocess.TimeoutExpired:
        return {"seconds": options.limit, "f1": None}
    return json.loads(done.stdout)


def _measure(name: str, n_columns: int, n_rows: int, rounds: int) -> None:
    from hedgerow.metrics import f1

    warnings.simplefilter("ignore")
    rows, model = clock.sample(n_columns, n_rows)
    method = PEERS[name]
    method(rows[:100, :20])  # compiles, imports
    times = []
    while len(times) < rounds and sum(times) < 20.0:
        begun = time.perf_counter()
        graph = method(rows)
        times.append(time.perf_counter() - begun)
    print(json.dumps({"seconds": min(times), "f1": f1(graph, model.adjacency)}))


if __name__ == "__main__":
    _measure(sys.argv[1], *map(int, sys.argv[2:5]))
