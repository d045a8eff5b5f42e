"""Columns that are stuck: one value in many rows on end, where values else hardly come twice.

A sensor that hangs repeats its last value. In these rows it explains nothing, and what it would
explain passes for edges between others; so it is worth telling. But rounded numbers repeat by
chance, and rain stays at zero for weeks. Let p be the probabilities of a column's values, and
q = Σ p² the chance that two rows have the same. If rows are independent, k of them on end have one
value with a probability of Σ pᵏ ≤ q^(k/2), so among n rows that is expected n q^(k/2) times at
most. q is bounded by the repetitions outside long runs: of a count c, expected are more than
(√c + √x)² with a probability of at most exp(-x).

A column is told if its longest run cannot be chance, and its value has no other long run: zeros at
night come again. Runs are found in one pass, the same however rows are cut; a missing cell neither
ends a run nor counts.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.forgetting import NEVER

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

LONG = 16  # rows; what is stuck for less does little harm
_LEVEL = 0.001  # chance that any column of a table is named by mistake


class Runs(NamedTuple):
    """Runs of equal values in each column: the unfinished one, counts, and one that is long."""

    last: Array  # (p,) value of the last cell
    length: Counts  # (p,) cells in the run that it is in; 0 if there was none
    begun: Counts  # (p,) row in which that run began
    ended: Counts  # (p,) row of its last cell
    cells: Counts  # (p,) cells in runs that have ended, and were shorter than `LONG`
    repeats: Counts  # (p,) those of them that have the value of the cell before
    value: Array  # (p,) value of the longest run that has ended, if one was long
    rows: Counts  # (p,) cells in that run; 0 if none was
    first: Counts  # (p,) its first row, ...
    final: Counts  # (p,) ... and the last
    again: Flags  # (p,) whether its value has another long run


def no_runs(n_columns: int) -> Runs:
    """Return what is known before the first row."""
    value, count = np.zeros(n_columns), np.zeros(n_columns, dtype=np.int64)
    never = np.zeros(n_columns, dtype=np.bool_)
    return Runs(value, count, count, count, count, count, value, count, count, count, never)


def continued(
    known: Runs,
    rows: NDArray[np.floating],
    watched: Flags,
    rows_before: int,
    half_life: float = NEVER,
) -> Runs:
    """Return what is known after more rows, of the columns that are ``watched``.

    Examples
    --------
    >>> column = np.array([0.0, 1.0, *[2.0] * 20, 3.0, 4.0])[:, None]
    >>> runs = continued(no_runs(1), column, np.array([True]), 0)
    >>> runs.value, runs.rows, runs.first, runs.final, runs.cells, runs.repeats
    (array([2.]), array([20]), array([2]), array([21]), array([3]), array([0]))
    """
    if not len(rows) or not watched.any():
        return known
    runs = _copied(known)
    eventful = ((rows[0] == known.last) & (known.length > 0)) | (known.length >= LONG)
    for event in (rows[1:] == rows[:-1], np.isnan(rows)):
        if event.any():  # seldom, and quick to tell
            eventful |= event.any(axis=0)
    _add_different(runs, rows, watched & ~eventful, rows_before)
    for j in np.flatnonzero(watched & eventful):
        _add(runs, int(j), rows[:, j], rows_before, half_life)
    return runs


def stuck(runs: Runs, n_rows: int, half_life: float = NEVER) -> Flags:
    """Return which columns have a run that is no chance, and is not forgotten, of `finished` runs.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((300, 2))
    >>> rows[100:130, 1] = rows[99, 1]
    >>> stuck(finished(continued(no_runs(2), rows, np.array([True, True]), 0)), 300)
    array([False,  True])
    """
    chance = _LEVEL / (2 * max(len(runs.cells), 1))
    most = np.square(np.sqrt(runs.repeats) + np.sqrt(-np.log(chance)))
    share = np.minimum(most / np.maximum(runs.cells, 1), 1.0)
    sure = n_rows * share ** (LONG / 2) <= chance
    counts = _left(runs.rows, n_rows - 1 - runs.final, half_life) >= 1.0
    result: Flags = sure & counts & (runs.rows >= LONG) & ~runs.again
    return result


def finished(known: Runs, half_life: float = NEVER) -> Runs:
    """Return the runs as if no rows came after the last."""
    runs = _copied(known)
    short = (runs.length > 0) & (runs.length < LONG)
    runs.cells[short] += runs.length[short]
    runs.repeats[short] += runs.length[short] - 1
    runs.length[short] = 0
    for j in np.flatnonzero(runs.length):
        _end(runs, int(j), half_life)
    return runs


def _copied(known: Runs) -> Runs:
    copies: Any = (np.array(each) for each in known)
    return Runs(*copies)


def _add_different(runs: Runs, rows: NDArray[np.floating], columns: Flags, before: int) -> None:
    """Add rows of columns in which each value differs from the one before."""
    n, length = len(rows), runs.length[columns]
    runs.cells[columns] += length + n - 1
    runs.repeats[columns] += np.maximum(length - 1, 0)
    runs.last[columns], runs.length[columns] = rows[-1, columns], 1
    runs.begun[columns] = runs.ended[columns] = before + n - 1


def _add(runs: Runs, j: int, column: NDArray[np.floating], before: int, half_life: float) -> None:
    """Add the cells of one column."""
    there = np.flatnonzero(~np.isnan(column))
    values = column[there]
    before_each = np.append(runs.last[j] if runs.length[j] else np.nan, values)[:-1]
    starts = np.flatnonzero(values != before_each)
    bounds = np.append(starts, len(there))
    if bounds[0]:
        runs.length[j] += bounds[0]
        runs.ended[j] = before + there[bounds[0] - 1]
    if not len(starts):
        return
    lengths = np.diff(bounds)
    short = lengths[:-1] < LONG
    runs.cells[j] += lengths[:-1][short].sum()
    runs.repeats[j] += (lengths[:-1][short] - 1).sum()
    for k in (*np.flatnonzero(~short), len(lengths) - 1):
        _end(runs, j, half_life)
        runs.last[j], runs.length[j] = values[starts[k]], lengths[k]
        runs.begun[j], runs.ended[j] = before + there[starts[k]], before + there[bounds[k + 1] - 1]


def _end(runs: Runs, j: int, half_life: float) -> None:
    """End the run that a column is in: count it, or keep it if it is the longest that is long."""
    length = runs.length[j]
    if 0 < length < LONG:
        runs.cells[j] += length
        runs.repeats[j] += length - 1
    elif length:
        again = runs.rows[j] > 0 and runs.value[j] == runs.last[j]
        if length > _left(runs.rows[j], runs.ended[j] - runs.final[j], half_life):
            runs.again[j] &= again
            runs.value[j], runs.rows[j] = runs.last[j], length
            runs.first[j], runs.final[j] = runs.begun[j], runs.ended[j]
        runs.again[j] |= again
    runs.length[j] = 0


def _left(rows: Counts, age: Counts, half_life: float) -> Array:
    """Return for how many rows some count that came so many rows ago."""
    factor: Array = np.exp2(np.negative(age) / half_life)
    return factor * rows
