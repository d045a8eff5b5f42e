"""More columns than one process of the same memory holds, on four workers of this machine."""

import argparse
import resource
import tempfile

import dask
import distributed

from benchmarks import document, kept
from benchmarks.cluster.overhead import timed
from benchmarks.cluster.tables import on_cluster, tree, write_table
from hedgerow import HedgeGraph
from hedgerow.cli import _cluster
from hedgerow.engines.numba_cpu.strips import needed_bytes
from hedgerow.metrics import confusion

COLUMNS, ROWS, MEMORY, WORKERS, THREADS = 20_000, 2_000, "4GiB", 4, 1
COMMAND = "python -m benchmarks.cluster large"
OPTIONS = ("columns", "rows", "memory", "threads")


def peak() -> int:
    """Return the most bytes that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    memory, threads = options.memory or MEMORY, options.threads or THREADS
    given = [f"--{name} {value}" for name in OPTIONS if (value := getattr(options, name))]
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        with (
            dask.config.set(_cluster.WORKERS),
            distributed.LocalCluster(
                n_workers=WORKERS,
                threads_per_worker=threads,
                memory_limit=memory,
                dashboard_address=":0",
                silence_logs=50,
                local_directory=folder,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            graph, seconds, ended = timed(lambda: HedgeGraph().fit(on_cluster(path)))
            peaks = sorted(client.run(peak).values())
    here = peak()
    found = confusion(graph.adjacency_, tree(n_columns).adjacency)
    print({stage: round(value) for stage, value in ended.items()}, flush=True)
    print(f"workers: {', '.join(map(_gibibytes, peaks))}; client: {_gibibytes(here)}", flush=True)
    limit = dask.utils.parse_bytes(memory)
    line = {
        "columns": f"{n_columns:,}",
        "rows": f"{n_rows:,}",
        "workers": f"{WORKERS} of {limit / 2**30:.2g} GiB",
        "one process needs": _gibibytes(needed_bytes(n_columns)),
        "largest worker took": _gibibytes(peaks[-1]),
        "client took": _gibibytes(here),
        "minutes": f"{seconds / 60:.1f}",
        "edges": f"{found.true_edges + found.false_edges:,}",
        "of them false": f"{found.false_edges:,}",
        "missed": f"{found.missed_edges:,}",
    }
    text = document.table(list(line), [list(line.values())])
    print(text)
    kept.keep("distributed", kept.made(" ".join([COMMAND, *given])), {"large": text})


def _gibibytes(number: float) -> str:
    return f"{number / 2**30:.1f} GiB"
