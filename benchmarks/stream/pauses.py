"""How long a checkpoint keeps the stream waiting: the state is written, checked and synced."""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.speed.clock import sample
from benchmarks.stream.store import keep
from benchmarks.stream.throughput import SIZES, Memory
from hedgerow import HedgeGraph
from hedgerow.stream import Schema
from hedgerow.stream._checkpoint import Checkpoints
from hedgerow.stream._state import State

ROWS = 1000


def run(options: argparse.Namespace) -> None:
    figures = []
    for n_columns in SIZES:
        rows, model = sample(n_columns, ROWS)
        source = Memory(rows, model.names)
        state = State(HedgeGraph().partial_fit(rows), Schema(model.names, []), {"byte": 0})
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
            saves = Checkpoints(folder)
            times = []
            for _ in range(max(options.rounds, 3)):
                begun = time.perf_counter()
                saves.write(state.to_checkpoint(source))
                times.append(time.perf_counter() - begun)
            size = max(path.stat().st_size for path in Path(folder).glob("checkpoint-*"))
        figures.append(
            {
                "columns": n_columns,
                "bytes": size,
                "median": statistics.median(times),
                "longest": max(times),
            }
        )
        print(figures[-1], flush=True)
    keep("pauses", figures)
