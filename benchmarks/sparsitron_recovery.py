"""How many rows SparsitronGraph takes to find a small graph, beside what the theorem asks for.

    python benchmarks/sparsitron_recovery.py --seeds 100

Horizons grow by a tenth of a decade until the graph is found exactly in 95 % of the seeds.
"""

import argparse
import warnings

import numpy as np

from hedgerow import SparsitronGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.paper.sparsitron import SELECTIONS, edges_from_weights
from hedgerow.theory import constants, plan, sufficient_rows

DELTA = 0.05
CHUNK = 500_000
BASELINE = "inverse"  # of the sample covariance, cut at the same threshold


def four_pairs(strength):
    """Eight nodes in four pairs, joined with alternating signs."""
    theta = np.eye(8)
    for i in range(0, 8, 2):
        theta[i, i + 1] = theta[i + 1, i] = strength * (-1) ** (i // 2)
    return theta


def ring(strength):
    """Eight nodes in a ring, all joined with the same sign."""
    theta = np.eye(8)
    for i in range(8):
        theta[i, (i + 1) % 8] = theta[(i + 1) % 8, i] = -strength
    return theta


MODELS = {"four pairs, κ = 0.8": four_pairs(0.8), "ring, κ = 0.4": ring(0.4)}


def draw(theta, rows, seed):
    """Yield the rows of one stream, a chunk at a time."""
    root = np.linalg.inv(np.linalg.cholesky(theta))
    rng = np.random.default_rng(seed)
    for start in range(0, rows, CHUNK):
        yield rng.standard_normal((min(CHUNK, rows - start), len(theta))) @ root


def sparsitron_edges(theta, selection, rows, seed):
    """Edges that one stream leads to, given the true parameters."""
    model = constants(theta)
    bounds = model.lambda_max, model.kappa, model.nu_max, model.theta_max, DELTA
    learner = SparsitronGraph(*bounds, selection=selection, horizon=rows)
    for chunk in draw(theta, rows, seed):
        learner.partial_fit(chunk)
    return learner.adjacency_.toarray()


def inverse_edges(theta, rows, seed):
    """Edges by the paper's threshold on the inverse of the sample covariance."""
    inverse = np.linalg.inv(np.cov(np.vstack(list(draw(theta, rows, seed))), rowvar=False))
    weights = inverse / inverse.diagonal()[:, None]
    return edges_from_weights(weights, constants(theta).kappa)


def rows_needed(theta, method, seeds, start):
    """First horizon on the grid with at most 5 % failures, and the number of failures there."""
    truth = (theta != 0) & ~np.eye(len(theta), dtype=bool)
    for step in range(round(10 * np.log10(start)), 91):
        rows, failures = round(10 ** (step / 10)), 0
        for seed in range(seeds):
            if method == BASELINE:
                edges = inverse_edges(theta, rows, seed)
            else:
                edges = sparsitron_edges(theta, method, rows, seed)
            failures += not np.array_equal(edges, truth)
            if failures > 0.05 * seeds:
                break
        else:
            return rows, failures
    raise RuntimeError("not recovered with 10⁹ rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--start", type=float, default=1e5, help="first horizon tried")
    methods = (BASELINE, *SELECTIONS)
    parser.add_argument("--method", nargs="+", choices=methods, default=methods)
    parser.add_argument("--model", nargs="+", choices=MODELS, default=list(MODELS))
    options = parser.parse_args()
    warnings.simplefilter("ignore", GuaranteeWarning)
    for name in options.model:
        theta = MODELS[name]
        problem = constants(theta).problem(DELTA)
        order = next(bound.rows for bound in plan(problem) if bound.name == "Theorem 1")
        average, chosen = (sufficient_rows(problem, selection=s) for s in ("average", "argmin"))
        print(f"{name}: Theorem 1 with constant 1 asks for {order:,} rows; proved enough are")
        print(f"  {average.train:,} (average), {chosen.train + chosen.holdout:,} (the others)")
        for method in options.method:
            start = 10 if method == BASELINE else options.start
            rows, failures = rows_needed(theta, method, options.seeds, start)
            found = f"{options.seeds - failures} of {options.seeds} seeds"
            print(f"  {method:<12} {rows:>12,} rows took it ({found})", flush=True)


if __name__ == "__main__":
    main()
