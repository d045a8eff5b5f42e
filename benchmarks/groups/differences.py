"""False and true differences between two groups, ours and those of a permutation test."""

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from benchmarks import document, kept
from benchmarks.groups.pairs_of_groups import COLUMNS, FAMILIES, SITUATIONS, STEPS, groups_of
from benchmarks.groups.permutation import PERMUTATIONS, permutation_test
from hedgerow import HedgeGraph, difference

ROWS = (100, 400)  # of the first group
SHARE = 0.1  # of the edges that differ, where some do
LEVEL = 0.05


class Found(NamedTuple):
    """What is said of two groups: NaN where nothing is to be found, or nothing is to be false."""

    any: float  # whether it is said that something differs
    theirs_any: float
    false: float  # share of false ones among the pairs that are said to differ (FDR)
    right: float  # share of the pairs that differ that are found (FDR)
    any_false: float  # familywise
    right_strict: float
    theirs_any_false: float
    theirs_right: float
    seconds: float  # of fitting both and comparing
    theirs_seconds: float


def run(sets: int) -> None:
    """Measure, and fill docs/groups.md."""
    made = kept.made(f"python -m benchmarks.groups differences --sets {sets}")
    none, few = [], []
    for situation in SITUATIONS:
        if situation == STEPS:  # a study of its own: a table of steps takes long
            continue
        cells = [_of(situation, n_rows, sets, 0.0) for n_rows in ROWS]
        none.append([situation, *map(nothing_differs, cells)])
        print(*none[-1], sep=" | ", flush=True)
        cells = [_of(situation, n_rows, sets, SHARE) for n_rows in ROWS]
        few.append([situation, *map(some_differ, cells)])
        print(*few[-1], sep=" | ", flush=True)
    rows = [f"{n_rows:,} rows" for n_rows in ROWS]
    said = (
        f"{COLUMNS} columns, {len(FAMILIES)} families ({', '.join(FAMILIES)}), {sets} pairs of "
        f"groups of each; {PERMUTATIONS} permutations; "
        f"{document.chance(LEVEL, sets * len(FAMILIES))}."
    )
    document.publish(
        "groups",
        made,
        {
            "differences-none": f"{said}\n\n{document.table(['ours / permutations', *rows], none)}",
            "differences-few": document.table(
                ["false, found (FDR) / any false, found (FWER) / the same, permutations", *rows],
                few,
            ),
        },
    )


def _of(situation: str, n_rows: int, sets: int, share: float) -> list[Found]:
    families = FAMILIES if not share else FAMILIES[:-1]
    return [
        one(situation, family, n_rows, seed, share) for family in families for seed in range(sets)
    ]


def one(situation: str, family: str, n_rows: int, seed: int, share: float) -> Found:
    """Return what is said of two groups."""
    groups = groups_of(situation, family, n_rows, seed, share)
    begun = perf_counter()
    models = HedgeGraph().fit(groups.first), HedgeGraph().fit(groups.second)
    ours = difference(*models, level=LEVEL)
    seconds = perf_counter() - begun
    strict = difference(*models, error="fwer", level=LEVEL)
    begun = perf_counter()
    theirs = permutation_test(groups.first, groups.second, seed)
    theirs_seconds = perf_counter() - begun
    said, surely = (np.zeros(len(groups.differ), dtype=bool) for _ in range(2))
    for marks, found in ((said, ours), (surely, strict)):
        marks[[place(edge.source, edge.target) for edge in found.edges_]] = True
    by_permutation = theirs.p_value <= LEVEL
    return Found(
        ours.p_value_ <= LEVEL,
        theirs.any <= LEVEL,
        (said & ~groups.differ).sum() / max(said.sum(), 1),
        share_of(said, groups.differ),
        (surely & ~groups.differ).any(),
        share_of(surely, groups.differ),
        (by_permutation & ~groups.differ).any(),
        share_of(by_permutation, groups.differ),
        seconds,
        theirs_seconds,
    )


def nothing_differs(found: Sequence[Found]) -> str:
    """Return how often something is said to differ; in bold where that is clearly too often."""
    values = np.array(found)
    return " / ".join(rate(values[:, k], ".3f") for k in (0, 1))


def some_differ(found: Sequence[Found]) -> str:
    """Return error rates and how many differences are found."""
    values = np.array(found)
    rates = [rate(values[:, k], ".2f") for k in (2, 4, 6)]
    right = [f"{values[:, k].mean():.2f}" for k in (3, 5, 7)]
    return " / ".join(f"{rate}, {some}" for rate, some in zip(rates, right))


def rate(values: np.ndarray, form: str) -> str:
    """Return a mean, in bold where it is clearly above the level."""
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    text = f"{mean:{form}}"
    return f"**{text}**" if mean - 2.0 * error > LEVEL else text


def share_of(found: np.ndarray, true: np.ndarray) -> float:
    """Return which share of the true ones is found; NaN if there are none."""
    return float((found & true).sum() / true.sum()) if true.any() else float("nan")


def place(i: int, j: int) -> int:
    """Return where the pair i < j is in the order of ``np.triu_indices``."""
    return i * COLUMNS - i * (i + 1) // 2 + j - i - 1
