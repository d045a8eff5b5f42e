"""What each part and each constant of HedgeGraph's tests is worth: one change at a time.

Prints mean F1, mean share of false edges at a level of 0.05, the worst family's share, and how
often a familywise promise of 0.05 was broken. The numbers behind the choices in docs/theory.md,
sections 8 to 12.
"""

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np

from benchmarks.quality.cases import COLUMNS, rows_of
from hedgerow.method.edges import judge_pairs
from hedgerow.method.hedge import batch_size, init, update
from hedgerow.metrics import confusion, f1, fdp

CASES = ("erdos_renyi, mixed", "grid", "hubs", "random_tree", "cliques", "barabasi_albert",
         "ar1", "brownian_path", "free_field", "path_cliques", "near_copies", "common factor",
         "star, nearly singular", "empty")  # fmt: skip
RATIOS = (1.0, 2.0, 4.0, 10.0)

CHANGES: dict[str, dict[str, object]] = {
    "as it is": {},
    "radius up to 1.5": {"hedgerow.method.hedge.LARGEST_RADIUS": 1.5},
    "radius up to 4": {"hedgerow.method.hedge.LARGEST_RADIUS": 4.0},
    "batches of 8 throughout": {"hedgerow.method.hedge.LARGEST_BATCH": 8},
    "batches of 64 throughout": {"hedgerow.method.hedge.SMALLEST_BATCH": 64,
                                 "hedgerow.method.hedge.LARGEST_BATCH": 64},
    "neighbours chosen at level 0.2": {"hedgerow.method.neighbours.SELECTION_LEVEL": 0.2},
    "neighbours chosen at level 0.01": {"hedgerow.method.neighbours.SELECTION_LEVEL": 0.01},
    "no priors": {"hedgerow.method.edges.pair_priors": lambda z, *_, **__: np.ones_like(z)},
    "no company": {"hedgerow.method.edges.company_of": lambda *_: None},
    "no agreement": {"hedgerow.method.edges.agreement_margins": lambda *_: (-np.inf, 0.0)},
    "agreement without discount": {
        "hedgerow.method.edges.agreement_margins": lambda *_: (0.0, 0.0)
    },
    "stand-ins not asked": {"hedgerow.method.edges.weaken": lambda corr, n_rows, fitted: fitted},
    "few rows not treated apart": {"hedgerow.method.levels.BIAS_OF_FEW_ROWS": np.inf},
    "few rows from a bias of 1 on": {"hedgerow.method.levels.BIAS_OF_FEW_ROWS": 1.0},
}  # fmt: skip


def learned(rows: np.ndarray) -> np.ndarray:
    """Return Hedge's weights by the readable learner."""
    state, start = init(rows.shape[1]), 0
    while start < len(rows):
        size = batch_size(start)
        state, start = update(state, rows[start : start + size]), start + size
    return state.average


def measure(job: tuple[str, float, int]) -> list[tuple[float, float, bool]]:
    """Return F1, share of false edges and a broken familywise promise, for every change."""
    warnings.simplefilter("ignore")
    case, ratio, seed = job
    model, rows = rows_of(case, COLUMNS, round(ratio * COLUMNS), seed)
    truth, corr = model.adjacency.toarray(), np.corrcoef(rows, rowvar=False)
    results = []
    for change in CHANGES.values():
        with ExitStack() as stack:
            for target, value in change.items():
                stack.enter_context(patch(target, value))
            judge = partial(judge_pairs, corr, len(rows), learned(rows))
            fdr, fwer = (adjacency(judge(error).q_value, len(corr)) for error in ("fdr", "fwer"))
        broken = confusion(fwer, truth).false_edges > 0
        results.append((f1(fdr, truth), fdp(fdr, truth), broken))
    return results


def adjacency(q_value: np.ndarray, size: int) -> np.ndarray:
    graph = np.zeros((size, size), dtype=bool)
    graph[np.triu_indices(size, 1)] = q_value <= 0.05
    return graph | graph.T


def run(seeds: int, processes: int, show: Callable[[str], None] = print) -> None:
    """Print the table."""
    jobs = [(case, ratio, seed) for case in CASES for ratio in RATIOS for seed in range(seeds)]
    with get_context("spawn").Pool(processes) as pool:
        results = np.array(pool.map(measure, jobs), dtype=float)
    cells = results.reshape(len(CASES), len(RATIOS), seeds, len(CHANGES), 3).mean(axis=2)
    show(f"{len(CASES)} families, {RATIOS} rows for each of {COLUMNS} columns, {seeds} seeds")
    show(f"{'change':32} {'F1':>6} {'FDP':>6} {'worst':>6} {'FWER':>6}")
    for k, name in enumerate(CHANGES):
        score, share, broken = cells[:, :, k].mean(axis=(0, 1))
        worst = cells[:, :, k, 1].mean(axis=1).max()
        show(f"{name:32} {score:6.3f} {share:6.3f} {worst:6.3f} {broken:6.3f}")
