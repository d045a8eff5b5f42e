"""Time, memory and error rate on a GPU with more columns than pairs can be held of.

    python -m benchmarks.speed.gpu_many --columns 250000 1000000 --graph blocks independent

Output is that of `benchmarks.speed.gpu`, and `benchmarks.speed.gpu_page --many` makes a table of
docs/gpu.md of it. Rows are drawn on the GPU. What is learned is learned once and judged by both
error rates; the time of each is that of learning and of its own tests. A small problem is solved
first, so that kernels are compiled.
"""

import argparse
import json
import time

import torch

from benchmarks import kept
from benchmarks.speed.gpu import GRAPHS, LEVEL, Truth, quality
from hedgerow.engines.torch_gpu import fitting
from hedgerow.engines.torch_gpu.layout import HALF
from hedgerow.method.balance import LOOSEST_LEVEL

AGAIN = HALF._replace(held=False)
_FIRST = 20_000  # columns of the problem with which kernels are compiled
Line = dict[str, float | int | str]


def solved(truth: Truth, errors: list[str]) -> list[Line]:
    """Return times, memory and quality for each error rate."""
    p = truth.rows.shape[1]
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    evidence = fitting.evidence_of_rows(truth.rows, AGAIN)
    fitting.repeats(evidence, 1 - 1e-10)
    torch.cuda.synchronize()
    learning = time.perf_counter() - start
    lines = []
    for error in errors:
        start = time.perf_counter()
        edges = fitting.find_edges(evidence, error, LOOSEST_LEVEL)
        sure = edges.q_value <= LEVEL
        found = torch.tensor(edges.source[sure] * p + edges.target[sure])
        seconds = learning + time.perf_counter() - start
        gib = torch.cuda.max_memory_allocated() / 2**30
        about = {"error": error, "seconds": seconds, "learning": learning, "gib": gib}
        lines.append(about | quality(truth, found))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[250_000, 1_000_000])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--graph", choices=GRAPHS, nargs="+", default=["blocks"])
    parser.add_argument("--error", choices=["fdr", "fwer"], nargs="+", default=["fdr", "fwer"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--commit", help="of the code, where there is no git to ask")
    args = parser.parse_args()
    made = kept.made("", [args.commit] if args.commit else None)
    machine = f"one {torch.cuda.get_device_name()}, torch {torch.__version__}"
    print(json.dumps({"commit": made.commits[0], "date": made.date, "machine": machine}))
    for name in args.graph:
        solved(GRAPHS[name](_FIRST, args.rows, torch.Generator("cuda").manual_seed(0)), args.error)
        for p in args.columns:
            for seed in args.seeds:
                truth = GRAPHS[name](p, args.rows, torch.Generator("cuda").manual_seed(seed))
                problem = {"p": p, "m": args.rows, "graph": name, "seed": seed}
                for line in solved(truth, args.error):
                    shown = {k: round(v, 5) if isinstance(v, float) else v for k, v in line.items()}
                    print(json.dumps(problem | shown), flush=True)
                del truth
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
