"""From file to file on a GPU, with defaults: `hedgerow learn rows.npy --device cuda --out edges`.

    python -m benchmarks.speed.gpu_file --columns 1000000 --graph chains

Output is that of `benchmarks.speed.gpu`, and `benchmarks.speed.gpu_page --file` makes a table of
docs/gpu.md of it. Rows are drawn on the GPU and written in single precision; the time is that of
the command, a process of its own, from its start to the edges on disk. The file was just written,
so that much of it is still in the memory of the machine. Smaller tables are learned first, so that
all that is compiled is there.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from benchmarks import kept
from benchmarks.speed.gpu import GRAPHS, LEVEL, Truth, quality
from benchmarks.speed.gpu_many import AGAIN
from hedgerow.engines.torch_gpu import fitting

_FIRST = 20_000  # columns of the tables with which everything is compiled
Line = dict[str, float | int | str]


def drawn(graph: str, p: int, m: int, seed: int) -> Truth:
    """Return rows on the GPU."""
    return GRAPHS[graph](p, m, torch.Generator("cuda").manual_seed(seed))


def written(truth: Truth, folder: Path) -> Path:
    """Write the rows to a file."""
    path = folder / "rows.npy"
    np.save(path, truth.rows.cpu().numpy())
    return path


def learned(rows: Path, edges: Path, more: list[str]) -> tuple[float, float]:
    """Run the command; return seconds, and the most memory of the host that it took, in GiB."""
    program = [sys.executable, *more, "-m", "hedgerow"]
    command = [*program, "learn", str(rows), "--device", "cuda", "--out", str(edges), "--quiet"]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def found(edges: Path, p: int) -> torch.Tensor:
    """Return the edges of a file, as i * p + j."""
    if edges.suffix == ".parquet":
        import polars

        ends = polars.read_parquet(edges, columns=["source", "target"]).rows()
    else:
        with edges.open(newline="") as lines:
            ends = [(row["source"], row["target"]) for row in csv.DictReader(lines)]
    i, j = np.array([[int(name[1:]) for name in pair] for pair in ends]).reshape(-1, 2).T
    return torch.tensor(np.minimum(i, j) * p + np.maximum(i, j))


def solved(truth: Truth, folder: Path, suffix: str, more: list[str]) -> Line:
    """Return time, memory of the host and quality of one problem, whose rows are given up."""
    p, (rows, edges) = truth.rows.shape[1], (written(truth, folder), folder / f"edges{suffix}")
    truth = truth._replace(rows=truth.rows[:0])
    torch.cuda.empty_cache()
    seconds, gib = learned(rows, edges, more)
    about: Line = {"error": "fdr", "level": LEVEL, "seconds": seconds, "host_gib": gib}
    return about | {"edges_file": suffix} | quality(truth, found(edges, p))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[250_000, 1_000_000])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--graph", choices=GRAPHS, nargs="+", default=["chains"])
    parser.add_argument("--suffix", choices=[".parquet", ".csv"], default=".parquet")
    parser.add_argument("--folder", type=Path, help="for the files; else one for the moment")
    parser.add_argument("--profile", type=Path, help="write here where the time goes, as cProfile")
    parser.add_argument("--commit", help="of the code, where there is no git to ask")
    args = parser.parse_args()
    made = kept.made("", [args.commit] if args.commit else None)
    gpu = f"one {torch.cuda.get_device_name()}, torch {torch.__version__}"
    machine = f"{gpu}, {os.cpu_count()} cores"
    about = {"commit": made.commits[0], "date": made.date, "machine": machine}
    print(json.dumps(about), flush=True)
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        for p in (_FIRST // 4, _FIRST):
            solved(drawn(args.graph[0], p, args.rows, 0), folder, args.suffix, [])
        small = drawn(args.graph[0], _FIRST, args.rows, 0)
        fitting.find_edges(fitting.evidence_of_rows(small.rows, AGAIN), "fdr", LEVEL)
        del small
        more = ["-m", "cProfile", "-o", str(args.profile)] if args.profile else []
        for graph in args.graph:
            for p in args.columns:
                line = solved(drawn(graph, p, args.rows, 0), folder, args.suffix, more)
                shown = {k: round(v, 5) if isinstance(v, float) else v for k, v in line.items()}
                print(json.dumps({"p": p, "m": args.rows, "graph": graph} | shown), flush=True)


if __name__ == "__main__":
    main()
