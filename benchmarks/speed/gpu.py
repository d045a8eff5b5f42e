"""Time, memory and error rate of the whole method on a GPU, beside what the hardware allows.

    python -m benchmarks.speed.gpu --columns 20000 50000 100000 --graph blocks --seeds 5

The first line that is printed is about the machine, the others are one for each problem and seed;
`benchmarks.speed.gpu_page` makes the table of docs/gpu.md of them.

Rows are drawn on the GPU. The time of a run, the median of several, is that of the learning pass
and the tested edges, from rows on the GPU to edges in NumPy; with ``--host``, that of
`HedgeGraph.fit` on rows in the memory of the host. The first run, which compiles the kernels, is
not counted. Two floors stand beside the time: the bytes that must move through memory over the
bandwidth of a large copy, and the multiplications over the rate of a large product, both measured
in the same run. Several seeds are several data sets, of which all are judged.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import torch

from benchmarks import kept
from hedgerow import HedgeGraph
from hedgerow.engines.torch_gpu import fitting
from hedgerow.engines.torch_gpu.layout import Settings
from hedgerow.engines.torch_gpu.learning import average_shares
from hedgerow.method.balance import LOOSEST_LEVEL

_CLIQUE, _CHAIN = 4, 100
LEVEL = 0.05


class Truth(NamedTuple):
    """Rows, the pairs i * p + j, i < j, that are edges, and the steps of the selection."""

    rows: torch.Tensor
    edges: torch.Tensor
    steps: int


def blocks(p: int, m: int, generator: torch.Generator) -> Truth:
    """Cliques of four, every partial correlation 0.25."""
    precision = 1.25 * torch.eye(_CLIQUE) - 0.25 * torch.ones(_CLIQUE, _CLIQUE)
    factor = torch.linalg.cholesky(torch.linalg.inv(precision)).cuda()
    rows = torch.randn((m, p // _CLIQUE, _CLIQUE), device="cuda", generator=generator) @ factor.T
    start = torch.arange(0, p, _CLIQUE, device="cuda")[:, None]
    i, j = torch.triu_indices(_CLIQUE, _CLIQUE, 1, device="cuda")
    return Truth(rows.reshape(m, p), ((start + i) * p + start + j).flatten(), steps=4)


def chains(p: int, m: int, generator: torch.Generator) -> Truth:
    """Chains of a hundred, neighbours correlated 0.5: partial correlations of 0.4."""
    noise = torch.randn((m, p // _CHAIN, _CHAIN), device="cuda", generator=generator)
    rows = noise.clone()
    for k in range(1, _CHAIN):
        rows[:, :, k] = 0.5 * rows[:, :, k - 1] + 0.75**0.5 * noise[:, :, k]
    i = torch.arange(p - 1, device="cuda")
    i = i[(i + 1) % _CHAIN != 0]
    return Truth(rows.reshape(m, p), i * p + i + 1, steps=3)


def independent(p: int, m: int, generator: torch.Generator) -> Truth:
    """No edge at all."""
    rows = torch.randn((m, p), device="cuda", generator=generator)
    return Truth(rows, torch.empty(0, dtype=torch.int64, device="cuda"), steps=1)


def trees(p: int, m: int, generator: torch.Generator) -> Truth:
    """Every column grows from an earlier one, any of them; related ones are correlated 0.5."""
    later = torch.arange(1, p, device="cuda")
    share = torch.rand(p - 1, device="cuda", generator=generator, dtype=torch.float64)
    return _grown((share * later).long(), m, generator)


def scale_free(p: int, m: int, generator: torch.Generator) -> Truth:
    """The same, from either end of an earlier edge: columns with many relations get more."""
    later = torch.arange(1, p, device="cuda")
    share = torch.rand(p - 1, device="cuda", generator=generator, dtype=torch.float64)
    edge = (share * (later - 1)).long()
    other_end = torch.rand(p - 1, device="cuda", generator=generator) < 0.5
    parent = torch.where(other_end, edge, -1)
    parent[0] = 0
    # One end of an edge is the later column; the other is that column's own parent.
    chosen = torch.where(parent < 0, edge + 1, -1)
    chosen[0] = 0
    while (chosen < 0).any():
        known = chosen[edge]
        chosen = torch.where((chosen < 0) & (known >= 0), known, chosen)
    return _grown(chosen, m, generator)


def _grown(parent: torch.Tensor, m: int, generator: torch.Generator) -> Truth:
    """Return rows in which each column but the first is correlated 0.5 with its parent."""
    p = len(parent) + 1
    rows = torch.randn((p, m), device="cuda", generator=generator)
    depth = torch.zeros(p, dtype=torch.int64, device="cuda")
    while True:
        deeper = depth[parent] + 1
        if torch.equal(deeper, depth[1:]):
            break
        depth[1:] = deeper
    for level in range(1, int(depth.max()) + 1):
        for own in torch.nonzero(depth == level)[:, 0].split(1 << 17):
            rows[own] = 0.5 * rows[parent[own - 1]] + 0.75**0.5 * rows[own]
    child = torch.arange(1, p, device="cuda")
    return Truth(rows.T.contiguous(), torch.sort(parent * p + child).values, steps=3)


GRAPHS = {
    "blocks": blocks,
    "chains": chains,
    "trees": trees,
    "scale-free": scale_free,
    "independent": independent,
}


def ceilings() -> tuple[float, float]:
    """Return the bytes per second of a copy and the operations per second of a product."""
    source, target = torch.randn((2, 1 << 29), device="cuda")
    copy = seconds(lambda: target.copy_(source), repeats=5)
    a = torch.randn((8192, 8192), device="cuda").half()
    product = seconds(lambda: a @ a, repeats=5)
    return 8 * 2**29 / copy, 2 * 8192**3 / product


def floors(truth: Truth, ceiling: tuple[float, float]) -> tuple[float, float]:
    """Return the least time for the bytes and for the multiplications, in seconds.

    Bytes: for every pair of columns, those of the learning pass (`pair_bytes`). Multiplications:
    prediction and gradient of every row, one product with all the columns for each step of the
    selection, Hedge's residuals, and for each of three sweeps half of all products.
    """
    m, p = truth.rows.shape
    moved = p**2 * pair_bytes(m, fitting.settings_for(truth.rows))
    done = 2 * m * p**2 * (2 + truth.steps + 1 + 1.5)
    return moved / ceiling[0], done / ceiling[1]


def pair_bytes(m: int, settings: Settings) -> int:
    """Return the bytes that move for one pair in a pass: its pull and its average weight."""
    batches = fitting.ends_of_batches(m)
    shares = average_shares(batches, m // settings.averages)
    moved, base = 2 * settings.dtype.itemsize * sum(share > 0 for share in shares), 0
    for stop, end in pairwise(batches):
        moved += 4 * (base > 0)
        if end - base > (settings.kept_rows if base else settings.remade_rows):
            moved += 4
            base = stop
    return moved


def seconds(run: Callable[[], object], repeats: int) -> float:
    """Return the median time of some runs after a first one."""
    run()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def settings_of(rows: torch.Tensor, *, again: bool) -> Settings:
    """Return how numbers are held; all pairs, if memory suffices and it is not to be done again."""
    settings = fitting.settings_for(rows)
    return settings._replace(held=False) if again else settings


def edges_of_rows(rows: torch.Tensor, error: str, settings: Settings) -> torch.Tensor:
    """Return the edges at the level, as i * p + j, from rows on the GPU."""
    evidence = fitting.evidence_of_rows(rows, settings)
    repeats = fitting.repeats(evidence, 1 - 1e-10)
    assert (repeats.original == range(rows.shape[1])).all()
    found = fitting.find_edges(evidence, error, LOOSEST_LEVEL)
    keep = found.q_value <= LEVEL
    return torch.tensor(found.source[keep] * rows.shape[1] + found.target[keep])


def quality(truth: Truth, pairs: torch.Tensor) -> dict[str, float]:
    """Return how many edges were found, how many of them are none, and F1."""
    right = int(torch.isin(pairs, truth.edges.cpu()).sum())
    return {
        "edges": len(truth.edges),
        "found": len(pairs),
        "false": len(pairs) - right,
        "fdp": (len(pairs) - right) / max(len(pairs), 1),
        "f1": 2 * right / max(len(pairs) + len(truth.edges), 1),
    }


def measure(
    truth: Truth, error: str, settings: Settings, repeats: int, *, host: bool
) -> Iterator[dict[str, float]]:
    """Yield the quality, and if there are repeats, times and memory of one problem."""
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    yield quality(truth, edges_of_rows(truth.rows, error, settings))
    yield {
        "first": time.perf_counter() - start,
        "gib": torch.cuda.max_memory_allocated() / 2**30,
        "held": settings.held,
    }
    if not repeats:
        return
    yield {
        "seconds": seconds(lambda: edges_of_rows(truth.rows, error, settings), repeats),
        "learning": seconds(lambda: fitting.learn(truth.rows, settings), repeats),
    }
    if host:
        rows = truth.rows.cpu().numpy()
        torch.cuda.reset_peak_memory_stats()
        yield {
            "fit": seconds(lambda: HedgeGraph(error, LEVEL, "cuda").fit(rows), repeats),
            "transfer": seconds(lambda: torch.tensor(rows, device="cuda"), repeats),
            "fit_gib": torch.cuda.max_memory_allocated() / 2**30,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[20000, 50000, 100000])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--graph", choices=GRAPHS, nargs="+", default=["blocks"])
    parser.add_argument("--error", choices=["fdr", "fwer"], nargs="+", default=["fwer"])
    parser.add_argument("--repeats", type=int, default=3, help="0: quality only")
    parser.add_argument("--seeds", type=int, default=1, help="further ones: quality only")
    parser.add_argument("--host", action="store_true", help="HedgeGraph.fit from host memory too")
    parser.add_argument("--again", action="store_true", help="hold no weights of all pairs")
    parser.add_argument("--commit", help="of the code, where there is no git to ask")
    args = parser.parse_args()
    made = kept.made("", [args.commit] if args.commit else None)
    ceiling = ceilings()
    about = {
        "commit": made.commits[0],
        "date": made.date,
        "machine": f"one {torch.cuda.get_device_name()}, torch {torch.__version__}",
        "copy": ceiling[0],
        "product": ceiling[1],
    }
    print(json.dumps(about), flush=True)
    for p in args.columns:
        for name in args.graph:
            for seed in range(args.seeds):
                generator = torch.Generator("cuda").manual_seed(seed)
                truth = GRAPHS[name](p, args.rows, generator)
                by_bytes, by_flops = floors(truth, ceiling)
                for error in args.error:
                    line = {"p": p, "m": args.rows, "graph": name, "seed": seed, "error": error}
                    repeats = 0 if seed else args.repeats
                    settings = settings_of(truth.rows, again=args.again)
                    for part in measure(truth, error, settings, repeats, host=args.host):
                        line |= part
                    line |= {"bytes_floor_s": by_bytes, "flops_floor_s": by_flops}
                    shown = {k: round(v, 5) if isinstance(v, float) else v for k, v in line.items()}
                    print(json.dumps(shown), flush=True)
                del truth
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
