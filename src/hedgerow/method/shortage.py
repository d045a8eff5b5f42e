"""Rows that are too few: for the promise, or for a balanced graph, which then has no edges.

Both in words for the user. docs/theory.md, sections 12 and 15, derive when that is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.balance import ALONE, LOOSEST_LEVEL, other_neighbours
from hedgerow.method.levels import (
    MIN_ROWS,
    STRONGLY_RELATED,
    most_bias,
    plausible_bias,
    rows_are_few,
)
from hedgerow.method.neighbours import most_by_rows

Indices = NDArray[np.intp]

_STRONG, _MODERATE = 0.9, 0.5  # partial correlations that the advice on rows speaks of


class Refusal(NamedTuple):
    """Why a balanced graph is left without edges."""

    because: str
    advice: str

    def __str__(self) -> str:
        return f"a balanced graph is left without edges, because {self.because}; {self.advice}"


def rows_to_detect(partial_corr: float, n_columns: int, level: float) -> int:
    """Return the rows with which a single edge of this strength would be significant.

    Examples
    --------
    >>> rows_to_detect(0.5, n_columns=50, level=0.05)
    59
    """
    pairs = n_columns * (n_columns - 1) / 2
    needed = -special.ndtri(level / pairs / 2) / np.arctanh(partial_corr)
    return int(np.ceil(needed**2)) + 3


def shortage_of_rows(
    n_rows: float, n_columns: int, level: float | None, unexplained: float, kind: str = "rows"
) -> str | None:
    """Return what to tell the user if the rows are too few to keep the promise, else None.

    Without a level, for a balanced graph, it is the estimated share of false edges that suffers.
    """
    bound = "its estimate" if level is None else f"the level {level}"
    level = level or LOOSEST_LEVEL
    if n_rows < max(rows_to_detect(_STRONG, n_columns, level), MIN_ROWS):
        return (
            f"{n_rows:.0f} {kind} are too few for any edge among {n_columns} columns to be "
            f"significant; {rows_to_detect(_MODERATE, n_columns, level)} rows would show partial "
            f"correlations of {_MODERATE}"
        )
    if rows_are_few(n_columns, n_rows, unexplained):
        so = " as strongly related as these" if unexplained < STRONGLY_RELATED else ""
        enough = int(np.ceil((plausible_bias(n_columns, 1) / most_bias(unexplained)) ** 2))
        return (
            f"{n_rows:.0f} {kind} are few for {n_columns} columns{so}: indirect relations can pass "
            f"for edges, and the share of false edges may exceed {bound}; from {enough} "
            f"rows on it was measured to hold"
        )
    return None


def too_few_to_stand_out(n_rows: float, n_columns: int) -> Refusal | None:
    """Return why there is no balanced graph if not even a strong edge could stand out.

    What does so all the same is chance once in twenty tables, and an edge hardly ever.

    Examples
    --------
    >>> print(too_few_to_stand_out(8, 30).because)
    not even a partial correlation of 0.9 would stand out from chance in 8 rows of 30 columns
    """
    needed = rows_to_detect(_STRONG, n_columns, ALONE)
    if n_rows >= needed:
        return None
    return Refusal(
        f"not even a partial correlation of {_STRONG} would stand out from chance in "
        f"{n_rows:.0f} rows of {n_columns} columns",
        f"in {needed} rows it would",
    )


def contradiction(source: Indices, target: Indices, n_rows: float) -> Refusal | None:
    """Return why there is no graph if its tests were not given what they needed, by its edges."""
    needed, could_be = other_neighbours(source, target), most_by_rows(n_rows)
    if needed <= could_be:
        return None
    return Refusal(
        f"columns would have {needed + 1.0:.0f} neighbours, and no test of so few rows can be "
        f"given more than {could_be}",
        "indirect relations would pass for edges: keep an error rate instead, or have more rows",
    )


def mostly_shadows() -> Refusal:
    """Return why there is no graph if none of its levels has more edges than shadows."""
    return Refusal(
        "most of its edges could as well be relations by way of a third column",
        "columns are too much alike for so few rows: keep an error rate instead, or have more rows",
    )
