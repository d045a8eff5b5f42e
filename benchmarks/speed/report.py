"""docs/speed.md: its figures, as blocks of Markdown."""

import argparse
from collections.abc import Callable
from typing import Any

from benchmarks import document, kept
from benchmarks.speed import clock, gaps, lasso, peers, treated
from benchmarks.speed.aims import all_aims
from benchmarks.speed.plots import KINDS, draw_growth, draw_peers


def run(options: argparse.Namespace) -> None:
    figures = clock.read()
    made = {part: kept.Made(*how) for part, how in figures["made"].items()}
    blocks = {part: TABLES[part](figures[part]) for part in made}
    if lasso.KEPT.exists():
        slow = lasso.read()
        figures["lasso"], made["lasso"] = slow["figures"], kept.Made(*slow["made"])
        blocks["lasso"] = f"{TABLES['lasso'](slow['figures'])}\n\n{slow['setting']}"
    for part, block in blocks.items():
        kept.keep("speed", made[part], {part: block})
    commits = [commit for how in made.values() for commit in how.commits]
    whole = kept.made("python -m benchmarks.speed", commits)
    document.publish("speed", whole, {"setting": figures["setting"], "aims": _aims(figures)})
    if "growth" in figures:
        draw_growth(figures["growth"])
    beside = figures.get("peers", []) + figures.get("lasso", [])
    if beside:
        draw_peers(beside)


def _aims(figures: dict[str, Any]) -> str:
    aims = all_aims(figures)
    rows = [
        [
            aim.what,
            f"{'≥' if aim.least else '≤'} {_short(aim.aim)}",
            _short(aim.measured),
            aim.verdict,
        ]
        for aim in aims
    ]
    met = sum(aim.verdict == "yes" for aim in aims)
    head = f"{met} of {len(aims)} aims are met. F1 is within doubt if it is lower by less than two "
    head += "standard errors of the difference.\n\n"
    return head + document.table(["what", "aim", "measured", "met"], rows)


def _targets(figures: list[dict[str, Any]]) -> str:
    one = {f["columns"]: f["fit"] for f in figures if f["cores"] == 1}
    head = "columns | rows | cores | np.cov, s | learning, s | fit, s | learning / cov | fit / cov"
    return document.table(
        [*head.split(" | "), "fit, times one core"],
        [
            [
                f"{f['columns']:,}",
                f"{f['rows']:,}",
                str(f["cores"]),
                *(f"{f[kind]:.4f}" for kind in KINDS),
                f"{f['learning'] / f['cov']:.2f}",
                f"{f['fit'] / f['cov']:.2f}",
                f"{one[f['columns']] / f['fit']:.2f}",
            ]
            for f in figures
        ],
    )


def _treated(figures: list[dict[str, Any]]) -> str:
    head = "columns | rows | cores | known, s | as it comes, s | times | times, of the processor"
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['rows']:,}",
            str(f["cores"]),
            *(f"{f['seconds'][kind]:.4f}" for kind in ("known", "any")),
            *(f"{treated.times(f[by]):.2f}" for by in ("seconds", "processor")),
        ]
        for f in figures
    ]
    return document.table(head.split(" | "), rows)


def _gaps(figures: list[dict[str, Any]]) -> str:
    head = "columns | rows | whole, s | with gaps, s | times"
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['rows']:,}",
            *(f"{f['seconds'][kind]:.4f}" for kind in ("whole", "gaps")),
            f"{gaps.times(f['seconds']):.2f}",
        ]
        for f in figures
    ]
    return document.table(head.split(" | "), rows)


def _growth(figures: dict[str, Any]) -> str:
    rows = []
    for axis, found in figures.items():
        for kind, times in found["times"].items():
            cells = ", ".join(f"{n:,}: {t:.3f}" for n, t in zip(found["along"], times))
            rows.append([axis, KINDS[kind], cells, f"{found['slopes'][kind]:.2f}"])
    return document.table(["growing", "what", "seconds", "exponent"], rows)


def _peers(figures: list[dict[str, Any]]) -> str:
    head = "columns | rows | graphs | stopped | method | s | ours, s | times ours | F1 | F1 of ours"
    rows = []
    for f in figures:
        more = "> " if 2 * f["stopped"] >= f["graphs"] else ""
        rows.append(
            [
                *(f"{f[name]:,}" for name in ("columns", "rows", "graphs", "stopped")),
                peers.LABELS[f["peer"]],
                f"{more}{f['theirs_seconds']:.3g}",
                f"{f['ours_seconds']:.3g}",
                f"{more}{_short(f['theirs_seconds'] / f['ours_seconds'])}",
                *(_known(f[name]) for name in ("theirs_f1", "ours_f1")),
            ]
        )
    return document.table(head.split(" | "), rows)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _known(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


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
    return document.table(["columns", "rows", "s", "peak, GiB", "matrices", "chunk"], rows)


def _many_rows(figures: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['rows']:,}",
            f"{f['seconds']['ours']:.4f}",
            f"{f['seconds']['inverse']:.4f}",
            f"{f['seconds']['ours'] / f['seconds']['inverse']:.1f}",
            f"{f['f1']['ours']:.3f}",
            f"{f['f1']['inverse']:.3f}",
        ]
        for f in figures
    ]
    head = "columns | rows | HedgeGraph, s | inverse, s | times inverse | F1 | F1 of inverse"
    return document.table(head.split(" | "), rows)


def _start(figures: dict[str, float]) -> str:
    rows = [[f"`{name}`", f"{seconds:.3f}"] for name, seconds in figures.items()]
    return document.table(["what", "s"], rows)


TABLES: dict[str, Callable[[Any], str]] = {
    "targets": _targets,
    "treated": _treated,
    "gaps": _gaps,
    "growth": _growth,
    "peers": _peers,
    "lasso": _peers,
    "memory": _memory,
    "many_rows": _many_rows,
    "start": _start,
}
