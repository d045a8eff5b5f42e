"""From rows of yes or no to tested edges.

Every pair is tested twice: in the regression of either variable on its neighbours. Each test is
right if its own neighbours are complete. They may not be: with strong couplings several variables
tell nearly the same, and rows do not show which of them are neighbours. So an edge needs one of:

1. both tests, also given any variable that could stand in for the other end: a false edge then
   needs two incomplete sets of neighbours;
2. the test with fewer neighbours, if it is so clear that what was missed does not matter. All that
   was missed together has a score of at most the detection limit, or else more would have been
   chosen; what that adds to the score of a variable of which all others tell the share R² is at
   most R / sqrt(1 - R²) times as much.

docs/ising.md derives both, and tells what is proved and what is measured.
"""

from collections.abc import Sequence
from math import comb
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from hedgerow.method.ising_hedge import learn, proposals
from hedgerow.method.ising_logistic import Array, Bits, Indices
from hedgerow.method.ising_neighbours import (
    STANDS_IN,
    WORTH_A_LOOK,
    Scores,
    Table,
    most_neighbours,
)
from hedgerow.method.multiplicity import CORRECTIONS
from hedgerow.method.neighbours import detection_limit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided
from hedgerow.progress import report

STAND_INS = 8  # variables that are looked at, whether they could stand in for the end of a pair
_NONE = np.empty(0, dtype=np.intp)
_ROWS_AT_A_TIME = 1024
_TINY = 1e-9

Matrix = NDArray[np.float32]


class IsingEngine(Protocol):
    """What computes the tests."""

    def choose_all(
        self,
        table: Table,
        proposals: Indices,
        limit: float,
        most: int,
        scores: Scores,
        tell: "Tell",
    ) -> list[tuple[Indices, bool]]: ...

    def score_all(
        self,
        table: Table,
        some: Indices,
        neighbours: Sequence[Indices],
        scores: Scores,
        tell: "Tell",
    ) -> None: ...

    def scores_given(
        self,
        table: Table,
        pairs: Indices,
        given: Sequence[Indices],
        doubtful: Sequence[Indices],
        tell: "Tell",
    ) -> Array: ...

    def regress_all(self, table: Table, neighbours: Sequence[Indices]) -> list[Array]: ...


class Tell(Protocol):
    """Is told the share of some work that is done."""

    def __call__(self, share: float) -> None: ...


class PairTests(NamedTuple):
    """Pairs that may be edges, and their tests."""

    first: Indices
    second: Indices
    z: Array
    p_value: Array
    q_value: Array


def judge_pairs(engine: IsingEngine, table: Table, error: str, loosest: float) -> PairTests:
    """Test every pair of variables; ``error`` is "fdr", "fwer" or "balanced".

    Listed are all pairs that are edges up to the level ``loosest``, and some more.

    For a balanced graph no variable is thought to stand in for another: its q-values estimate an
    error rate, and do not keep it.
    """
    n_rows, n_columns = table.rows.shape
    limit, most = detection_limit(n_columns), most_neighbours(n_rows, n_columns)
    proposed = proposals(learn(table.rows), most)
    corr = correlation(table.rows)
    bias = _told_by_others(corr, n_rows)
    bias *= np.float32(limit)
    scores = np.empty((n_columns, n_columns), dtype=np.float32)
    chosen = engine.choose_all(
        table, proposed, limit, most, scores, lambda share: report("choosing neighbours", share)
    )
    neighbours = either_way([others for others, _ in chosen])
    _fill(engine, table, chosen, neighbours, scores)
    pairs, z, joined = _promising(scores, neighbours, bias, loosest)
    n_pairs = comb(n_columns, 2)
    adjust = CORRECTIONS[error]
    closer = joined | (adjust(two_sided(z / WORTH_A_LOOK), n_pairs) <= loosest)
    doubt = corr if error != BALANCED else None
    z[closer] = _look_closer(engine, table, neighbours, pairs.some(closer), bias, doubt)
    p_value = two_sided(z)
    return PairTests(pairs.first, pairs.second, z, p_value, adjust(p_value, n_pairs))


def either_way(chosen: Sequence[Indices]) -> list[NDArray[np.intp]]:
    """Return each node's neighbours: those that it chose, and those that chose it.

    >>> either_way([np.array([1]), np.array([], dtype=int), np.array([1])])
    [array([1]), array([0, 2]), array([1])]
    """
    sets: list[set[int]] = [set(others.tolist()) for others in chosen]
    for node, others in enumerate(chosen):
        for other in others.tolist():
            sets[other].add(node)
    return [np.array(sorted(others), dtype=np.intp) for others in sets]


def _fill(
    engine: IsingEngine,
    table: Table,
    chosen: Sequence[tuple[Indices, bool]],
    neighbours: Sequence[Indices],
    scores: Scores,
) -> None:
    """Write the scores of all variables given each node's neighbours, where they are not known."""
    unknown = [
        node
        for node, (others, known) in enumerate(chosen)
        if not known or len(others) < len(neighbours[node])
    ]
    engine.score_all(
        table,
        np.array(unknown, dtype=np.intp),
        neighbours,
        scores,
        lambda share: report("scoring pairs", share / 2),
    )


class _Pairs(NamedTuple):
    """The two ends of pairs, and how many neighbours these have."""

    first: Indices
    second: Indices
    n_first: Indices
    n_second: Indices

    def some(self, which: NDArray[np.bool_]) -> "_Pairs":
        return _Pairs(*(values[which] for values in self))


def _promising(
    scores: Scores, neighbours: Sequence[Indices], bias: Matrix, loosest: float
) -> tuple[_Pairs, Array, NDArray[np.bool_]]:
    """Return pairs that could be edges up to a level, their scores, and which are neighbours.

    A pair whose p-value by itself is above that level is no edge, and changes no other's.
    """
    sizes = np.array([len(others) for others in neighbours])
    first, second, z, joined = [], [], [], []
    for node in range(len(sizes) - 1):
        others = np.arange(node + 1, len(sizes))
        near = np.zeros(len(others), dtype=np.bool_)
        near[neighbours[node][neighbours[node] > node] - node - 1] = True
        pairs = _Pairs(np.full_like(others, node), others, sizes[[node]], sizes[others])
        score = _combined(pairs, scores[node, others], scores[others, node], bias)
        keep = near | (two_sided(score / WORTH_A_LOOK) <= loosest)
        first.append(pairs.first[keep])
        second.append(others[keep])
        z.append(score[keep].astype(np.float64))
        joined.append(near[keep])
    ends = np.concatenate(first), np.concatenate(second)
    pairs = _Pairs(*ends, sizes[ends[0]], sizes[ends[1]])
    return pairs, np.concatenate(z), np.concatenate(joined)


def _look_closer(
    engine: IsingEngine,
    table: Table,
    neighbours: Sequence[Indices],
    pairs: _Pairs,
    bias: Matrix,
    doubt: Array | None,
) -> Array:
    """Return scores by the conditional test; ``doubt`` are correlations that tell who stands in."""
    ends = np.column_stack([pairs.first, pairs.second])
    both_ways = np.concatenate([ends, ends[:, ::-1]])
    sets = [frozenset(others.tolist()) for others in neighbours]
    given, doubtful = [], []
    for node, other in both_ways.tolist():
        given.append(_array(sets[node] - {other}))
        stand_ins = _NONE if doubt is None else _stand_ins(doubt, node, other, neighbours[node])
        doubtful.append(stand_ins)
    found = engine.scores_given(
        table, both_ways, given, doubtful, lambda share: report("scoring pairs", (1 + share) / 2)
    )
    plain, careful = found.reshape(2, len(ends), 2).transpose(2, 0, 1)
    return _combined(pairs, plain[0], plain[1], bias, careful)


def _combined(
    pairs: _Pairs, first: Array, second: Array, bias: Matrix, careful: Array | None = None
) -> Array:
    """Return what both tests agree on, or what is clear given fewer neighbours, if that is more."""
    agreed = _weaker(first, second) if careful is None else _weaker(careful[0], careful[1])
    first = _less(first, bias[pairs.first, pairs.second])
    second = _less(second, bias[pairs.second, pairs.first])
    fewer = pairs.n_first < pairs.n_second, pairs.n_second < pairs.n_first
    clear = np.select(fewer, [first, second], _weaker(first, second))
    return np.where(np.abs(clear) > np.abs(agreed), clear, agreed)


def _array(members: frozenset[int]) -> NDArray[np.intp]:
    return np.array(sorted(members), dtype=np.intp)


def _weaker(first: Array, second: Array) -> Array:
    """Return the score that is nearer to zero; zero where the two differ in sign."""
    nearer = np.where(np.abs(first) < np.abs(second), first, second)
    return np.where(first * second > 0.0, nearer, 0.0)


def _less(score: Array, by: Matrix) -> Array:
    return np.sign(score) * np.maximum(np.abs(score) - by, 0.0)


def _stand_ins(corr: Array, node: int, other: int, chosen: Indices) -> NDArray[np.intp]:
    """Return the variables that are most related to both ends of a pair, and not yet given."""
    may = corr[other] ** 2 >= STANDS_IN / 2
    may[chosen] = may[node] = may[other] = False
    like = np.flatnonzero(may)
    both = np.abs(corr[node, like] * corr[other, like])
    best: NDArray[np.intp] = like[np.argsort(-both, kind="stable")[:STAND_INS]]
    return best


def _told_by_others(corr: Array, n_rows: int) -> Matrix:
    """Return R / sqrt(1 - R²) for each (i, j): what all variables but i tell of j, linearly."""
    if n_rows <= len(corr):
        return np.full(corr.shape, np.inf, dtype=np.float32)
    left = corr.copy()
    left.flat[:: len(corr) + 1] += _TINY
    left = linalg.inv(left.T, overwrite_a=True, check_finite=False)  # symmetric: in its place
    alone = np.diag(left).copy()
    # 1 / (1 - R²), from the inverse without i.
    np.square(left, out=left)
    left /= alone[:, None]
    np.subtract(alone, left, out=left)
    np.maximum(left, 1.0, out=left)
    left -= 1.0
    result: Matrix = np.sqrt(left).astype(np.float32)
    return result


def correlation(rows: Bits) -> Array:
    """Return the correlations of columns of zeros and ones that vary, from whole numbers.

    >>> correlation(np.array([[0, 0], [1, 1], [1, 1], [0, 0]], dtype=np.uint8))
    array([[1., 1.],
           [1., 1.]])
    """
    both = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        some = rows[start : start + _ROWS_AT_A_TIME].astype(np.float32)
        both += some.T @ some
    both /= len(rows)
    mean = np.diag(both).copy()
    both -= mean[:, None] * mean
    scale = np.sqrt(np.diag(both))
    both /= scale
    both /= scale[:, None]
    return both
