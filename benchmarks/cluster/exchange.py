"""What workers of little memory send each other and write to disk, stage by stage."""

import argparse
import tempfile
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

COLUMNS, ROWS, MEMORY, NUMBER = 5_000, 1_000, "900MiB", 2
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
    memory = options.memory or MEMORY
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        with (
            dask.config.set(WORKERS),
            distributed.LocalCluster(
                n_workers=NUMBER,
                threads_per_worker=options.threads or 1,
                memory_limit=memory,
                dashboard_address=":0",
                silence_logs=50,
                local_directory=folder,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            HedgeGraph().fit(on_cluster(path)[:600, :400].rechunk((300, 400)))  # compiles
            known = {"": used(client)}

            def listen(stage: str, done: float) -> None:
                if done == 1.0:
                    known[stage] = used(client)

            with watching(listen):
                model = HedgeGraph().fit(on_cluster(path))
            known["testing"] = used(client)
        begun = perf_counter()
        alone = HedgeGraph().fit(np.load(path))
        seconds = perf_counter() - begun
    ends = list(known.values())
    parts = zip((*STAGES, "all"), (*ends[:-1], ends[0]), (*ends[1:], ends[-1]))
    lines = [_line(stage, Used(*np.subtract(b, a)), n_columns) for stage, a, b in parts]
    text = (
        f"{n_columns:,} columns, {n_rows:,} rows, {NUMBER} workers of {memory}. Bytes as multiples "
        f"of what all strips of products take together; one process took {seconds:.0f} s, and "
        f"found {'the same' if same(alone, model) else '**not the same**'}.\n\n"
    )
    text += document.table(["stage", "s", "sent", "written to disk"], lines)
    print(text)
    if (n_rows, n_columns, memory) == (ROWS, COLUMNS, MEMORY):
        kept.keep("distributed", kept.made(COMMAND), {"exchange": text})


def _line(stage: str, part: Used, n_columns: int) -> list[str]:
    strips = 8 * n_columns**2
    of_strips = (f"{number / strips:.1f}" for number in (part.sent, part.written))
    return [stage, f"{part.seconds:.0f}", *of_strips]
