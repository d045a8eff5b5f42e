"""Time of the maximum-likelihood precision on the true graph, family by family.

    python benchmarks/speed/likelihood.py

Prints seconds and errors of the likelihood equations. One thread; compilation happens before the
clock starts; each figure is the fastest of three rounds.
"""

import argparse
import time

import numpy as np
from threadpoolctl import threadpool_limits

from hedgerow.datasets import make
from hedgerow.engines.likelihood_cpu import fit_precision

FAMILIES = (
    "chain",
    "brownian_path",
    "hubs",
    "random_regular",
    "barabasi_albert",
    "grid",
    "free_field",
)


def measure(family: str, p: int, m: int, rounds: int = 3) -> tuple[float, float]:
    """Return seconds, and the largest error of the likelihood equations in units of correlation."""
    model = make(family, p)
    covariance = np.cov(model.sample(m, seed=0), rowvar=False, bias=True)
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        fit = fit_precision(covariance, m, model.adjacency)
        seconds.append(time.perf_counter() - start)
    if fit.shrinkage:
        raise RuntimeError(f"{family}: shrunk by {fit.shrinkage}, which no figure here should be")
    scale = np.sqrt(np.diag(covariance))
    on_graph = model.adjacency.toarray() | np.eye(model.size, dtype=bool)
    error = np.abs(np.linalg.inv(fit.precision.toarray()) - covariance) / np.outer(scale, scale)
    return min(seconds), error[on_graph].max()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--rows", type=int, default=1000)
    arguments = parser.parse_args()
    measure("grid", 16, 100)
    print("| family | columns | seconds | error |")
    print("|---|---|---|---|")
    for family in FAMILIES:
        for p in arguments.columns:
            seconds, error = measure(family, p, arguments.rows)
            print(f"| {family} | {p} | {seconds:.2f} | {error:.0e} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
