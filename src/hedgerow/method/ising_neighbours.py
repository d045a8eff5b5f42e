"""Each variable's likely neighbours among yes-or-no columns, and how all others score given them.

Hedge proposes, the test disposes: proposals are taken, the heaviest first, while they are
significant given those before them; then all variables are looked through for more, one at a time;
then those that the others made superfluous are dropped.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ising_logistic import (
    PRIOR,
    Array,
    Bits,
    Indices,
    cells_of,
    conditional_score,
    counts,
    fit,
    shares,
)

Scores = NDArray[np.float32]  # of all variables in the regressions of all nodes

# Rows that a neighbour must stand for: with fewer, coefficients are too uncertain to hold fixed.
ROWS_FOR_NEIGHBOUR = 10
MOST_NEIGHBOURS = 20
# A score is looked at more closely where it could be significant if it were too small by a fifth.
WORTH_A_LOOK = 0.8
LOOKS = 5  # candidates that are looked at before a search ends
LEAST_VARIANCE = 1e-4  # of a count: below, nothing can be learned from it
STANDS_IN = 0.5  # share of what a variable tells that another must tell, to stand in for it


class Table(NamedTuple):
    """Rows of zeros and ones, and columns of bits: 64 rows in a word, from its lowest bit on."""

    rows: Bits
    words: NDArray[np.uint64]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

    def column(self, j: int) -> Bits:
        """Return a column."""
        return self.rows[:, j]


def table_of(rows: Bits) -> Table:
    """Return rows with what is needed to count them by column.

    >>> table_of(np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8)).words
    array([[6],
           [3]], dtype=uint64)
    """
    packed = np.packbits(rows, axis=0, bitorder="little")
    bytes_ = np.zeros((rows.shape[1], -(-len(packed) // 8) * 8), dtype=np.uint8)
    bytes_[:, : len(packed)] = packed.T
    return Table(np.ascontiguousarray(rows), bytes_.view("<u8").astype(np.uint64, copy=False))


def most_neighbours(n_rows: int, n_columns: int) -> int:
    """Return how many neighbours a variable can be given.

    >>> most_neighbours(100, 64), most_neighbours(10_000, 64), most_neighbours(10_000, 5)
    (10, 20, 4)
    """
    return min(n_columns - 1, n_rows // ROWS_FOR_NEIGHBOUR, MOST_NEIGHBOURS)


def choose(table: Table, node: int, proposals: Indices, limit: float, most: int) -> Indices:
    """Return a node's neighbours, each significant at ``limit`` given the others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first = rng.random(500) < 0.5
    >>> second = first ^ (rng.random(500) < 0.2)
    >>> third = second ^ (rng.random(500) < 0.2)
    >>> table = table_of(np.column_stack([first, second, third]).astype(np.uint8))
    >>> choose(table, 1, np.array([0, 2]), 3.0, 2), choose(table, 2, np.array([0, 1]), 3.0, 2)
    (array([0, 2]), array([1]))
    """
    chosen: list[int] = []
    for other in proposals[:most].tolist():
        if abs(_score(table, node, other, chosen)) <= limit:
            break
        chosen.append(other)
    while len(chosen) < most:
        found = _next(table, node, chosen, limit)
        if found is None:
            break
        chosen.append(found)
    while chosen:
        scores = [
            abs(_score(table, node, other, [k for k in chosen if k != other])) for other in chosen
        ]
        weakest = int(np.argmin(scores))
        if scores[weakest] > limit:
            break
        chosen.pop(weakest)
    return np.sort(np.array(chosen, dtype=np.intp))


def _next(table: Table, node: int, chosen: list[int], limit: float) -> int | None:
    scores = np.abs(scores_of_all(table, node, np.array(chosen, dtype=np.intp)))
    scores[[node, *chosen]] = 0.0
    for _ in range(LOOKS):
        best = int(scores.argmax())
        if scores[best] <= WORTH_A_LOOK * limit:
            return None
        if abs(_score(table, node, best, chosen)) > limit:
            return best
        scores[best] = 0.0
    return None


def _score(table: Table, node: int, other: int, given: list[int]) -> float:
    cell, design = cells_of(table.rows, np.array(given, dtype=np.intp))
    return conditional_score(cell, design, table.column(other), table.column(node))


def scores_of_all(table: Table, node: int, given: Indices) -> Array:
    """Return the score of every variable in a node's regression on the given ones.

    A score is the sum of y x beyond what is expected, less the half that a whole number is moved
    by, over its standard deviation given the sums of y times the given columns. Of the given
    variables it means nothing.
    """
    y = table.column(node)
    cell, design = cells_of(table.rows, given)
    size = np.bincount(cell, minlength=len(design)).astype(float)
    null = fit(design, size, design.T @ counts(cell, y, len(design)))
    share = shares(design, null.coefficients)
    weight = share * (1.0 - share)
    ones = np.zeros((len(design), table.n_columns))
    np.add.at(ones, cell, table.rows)
    surplus = (y - share[cell]) @ table.rows
    known = np.linalg.solve(null.factor, design.T @ (weight[:, None] * ones))
    variance = weight @ ones - (known**2).sum(axis=0)
    return corrected_scores(surplus, variance)


def corrected_scores(surplus: Array, variance: Array) -> Array:
    """Return surpluses of counts over their standard deviations, moved by half a count."""
    sure = np.sqrt(np.where(variance > LEAST_VARIANCE, variance, np.inf))
    result: Array = np.sign(surplus) * np.maximum(np.abs(surplus) - 0.5, 0.0) / sure
    return result


def score_given(
    table: Table, node: int, other: int, given: Indices, doubtful: Indices
) -> tuple[float, float]:
    """Return the score of one variable given some others, and given any that stands in for it too.

    ``doubtful`` are variables that might. One does if it tells more than half of what the other
    tells the node, given the others; of several, that counts which takes most away.
    """
    cell, design = cells_of(table.rows, given)
    y, x = table.column(node), table.column(other)
    score = careful = conditional_score(cell, design, x, y)
    for third in doubtful:
        if _shared(cell, design, x, table.column(third), y) > STANDS_IN:
            finer, wider = cells_of(table.rows, np.append(given, third))
            again = conditional_score(finer, wider, x, y)
            careful = again if abs(again) < abs(careful) else careful
    return score, careful


def _shared(cell: NDArray[np.intp], design: Array, x: Bits, third: Bits, y: Bits) -> float:
    """Return the squared correlation of two variables given the design, weighed by information."""
    n_cells = len(design)
    size = np.bincount(cell, minlength=n_cells).astype(float)
    null = fit(design, size, design.T @ counts(cell, y, n_cells))
    share = shares(design, null.coefficients)
    weight = share * (1.0 - share)
    ones = np.array([counts(cell, values, n_cells) for values in (x, third, x * third)])
    total = ones @ weight
    known = np.linalg.solve(null.factor, design.T @ (weight[:, None] * ones[:2].T))
    first, second = total[:2] - (known**2).sum(axis=0)
    together = total[2] - known[:, 0] @ known[:, 1]
    return float(together**2 / max(first * second, PRIOR**2))
