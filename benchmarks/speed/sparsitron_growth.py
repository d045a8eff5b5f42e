"""Measured growth of SparsitronGraph's run time in rows m and columns p.

    python benchmarks/speed/sparsitron_growth.py

Prints the table and draws docs/images/sparsitron_growth.{svg,png}. Compilation happens before the
clock starts; each figure is the fastest of several runs.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

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


def seconds(selection, m, p, repeats):
    X = np.random.default_rng(0).standard_normal((m, p))
    learner = SparsitronGraph(selection=selection, max_precision=1.0)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        learner.fit(X)
        times.append(time.perf_counter() - start)
    return min(times)


def slope(sizes, times):
    """Exponent of the power law through the points, by least squares on logarithms."""
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]


def measure(repeats):
    """Return {axis: {selection: (sizes, times, slope)}}."""
    results = {"m": {}, "p": {}}
    for selection, columns in COLUMNS.items():
        seconds(selection, 10, 3, repeats=1)  # compiles
        for axis, sizes in (("m", ROWS), ("p", columns)):
            times = [
                seconds(selection, size, FIXED_COLUMNS, repeats)
                if axis == "m"
                else seconds(selection, FIXED_ROWS, size, repeats)
                for size in sizes
            ]
            results[axis][selection] = sizes, times, slope(sizes, times)
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
    figure.savefig(IMAGES / "sparsitron_growth.png", dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-plot", action="store_true", help="print the table only")
    options = parser.parse_args()
    warnings.simplefilter("ignore", GuaranteeWarning)
    results = measure(options.repeats)
    print_table(results)
    if not options.no_plot:
        draw(results)


if __name__ == "__main__":
    main()
