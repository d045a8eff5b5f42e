"""The pictures in docs/comparison.md."""

from itertools import cycle, product

import polars as pl

from benchmarks.peers import recovery, store
from benchmarks.peers.solvers import SOLVERS, label
from benchmarks.peers.summary import OURS, frontier_means, methods_in, on_the_frontier
from benchmarks.pictures import plt, save

COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#8c564b")
MARKS = ("o", "s", "^")
STYLES = {
    method: {"color": colour, "marker": mark, "linewidth": 1.0, "markersize": 3.5}
    for method, (mark, colour) in zip(
        (method for method in SOLVERS if method not in OURS), cycle(product(MARKS, COLOURS))
    )
} | {
    own: {
        "color": "#0072b2",
        "marker": "D",
        "markerfacecolor": fill,
        "linestyle": line,
        "linewidth": 2.6,
        "markersize": 5,
        "zorder": 5,
    }
    for own, (fill, line) in zip(OURS, (("#0072b2", "-"), ("white", "--")))
}


def draw_all() -> None:
    """Draw every picture that there are results for."""
    if len(frame := store.read("frontier")):
        draw_frontier(frame)
    if len(frame := store.read("times")):
        draw_times(frame)
    if len(frame := store.read("recovery")):
        for tuning in ("data", "oracle"):
            draw_recovery(frame.filter(pl.col("tuning") == tuning), tuning)


def draw_frontier(frame: pl.DataFrame) -> None:
    """F1 against seconds; a line joins the methods that none beats in both."""
    means = frontier_means(frame)
    sizes = sorted(means["m"].unique())
    figure, panels = plt.subplots(
        1, len(sizes), figsize=(11, 5), sharey=True, layout="constrained", squeeze=False
    )
    for panel, m in zip(panels[0], sizes):
        here = means.filter(pl.col("m") == m).sort("seconds")
        best = on_the_frontier(here["seconds"].to_list(), here["f1"].to_list())
        edge = here.filter(pl.Series(best))
        panel.step(edge["seconds"], edge["f1"], where="post", color="#bbbbbb", linewidth=1)
        for row in here.iter_rows(named=True):
            style = {**STYLES[row["method"]], "markersize": 8, "linestyle": "none"}
            panel.plot(row["seconds"], row["f1"], label=label(row["method"]), **style)
        panel.set_xscale("log")
        panel.set_xlabel("processor seconds, median of families")
        panel.set_title(f"64 columns, {m} rows", loc="left", fontsize=10)
    panels[0][0].set_ylabel("mean F1")
    _legend(figure, panels[0][0])
    save(figure, "peers_frontier")


def draw_times(frame: pl.DataFrame) -> None:
    """Seconds against columns and against rows."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 5), sharey=True, layout="constrained")
    for panel, (axis, what) in zip(panels, (("p", "columns"), ("m", "rows"))):
        for method in methods_in(frame):
            points = frame.filter(method=method, axis=axis).drop_nulls("seconds").sort(axis)
            panel.plot(points[axis], points["seconds"], label=label(method), **STYLES[method])
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel(what)
    panels[0].set_ylabel("processor seconds")
    panels[0].set_title("1,000 rows", loc="left", fontsize=10)
    panels[1].set_title("64 columns", loc="left", fontsize=10)
    _legend(figure, panels[0])
    save(figure, "peers_times")


def draw_recovery(frame: pl.DataFrame, tuning: str) -> None:
    """Share of exact graphs against rows: a panel for each family and number of columns."""
    sizes = [p for p in recovery.FAMILIES if p in frame["p"]]
    width = max(len(recovery.FAMILIES[p]) for p in sizes)
    figure, panels = plt.subplots(
        len(sizes),
        width,
        figsize=(2.7 * width, 2.5 * len(sizes) + 1.3),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for line, p in zip(panels, sizes):
        for panel, family in zip(line, recovery.FAMILIES[p]):
            _curves(panel, frame.filter(p=p, family=family))
            kind = "easy" if family in recovery.EASY else "hard"
            panel.set_title(f"{family} ({kind}), p = {p}", loc="left", fontsize=9)
        for panel in line[len(recovery.FAMILIES[p]) :]:
            panel.set_visible(False)
        line[0].set_ylabel("share of exact graphs")
    _legend(figure, panels[0][0])
    save(figure, f"peers_recovery_{tuning}")


def _curves(panel: plt.Axes, frame: pl.DataFrame) -> None:
    for method in methods_in(frame):
        curve = frame.filter(method=method).drop_nulls("exact").sort("m")
        panel.plot(curve["m"], curve["exact"], label=label(method), **STYLES[method])
    panel.set_xscale("log")
    panel.set_xlim(recovery.rows_at(recovery.FIRST), recovery.rows_at(recovery.LAST))
    panel.set_xlabel("rows")
    panel.grid(color="#eeeeee")


def _legend(figure: plt.Figure, panel: plt.Axes) -> None:
    handles = panel.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=4, fontsize=8)
