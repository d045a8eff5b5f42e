"""What is doubtful where levels drift or jump, or stay for some rows and are others then."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators._first_rows import some_of
from hedgerow.method.drift import MUCH_SLOW, WINDOW

# Rows of persons, ten or twenty of each on end, have more than this mostly; in hardly any other
# table of tens of kinds do columns forget at once as much, unless cells are filled in
# (docs/theory.md, 17). Of steps, what was cut off forgets with every row.
_AT_ONCE, _STEPS_AT_ONCE = 1.25, 1.15
_HARDLY_MISSING = 0.05  # of a typical column; what is filled in forgets as the row does

SORTED = "if rows are in no order of time, but were sorted, shuffle them"


def doubts_of_memory_in_steps(*, remembers: bool) -> list[str]:
    """Return what is doubtful where steps deny that rows remember nothing but what is slow."""
    if not remembers:
        return []
    return [
        "each row was compared with the one before it, as levels seemed to drift or jump, but all "
        "rows together remember those before them in other ways, too: where columns do so unlike "
        "each other, edges may be false; learn from stretches of rows that keep their level, or "
        "from every tenth row or so"
    ]


def doubts_of_drift(
    slowest: Sequence[object], slow: NDArray[np.float64], *, lost: bool
) -> list[str]:
    """Return what columns make doubtful whose levels drift or jump, ``lost`` if taken out."""
    if len(slowest) < 2:
        return []
    found = (
        f"the levels of {len(slowest)} of {len(slow)} columns drift or jump ({some_of(slowest)}; "
        f"up to {slow.max():.0%} of the variance)."
    )
    if not lost:
        return [
            f"{found} Levels stay where a column is one of steps, yes or no, or counts, and edges "
            f"may be what columns share with time, whatever the number of rows; learn from "
            f"stretches of rows that keep their level, or without such columns, so that levels "
            f"are taken out of the others; {SORTED}"
        ]
    return [
        f"{found} Rows were compared with those shortly before them, but what is left of it may "
        f"make edges, most of all between columns that nearly determine each other; learn from "
        f"stretches of rows that keep their level, or from differences of rows, or hold fixed "
        f"(given) what levels follow, as the hour of the week; {SORTED}"
    ]


def doubts_of_groups(
    at_once: float, missing: NDArray[np.float64], effective: float, *, steps: bool
) -> list[str]:
    """Return what is doubtful where all columns forget at once.

    ``missing`` is the share of each column's cells, ``effective`` the number of rows that are left.
    """
    often = bool(missing.size) and float(np.median(missing)) > _HARDLY_MISSING
    if at_once <= (_STEPS_AT_ONCE if steps else _AT_ONCE) or often:
        return []
    return [
        f"rows seem to come in groups, as those of one person, class or batch after the other: all "
        f"columns forget at once. They count as {effective:,.0f} independent ones, which is "
        f"measured on the groups among the first rows, and too many if these are few; edges may be "
        f"of groups as well as of rows. If you know which group a row is of, hold it fixed (given, "
        f"--given), or learn from one row of each"
    ]


def doubts_of_unlike_memories(slow: NDArray[np.float64], foretold: float) -> list[str]:
    """Return what is doubtful where columns remember for long, and not alike.

    ``foretold`` is the share of rows that those before them tell, where columns remember alike.
    """
    typical = float(np.median(slow)) if slow.size else 0.0
    if foretold > 0.0 or typical <= MUCH_SLOW:
        return []
    return [
        f"rows remember for long, {typical:.0%} of the variance of a typical column is slower than "
        f"{WINDOW} rows and was taken out, and columns do not seem to remember alike: edges are "
        f"those of what is faster, which need not be those of the columns; learn from every "
        f"{WINDOW // 4}th row or so; {SORTED}"
    ]
