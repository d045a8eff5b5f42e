"""Rivals whose only choice is one penalty, and the ways to choose it from the rows.

A penalty is on the scale of correlations: from the largest correlation on, the graph is empty.

References
----------
Foygel and Drton (2010), Extended Bayesian information criteria for Gaussian graphical models.
Liu, Roeder and Wasserman (2010), Stability approach to regularization selection (StARS).
"""

from abc import abstractmethod
from collections.abc import Callable
from math import inf
from typing import ClassVar

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from hedgerow.base.checks import integer_at_least, one_of, positive
from hedgerow.rivals._base import (
    Array,
    Found,
    Rival,
    absolute_partial_corr,
    correlation,
    location_and_scale,
    symmetric,
)
from hedgerow.rivals._clock import Clock

EBIC_GAMMA = 0.5  # how much the number of possible graphs counts, in [0, 1]
_GRID_SIZE = 20
_PATIENCE = 5  # penalties without improvement after which smaller ones are not tried
_FOLDS = 5
_SUBSAMPLES = 20
_MOST_INSTABILITY = 0.05  # what the authors of StARS recommend
_STAGE = "choosing the penalty"
_BREAKDOWNS = (FloatingPointError, LinAlgError)  # of solvers, where a path ends


class Penalised(Rival):
    """A rival that solves one problem for each penalty, from a correlation matrix.

    An estimate is a (p, p) array whose entries off the diagonal are zero where there is no edge: a
    precision matrix, unless a subclass has its own `_graph` and `_found`.
    """

    penalty: float | str
    random_state: int | None
    _criteria: ClassVar[tuple[str, ...]]
    _min_rows = 4

    @abstractmethod
    def _solve(self, corr: Array, penalty: float, start: Array | None, clock: Clock) -> Array:
        """Return the estimate; ``start`` is that of a larger penalty."""

    @abstractmethod
    def _loss(self, estimate: Array, moments: Array) -> float:
        """Return the loss of rows with these second moments."""

    def _ebic(self, estimate: Array, corr: Array, n_rows: int) -> float:
        """Return the criterion of "ebic" for the graph of an estimate."""
        raise NotImplementedError

    def _theory(self, n_rows: int, n_columns: int) -> float:
        """Return the penalty of "theory"."""
        raise NotImplementedError

    def _graph(self, estimate: Array) -> NDArray[np.bool_]:
        return symmetric(estimate != 0, np.logical_or)

    def _found(self, estimate: Array, penalty: float) -> Found:
        scores = absolute_partial_corr(estimate)
        return Found(scores, self._graph(estimate), estimate, {"penalty_": penalty})

    def _learn(self, rows: Array, clock: Clock) -> Found:
        if self.random_state is not None:
            integer_at_least("random_state", self.random_state, 0)
        penalty = self._penalty_for(rows, clock)
        clock.check("solving", 0.0)
        estimate = self._solve(correlation(rows), penalty, None, clock.telling("solving"))
        clock.check("solving", 1.0)
        return self._found(estimate, penalty)

    def _penalty_for(self, rows: Array, clock: Clock) -> float:
        if not isinstance(self.penalty, str):
            return positive("penalty", self.penalty)
        criterion = one_of("penalty", self.penalty, self._criteria)
        if criterion == "theory":
            return self._theory(*rows.shape)
        choose = {"ebic": by_ebic, "stars": by_stars, "cv": by_cross_validation}[criterion]
        return choose(self, rows, clock)


def grid(corr: Array, n_rows: int) -> list[float]:
    """Return penalties from the empty graph down to half the noise of a correlation."""
    upper = np.abs(corr[np.triu_indices(len(corr), 1)])
    noise = np.sqrt(np.log(len(corr)) / n_rows)
    largest = max(upper.max(), noise / 2)
    return list(map(float, np.geomspace(largest, min(noise / 2, largest / 2), _GRID_SIZE)))


def by_ebic(rival: Penalised, rows: Array, clock: Clock) -> float:
    """Return the penalty of least extended Bayesian information criterion."""
    corr = correlation(rows)
    path = _Path(rival, corr, clock)

    def criterion(penalty: float) -> float:
        estimate = path.down_to(penalty)
        if rival._graph(estimate).sum(axis=0).max() > len(rows) / 2:
            return inf  # a node with so many neighbours fits its rows whatever they are
        return rival._ebic(estimate, corr, len(rows))

    return _least(criterion, grid(corr, len(rows)), clock)


def by_cross_validation(rival: Penalised, rows: Array, clock: Clock) -> float:
    """Return the penalty of least loss on rows left out, in five folds."""
    rng = np.random.default_rng(rival.random_state)
    folds = np.array_split(rng.permutation(len(rows)), min(_FOLDS, len(rows) // 2))
    parts = []
    for fold in folds:
        learn, judge = _standard_by(np.delete(rows, fold, axis=0), rows[fold])
        parts.append((_Path(rival, correlation(learn), clock), judge.T @ judge / len(judge)))

    def criterion(penalty: float) -> float:
        return sum(rival._loss(path.down_to(penalty), moments) for path, moments in parts)

    return _least(criterion, grid(correlation(rows), len(rows)), clock)


def by_stars(rival: Penalised, rows: Array, clock: Clock) -> float:
    """Return the least penalty whose graphs from subsamples differ little from each other."""
    rng = np.random.default_rng(rival.random_state)
    m, p = rows.shape
    size = int(10 * np.sqrt(m)) if m > 144 else int(0.8 * m)
    paths = []
    for _ in range(_SUBSAMPLES):
        part = rows[rng.choice(m, size, replace=False)]
        paths.append(_Path(rival, correlation(_standard_by(part, part)[0]), clock))
    penalties = grid(correlation(rows), m)
    chosen = penalties[0]
    for penalty in clock.over(penalties, _STAGE):
        try:
            share = np.mean([rival._graph(path.down_to(penalty)) for path in paths], axis=0)
        except _BREAKDOWNS:
            break
        instability = 2 * (share * (1 - share)).sum() / (p * (p - 1))
        if instability > _MOST_INSTABILITY:
            break
        chosen = penalty
    clock.check(_STAGE, 1.0)
    return chosen


class _Path:
    """Estimates from one correlation matrix at ever smaller penalties."""

    def __init__(self, rival: Penalised, corr: Array, clock: Clock) -> None:
        self._rival, self._corr, self._clock = rival, corr, clock
        self._estimate: Array | None = None

    def down_to(self, penalty: float) -> Array:
        self._clock.tick()
        self._estimate = self._rival._solve(self._corr, penalty, self._estimate, self._clock)
        return self._estimate


def _least(criterion: Callable[[float], float], penalties: list[float], clock: Clock) -> float:
    """Return the penalty with the least value.

    The path ends early when nothing has improved for a while, or where the solver breaks down.
    """
    best, least, since = penalties[0], inf, 0
    for penalty in clock.over(penalties, _STAGE):
        try:
            value = criterion(penalty)
        except _BREAKDOWNS:
            break
        best, least, since = (penalty, value, 0) if value < least else (best, least, since + 1)
        if since == _PATIENCE:
            break
    clock.check(_STAGE, 1.0)
    return best


def _standard_by(learn: Array, judge: Array) -> tuple[Array, Array]:
    """Return both parts in units in which ``learn`` has mean 0 and mean square 1."""
    location, scale = location_and_scale(learn)
    scale[scale == 0] = 1.0  # a column may never vary in a part of the rows
    return (learn - location) / scale, (judge - location) / scale
