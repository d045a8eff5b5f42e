"""Seconds of one core and F1 beside another method, each in a process of its own."""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.speed import clock
from hedgerow.datasets import FAMILIES

SIZES = ((300, 1000), (1000, 1000))
AIMS = {"ric": 5.0, "glassocv": 500.0}  # times as fast
OURS = "hedgerow"


def run(options: argparse.Namespace) -> None:
    clock.keep("peers", beside("ric", list(FAMILIES), options.limit))


def beside(peer: str, families: list[str], limit: int) -> list[dict[str, Any]]:
    """Return median time and mean F1 of ours and a method of ``benchmarks.quality``."""
    figures = []
    print("columns  rows  method     seconds  times ours     F1")
    for n_columns, n_rows in SIZES:
        ours = None
        for method in (OURS, peer):
            found = _in_a_process(method, families, n_columns, n_rows, limit)
            ours = ours or found["seconds"]
            found |= {"method": method, "times_ours": found["seconds"] / ours}
            figures.append({"columns": n_columns, "rows": n_rows, "graphs": len(families)} | found)
            least = ">" if found["stopped"] else " "
            print(
                f"{n_columns:7,} {n_rows:5,}  {method:<8} {least}{found['seconds']:9.4f} "
                f"{least}{found['times_ours']:10.1f}  {found['f1'] or float('nan'):.3f}",
                flush=True,
            )
    return figures


def _in_a_process(method: str, families: list[str], *numbers: int) -> dict[str, Any]:
    """Measure with one thread; a method that takes longer than the limit is stopped."""
    arguments = [method, ",".join(families), *map(str, numbers)]
    command = [sys.executable, "-m", "benchmarks.speed.peers", *arguments]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, text=True)
    if done.returncode == -signal.SIGXCPU:
        return {"seconds": numbers[-1], "f1": None, "stopped": True}
    done.check_returncode()
    return json.loads(done.stdout) | {"stopped": False}


def _measure(method: str, families: list[str], n_columns: int, n_rows: int, limit: int) -> None:
    from benchmarks.quality.methods import METHODS, OWN
    from hedgerow import HedgeGraph
    from hedgerow.metrics import f1

    def graph_of(rows: np.ndarray) -> np.ndarray:
        if method == OURS:
            return HedgeGraph().fit(rows).adjacency_.toarray()
        return METHODS[method].graphs(rows, model)[OWN]

    warnings.simplefilter("ignore")
    rows, model = clock.sample(20, 100)
    graph_of(rows)  # compiles, imports
    _, hardest = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + limit, hardest))
    seconds, right = [], []
    for family in families:
        rows, model = clock.sample(n_columns, n_rows, family)
        begun = time.process_time()
        graph = graph_of(rows)
        seconds.append(time.process_time() - begun)
        right.append(f1(graph, model.adjacency))
    print(json.dumps({"seconds": np.median(seconds), "f1": np.mean(right)}))


if __name__ == "__main__":
    _measure(sys.argv[1], sys.argv[2].split(","), *map(int, sys.argv[3:]))
