"""What the engine for clusters costs where one process would do: ratios of one run."""

import argparse
import tempfile
from time import perf_counter

import distributed
import numpy as np

from benchmarks import document, kept
from benchmarks.cluster.tables import on_cluster, same, write_table
from hedgerow import HedgeGraph
from hedgerow.progress import watching

COLUMNS, ROWS, ROUNDS = 4000, 4000, 2
COMMAND = "python -m benchmarks.cluster overhead"


def timed(work: "callable") -> tuple[HedgeGraph, float, dict[str, float]]:
    """Return a model, how long it took, and when each stage ended."""
    ended: dict[str, float] = {}
    begun = perf_counter()
    with watching(lambda stage, _: ended.__setitem__(stage, perf_counter() - begun)):
        model = work()
    return model, perf_counter() - begun, ended


def run(options: argparse.Namespace) -> None:
    n_rows, n_columns = options.rows or ROWS, options.columns or COLUMNS
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder, n_rows, n_columns)
        rows, there = np.load(path), on_cluster(path)
        with (
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=2, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster),
        ):
            HedgeGraph().fit(rows[:600, :400])  # compiled, or loaded, in both
            HedgeGraph().fit(there[:, :400][:1000].rechunk((500, 400)))
            times = []
            for _ in range(ROUNDS):
                here, seconds, ended = timed(lambda: HedgeGraph().fit(rows))
                other, longer, ended_there = timed(lambda: HedgeGraph().fit(there))
                times.append((seconds, longer))
                print(f"{seconds:.1f} s, {longer:.1f} s, {longer / seconds:.2f}", flush=True)
                print({k: round(v, 1) for k, v in ended.items()})
                print({k: round(v, 1) for k, v in ended_there.items()}, flush=True)
    least = [min(column) for column in zip(*times)]
    columns = ["columns", "rows", "one process, s", "cluster, s", "ratio", "same bits"]
    row = [f"{n_columns:,}", f"{n_rows:,}", f"{least[0]:.0f}", f"{least[1]:.0f}"]
    row += [f"{least[1] / least[0]:.2f}", "yes" if same(here, other) else "**no**"]
    print(document.table(columns, [row]))
    if (n_rows, n_columns) == (ROWS, COLUMNS):
        text = document.table(columns, [row])
        kept.keep("distributed", kept.made(COMMAND), {"overhead": text})


if __name__ == "__main__":
    run(argparse.Namespace(rows=None, columns=None))
