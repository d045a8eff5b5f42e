"""Workers that are killed: is the graph that of one machine, to the last bit, every time?"""

import argparse
import os
import signal
import tempfile
from collections.abc import Iterator

import dask.array as da
import distributed
import numpy as np

from benchmarks import document, kept
from benchmarks.cluster.tables import on_cluster, same, write_table
from hedgerow import HedgeGraph
from hedgerow.progress import watching

COLUMNS, ROWS, RUNS = 400, 1000, 5
WORKERS, FEWEST, PATIENCE = 3, 2, 60  # a killed worker is started again, or is not in time
PHASES = ("checking", "learning", "choosing neighbours", "asking Hedge")
COMMAND = "python -m benchmarks.cluster kills"


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        alone, there = HedgeGraph().fit(np.load(path)), on_cluster(path)
        found: dict[str, list[bool]] = {phase: [] for phase in PHASES}
        waiting = [phase for phase in PHASES for _ in range(RUNS)]
        while waiting:
            for model in killed(waiting, there):
                found[waiting.pop(0)].append(same(alone, model))
                print({phase: sum(equal) for phase, equal in found.items()}, flush=True)
    lines = [[phase, f"{len(equal)}", f"{sum(equal)}"] for phase, equal in found.items()]
    text = document.table(["a worker was killed while", "fits", "same bits"], lines)
    print(text)
    if (n_rows, n_columns) == (ROWS, COLUMNS):
        kept.keep("distributed", kept.made(COMMAND), {"kills": text})


def killed(phases: list[str], rows: da.Array) -> Iterator[HedgeGraph]:
    """Yield models, a worker killed in the first of these phases, while a cluster has workers."""
    with (
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        while phases:
            try:
                client.wait_for_workers(FEWEST, timeout=PATIENCE)
            except TimeoutError:
                return
            yield killed_in(phases[0], client, rows)


def killed_in(phase: str, client: distributed.Client, rows: da.Array) -> HedgeGraph:
    """Return a model during whose fit a worker was killed."""
    done = []

    def kill(stage: str, share: float) -> None:
        if stage == phase and not done:
            done.append(next(iter(client.run(os.getpid).values())))
            os.kill(done[0], signal.SIGKILL)

    with watching(kill):
        model = HedgeGraph().fit(rows)
    if not done:
        raise RuntimeError(f"no worker was killed while {phase}")
    return model
