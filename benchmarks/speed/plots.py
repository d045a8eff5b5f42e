"""The pictures in docs/speed.md."""

from typing import Any

from benchmarks.pictures import plt, save
from benchmarks.speed import peers, targets

KINDS = {"cov": "np.cov", "learning": "learning pass", "fit": "fit with tested edges"}
COLOURS = {"cov": "#999999", "learning": "#0072b2", "fit": "#d55e00"}
OURS, THEIRS = "#0072b2", "#999999"


def draw_growth(figures: dict[str, Any]) -> None:
    """Seconds against rows and columns, and how many times np.cov that is."""
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for panel, (axis, found) in zip(panels, figures.items()):
        for kind, times in found["times"].items():
            label = f"{KINDS[kind]}: {axis}$^{{{found['slopes'][kind]:.2f}}}$"
            panel.loglog(found["along"], times, "o-", color=COLOURS[kind], label=label)
        panel.set(ylabel="seconds of one core")
        panel.set_ylim(top=6 * panel.get_ylim()[1])  # for the legend
        _name_sizes(panel, axis, found["along"])
    along, times = figures["columns"]["along"], figures["columns"]["times"]
    for kind, aim in targets.AIMS.items():
        ratio = [t / floor for t, floor in zip(times[kind], times["cov"])]
        panels[2].semilogx(along, ratio, "o-", color=COLOURS[kind], label=KINDS[kind])
        panels[2].axhline(aim, color=COLOURS[kind], linestyle=":", linewidth=1)
    panels[2].set(ylabel="times np.cov; dotted: aims", ylim=(0, 8))
    _name_sizes(panels[2], "columns", along)
    save(figure, "speed_growth")


def _name_sizes(panel: plt.Axes, axis: str, sizes: list[int]) -> None:
    panel.set_xlabel(axis)
    panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
    panel.set_xticks([], minor=True)
    panel.legend(loc="upper left", fontsize=8)


def draw_peers(figures: list[dict[str, Any]]) -> None:
    """Seconds of one core beside other methods."""
    figure, panel = plt.subplots(figsize=(7, 2.6), layout="constrained")
    rows = [(f, who) for f in figures[::-1] for who in ("theirs", "ours")]
    for height, (f, who) in enumerate(rows):
        seconds, colour = f[f"{who}_seconds"], OURS if who == "ours" else THEIRS
        panel.barh(height, seconds, color=colour, height=0.7)
        more = "> " if who == "theirs" and 2 * f["stopped"] >= f["graphs"] else ""
        panel.text(1.1 * seconds, height, f"{more}{seconds:.3g} s", va="center")
    names = [peers.LABELS[f["peer"]] if who == "theirs" else "HedgeGraph" for f, who in rows]
    sizes = [f"{f['columns']:,}" for f, _ in rows]
    panel.set_yticks(range(len(rows)), [f"{n}, p = {size}" for n, size in zip(names, sizes)])
    panel.set(xscale="log", xlabel=f"seconds of one core, {figures[0]['rows']:,} rows")
    panel.margins(x=0.15)
    save(figure, "speed_peers")
