"""More columns than one process of the same memory holds, on four workers of this machine."""

import argparse
import resource
import tempfile

import dask
import distributed

from benchmarks import document, kept
from benchmarks.cluster.overhead import timed
from benchmarks.cluster.tables import on_cluster, write_table
from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.engines.numba_cpu.strips import needed_bytes
from hedgerow.metrics import f1

COLUMNS, ROWS, MEMORY, WORKERS = 20_000, 2_000, "4GiB", 4
COMMAND = "python -m benchmarks.cluster large"


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    memory = options.memory or MEMORY
    given = [f"--{name} {getattr(options, name)}" for name in ("columns", "rows", "memory")]
    given = [text for text in given if not text.endswith("None")]
    limit = dask.utils.parse_bytes(memory)
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        with (
            distributed.LocalCluster(
                n_workers=WORKERS,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address=":0",
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            graph, seconds, ended = timed(lambda: HedgeGraph().fit(on_cluster(path)))
            peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    truth = make("random_tree", n_columns, seed=0).adjacency
    print({stage: round(value) for stage, value in ended.items()}, flush=True)
    header = ["columns", "rows", "workers", "one process needs", "largest worker took"]
    header += ["minutes", "edges", "F1"]
    line = [f"{n_columns:,}", f"{n_rows:,}", f"{WORKERS} of {limit / 2**30:.2g} GiB"]
    line += [f"{needed_bytes(n_columns) / 2**30:.1f} GiB", f"{max(peaks.values()) / 2**30:.1f} GiB"]
    line += [f"{seconds / 60:.0f}", f"{len(graph.edges_):,}", f"{f1(graph.adjacency_, truth):.2f}"]
    text = document.table(header, [line])
    print(text)
    kept.keep("distributed", kept.made(" ".join([COMMAND, *given])), {"large": text})
