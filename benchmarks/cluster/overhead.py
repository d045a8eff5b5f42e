"""What the engine for clusters costs where one process would do: ratios of one run."""

import argparse
import os
import tempfile
import threading
from collections.abc import Callable
from time import clock_gettime, perf_counter, process_time, pthread_getcpuclockid

import dask
import distributed
import numpy as np

from benchmarks import document, kept
from benchmarks.cluster.tables import on_cluster, same, write_table
from hedgerow import HedgeGraph
from hedgerow.cli._cluster import WORKERS
from hedgerow.progress import watching

COLUMNS, ROWS, ROUNDS = 4000, 4000, 1
COMMAND = "python -m benchmarks.cluster overhead"
MEASURES = ("time", "processor time", "processor time without Dask's event loops")


def timed(work: Callable[[], HedgeGraph]) -> tuple[HedgeGraph, float, dict[str, float]]:
    """Return a model, how long it took, and when each stage ended."""
    ended: dict[str, float] = {}
    begun = perf_counter()
    with watching(lambda stage, _: ended.__setitem__(stage, perf_counter() - begun)):
        model = work()
    return model, perf_counter() - begun, ended


def used(client: distributed.Client) -> tuple[float, float]:
    """Return the processor's seconds of this process and of the workers so far.

    And the same without threads that do nothing but wait for messages: a hundredth of the time of
    each process, however long the machine is busy with other things.
    """
    there = np.sum(list(client.run(_used, "MainThread").values()), axis=0)
    return tuple(np.array(_used("IO loop")) + there)


def _used(waiting: str) -> tuple[float, float]:
    loops = [thread.ident for thread in threading.enumerate() if thread.name == waiting]
    waited = sum(clock_gettime(pthread_getcpuclockid(ident)) for ident in loops)
    return process_time(), process_time() - waited


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        rows, there = np.load(path), on_cluster(path)
        with (
            dask.config.set(WORKERS),
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=2, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.wait_for_workers(1)
            HedgeGraph().fit(rows[:600, :400])  # compiled, or loaded, in both
            HedgeGraph().fit(there[:, :400][:1000].rechunk((500, 400)))
            for _ in range(ROUNDS):
                figures = []
                for table in (rows, there):
                    before = used(client)
                    model, seconds, ended = timed(lambda table=table: HedgeGraph().fit(table))
                    figures.append((model, seconds, *np.subtract(used(client), before)))
                    print(
                        f"{seconds:.1f} s", {k: round(v, 1) for k, v in ended.items()}, flush=True
                    )
                rounds.append(figures)
    (here, *_), (other, *_) = rounds[-1]
    one, two = np.min([[f[k][1:] for f in rounds] for k in (0, 1)], axis=1)
    header = ["columns", "rows", "what", "one process, s", "cluster, s", "ratio", "same bits"]
    equal = "yes" if same(here, other) else "**no**"
    lines = [
        [f"{n_columns:,}", f"{n_rows:,}", what, f"{a:.0f}", f"{b:.0f}", f"{b / a:.2f}", equal]
        for what, a, b in zip(MEASURES, one, two)
    ]
    busy = f"{os.getloadavg()[1]:.0f}"
    text = (
        f"The machine had {busy} processes that wanted to run, on "
        f"{os.cpu_count()} cores.\n\n{document.table(header, lines)}"
    )
    print(text)
    if (n_rows, n_columns) == (ROWS, COLUMNS):
        kept.keep("distributed", kept.made(COMMAND), {"overhead": text})
