"""Resident memory while ten million rows of CSV come through a pipe, with checkpoints and events.

The rows come from another process, which writes the same block of text again and again.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars

from benchmarks.speed.clock import sample
from benchmarks.stream.store import keep
from hedgerow import HedgeGraph, stream
from hedgerow.io.choose import Wish
from hedgerow.io.opening import Reading
from hedgerow.stream import Status
from hedgerow.stream._files import Piped

COLUMNS, BLOCK = 100, 20_000
PRODUCER = """
import pathlib, sys
head, block = (pathlib.Path(sys.argv[1]) / name for name in ("head", "block"))
sys.stdout.buffer.write(head.read_bytes())
block = block.read_bytes()
for _ in range(int(sys.argv[2])):
    sys.stdout.buffer.write(block)
"""


class Witness:
    """A watcher that notes the memory in use."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.bytes: list[int] = []

    def wants_look(self) -> bool:
        return False

    def __call__(self, status: Status) -> None:
        self.rows.append(status.rows)
        self.bytes.append(_resident())


def run(options: argparse.Namespace) -> None:
    rows, model = sample(COLUMNS, BLOCK)
    frame = polars.DataFrame(rows, schema=model.names, orient="row")
    del rows
    witness = Witness()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        frame.head(0).write_csv(Path(folder, "head"))
        frame.write_csv(Path(folder, "block"), include_header=False, float_precision=5)
        del frame
        arguments = [sys.executable, "-c", PRODUCER, folder, str(options.rows // BLOCK)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as producer:
            assert producer.stdout is not None
            result = stream.run(
                Piped("rows", producer.stdout, Reading(), Wish()),
                HedgeGraph(half_life=100_000),
                checkpoint=Path(folder, "saved"),
                every="10s",
                events=Path(folder, "events"),
                watchers=[witness],
            )
    figures = {
        "columns": COLUMNS,
        "rows": result.n_samples_seen_,
        "seconds": time.perf_counter() - begun,
        "along": witness.rows,
        "bytes": witness.bytes,
    }
    late = [size for row, size in zip(witness.rows, witness.bytes) if row > options.rows // 10]
    print(f"{figures['seconds']:.0f} s, {min(late) >> 20} to {max(late) >> 20} MiB", flush=True)
    keep("memory", figures)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
