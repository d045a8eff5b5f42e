"""Rows per second from each kind of source, beside the learning pass alone over the same rows.

Numbers have six significant digits, as sensors and prices have; all rows are learned, and no
graph is tested on the way. Every kind takes its turn in every round, and its least time counts.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars

from benchmarks.speed.clock import least_times, sample
from benchmarks.stream.server import RedisServer
from benchmarks.stream.store import keep
from hedgerow import HedgeGraph, stream
from hedgerow.stream import Chunk, Schema

SIZES = {100: 100_000, 1000: 10_000, 3000: 2_000}  # columns: rows
FEWER = 20  # times fewer entries have a field for each column: the client is slow to read them
AT_ONCE = 1_000_000  # numbers in a chunk from memory
DIGITS = 6


class Memory:
    """Rows of an array as a source."""

    name = "memory"

    def __init__(self, rows: np.ndarray, names: list[str]) -> None:
        self._rows = rows
        self.schema: Schema | None = Schema(names, [])

    def seek(self, offset: dict[str, Any], schema: Schema) -> None: ...

    def chunks(self) -> Iterator[Chunk]:
        step = max(AT_ONCE // self._rows.shape[1], 1)
        for start in range(0, len(self._rows), step):
            yield Chunk(self._rows[start : start + step], {"row": start + step})

    def ack(self, offset: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


def run(options: argparse.Namespace) -> None:
    figures = []
    for n_columns, n_rows in SIZES.items():
        rows, model = sample(n_columns, n_rows)
        rows = np.array([[float(f"{v:.{DIGITS}g}") for v in row] for row in rows.tolist()])
        with tempfile.TemporaryDirectory() as folder, RedisServer() as server:
            path = Path(folder, "rows.csv")
            polars.DataFrame(rows, schema=model.names, orient="row").write_csv(path)
            _fill(server.client, "fields", rows[: n_rows // FEWER], model.names)
            _fill(server.client, "json", rows, model.names)
            jobs = {
                "learning": lambda rows=rows: HedgeGraph().partial_fit(rows),
                "memory": lambda rows=rows, names=model.names: stream.run(Memory(rows, names)),
                "CSV": partial(stream.run, path),
                "Redis, a JSON object each": partial(stream.run, f"{server.address}?stream=json"),
                "Redis, a field each": partial(stream.run, f"{server.address}?stream=fields"),
            }
            times = least_times(jobs, options.rounds)
        rates = {kind: n_rows / seconds for kind, seconds in times.items()}
        rates["Redis, a field each"] /= FEWER
        print(n_columns, {kind: round(rate) for kind, rate in rates.items()}, flush=True)
        figures.append({"columns": n_columns, "rows_per_second": rates})
    keep("throughput", {"rounds": options.rounds, "sizes": figures})


def _fill(client: Any, kind: str, rows: np.ndarray, names: list[str]) -> None:
    pipe = client.pipeline(transaction=False)
    for k, row in enumerate(rows.tolist(), 1):
        entry = dict(zip(names, row))
        pipe.xadd(kind, entry if kind == "fields" else {"json": json.dumps(entry)})
        if k % 500 == 0:
            pipe.execute()
    pipe.execute()
