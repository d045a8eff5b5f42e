"""Measured growth of SparsitronGraph's run time in rows m and columns p.

    python -m benchmarks.speed.sparsitron_growth

Prints the times, fills in the exponents in docs/theory.md and draws its picture. One thread, so
that growth is not confused with how well threads share the work; compilation happens before the
clock starts; each figure is the fastest of several rounds.
"""

import argparse
import time
import warnings
from pathlib import Path

import numba
import numpy as np

from benchmarks import document, kept
from hedgerow import SparsitronGraph
from hedgerow.estimators import GuaranteeWarning

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
ROWS = (2_000, 4_000, 8_000, 16_000, 32_000)
COLUMNS = {
    "average": (64, 128, 256, 512),
    "checkpoints": (64, 128, 256, 512),
    "argmin": (64, 128, 256),
}
FIXED_COLUMNS, FIXED_ROWS = 64, 2_000
COLOURS = {"average": "#0072b2", "checkpoints": "#d55e00", "argmin": "#009e73"}


def seconds(selection, m, p):
    X = np.random.default_rng(0).standard_normal((m, p))
    learner = SparsitronGraph(selection=selection, max_precision=1.0)
    start = time.perf_counter()
    learner.fit(X)
    return time.perf_counter() - start


def slope(sizes, times):
    """Exponent of the power law through the points, by least squares on logarithms."""
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]


def measure(repeats):
    """Return {axis: {selection: (sizes, times, slope)}}, each time the least of ``repeats``.

    The repeats go round all sizes, so that a busy moment of the machine does not fall on one.
    """
    jobs = [
        *((s, "m", size, size, FIXED_COLUMNS) for s in COLUMNS for size in ROWS),
        *((s, "p", size, FIXED_ROWS, size) for s in COLUMNS for size in COLUMNS[s]),
    ]
    for selection in COLUMNS:
        seconds(selection, 10, 3)  # compiles
    rounds = [[seconds(selection, m, p) for selection, _, _, m, p in jobs] for _ in range(repeats)]
    least = np.min(rounds, axis=0)
    results = {"m": {}, "p": {}}
    for axis, of_axis in results.items():
        for selection in COLUMNS:
            mine = [k for k, job in enumerate(jobs) if job[:2] == (selection, axis)]
            sizes, times = [jobs[k][2] for k in mine], least[mine]
            of_axis[selection] = sizes, times, slope(sizes, times)
    return results


def print_table(results):
    for axis, fixed in (("m", f"p = {FIXED_COLUMNS}"), ("p", f"m = {FIXED_ROWS:,}")):
        print(f"\nseconds as {axis} grows, {fixed}")
        for selection, (sizes, times, exponent) in results[axis].items():
            cells = "  ".join(f"{size:>6,}: {t:8.4f}" for size, t in zip(sizes, times))
            print(f"{selection:<12} {cells}   time ~ {axis}^{exponent:.2f}")


def draw(results):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "hedgerow"  # the same figure is the same file
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    titles = {"m": f"rows m, p = {FIXED_COLUMNS}", "p": f"columns p, m = {FIXED_ROWS:,}"}
    for panel, (axis, title) in zip(panels, titles.items()):
        for selection, (sizes, times, exponent) in results[axis].items():
            label = f"{selection}: time ~ {axis}$^{{{exponent:.2f}}}$"
            panel.loglog(sizes, times, "o-", color=COLOURS[selection], label=label)
        panel.set_xlabel(title)
        panel.set_xticks(ROWS if axis == "m" else COLUMNS["average"])
        panel.xaxis.set_major_formatter(matplotlib.ticker.StrMethodFormatter("{x:,.0f}"))
        panel.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False)
    panels[0].set_ylabel("seconds")
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / "sparsitron_growth.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-plot", action="store_true", help="print the times only")
    options = parser.parse_args()
    warnings.simplefilter("ignore", GuaranteeWarning)
    numba.set_num_threads(1)
    made = kept.made("python -m benchmarks.speed.sparsitron_growth")
    results = measure(options.repeats)
    print_table(results)
    if not options.no_plot:
        draw(results)
        rows = [[s, *(f"{results[axis][s][2]:.2f}" for axis in ("m", "p"))] for s in COLUMNS]
        document.publish("theory", made, {"growth": document.table(["exponent", "m", "p"], rows)})


if __name__ == "__main__":
    main()
