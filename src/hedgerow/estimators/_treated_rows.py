"""Rows as they come to rows that the learner can take: waiting, scored, without a season."""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines import Engine, Named
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.method.determined import determined_columns
from hedgerow.method.forgetting import row_weights
from hedgerow.method.histograms import Histogram, histogram_of_values, histograms_of_counts
from hedgerow.method.kinds import CONTINUOUS, KINDS, Kinds, curves_of, kinds_of
from hedgerow.method.marginals import (
    FIRST_ROWS,
    Marginals,
    first_marginals,
    first_scores,
    flat,
    look_normal,
    next_refresh,
    straightness,
    straightness_of,
)
from hedgerow.method.moments import Columns, columns_of
from hedgerow.method.residuals import repetition
from hedgerow.method.seasons import Season, first_season, no_season, wandering, without_season
from hedgerow.method.steps import Curves

Array = NDArray[np.float64]

_AT_ONCE = 4096  # rows that are scored at a time
_LEAST_ROOM = 32
_WAITING, _AS_IS, _REPEATED = "waiting", "as_is", "repeated"
_WANDERS, _DETERMINED, _KINDS = "wanders", "determined", "kinds"
_OF_COLUMNS, _OF_SEASON = "marginal_", "season_"


class Settled(NamedTuple):
    """What the first rows decide."""

    as_is: NDArray[np.bool_]  # columns whose values are not replaced by scores
    season: Season
    repeated: float  # mean number of times that a row is there
    wanders: NDArray[np.bool_]  # columns that cannot be told from random walks
    determined: NDArray[np.bool_]  # columns that take part in an exact linear relation
    kinds: Kinds


class TreatedRows:
    """Turns rows into scores of ranks, the same however they are cut into chunks.

    The first rows wait until all of them are there (`marginals`). A season that they show is taken
    out of all rows (`seasons`).
    """

    def __init__(self, assumptions: Assumptions, half_life: float) -> None:
        self.assumptions = assumptions
        self.half_life = half_life
        self.marginals: Marginals | None = None
        self._settled: Settled | None = None
        self._attempt: tuple[Array, Settled] | None = None
        self._room = np.empty((0, len(assumptions.as_is)))
        self._waiting = 0

    @property
    def waiting(self) -> Array:
        """The first rows, as they came, while they are too few."""
        return self._room[: self._waiting]

    @property
    def settled(self) -> Settled:
        """What the first rows decide; or would, if no others came."""
        return self.first_attempt()[1] if self._settled is None else self._settled

    def take(self, engine: Engine, rows: NDArray[np.floating]) -> Iterator[Array]:
        """Take rows; yield treated ones, in the order they came, the first `FIRST_ROWS` at once."""
        if self._settled is None:
            taken = min(len(rows), FIRST_ROWS - self._waiting)
            self._keep(rows[:taken])
            rows = rows[taken:]
            if self._waiting < FIRST_ROWS:
                return
            first = self._room
            as_is = self.assumptions.as_is | flat(first)
            self.marginals = engine.first_marginals(first, as_is, self.half_life)
            treated, self._settled = self._settle(first, as_is, self._kinds(first, as_is))
            self._room, self._waiting = first[:0].copy(), 0
            yield treated
        assert self.marginals is not None
        while len(rows):
            left = next_refresh(self.marginals.rows, self.half_life) - self.marginals.rows
            some, rows = rows[: min(left, _AT_ONCE)], rows[min(left, _AT_ONCE) :]
            scored, self.marginals = engine.score_rows(self.marginals, some, self.half_life)
            scored, season = without_season(scored, self._settled.season)
            self._settled = self._settled._replace(season=season)
            yield scored

    def first_attempt(self) -> tuple[Array, Settled]:
        """Return what the rows that wait become if no others come, and what they decide then."""
        if self._attempt is None:
            as_is = self.assumptions.as_is | flat(self.waiting)
            kinds = self._kinds(self.waiting, as_is)
            if (kinds == CONTINUOUS).all():
                as_is |= look_normal(self.waiting, as_is)
            self._attempt = self._settle(self.waiting, as_is, kinds)
        return self._attempt

    def curves(self) -> Curves | None:
        """Return scores as functions of what lies behind columns; None if they are just that."""
        kinds = self.settled.kinds
        if (kinds == CONTINUOUS).all():
            return None
        known = self.marginals
        return curves_of(kinds, known or first_marginals(self.waiting, self.settled.as_is))

    def straightness(self) -> Array:
        """Return the share of each column's variance that is that of its scores."""
        if self.marginals is None:
            return straightness(self.waiting)
        return straightness_of(self.marginals)

    def histograms(self) -> list[Histogram]:
        """Return a histogram of each column, in the units it came in."""
        if self.marginals is None:
            return [histogram_of_values(column) for column in self.waiting.T]
        return histograms_of_counts(self.marginals)

    def columns(self) -> Columns:
        """Return mean and spread of each column, in the units it came in."""
        if self.marginals is None:
            return columns_of(self.waiting, row_weights(0, self._waiting, self.half_life))
        known = self.marginals
        return Columns(known.rows, known.mean, known.squares, known.weight)

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        named: Named = {_WAITING: self.waiting}
        if self.marginals is not None and self._settled is not None:
            as_is, season, repeated, wanders, determined, kinds = self._settled
            named[_KINDS] = np.array([KINDS.index(kind) for kind in kinds], dtype=np.int64)
            named |= {_AS_IS: as_is, _REPEATED: np.array(repeated)}
            named |= {_WANDERS: wanders, _DETERMINED: determined}
            named |= {
                f"{_OF_COLUMNS}{name}": np.array(getattr(self.marginals, name))
                for name in Marginals._fields[1:]
            }
            named |= {f"{_OF_SEASON}{name}": np.array(x) for name, x in season._asdict().items()}
        return named

    @classmethod
    def from_arrays(cls, arrays: Named, assumptions: Assumptions, half_life: float) -> Self | None:
        """Return the state whose `arrays` these are, None if there are none of it."""
        if _WAITING not in arrays:
            return None
        treated = cls(assumptions, half_life)
        treated._keep(arrays[_WAITING])
        if _AS_IS in arrays:
            as_is = np.array(arrays[_AS_IS])
            knots, at, between, scores, mean, squares, weight, rows = (
                np.array(arrays[f"{_OF_COLUMNS}{name}"]) for name in Marginals._fields[1:]
            )
            treated.marginals = Marginals(
                as_is, knots, at, between, scores, mean, squares, float(weight), int(rows)
            )
            seen, counts, means = (
                np.array(arrays[f"{_OF_SEASON}{name}"]) for name in Season._fields
            )
            season = Season(int(seen), counts, means)
            wanders, determined = (np.array(arrays[name]) for name in (_WANDERS, _DETERMINED))
            repeated = float(arrays[_REPEATED])
            # Before there were kinds, all columns were continuous.
            codes = arrays.get(_KINDS, np.zeros(len(as_is), dtype=np.int64))
            kinds = np.array(KINDS)[codes]
            treated._settled = Settled(as_is, season, repeated, wanders, determined, kinds)
        return treated

    def _kinds(self, rows: Array, as_is: NDArray[np.bool_]) -> Kinds:
        told = self.assumptions.told
        return np.where((told != "") & ~as_is, told, kinds_of(rows, as_is | (told != "")))

    def _settle(self, rows: Array, as_is: NDArray[np.bool_], kinds: Kinds) -> tuple[Array, Settled]:
        scored, relations = first_scores(rows, as_is), determined_columns(rows)
        if self.assumptions.independent:
            none = np.zeros_like(as_is)
            return scored, Settled(as_is, no_season(scored), 1.0, none, relations, kinds)
        treated, season = first_season(scored)
        wanders = wandering(treated)
        return treated, Settled(as_is, season, repetition(rows), wanders, relations, kinds)

    def _keep(self, rows: NDArray[np.floating]) -> None:
        needed = self._waiting + len(rows)
        if needed > len(self._room):
            size = min(max(needed, 2 * len(self._room), _LEAST_ROOM), FIRST_ROWS)
            room = np.empty((size, self._room.shape[1]))
            room[: self._waiting] = self.waiting
            self._room = room
        self._room[self._waiting : needed] = rows
        self._waiting, self._attempt = needed, None
