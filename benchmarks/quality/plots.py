"""The pictures in docs/quality.md, as SVG and PNG; the same results give the same files."""

import numpy as np
import polars as pl

from benchmarks.pictures import plt, save
from benchmarks.quality import recovery, store
from benchmarks.quality.cases import RATIOS
from benchmarks.quality.methods import METHODS, PROMISES
from benchmarks.quality.summary import (
    MAIN,
    OURS,
    SLACK,
    against,
    averaged,
    cases_in,
    figures,
    graphs,
    mean_of_cells,
    rivals_in,
)
from hedgerow.method.promises import BALANCED

LINES = ["#0072b2", "#56b4e9", "#d55e00", "#009e73", "#8c564b", "#cc79a7", "#e69f00", "#bcbd22",
         "#999999", "#000000"]  # fmt: skip
ROUND = [digit * 10**power for power in range(2, 6) for digit in (1, 2, 5)]
FEW_TO_MANY = plt.get_cmap("viridis_r")(np.linspace(0.08, 1.0, len(RATIOS)))


def draw_all(frame: pl.DataFrame) -> None:
    """Draw every picture that there are results for."""
    draw_error_rates(frame)
    draw_methods(frame)
    draw_gain(frame)
    if store.read(store.RECOVERY):
        draw_recovery()


def draw_error_rates(frame: pl.DataFrame) -> None:
    """Share of false edges, and probability of any, by case and rows."""
    cases = cases_in(frame)
    figure, panels = plt.subplots(1, 3, figsize=(10.5, 11), sharey=True, layout="constrained")
    for panel, (promise, (error, level)) in zip(panels, PROMISES.items()):
        score = "fdp" if error == "fdr" else "any_false"
        bound = SLACK * level if error == "fdr" else level
        _dots(panel, cases, figures(graphs(frame, OURS, promise), score, "case", "ratio"))
        panel.axvline(bound, color="#d55e00", linewidth=1)
        panel.set_xlim(-0.004, max(2 * bound, panel.get_xlim()[1]))
        aim = f"{SLACK:g} × {level:g}" if error == "fdr" else f"{level:g}"
        what = "share of false edges" if error == "fdr" else "probability of any false edge"
        panel.set_xlabel(f"{what}\nline: {aim}")
        panel.set_title(f'error="{error}", level={level:g}', loc="left", fontsize=10)
    _legend(figure)
    save(figure, "quality_error_rates")


def draw_methods(frame: pl.DataFrame) -> None:
    """F1 and share of false edges of every method as rows grow."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    drawn = [(OURS, MAIN), (OURS, BALANCED), *((method, MAIN) for method in rivals_in(frame))]
    for colour, (method, cut) in zip(LINES, drawn, strict=True):
        of_method = averaged(graphs(frame, method, cut))
        label = METHODS[method].label + (f", {cut}" if method == OURS else "")
        tried = METHODS[method].ratios
        by_ratio = [of_method.filter(pl.col("ratio") == ratio) for ratio in tried]
        for panel, score in zip(panels, ("f1", "fdp")):
            means = [mean_of_cells(here, score).mean for here in by_ratio]
            width = 2.5 if method == OURS else 1.2
            panel.plot(tried, means, "o-", color=colour, linewidth=width, label=label)
    for panel, name in zip(panels, ("mean F1", "mean share of false edges")):
        panel.set_xscale("log")
        panel.set_xticks(RATIOS, [f"{ratio:g}" for ratio in RATIOS])
        panel.minorticks_off()
        panel.set_xlabel("rows for each column, m/p")
        panel.set_ylabel(name)
    panels[1].axhline(0.05, color="black", linewidth=0.8, linestyle=":")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    save(figure, "quality_methods")


def draw_gain(frame: pl.DataFrame) -> None:
    """Our F1 less that of the inverse Gram matrix, cell by cell."""
    both = against(frame, "inverse")
    gains = figures(both, "gain", "case", "ratio")
    figure, panel = plt.subplots(figsize=(7, 9), layout="constrained")
    _dots(panel, cases_in(both), gains)
    panel.axvline(0.0, color="black", linewidth=0.8)
    panel.axvline(-0.02, color="#d55e00", linewidth=1)
    panel.set_xlabel("F1 of HedgeGraph less F1 of inverse Gram + tests, FDR 0.05\nline: -0.02")
    _legend(figure)
    save(figure, "quality_gain")


def draw_recovery() -> None:
    """Rows that exact recovery takes, by method and graph."""
    found = {(r["graph"], r["p"], r["method"]): r["rows"] for r in store.read(store.RECOVERY)}
    sizes = sorted({p for _, p, _ in found})
    labels = [label for label, _ in recovery.RECOVERS.values()]
    figure, panels = plt.subplots(
        1, len(recovery.GRAPHS), figsize=(12.5, 3.6), sharey=True, layout="constrained"
    )
    height = np.arange(len(labels))[::-1]
    for panel, graph in zip(panels, recovery.GRAPHS):
        for colour, p in zip(LINES, sizes):
            rows = [found.get((graph, p, method)) or np.nan for method in recovery.RECOVERS]
            panel.plot(rows, height, "o", color=colour, label=f"p = {p}")
            fano, _ = recovery.lower_bounds(graph, p)
            panel.axvline(fano, color=colour, linestyle=":", label=f"no method with fewer, p = {p}")
        panel.set_xscale("log")
        low, high = panel.get_xlim()
        ticks = [t for t in ROUND if low <= t <= high]
        panel.set_xticks(ticks, [f"{t:,}" for t in ticks])
        panel.minorticks_off()
        panel.set_title(graph, loc="left", fontsize=10)
        panel.set_xlabel("rows")
        panel.grid(axis="y", color="#dddddd")
    panels[0].set_yticks(height, labels)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, "quality_recovery")


def _dots(panel, cases, cells) -> None:
    """One line for each case, one dot with its error bar for each number of rows."""
    height = np.arange(len(cases))[::-1]
    spread = np.linspace(0.3, -0.3, len(RATIOS))
    for ratio, shift, colour in zip(RATIOS, spread, FEW_TO_MANY):
        here = [(h, cells[case, ratio]) for h, case in zip(height, cases) if (case, ratio) in cells]
        if here:
            at, found = zip(*here)
            mean, error = np.array([(cell.mean, cell.error) for cell in found]).T
            style = {"fmt": "o", "markersize": 3, "linewidth": 1, "color": colour}
            panel.errorbar(
                mean, np.array(at) + shift, xerr=error, label=f"m/p = {ratio:g}", **style
            )
    panel.set_yticks(height, cases)
    panel.set_ylim(-0.6, len(cases) - 0.4)
    panel.grid(axis="y", color="#eeeeee")


def _legend(figure) -> None:
    handles = figure.axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(RATIOS))
