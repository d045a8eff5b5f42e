"""Seconds of one core and F1 beside another method, each in a process of its own."""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.speed import clock
from hedgerow.datasets import FAMILIES

SIZES = ((300, 1000), (1000, 1000))
AIMS = {"ric": 5.0, "glassocv": 500.0}  # times as fast
OURS = "hedgerow"
LABELS = {"ric": "pyhuge, RIC", "glassocv": "GraphicalLassoCV"}
LIMIT = 15  # seconds for a graph
ROUNDS, ENOUGH = 5, 1.0  # no round is begun after so many or so many seconds


def run(options: argparse.Namespace) -> None:
    clock.keep("peers", beside("ric", list(FAMILIES), LIMIT))


def beside(peer: str, families: list[str], limit: int) -> list[dict[str, Any]]:
    """Return times of ours and of a method of ``benchmarks.quality``, and their F1.

    Times are medians over all families, F1 is a mean over those where the peer kept the limit.
    """
    figures = []
    print("columns  rows  graphs  stopped  seconds: ours, theirs   times ours   F1: ours, theirs")
    for n_columns, n_rows in SIZES:
        ours, theirs = (
            in_a_process(method, ",".join(families), n_columns, n_rows, limit)
            for method in (OURS, peer)
        )
        found = {"columns": n_columns, "rows": n_rows, "peer": peer} | compared(ours, theirs)
        figures.append(found)
        ratio = found["theirs_seconds"] / found["ours_seconds"]
        print(
            f"{n_columns:7,} {n_rows:5,} {len(families):7} {found['stopped']:8} "
            f"{found['ours_seconds']:13.4f} {found['theirs_seconds']:8.2f} {ratio:12.1f}   "
            f"{found['ours_f1']} {found['theirs_f1']}",
            flush=True,
        )
    return figures


def compared(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return medians of time, means of F1, and the standard error of the difference of these."""
    f1 = np.array([(a["f1"], b["f1"]) for a, b in zip(ours, theirs) if b["f1"] is not None])
    found: dict[str, Any] = {"graphs": len(ours), "stopped": len(ours) - len(f1)}
    for k, (who, results) in enumerate((("ours", ours), ("theirs", theirs))):
        found[f"{who}_seconds"] = float(np.median([one["seconds"] for one in results]))
        found[f"{who}_f1"] = float(f1[:, k].mean()) if len(f1) else None
    differences = f1[:, 0] - f1[:, 1] if len(f1) > 1 else np.zeros(2)
    return found | {"f1_doubt": float(differences.std(ddof=1) / np.sqrt(len(differences)))}


def in_a_process(*arguments: Any) -> list[dict[str, Any]]:
    """Return seconds and F1 of one method for every family, measured with one thread."""
    command = [sys.executable, "-m", "benchmarks.speed.peers", *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True, text=True)
    return json.loads(done.stdout)


def _measure(method: str, families: list[str], n_columns: int, n_rows: int, limit: int) -> None:
    """Print the results for every family; one that takes longer than the limit has no F1."""
    warnings.simplefilter("ignore")
    _judge(method, *clock.sample(20, 100))  # imports and compiles, for all forks
    fork = multiprocessing.get_context("fork")
    results = []
    for family in families:
        end, other_end = fork.Pipe(duplex=False)
        work = (method, *clock.sample(n_columns, n_rows, family))
        child = fork.Process(target=_judge_within, args=(limit, other_end, *work))
        child.start()
        other_end.close()
        try:
            results.append(end.recv())
        except EOFError:
            results.append({"seconds": limit, "f1": None})
        child.join()
    print(json.dumps(results))


def _judge_within(limit: int, answer: Connection, *work: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))  # counts from the fork
    answer.send(_judge(*work))


def _judge(method: str, rows: np.ndarray, model: Any) -> dict[str, Any]:
    from benchmarks.quality.methods import METHODS, OWN
    from hedgerow import HedgeGraph
    from hedgerow.metrics import f1

    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH:
        begun = time.thread_time()
        if method == OURS:
            graph = HedgeGraph().fit(rows).adjacency_.toarray()
        else:
            graph = METHODS[method].graphs(rows, model)[OWN]
        times.append(time.thread_time() - begun)
    return {"seconds": min(times), "f1": f1(graph, model.adjacency)}


if __name__ == "__main__":
    _measure(sys.argv[1], sys.argv[2].split(","), *map(int, sys.argv[3:]))
