"""Whether IsingGraph keeps its promise: by family, coupling, signs, field and number of rows.

    python -m benchmarks.ising_promise

Rows are drawn exactly. Of each data set: the share of false edges and F1 at a false discovery rate
of 0.05, and whether there is any false edge at a familywise error rate of 0.05. Fills docs/ising.md.
"""

import argparse
import warnings

import numpy as np

from benchmarks import document, kept
from benchmarks.ising_promise.sampling import draw
from hedgerow import IsingGraph
from hedgerow.datasets import make_ising
from hedgerow.datasets._ising_families import SIGNS

FAMILIES = {  # numbers of variables
    "grid": 36,
    "triangular": 36,
    "random_regular": 36,
    "erdos_renyi": 36,
    "barabasi_albert": 36,
    "star": 16,
    "cliques": 36,
    "curie_weiss": 12,
}
COUPLINGS = (0.1, 0.3, 0.6, 1.0)
ROWS = (200, 1000, 5000)
MANY_ROWS = 50_000
FIELDS = (0.0, 0.3)


def one(family, coupling, signs, field, n_rows, seed):
    """Return the share of false edges and F1, any false edge (familywise), and edges found so."""
    size = FAMILIES[family]
    strength = coupling * (size if family == "curie_weiss" else 1)
    model = make_ising(family, size, strength=strength, signs=signs, field=field, seed=seed)
    rows = draw(model, n_rows, seed + 10_000)
    truth = model.adjacency.toarray()
    learned = IsingGraph().fit(rows)
    found = learned.adjacency_.toarray()
    right = (found & truth).sum()
    surest = learned.set_params(error="fwer").adjacency_.toarray()
    return (
        (found & ~truth).sum() / max(found.sum(), 1),
        2 * right / max(found.sum() + truth.sum(), 1),
        bool((surest & ~truth).any()),
    )


def cell(results):
    """Return what a table says of some data sets."""
    false, f1, any_false = np.array(results, dtype=float).T
    return f"{false.mean():.3f}; {int(any_false.sum())} of {len(any_false)}; {f1.mean():.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=10, help="data sets of each kind")
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = kept.made(f"python -m benchmarks.ising_promise --sets {options.sets}")
    lines, worst = [], []
    for family in options.family:
        for coupling in COUPLINGS:
            line = []
            for n_rows in ROWS:
                results = []
                for signs in SIGNS:
                    for field in FIELDS:
                        some = [
                            one(family, coupling, signs, field, n_rows, seed)
                            for seed in range(options.sets)
                        ]
                        worst.append((np.mean([r[0] for r in some]), sum(r[2] for r in some)))
                        results += some
                line.append(cell(results))
            sets = max(1, options.sets // 5)
            many = [
                one(family, coupling, signs, 0.0, MANY_ROWS, seed)
                for signs in SIGNS
                for seed in range(sets)
            ]
            lines.append([family, f"{coupling:g}", *line, cell(many)])
            print(*lines[-1], sep=" | ", flush=True)
    shares, anys = np.array(worst).T
    said = (
        f"Of {len(worst)} kinds of tables with up to {ROWS[-1]:,} rows, the mean share of false "
        f"edges is at most {shares.max():.3f} over {options.sets} data sets of one kind, and "
        f"{shares.mean():.4f} over all; {int(anys.sum())} of {len(worst) * options.sets} data "
        f"sets have any false edge at a familywise error rate of 0.05, at most {int(anys.max())} "
        f"of {options.sets} of one kind."
    )
    print(said)
    if set(options.family) == set(FAMILIES):
        header = ["family", "coupling", *(f"{n:,} rows" for n in (*ROWS, MANY_ROWS))]
        document.publish("ising", made, {"promise": f"{said}\n\n{document.table(header, lines)}"})


if __name__ == "__main__":
    main()
