"""Many rows for each column: beside tests of the inverse Gram matrix, on one core."""

import argparse
import warnings

import numpy as np

from benchmarks.speed import clock
from hedgerow import HedgeGraph
from hedgerow.method.multiplicity import benjamini_hochberg
from hedgerow.method.scores import two_sided, z_score
from hedgerow.metrics import f1
from hedgerow.rivals._inverse_gram import partial_correlations

COLUMNS, PER_COLUMN = (50, 200, 1000), 20


def run(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    figures = []
    print("columns   rows  HedgeGraph s, inverse s   times   F1: ours, inverse")
    for n_columns in COLUMNS:
        rows, model = clock.sample(n_columns, PER_COLUMN * n_columns)
        jobs = {
            "ours": lambda rows=rows: HedgeGraph().fit(rows).adjacency_.toarray(),
            "inverse": lambda rows=rows: inverse_gram(rows),
        }
        times = clock.least_times_on_one_core(jobs, max(options.rounds // 3, 1))
        found = {name: float(f1(job(), model.adjacency)) for name, job in jobs.items()}
        figures.append({"columns": n_columns, "rows": len(rows), "seconds": times, "f1": found})
        print(
            f"{n_columns:7,} {len(rows):6,} {times['ours']:13.4f} {times['inverse']:10.4f} "
            f"{times['ours'] / times['inverse']:7.1f}   {found['ours']:.3f} {found['inverse']:.3f}",
            flush=True,
        )
    clock.keep("many_rows", figures)


def inverse_gram(rows: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Return the graph by exact tests of all partial correlations, at a false discovery rate."""
    n_rows, n_columns = rows.shape
    upper = np.triu_indices(n_columns, 1)
    partial = partial_correlations(np.linalg.inv(np.corrcoef(rows, rowvar=False)))
    z = z_score(partial[upper], n_rows - n_columns)
    graph = np.zeros((n_columns, n_columns), dtype=bool)
    graph[upper] = benjamini_hochberg(two_sided(z)) <= level
    return graph | graph.T
