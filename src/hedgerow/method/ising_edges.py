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
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.ising_hedge import learn, proposals
from hedgerow.method.ising_logistic import Array, Bits, Indices
from hedgerow.method.ising_neighbours import STANDS_IN, WORTH_A_LOOK, Table, most_neighbours
from hedgerow.method.multiplicity import benjamini_hochberg, holm
from hedgerow.method.neighbours import detection_limit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided
from hedgerow.progress import report

STAND_INS = 8  # variables that are looked at, whether they could stand in for the end of a pair
_NONE = np.empty(0, dtype=np.intp)
_ROWS_AT_A_TIME = 4096
_TINY = 1e-9


class IsingEngine(Protocol):
    """What computes the tests."""

    def choose_all(
        self, table: Table, proposals: Indices, limit: float, most: int, tell: "Tell"
    ) -> list[tuple[Indices, Array]]: ...

    def scores_of_all(
        self, table: Table, some: Indices, neighbours: Sequence[Indices], tell: "Tell"
    ) -> list[Array]: ...

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
    """One entry for each pair i < j, in the order of ``np.triu_indices``."""

    z: Array
    p_value: Array
    q_value: Array


def judge_pairs(engine: IsingEngine, table: Table, error: str, loosest: float) -> PairTests:
    """Test every pair of variables; ``error`` is "fdr", "fwer" or "balanced".

    Pairs that are no edge up to the level ``loosest`` are given their scores without a closer look.

    For a balanced graph no variable is thought to stand in for another: its q-values estimate an
    error rate, and do not keep it.
    """
    n_rows, n_columns = table.rows.shape
    limit, most = detection_limit(n_columns), most_neighbours(n_rows, n_columns)
    proposed = proposals(learn(table.rows), most)
    chosen = engine.choose_all(
        table, proposed, limit, most, lambda share: report("choosing neighbours", share)
    )
    neighbours = either_way([others for others, _ in chosen])
    scores = _all_scores(engine, table, chosen, neighbours)
    adjust = holm if error == "fwer" else benjamini_hochberg
    corr = correlation(table.rows)
    upper = np.triu_indices(n_columns, 1)
    sizes = np.array([len(others) for others in neighbours])
    pairs = _Pairs(*upper, sizes[upper[0]], sizes[upper[1]])
    bias = limit * _told_by_others(corr, n_rows)
    z = _combined(pairs, scores[upper], scores.T[upper], bias)
    joined = _joined(neighbours)[upper]
    closer = joined | (adjust(two_sided(z / WORTH_A_LOOK)) <= loosest)
    doubt = corr if error != BALANCED else None
    z[closer] = _look_closer(engine, table, neighbours, pairs.some(closer), bias, doubt)
    p_value = two_sided(z)
    return PairTests(z, p_value, adjust(p_value))


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


def _all_scores(
    engine: IsingEngine,
    table: Table,
    chosen: Sequence[tuple[Indices, Array]],
    neighbours: Sequence[Indices],
) -> Array:
    """Return scores of all variables given each node's neighbours, where they are not known yet."""
    scores = np.empty((table.n_columns, table.n_columns))
    unknown = []
    for node, (others, known) in enumerate(chosen):
        if len(known) and len(others) == len(neighbours[node]):
            scores[node] = known
        else:
            unknown.append(node)
    some = np.array(unknown, dtype=np.intp)
    scores[some] = np.reshape(
        engine.scores_of_all(
            table, some, neighbours, lambda share: report("scoring pairs", share / 2)
        ),
        (len(some), table.n_columns),
    )
    return scores


class _Pairs(NamedTuple):
    """The two ends of pairs, and how many neighbours these have."""

    first: Indices
    second: Indices
    n_first: Indices
    n_second: Indices

    def some(self, which: NDArray[np.bool_]) -> "_Pairs":
        return _Pairs(*(values[which] for values in self))


def _joined(neighbours: Sequence[Indices]) -> NDArray[np.bool_]:
    result = np.zeros((len(neighbours), len(neighbours)), dtype=np.bool_)
    for node, others in enumerate(neighbours):
        result[node, others] = True
    return result


def _look_closer(
    engine: IsingEngine,
    table: Table,
    neighbours: Sequence[Indices],
    pairs: _Pairs,
    bias: Array,
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
    pairs: _Pairs, first: Array, second: Array, bias: Array, careful: Array | None = None
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


def _less(score: Array, by: Array) -> Array:
    return np.sign(score) * np.maximum(np.abs(score) - by, 0.0)


def _stand_ins(corr: Array, node: int, other: int, chosen: Indices) -> NDArray[np.intp]:
    """Return the variables that are most related to both ends of a pair, and not yet given."""
    both = np.abs(corr[node] * corr[other])
    both[chosen] = 0.0
    both[[node, other]] = 0.0
    both[corr[other] ** 2 < STANDS_IN / 2] = 0.0
    most = min(STAND_INS, len(both))
    best = np.argpartition(-both, most - 1)[:most]
    result: NDArray[np.intp] = best[both[best] > 0.0]
    return result


def _told_by_others(corr: Array, n_rows: int) -> Array:
    """Return R / sqrt(1 - R²) for each (i, j): what all variables but i tell of j, linearly."""
    if n_rows <= len(corr):
        return np.full_like(corr, np.inf)
    inverse = np.linalg.inv(corr + _TINY * np.eye(len(corr)))
    alone = np.diag(inverse)
    left = 1.0 / np.maximum(alone - inverse**2 / alone[:, None], 1.0)
    result: Array = np.sqrt((1.0 - left) / left)
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
    mean = np.diag(both) / len(rows)
    covariance = both / len(rows) - mean[:, None] * mean
    scale = np.sqrt(np.diag(covariance))
    return covariance / scale / scale[:, None]
