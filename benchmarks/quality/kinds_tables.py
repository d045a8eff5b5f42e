"""The tables about kinds of data in docs/quality.md."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from benchmarks import kept
from benchmarks.document import table
from benchmarks.quality import kinds_study, store, summary
from benchmarks.quality.kinds import COLUMNS, FAMILIES, KINDS, RATIOS, rows_of
from benchmarks.quality.summary import MAIN, Figure, broken, figures, graphs, is_warned
from benchmarks.quality.treated import AS_IT_COMES, BEFORE, SOME, TREATED

STRICT = "FWER 0.05"
NOTHING = "empty"  # the family in which F1 has no meaning


def blocks() -> dict[str, str]:
    """Return all blocks, by name; of kinds that are not among the results, what the record has."""
    frame = summary.scored(store.read(kinds_study.RESULTS))
    measured = set(frame["kind"])
    kinds = [name for name in kept_kinds() if name in measured]
    tables = {
        "kinds": by_kind(frame, kinds),
        "kinds-rivals": beside_rivals(frame, kinds),
        "kinds-rows": by_rows(frame, kinds, RATIOS),
        "kinds-misses": misses(frame, kinds, RATIOS),
        "kinds-refused": refused(frame, [name for name in measured if KINDS[name].refused]),
    }
    return {
        "kinds-setting": setting(frame),
        "kinds-made": made({name: kind.rows for name, kind in KINDS.items()}),
        **with_record(tables, measured, list(KINDS)),
    }


def with_record(
    tables: Mapping[str, str], measured: Collection[str], kinds: Sequence[str]
) -> dict[str, str]:
    """Return tables with the lines that the record has of kinds that were not measured again."""
    record = kept.read("quality")
    merged = {
        name: kept.table_of(text).with_others(record[name].table, measured, kinds)
        for name, text in tables.items()
    }
    return {name: str(each) if each.rows else "None." for name, each in merged.items()}


def setting(frame: pl.DataFrame) -> str:
    """Return how much was measured."""
    seeds, before = (
        min(cell.number for cell in cells.values())
        for method in (AS_IT_COMES, BEFORE)
        if (cells := figures(graphs(frame, method), "fdp", "kind", "family", "ratio"))
    )
    return (
        f"{len(KINDS)} kinds, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {COLUMNS} columns, "
        f"{', '.join(f'{ratio:g}' for ratio in RATIOS)} rows for each column: "
        f"{len(KINDS) * len(FAMILIES) * len(RATIOS)} cells, "
        f"{seeds} data sets in each; {before} for *before*."
    )


def made(kinds: Mapping[str, Callable[..., Any]]) -> str:
    """Return how rows of every kind are made, in the words of their functions."""
    lines = []
    for name, rows in kinds.items():
        function = rows.func if isinstance(rows, partial) else rows
        lines.append([name, (function.__doc__ or "").removeprefix("Return ").strip()])
    return table(["kind", "rows"], lines)


def by_kind(frame: pl.DataFrame, kinds: Sequence[str]) -> str:
    """Return error rates and F1 of kinds, before and now."""
    lines = []
    for kind in kinds:
        here = frame.filter(pl.col("kind") == kind)
        cells = [kind]
        for promise, score in ((MAIN, "fdp"), (STRICT, "any_false")):
            cells.append(_mean(here, BEFORE, score, promise))
            [now] = figures(graphs(here, AS_IT_COMES, promise), score, "kind").values()
            cells.append(marked(f"{now.mean:.3f} ± {now.error:.3f}", now, promise))
        cells += [_mean(with_edges(here), method, "f1") for method in (BEFORE, AS_IT_COMES)]
        lines.append(cells)
    header = ["kind", f"false, {MAIN}, before", "now", f"any false, {STRICT}, before", "now"]
    return table([*header, "F1, before", "now"], lines)


def beside_rivals(frame: pl.DataFrame, kinds: Sequence[str]) -> str:
    """Return F1 and share of false edges of all methods, by kind, at the rows that all had."""
    lines = []
    for kind in kinds:
        here = frame.filter(pl.col("kind") == kind, pl.col("ratio").is_in(SOME))
        lines.append([kind, *(score_and_false(here, method) for method in TREATED)])
    labels = [method.label for method in TREATED.values()]
    return table(["F1 (share of false edges)", *labels], lines)


def by_rows(frame: pl.DataFrame, kinds: Sequence[str], ratios: Sequence[float]) -> str:
    """Return our error rates and F1 by kind as rows grow."""
    fdp, wrong, f1 = (
        figures(graphs(part, AS_IT_COMES, promise), score, "kind", "ratio")
        for part, promise, score in (
            (frame, MAIN, "fdp"),
            (frame, STRICT, "any_false"),
            (with_edges(frame), MAIN, "f1"),
        )
    )
    lines = []
    for kind in kinds:
        cells = []
        for ratio in ratios:
            at = kind, ratio
            errors = [marked(f"{fdp[at].mean:.3f}", fdp[at], MAIN)]
            errors.append(marked(f"{wrong[at].mean:.2f}", wrong[at], STRICT))
            cells.append(" / ".join([*errors, f"{f1[at].mean:.2f}"]))
        lines.append([kind, *cells])
    return table(["false / any false / F1", *(f"m/p = {ratio:g}" for ratio in ratios)], lines)


def misses(frame: pl.DataFrame, kinds: Sequence[str], ratios: Sequence[float]) -> str:
    """Return the kinds and families in which a promise is clearly not kept, all rows together."""
    lines = []
    for promise in (MAIN, STRICT):
        score, most = summary.aim(promise)
        cells = figures(graphs(frame, AS_IT_COMES, promise), score, "kind", "family")
        by_rows = figures(graphs(frame, AS_IT_COMES, promise), score, "kind", "family", "ratio")
        for kind in kinds:
            for family in FAMILIES:
                here = cells[kind, family]
                if broken(here, promise):
                    shown = [f"{by_rows[kind, family, ratio].mean:.2f}" for ratio in ratios]
                    measured = f"{here.mean:.3f} ± {here.error:.3f}"
                    lines.append([promise, kind, family, measured, f"{most:g}", ", ".join(shown)])
    each = f"m/p = {', '.join(f'{ratio:g}' for ratio in ratios)}"
    header = ["promise", "kind", "family", "measured", "aim", each]
    return table(header, lines)


def refused(frame: pl.DataFrame, kinds: Sequence[str]) -> str:
    """Return what becomes of rows that cannot tell the graph, and how often that is said."""
    lines = []
    for kind in kinds:
        here = frame.filter(pl.col("kind") == kind)
        told = [
            is_warned(rows_of(kind, family, COLUMNS, round(ratio * COLUMNS), 0)[1])
            for family in FAMILIES
            for ratio in RATIOS
        ]
        errors = [
            _mean(here, method, score, promise)
            for promise, score in ((MAIN, "fdp"), (STRICT, "any_false"))
            for method in (BEFORE, AS_IT_COMES)
        ]
        lines.append([kind, *errors, f"{sum(told)} of {len(told)}"])
    header = ["kind", f"false, {MAIN}, before", "now", f"any false, {STRICT}, before", "now"]
    return table([*header, "warned of"], lines)


def kept_kinds() -> list[str]:
    """Return the kinds whose graphs can be told."""
    return [name for name, kind in KINDS.items() if not kind.refused]


def with_edges(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the graphs of the families in which there is something to find."""
    return frame.filter(pl.col("family") != NOTHING)


def _mean(frame: pl.DataFrame, method: str, score: str, promise: str = MAIN) -> str:
    [figure] = figures(graphs(frame, method, promise), score, "kind").values()
    return f"{figure.mean:.3f}"


def score_and_false(frame: pl.DataFrame, method: str) -> str:
    """Return a method's mean F1 and share of false edges; nothing if it was not tried."""
    if not len(graphs(frame, method)):
        return ""
    score, false = (_mean(with_edges(frame), method, name) for name in ("f1", "fdp"))
    return f"{float(score):.2f} ({float(false):.2f})"


def marked(text: str, figure: Figure, promise: str) -> str:
    """Return the text, in bold if the promise is clearly not kept."""
    return f"**{text}**" if broken(figure, promise) else text
