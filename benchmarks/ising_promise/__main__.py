"""Whether IsingGraph keeps its promise: by family, coupling, signs, field and number of rows.

    python -m benchmarks.ising_promise [sparse] [dense]

Rows are drawn exactly, and anew for each kind of table. Of each data set: the share of false edges
and F1 at a false discovery rate of 0.05, and whether there is any false edge at a familywise error
rate of 0.05. Fills docs/ising.md, after each family: a table for each group of families.
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
GROUPS = {"sparse": list(FAMILIES)[:5], "dense": list(FAMILIES)[5:]}
COUPLINGS = (0.1, 0.3, 0.6, 1.0)
ROWS = (200, 1000, 5000)
MANY_ROWS = 50_000
FIELDS = (0.0, 0.3)


def one(family, coupling, signs, field, n_rows, seed):
    """Return the share of false edges, F1, and whether any edge is false (familywise)."""
    size = FAMILIES[family]
    strength = coupling * (size if family == "curie_weiss" else 1)
    kind = list(FAMILIES).index(family), round(100 * coupling), SIGNS.index(signs)
    rng = np.random.default_rng([*kind, round(100 * field), n_rows, seed])
    model = make_ising(family, size, strength=strength, signs=signs, field=field, seed=rng)
    rows = draw(model, n_rows, rng)
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


def cell(kinds):
    """Return what a table says of the data sets of some kinds."""
    false, f1, any_false = np.concatenate(kinds).astype(float).T
    return f"{false.mean():.3f}; {int(any_false.sum())} of {len(any_false)}; {f1.mean():.2f}"


def kind(family, coupling, n_rows, signs, field, sets):
    """Return the results of all data sets of one kind."""
    return [one(family, coupling, signs, field, n_rows, seed) for seed in range(sets)]


def summed_up(kinds, sets):
    """Return in words what came of all kinds with as many data sets."""
    shares = np.array([np.mean([false for false, _, _ in some]) for some in kinds])
    anys = np.array([sum(any_false for _, _, any_false in some) for some in kinds])
    return (
        f"Of {len(kinds)} kinds of tables with up to {ROWS[-1]:,} rows, the mean share of false "
        f"edges is at most {shares.max():.3f} over {sets} data sets of one kind, and "
        f"{shares.mean():.4f} over all; {anys.sum()} of {len(kinds) * sets} data sets have any "
        f"false edge at a familywise error rate of 0.05, at most {anys.max()} of {sets} of one "
        f"kind."
    )


def measure(group, sets):
    """Publish what comes of a group of families, after each of them."""
    made = kept.made(f"python -m benchmarks.ising_promise {group} --sets {sets}")
    header = ["family", "coupling", *(f"{n:,} rows" for n in (*ROWS, MANY_ROWS))]
    lines, kinds = [], []
    for family in GROUPS[group]:
        for coupling in COUPLINGS:
            cells = []
            for n_rows in ROWS:
                some = [
                    kind(family, coupling, n_rows, signs, field, sets)
                    for signs in SIGNS
                    for field in FIELDS
                ]
                kinds += some
                cells.append(cell(some))
            many = [kind(family, coupling, MANY_ROWS, signs, 0.0, 1) for signs in SIGNS]
            lines.append([family, f"{coupling:g}", *cells, cell(many)])
            print(*lines[-1], sep=" | ", flush=True)
        said = summed_up(kinds, sets)
        table = document.table(header, lines)
        document.publish("ising", made, {f"promise-{group}": f"{said}\n\n{table}"})
    print(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[[], *GROUPS], default=[])
    parser.add_argument("--sets", type=int, default=6, help="data sets of each kind")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for group in options.groups or GROUPS:
        measure(group, options.sets)


if __name__ == "__main__":
    main()
