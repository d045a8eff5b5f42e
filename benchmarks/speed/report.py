"""docs/speed.md: tables between pairs of markers, and its two pictures."""

import argparse
from pathlib import Path
from typing import Any

from benchmarks.speed import clock, memory, peers, start, targets

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, IMAGES = DOCS / "speed.md", DOCS / "images"
COLOURS = {"cov": "#999999", "learning": "#0072b2", "fit": "#d55e00"}
LABELS = {"cov": "np.cov", "learning": "learning pass", "fit": "fit with tested edges"}


def run(options: argparse.Namespace) -> None:
    figures = clock.read()
    blocks = {"setting": figures["setting"]}
    for part, table in TABLES.items():
        if part in figures:
            blocks[part] = table(figures[part])
    text = PAGE.read_text()
    for name, block in blocks.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        if not (begin and end):
            raise ValueError(f"{PAGE.name} must have a block {name!r}")
        text = f"{before}{begin}{block}\n{end}{after}"
    PAGE.write_text(text)
    if "growth" in figures:
        _draw(figures["growth"])


def _table(head: str, rows: list[list[str]]) -> str:
    names = head.split(" | ")
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _targets(figures: list[dict[str, Any]]) -> str:
    one = {f["columns"]: f["fit"] for f in figures if f["cores"] == 1}
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['rows']:,}",
            str(f["cores"]),
            f"{f['cov']:.4f}",
            f"{f['learning']:.4f}",
            f"{f['fit']:.4f}",
            f"{f['learning'] / f['cov']:.2f}",
            f"{f['fit'] / f['cov']:.2f}",
            f"{one[f['columns']] / f['fit']:.2f}",
        ]
        for f in figures
    ]
    aims = targets.AIMS
    head = (
        "columns | rows | cores | np.cov, s | learning, s | fit, s | "
        f"learning / cov (aim {aims['learning']:g}) | fit / cov (aim {aims['fit']:g}) | "
        f"fit, times one core (aim {targets.SPEED_UP})"
    )
    return _table(head, rows)


def _growth(figures: dict[str, Any]) -> str:
    rows = []
    for axis, found in figures.items():
        for kind, times in found["times"].items():
            cells = ", ".join(f"{n:,}: {t:.3f}" for n, t in zip(found["along"], times))
            rows.append([axis, LABELS[kind], cells, f"{found['slopes'][kind]:.2f}"])
    return _table("growing | what | seconds | exponent", rows)


def _peers(figures: list[dict[str, Any]]) -> str:
    ours = {f["columns"]: f["seconds"] for f in figures if f["method"] == peers.OURS}
    rows = []
    for f in figures:
        ratio, late = f["seconds"] / ours[f["columns"]], f["f1"] is None
        aim = peers.AIMS.get(f["method"])
        rows.append(
            [
                f"{f['columns']:,}",
                f"{f['rows']:,}",
                f["method"],
                f"{'> ' if late else ''}{f['seconds']:.3g}",
                f"{'> ' if late else ''}{ratio:.3g}" + (f" (aim {aim:g})" if aim else ""),
                "not known" if late else f"{f['f1']:.3f}",
            ]
        )
    return _table("columns | rows | method | s | times ours | F1", rows)


def _memory(figures: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['rows']:,}",
            f"{f['seconds']:.1f}",
            f"{f['peak'] / 2**30:.2f}",
            f"{f['matrices']:.2f}",
            f"{f['chunk']:.2f}",
        ]
        for f in figures
    ]
    head = f"columns | rows | s | peak, GiB | matrices (aim {memory.AIM:g} and a chunk) | rows"
    return _table(head, rows)


def _start(figures: dict[str, float]) -> str:
    rows = [
        [
            f"`{name}`",
            f"{seconds:.3f}" + (f" (aim {start.AIMS[name]:g})" if name in start.AIMS else ""),
        ]
        for name, seconds in figures.items()
    ]
    return _table("what | s", rows)


TABLES = {
    "targets": _targets,
    "growth": _growth,
    "peers": _peers,
    "memory": _memory,
    "start": _start,
}


def _draw(figures: dict[str, Any]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.hashsalt": "hedgerow", "legend.frameon": False, "font.size": 9}
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for panel, (axis, found) in zip(panels, figures.items()):
        for kind, times in found["times"].items():
            label = f"{LABELS[kind]}: {axis}$^{{{found['slopes'][kind]:.2f}}}$"
            panel.loglog(found["along"], times, "o-", color=COLOURS[kind], label=label)
        panel.set(xlabel=axis, ylabel="seconds")
        panel.legend()
    along, times = figures["columns"]["along"], figures["columns"]["times"]
    for kind, aim in targets.AIMS.items():
        ratio = [t / floor for t, floor in zip(times[kind], times["cov"])]
        panels[2].semilogx(along, ratio, "o-", color=COLOURS[kind], label=LABELS[kind])
        panels[2].axhline(aim, color=COLOURS[kind], linestyle=":", linewidth=1)
    panels[2].set(xlabel="columns", ylabel="times np.cov", ylim=(0, None))
    panels[2].legend()
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / "speed_growth.svg", metadata={"Date": None})
    figure.savefig(IMAGES / "speed_growth.png", dpi=150)
