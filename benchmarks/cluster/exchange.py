"""What workers of little memory send each other and write to disk, stage by stage."""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import dask
import distributed
import numpy as np

from benchmarks import document, kept
from benchmarks.cluster.tables import on_cluster, same, write_table
from hedgerow import HedgeGraph
from hedgerow.cli._cluster import WORKERS
from hedgerow.progress import watching

COLUMNS, ROWS, MEMORY, NUMBER, ROUNDS = 5_000, 1_000, "900MiB", 2, 3
COMMAND = "python -m benchmarks.cluster exchange"
STAGES = ("checking", "learning", "choosing neighbours", "asking Hedge", "testing")


class Used(NamedTuple):
    """Totals so far."""

    seconds: float
    sent: int  # bytes, from worker to worker
    written: int  # bytes, to disk


def _of_worker(dask_worker: distributed.Worker) -> tuple[int, int]:
    spilled = dask_worker.data.cumulative_metrics["disk-write", "bytes"]
    return dask_worker.transfer_outgoing_bytes_total, int(spilled)


def used(client: distributed.Client) -> Used:
    sent, written = np.sum(list(client.run(_of_worker).values()), axis=0)
    return Used(perf_counter(), int(sent), int(written))


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    memory, threads = options.memory or MEMORY, options.threads or 1
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        begun = perf_counter()
        alone = HedgeGraph().fit(np.load(path))
        seconds = perf_counter() - begun
        equal, rounds = [], []
        for _ in range(ROUNDS):
            model, used_by_stage = watched(folder, path, memory, threads)
            equal.append(same(alone, model))
            rounds.append(used_by_stage)
            print(used_by_stage[-1], flush=True)
    strips = 8 * n_columns**2
    lines = [
        [stage, *map(_spread, np.divide(parts, [1, strips, strips]).T)]
        for stage, parts in zip((*STAGES, "all"), zip(*rounds))
    ]
    text = (
        f"{n_columns:,} columns, {n_rows:,} rows, {NUMBER} workers of {memory}, {ROUNDS} fits, "
        f"{sum(equal)} of them the same as on one machine, where one took {seconds:.0f} s. Bytes "
        f"are multiples of what all strips of products take; medians, with the least and the "
        f"most.\n\n"
    )
    text += document.table(["stage", "s", "sent", "written to disk"], lines)
    print(text)
    if (n_rows, n_columns, memory, threads) == (ROWS, COLUMNS, MEMORY, 1):
        kept.keep("distributed", kept.made(COMMAND), {"exchange": text})


def watched(folder: str, path: Path, memory: str, threads: int) -> tuple[HedgeGraph, list[Used]]:
    """Return a model that workers of their own fit, and what each stage used; and then all."""
    with (
        dask.config.set(WORKERS),
        distributed.LocalCluster(
            n_workers=NUMBER,
            threads_per_worker=threads,
            memory_limit=memory,
            dashboard_address=":0",
            silence_logs=50,
            local_directory=folder,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        HedgeGraph().fit(on_cluster(path)[:600, :400].rechunk((300, 400)))  # compiles
        ends = [used(client)]

        def listen(stage: str, done: float) -> None:
            if done == 1.0:
                ends.append(used(client))

        with watching(listen):
            model = HedgeGraph().fit(on_cluster(path))
        ends.append(used(client))
    parts = zip((*ends[:-1], ends[0]), (*ends[1:], ends[-1]))
    return model, [Used(*np.subtract(after, before).tolist()) for before, after in parts]


def _spread(values: np.ndarray) -> str:
    least, middle, most = np.quantile(values, [0.0, 0.5, 1.0])
    return f"{middle:.1f} ({least:.1f}–{most:.1f})"
