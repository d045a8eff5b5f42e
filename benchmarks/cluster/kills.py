"""Workers that are killed: is the graph that of one machine, to the last bit, every time?"""

import argparse
import os
import signal
import tempfile

import distributed
import numpy as np

from benchmarks import document, kept
from benchmarks.cluster.tables import on_cluster, same, write_table
from hedgerow import HedgeGraph
from hedgerow.progress import watching

COLUMNS, ROWS, RUNS, WORKERS = 600, 1500, 5, 3
PHASES = ("checking", "learning", "choosing neighbours", "asking Hedge")
COMMAND = "python -m benchmarks.cluster kills"


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        alone, there = HedgeGraph().fit(np.load(path)), on_cluster(path)
        with (
            distributed.LocalCluster(
                n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            for phase in PHASES:
                found = [killed_in(phase, client, there, number) for number in range(RUNS)]
                equal = sum(same(alone, model) for model, _ in found)
                killed = sum(done for _, done in found)
                lines.append([phase, f"{RUNS}", f"{killed}", f"{equal}"])
                print(lines[-1], flush=True)
    text = document.table(["phase", "fits", "workers killed", "same bits"], lines)
    print(text)
    if (n_rows, n_columns) == (ROWS, COLUMNS):
        kept.keep("distributed", kept.made(COMMAND), {"kills": text})


def killed_in(phase: str, client: distributed.Client, rows: object, number: int) -> tuple:
    """Return a model during whose fit a worker is killed, and whether one was."""
    client.wait_for_workers(WORKERS)
    done = []

    def kill(stage: str, share: float) -> None:
        if stage == phase and not done:
            pids = sorted(client.run(os.getpid).values())
            os.kill(pids[number % len(pids)], signal.SIGKILL)
            done.append(stage)

    with watching(kill):
        return HedgeGraph().fit(rows), bool(done)
