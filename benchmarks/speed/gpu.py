"""Time, memory and error rate of the whole method on a GPU, beside what the hardware allows.

    python benchmarks/speed/gpu.py --columns 20000 50000 100000 --rows 2000 --graph blocks

Rows are drawn on the GPU and are there when the clock starts. A run is the learning pass and the
tested edges; the first one, which compiles the kernels, is not counted. Two floors stand beside
the time: the bytes that must move through memory over the bandwidth of a large copy, and the
multiplications over the rate of a large product, both measured in the same run.
"""

import argparse
import json
import statistics
import time
from typing import NamedTuple

import torch

from hedgerow.engines.torch_gpu import fitting
from hedgerow.engines.torch_gpu.judging import PairTests

_CLIQUE = 4


class Truth(NamedTuple):
    """Rows, and the pairs i * p + j, i < j, that are edges."""

    rows: torch.Tensor
    edges: torch.Tensor


def blocks(p: int, m: int, generator: torch.Generator) -> Truth:
    """Cliques of four, every partial correlation 0.25."""
    precision = 1.25 * torch.eye(_CLIQUE) - 0.25 * torch.ones(_CLIQUE, _CLIQUE)
    factor = torch.linalg.cholesky(torch.linalg.inv(precision)).cuda()
    rows = torch.randn((m, p // _CLIQUE, _CLIQUE), device="cuda", generator=generator) @ factor.T
    start = torch.arange(0, p, _CLIQUE, device="cuda")[:, None]
    i, j = torch.triu_indices(_CLIQUE, _CLIQUE, 1, device="cuda")
    return Truth(rows.reshape(m, p), ((start + i) * p + start + j).flatten())


def chains(p: int, m: int, generator: torch.Generator) -> Truth:
    """Chains of a hundred, neighbours correlated 0.5: partial correlations of 0.4."""
    length = 100
    noise = torch.randn((m, p // length, length), device="cuda", generator=generator)
    rows = noise.clone()
    for k in range(1, length):
        rows[:, :, k] = 0.5 * rows[:, :, k - 1] + 0.75**0.5 * noise[:, :, k]
    i = torch.arange(p - 1, device="cuda")
    i = i[(i + 1) % length != 0]
    return Truth(rows.reshape(m, p), i * p + i + 1)


def independent(p: int, m: int, generator: torch.Generator) -> Truth:
    """No edge at all."""
    rows = torch.randn((m, p), device="cuda", generator=generator)
    return Truth(rows, torch.empty(0, dtype=torch.int64, device="cuda"))


GRAPHS = {"blocks": blocks, "chains": chains, "independent": independent}


def ceilings() -> tuple[float, float]:
    """Return the bytes per second of a copy and the operations per second of a product."""
    source, target = torch.randn((2, 1 << 29), device="cuda")
    copy = _seconds(lambda: target.copy_(source))
    a = torch.randn((8192, 8192), device="cuda").half()
    product = _seconds(lambda: a @ a)
    return 8 * 2**29 / copy, 2 * 8192**3 / product


def floors(
    p: int, m: int, steps: int, error: str, ceiling: tuple[float, float]
) -> tuple[float, float]:
    """Return the least time for the bytes and for the multiplications, in seconds.

    Bytes: with each batch, pulls (float32) and average weights (float16) are read and written.
    Multiplications: prediction and gradient of every row, one product with all the columns for
    each step of the selection, Hedge's residuals, and for each of three sweeps over half of all
    products the witness; for the familywise error three more, with the refit's residuals too.
    """
    batches = len(fitting.ends_of_batches(m))
    moved = 12 * p**2 * batches
    sweeps = 1.5 if error == "fdr" else 4.5
    done = 2 * m * p**2 * (2 + steps + 1 + sweeps)
    return moved / ceiling[0], done / ceiling[1]


def _seconds(run, repeats: int = 5) -> float:
    run()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(truth: Truth, error: str, repeats: int) -> dict[str, float]:
    """Return time, memory and quality of one problem."""
    p = truth.rows.shape[1]

    def run() -> PairTests:
        return fitting.edges_of_rows(truth.rows, error).tests

    torch.cuda.reset_peak_memory_stats()
    tests = run()
    seconds = _seconds(run, repeats)
    learning = _seconds(lambda: fitting.learn(truth.rows, fitting.settings_for(p)), repeats)
    found = tests.q_value <= 0.05
    pairs = tests.source[found] * p + tests.target[found]
    right = int(torch.isin(pairs, truth.edges).sum())
    return {
        "seconds": seconds,
        "learning": learning,
        "gib": torch.cuda.max_memory_allocated() / 2**30,
        "edges": len(truth.edges),
        "found": len(pairs),
        "false": len(pairs) - right,
        "fdp": (len(pairs) - right) / max(len(pairs), 1),
        "f1": 2 * right / max(len(pairs) + len(truth.edges), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[20000, 50000, 100000])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--graph", choices=GRAPHS, nargs="+", default=["blocks"])
    parser.add_argument("--error", choices=["fdr", "fwer"], nargs="+", default=["fwer"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    ceiling = ceilings()
    print(f"copy {ceiling[0] / 1e12:.2f} TB/s, product {ceiling[1] / 1e12:.0f} TFLOP/s", flush=True)
    generator = torch.Generator("cuda").manual_seed(args.seed)
    for p in args.columns:
        for name in args.graph:
            truth = GRAPHS[name](p, args.rows, generator)
            for error in args.error:
                result = measure(truth, error, args.repeats)
                steps = 2 if name == "independent" else (4 if name == "blocks" else 3)
                by_bytes, by_flops = floors(p, args.rows, steps, error, ceiling)
                line = {"p": p, "m": args.rows, "graph": name, "error": error, **result}
                line |= {"bytes_floor_s": by_bytes, "flops_floor_s": by_flops}
                shown = {k: round(v, 4) if isinstance(v, float) else v for k, v in line.items()}
                print(json.dumps(shown), flush=True)
            del truth
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
