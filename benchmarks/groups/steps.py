"""False and true differences between two groups of columns in five steps, and what is left out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import document, kept
from benchmarks.groups.differences import LEVEL, ROWS, SHARE, place, rate, share_of
from benchmarks.groups.pairs_of_groups import COLUMNS, FAMILIES, STEPS, groups_of
from hedgerow import HedgeGraph, difference
from hedgerow.method.differences import compared


class Found(NamedTuple):
    """What is said of two groups; ``right`` is NaN where nothing is to be found."""

    any: float  # whether it is said that something differs
    false: float  # share of false ones among the pairs that are said to differ (FDR)
    any_false: float  # familywise
    right: float  # share of the pairs that differ that are found (FDR)
    compared: float  # share of all pairs


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups steps --sets {sets}")
    lines = []
    for name, share in (("nothing differs", 0.0), ("a tenth of the edges", SHARE)):
        families = FAMILIES if not share else FAMILIES[:-1]
        cells = [
            [one(family, n_rows, seed, share) for family in families for seed in range(sets)]
            for n_rows in ROWS
        ]
        lines.append([name, *map(cell, cells)])
        print(*lines[-1], sep=" | ", flush=True)
    said = (
        f"{COLUMNS} columns in five steps, {len(FAMILIES)} families, {sets} pairs of groups of "
        f"each: how often it is said that something differs, share of false ones among the "
        f"differences reported, how often any is false at a familywise error rate of {LEVEL}, "
        f"share found of those that differ, and share of all pairs that are compared; "
        f"{document.chance(LEVEL, sets * len(FAMILIES))}."
    )
    header = ["any, false, any false (FWER), found, compared", *(f"{n:,} rows" for n in ROWS)]
    table = document.table(header, lines)
    document.publish("groups", made, {"differences-steps": f"{said}\n\n{table}"})


def one(family: str, n_rows: int, seed: int, share: float) -> Found:
    """Return what is said of two groups."""
    groups = groups_of(STEPS, family, n_rows, seed, share)
    models = HedgeGraph().fit(groups.first), HedgeGraph().fit(groups.second)
    ours, strict = (difference(*models, error=error, level=LEVEL) for error in ("fdr", "fwer"))
    said, surely = (np.zeros(len(groups.differ), dtype=bool) for _ in range(2))
    for marks, found in ((said, ours), (surely, strict)):
        marks[[place(edge.source, edge.target) for edge in found.edges_]] = True
    return Found(
        ours.p_value_ <= LEVEL,
        (said & ~groups.differ).sum() / max(said.sum(), 1),
        (surely & ~groups.differ).any(),
        share_of(said, groups.differ),
        compared(ours._found.groups).sum() / len(groups.differ),
    )


def cell(found: Sequence[Found]) -> str:
    """Return what a table says; in bold where a promise is clearly not kept."""
    values = np.array(found)
    differs = not np.isnan(values[:, 3]).all()
    right = f"{values[:, 3].mean():.2f}" if differs else "–"
    first = f"{values[:, 0].mean():.2f}" if differs else rate(values[:, 0], ".3f")
    promised = [rate(values[:, k], ".3f") for k in (1, 2)]
    return ", ".join([first, *promised, right, f"{values[:, 4].mean():.2f}"])
