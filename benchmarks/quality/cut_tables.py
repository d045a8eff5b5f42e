"""The tables about steps and gaps in docs/quality.md."""

import polars as pl

from benchmarks.document import table
from benchmarks.quality import cut_study, kinds_tables, store, summary
from benchmarks.quality.cut import COLUMNS, FAMILIES, KINDS, RATIOS
from benchmarks.quality.cut_methods import METHODS, ONE, ORACLE, WHOLE
from benchmarks.quality.kinds_tables import STRICT, marked, score_and_false, with_edges
from benchmarks.quality.summary import MAIN, figures, graphs
from benchmarks.quality.treated import AS_IT_COMES, BEFORE

STEPS = [name for name, kind in KINDS.items() if not kind.gaps]
GAPS = [name for name, kind in KINDS.items() if kind.gaps]


def blocks() -> dict[str, str]:
    """Return all blocks, by name; of kinds that are not among the results, what the record has."""
    everything = summary.scored(store.read(cut_study.RESULTS))
    # What was looked at again must not weigh more in means over families.
    frame = everything.filter(pl.col("seed") < METHODS[AS_IT_COMES].seeds)
    kinds = [name for name in KINDS if name in set(frame["kind"])]
    steps, gaps = ([name for name in some if name in kinds] for some in (STEPS, GAPS))
    tables = {
        "cut-steps": by_kind(frame, steps, (BEFORE, "ric", "stars")),
        "cut-gaps": by_kind(frame, gaps, ("complete", "filled")),
        "cut-rows": kinds_tables.by_rows(frame, kinds, RATIOS),
        "cut-families": by_family(everything, kinds),
        "cut-kept": kept_edges(frame, kinds),
        "cut-misses": kinds_tables.misses(everything, kinds, RATIOS),
    }
    return {
        "cut-setting": setting(frame),
        "cut-made": kinds_tables.made({name: kind.rows for name, kind in KINDS.items()}),
        **kinds_tables.with_record(tables, kinds, list(KINDS)),
    }


def setting(frame: pl.DataFrame) -> str:
    """Return how much was measured."""
    cells = figures(graphs(frame, AS_IT_COMES), "fdp", "kind", "family", "ratio")
    numbers = [
        f"{min(numbers_at)} with {ratio:g}"
        for ratio in RATIOS
        if (numbers_at := [cell.number for at, cell in cells.items() if at[2] == ratio])
    ]
    return (
        f"{len(KINDS)} kinds, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {COLUMNS} columns. "
        f"Data sets in each cell, by rows for each column: at least {', '.join(numbers)}. "
        f"Looked at again, in {cut_study.MORE_SEEDS} with {RATIOS[0]:g} and {RATIOS[1]:g}, where a "
        f"promise seemed broken: {'; '.join(', '.join(pair) for pair in cut_study.DOUBTED)}."
    )


def by_kind(frame: pl.DataFrame, kinds: list[str], others: tuple[str, ...]) -> str:
    """Return our error rates, and F1 and false edges beside others at the rows that all had."""
    methods = (AS_IT_COMES, WHOLE, *others[:1], "polychoric", *others[1:])
    lines = []
    for kind in kinds:
        here = frame.filter(pl.col("kind") == kind)
        cells = [kind]
        for promise, score in ((MAIN, "fdp"), (STRICT, "any_false")):
            [now] = figures(graphs(here, AS_IT_COMES, promise), score, "kind").values()
            cells.append(marked(f"{now.mean:.3f} ± {now.error:.3f}", now, promise))
        same = with_edges(here.filter(pl.col("ratio").is_in(ONE)))
        cells += [score_and_false(same, method) for method in methods]
        lines.append(cells)
    labels = [METHODS[method].label for method in methods]
    return table(["kind", f"false, {MAIN}", f"any false, {STRICT}", *labels], lines)


def kept_edges(frame: pl.DataFrame, kinds: list[str]) -> str:
    """Return true edges found, over those that the same method finds in whole rows."""
    keys = ["kind", "family", "ratio", "seed"]
    ours, whole, known = (
        with_edges(graphs(frame, method)).select(*keys, pl.col("found").alias(method))
        for method in (AS_IT_COMES, WHOLE, ORACLE)
    )
    both, best = ours.join(whole, on=keys), known.join(whole, on=keys)
    lines = []
    for kind in kinds:
        cells = [kind]
        for ratio in RATIOS:
            here = both.filter(pl.col("kind") == kind, pl.col("ratio") == ratio)
            families = here.group_by("family").agg(pl.col(AS_IT_COMES, WHOLE).sum())
            share = pl.col(AS_IT_COMES) / pl.col(WHOLE)
            worst = families.with_columns(share=share).sort("share").row(0, named=True)
            total = here[AS_IT_COMES].sum() / here[WHOLE].sum()
            cells.append(f"{total:.2f} ({worst['family']} {worst['share']:.2f})")
        tried = best.filter(pl.col("kind") == kind)
        cells.append(f"{tried[ORACLE].sum() / tried[WHOLE].sum():.2f}" if len(tried) else "")
        lines.append(cells)
    numbers = [f"m/p = {r:g}" for r in RATIOS]
    oracle = f"oracle, m/p = {ONE[0]:g}"
    return table(["edges, of those in whole rows", *numbers, oracle], lines)


def by_family(frame: pl.DataFrame, kinds: list[str]) -> str:
    """Return our share of false edges by kind and family, all rows together."""
    cells = figures(graphs(frame, AS_IT_COMES), "fdp", "kind", "family")
    lines = [
        [
            kind,
            *(
                marked(f"{cells[kind, family].mean:.3f}", cells[kind, family], MAIN)
                for family in FAMILIES
            ),
        ]
        for kind in kinds
    ]
    return table([f"false, {MAIN}", *FAMILIES], lines)
