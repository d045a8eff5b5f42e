"""The figures in docs/quality.md, as blocks of Markdown."""

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import polars as pl

from benchmarks.document import table
from benchmarks.quality import recovery, store
from benchmarks.quality.cases import COLUMNS, RATIOS, rows_of
from benchmarks.quality.methods import METHODS, OWN, PROMISES
from benchmarks.quality.summary import (
    LOOSE,
    MAIN,
    NOT_AVERAGED,
    OURS,
    TOLD,
    Figure,
    against,
    aim,
    averaged,
    broken,
    cases_in,
    figures,
    graphs,
    is_warned,
    mean_of_cells,
    rivals_in,
)
from hedgerow.method.balance import ALONE
from hedgerow.method.promises import BALANCED

OUR_CUTS = (MAIN, LOOSE, BALANCED)
MARGIN = 0.02  # by this much F1 may be below the inverse Gram matrix's


def blocks(frame: pl.DataFrame) -> dict[str, str]:
    """Return the blocks that are made of the study of error rates, by name."""
    return {
        "setting": setting(frame),
        "aims": aims(frame),
        "methods": methods(frame),
        "by-rows": by_rows(frame),
        "misses": misses(frame),
        "losses": losses(frame),
        "units": units(frame),
        "fdp-0.05": by_case(frame, "FDR 0.05"),
        "fdp-0.2": by_case(frame, "FDR 0.2"),
        "fwer": by_case(frame, "FWER 0.05"),
        "f1": f1_by_case(frame),
    }


def setting(frame: pl.DataFrame) -> str:
    packages = ", ".join(f"{n} {version(n)}" for n in ("numpy", "scipy", "scikit-learn", "pyhuge"))
    cells = frame.select("case", "ratio").n_unique()
    sets = frame.select("case", "ratio", "seed").n_unique()
    return (
        f"{len(cases_in(frame))} cases, {COLUMNS} columns, "
        f"{', '.join(f'{ratio:g}' for ratio in RATIOS)} rows for each column: {cells} cells, "
        f"{sets:,} data sets, {len(frame):,} graphs. Hedgerow {version('hedgerow')}, {packages}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores."
    )


def aims(frame: pl.DataFrame) -> str:
    """Return a table of what was aimed at and what came out."""
    rows = [line for promise in PROMISES for line in _promise_kept(frame, promise)]
    rows.append(_nothing_from_nothing(frame))
    gains = figures(against(frame, "inverse"), "gain", "case", "ratio")
    worst = min(gains, key=lambda cell: gains[cell].mean)
    below = sum(gain.mean < -MARGIN for gain in gains.values())
    rows.append(
        [
            f"F1 not below the inverse Gram matrix's by more than {MARGIN} in any cell",
            f"{len(gains) - below} of {len(gains)} cells",
            f"least gain {_signed(gains[worst])} ({_cell(worst)})",
        ]
    )
    rows += [_above(frame, rival) for rival in rivals_in(frame)]
    return table(["aim", "kept", "detail"], rows)


def _nothing_from_nothing(frame: pl.DataFrame) -> list[str]:
    noise = graphs(frame, OURS, BALANCED).filter(pl.col("case") == "empty")
    [found] = figures(noise, "any_false", "case").values()
    level = 2 * ALONE
    kept = "no" if found.probably_above(level) else "yes"
    what = f"balanced: P(any edge) ≤ {level:g} where nothing is connected"
    return [what, kept, f"{_plain(found)}, {found.number} data sets"]


def _above(frame: pl.DataFrame, rival: str) -> list[str]:
    gains = {cut: mean_of_cells(against(frame, rival, cut), "gain") for cut in OUR_CUTS}
    kept = [cut for cut, gain in gains.items() if gain.mean > 0]
    detail = "gain " + "; ".join(f"{cut}: {_signed(gain)}" for cut, gain in gains.items())
    return [f"mean F1 above: {METHODS[rival].label}", ", ".join(kept) or "**no**", detail]


def _promise_kept(frame: pl.DataFrame, promise: str) -> Iterable[list[str]]:
    score, most = aim(promise)
    what = "share of false edges" if score == "fdp" else "P(any false edge)"
    ours = graphs(frame, OURS, promise)
    for unit, by in (("case", ("case",)), ("cell", ("case", "ratio"))):
        all_of = figures(ours, score, *by)
        above = [key for key in all_of if broken(all_of[key], promise)]
        worst = max(all_of, key=lambda key: all_of[key].mean)
        yield [
            f"{promise}: {what} ≤ {most:g} in every {unit}",
            f"{len(all_of) - len(above)} of {len(all_of)} {unit}s",
            f"largest {_plain(all_of[worst])} ({_cell(worst)})",
        ]


def methods(frame: pl.DataFrame) -> str:
    """Return the table of methods, each beside ours on the data sets that it was given."""
    rows = []
    for rival in rivals_in(frame):
        by_cut = {cut: against(frame, rival, cut) for cut in OUR_CUTS}
        theirs = [_score_and_false(by_cut[cut], "their_") for cut in (MAIN, BALANCED)]
        if theirs[0] == theirs[1]:  # one graph of its own
            theirs[1] = ""
        cells = f"{by_cut[MAIN].select('case', 'ratio').n_unique()} × {METHODS[rival].seeds}"
        ours = [_score_and_false(by_cut[cut]) for cut in OUR_CUTS]
        rows.append([METHODS[rival].label, cells, *theirs, *ours])
    header = ["F1 (share of false edges)", "cells × seeds", "as it is", "balanced"]
    return table(header + [f"ours, {cut}" for cut in OUR_CUTS], rows)


def _score_and_false(frame: pl.DataFrame, whose: str = "") -> str:
    score, false = (mean_of_cells(frame, f"{whose}{name}") for name in ("f1", "fdp"))
    return f"{_plain(score)} ({false.mean:.3f})"


def by_rows(frame: pl.DataFrame) -> str:
    """Return F1 and share of false edges of each method as rows grow."""
    lines = []
    both = [(method, cut) for method in rivals_in(frame) for cut in (MAIN, BALANCED)]
    for method, promise in (
        *((OURS, cut) for cut in OUR_CUTS),
        *((TOLD, cut) for cut in OUR_CUTS),
        *both,
    ):
        of_method = averaged(graphs(frame, method, promise))
        if promise == BALANCED and OWN in of_method["promise"]:
            continue
        cells = []
        for ratio in RATIOS:
            here = of_method.filter(pl.col("ratio") == ratio)
            means = [mean_of_cells(here, s).mean for s in ("f1", "fdp")] if len(here) else None
            cells.append(f"{means[0]:.2f} ({means[1]:.2f})" if means else "–")
        tests_edges = OWN not in of_method["promise"]
        lines.append([METHODS[method].label, promise if tests_edges else "", *cells])
    return table(["F1 (share of false edges)", "promise", *_ratio_names()], lines)


def misses(frame: pl.DataFrame) -> str:
    """Return the cells in which a promise is clearly not kept."""
    rows = []
    for promise in PROMISES:
        score, most = aim(promise)
        cells = figures(graphs(frame, OURS, promise), score, "case", "ratio")
        for case in cases_in(frame):
            for ratio in RATIOS:
                if broken(cells[case, ratio], promise):
                    _, first = rows_of(case, COLUMNS, round(ratio * COLUMNS), seed=0)
                    warned = "yes" if is_warned(first) else "no"
                    measured = _plain(cells[case, ratio])
                    rows.append([promise, case, f"{ratio:g}", measured, f"{most:g}", warned])
    header = ["promise", "case", "m/p", "measured", "aim", "warned of"]
    return table(header, rows) if rows else "None."


def losses(frame: pl.DataFrame) -> str:
    """Return how often each rival finds clearly better graphs, and at what error rate."""
    rows = []
    for rival in rivals_in(frame):
        both = against(frame, rival)
        gains = figures(both, "gain", "case", "ratio")
        lost = [c for c, g in gains.items() if g._replace(mean=-g.mean).clearly_above(MARGIN)]
        if not lost:
            rows.append([METHODS[rival].label, f"0 of {len(gains)}", "0", "", ""])
            continue
        theirs = figures(both, "their_fdp", "case", "ratio")
        honest = [cell for cell in lost if theirs[cell].mean <= aim(MAIN)[1]]
        worst = min(honest or lost, key=lambda cell: gains[cell].mean)
        rows.append(
            [
                METHODS[rival].label,
                f"{len(lost)} of {len(gains)}",
                f"{len(honest)}",
                f"{_cell(worst)}: {_signed(gains[worst])}",
                _plain(theirs[worst]),
            ]
        )
    header = ["rival", "cells lost", "rival within the aim", "largest loss of these", "its false"]
    return table(header, rows)


def units(frame: pl.DataFrame) -> str:
    """Return whether other units changed any graph."""
    keys = ["ratio", "seed", "promise"]
    counts = ["found", "false", "missed"]
    ours = frame.filter(pl.col("method") == OURS)
    old = ours.filter(pl.col("case") == "erdos_renyi").select(*keys, *counts)
    new = ours.filter(pl.col("case") == "erdos_renyi, other units").select(*keys, *counts)
    pairs = old.join(new, on=keys)
    same = sum(
        all(row[name] == row[f"{name}_right"] for name in counts)
        for row in pairs.iter_rows(named=True)
    )
    return f"The counts of edges agree in {same:,} of {len(pairs):,} pairs of graphs."


def by_case(frame: pl.DataFrame, promise: str) -> str:
    """Return our error rate in every cell and over each case."""
    score, _ = aim(promise)
    ours = graphs(frame, OURS, promise)
    cells, whole = figures(ours, score, "case", "ratio"), figures(ours, score, "case")
    rows = [
        [
            case,
            *(_marked(cells[case, ratio], promise) for ratio in RATIOS),
            _marked(whole[(case,)], promise),
        ]
        for case in cases_in(frame)
    ]
    return table(["case", *_ratio_names(), "all"], rows)


def f1_by_case(frame: pl.DataFrame) -> str:
    """Return the F1 of every method in every cell, the best of a cell in bold."""
    listed = [(OURS, MAIN), (OURS, BALANCED), *((method, MAIN) for method in rivals_in(frame))]
    of_cell = [figures(graphs(frame, *each), "f1", "case", "ratio") for each in listed]
    rows = []
    for case in cases_in(frame):
        if case in NOT_AVERAGED:
            continue
        for ratio in RATIOS:
            found = [cells.get((case, ratio)) for cells in of_cell]
            best = max(figure.mean for figure in found if figure)
            rows.append([case, f"{ratio:g}", *(_best(figure, best) for figure in found)])
    labels = [METHODS[m].label + (f", {cut}" if m == OURS else "") for m, cut in listed]
    return table(["case", "m/p", *labels], rows)


def rows_to_recover() -> str:
    """Return the rows that exact recovery takes."""
    found = {(r["graph"], r["p"], r["method"]): r for r in store.read(store.RECOVERY)}
    settings = sorted({key[:2] for key in found}, key=lambda s: (s[1], recovery.GRAPHS.index(s[0])))
    header = ["", *(f"{graph}, p = {p}" for graph, p in settings)]
    rows = []
    for method, (label, _) in recovery.RECOVERS.items():
        records = [found.get((*setting, method)) for setting in settings]
        rows.append([label, *(_rows(record) for record in records)])
    bounds = [recovery.lower_bounds(*setting) for setting in settings]
    rows.append(["no method with fewer (Fano)", *(f"{fano:,}" for fano, _ in bounds)])
    rows.append(["eq. (1) with constant 1", *(f"{order:,}" for _, order in bounds)])
    return table(header, rows)


def _marked(figure: Figure, promise: str) -> str:
    text = _plain(figure)
    return f"**{text}**" if broken(figure, promise) else text


def _best(figure: Figure | None, best: float) -> str:
    if figure is None:
        return "–"
    text = f"{figure.mean:.2f} ± {figure.error:.2f}"
    return f"**{text}**" if figure.mean == best else text


def _rows(record: store.Record | None) -> str:
    if record is None:
        return "–"
    return f"> {recovery.MOST_ROWS:,}" if record["rows"] is None else f"{record['rows']:,}"


def _plain(figure: Figure) -> str:
    return f"{figure.mean:.3f} ± {figure.error:.3f}"


def _signed(figure: Figure) -> str:
    return f"{figure.mean:+.3f} ± {figure.error:.3f}"


def _cell(key: Sequence) -> str:
    return key[0] if len(key) == 1 else f"{key[0]}, m/p = {key[1]:g}"


def _ratio_names() -> list[str]:
    return [f"m/p = {ratio:g}" for ratio in RATIOS]
