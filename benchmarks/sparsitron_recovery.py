"""How many rows SparsitronGraph takes to find a small graph, beside what the theorem asks for.

    python -m benchmarks.sparsitron_recovery

Horizons grow by a tenth of a decade until the graph is found exactly in 95 % of the seeds. Fills
the table of docs/theory.md, unless a model or a method was left out.
"""

import argparse
import warnings

import numpy as np

from benchmarks import document, kept
from hedgerow import SparsitronGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.paper.sparsitron import SELECTIONS, edges_from_weights
from hedgerow.theory import constants, plan, sufficient_rows

DELTA = 0.05
CHUNK = 500_000
BASELINE = "inverse"  # of the sample covariance, cut at the same threshold
SEEDS = {"average": 20}  # by selection: it takes the most rows
MOST_SEEDS = 100
LABELS = {selection: f'**took it**, `"{selection}"`' for selection in SELECTIONS} | {
    BASELINE: "for comparison: inverse of the sample covariance, same threshold"
}
BOUNDS = (
    "Theorem 1, its order with constant 1",
    "proved enough, held-out choice",
    "proved enough, average",
)


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


MODELS = {"four pairs, κ = λ = 0.8": four_pairs(0.8), "ring, κ = 0.4, λ = 0.8": ring(0.4)}


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


def bounds(theta):
    """Rows that theory asks for."""
    problem = constants(theta).problem(DELTA)
    order = next(bound.rows for bound in plan(problem) if bound.name == "Theorem 1")
    average, chosen = (sufficient_rows(problem, selection=s) for s in ("average", "argmin"))
    return dict(zip(BOUNDS, (order, chosen.train + chosen.holdout, average.train)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", type=float, default=1e5, help="first horizon tried")
    methods = (*SELECTIONS, BASELINE)
    parser.add_argument("--method", nargs="+", choices=methods, default=methods)
    parser.add_argument("--model", nargs="+", choices=MODELS, default=list(MODELS))
    options = parser.parse_args()
    warnings.simplefilter("ignore", GuaranteeWarning)
    made = kept.made("python -m benchmarks.sparsitron_recovery")
    columns = []
    for name in options.model:
        theta = MODELS[name]
        found = {}
        for method in options.method:
            seeds = SEEDS.get(method, MOST_SEEDS)
            start = 10 if method == BASELINE else options.start
            rows, failures = rows_needed(theta, method, seeds, start)
            found[LABELS[method]] = f"{rows:,} ({seeds - failures} of {seeds})"
            print(f"{name}, {method}: {found[LABELS[method]]}", flush=True)
        columns.append(found | {label: f"{rows:,}" for label, rows in bounds(theta).items()})
    if set(options.model) == set(MODELS) and set(options.method) == set(methods):
        labels = [*(LABELS[selection] for selection in SELECTIONS), *BOUNDS, LABELS[BASELINE]]
        rows = [[label, *(column[label] for column in columns)] for label in labels]
        block = document.table(["rows", *options.model], rows)
        document.publish("theory", made, {"recovery": block})


if __name__ == "__main__":
    main()
