"""Rows as they come to rows that the learner can take: waiting, scored, counted."""

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines import Engine, Named
from hedgerow.method.forgetting import row_weights
from hedgerow.method.marginals import (
    FIRST_ROWS,
    Marginals,
    first_scores,
    flat,
    look_normal,
    next_refresh,
)
from hedgerow.method.moments import Columns, columns_of

Array = NDArray[np.float64]

_AT_ONCE = 4096  # rows that are scored at a time
_LEAST_ROOM = 32
_WAITING, _AS_IS, _OF_COLUMNS = "waiting", "as_is", "marginal_"


class TreatedRows:
    """Turns rows into scores of ranks, the same however they are cut into chunks.

    The first rows wait until all of them are there (`marginals`).
    """

    def __init__(self, as_is: NDArray[np.bool_], half_life: float) -> None:
        self.as_is = as_is
        self.half_life = half_life
        self.marginals: Marginals | None = None
        self._room = np.empty((0, len(as_is)))
        self._waiting = 0

    @property
    def waiting(self) -> Array:
        """The first rows, as they came, while they are too few."""
        return self._room[: self._waiting]

    @property
    def still_waiting(self) -> bool:
        """Whether no row has been handed on yet."""
        return self.marginals is None

    def take(self, engine: Engine, rows: NDArray[np.floating]) -> Iterator[Array]:
        """Take rows; yield scored ones, in the order they came, the first `FIRST_ROWS` at once."""
        if self.marginals is None:
            taken = min(len(rows), FIRST_ROWS - self._waiting)
            self._keep(rows[:taken])
            rows = rows[taken:]
            if self._waiting < FIRST_ROWS:
                return
            first = self._room
            self.as_is = self.as_is | flat(first)
            self.marginals = engine.first_marginals(first, self.as_is, self.half_life)
            self._room, self._waiting = first[:0].copy(), 0
            yield first_scores(first, self.as_is)
        while len(rows):
            left = next_refresh(self.marginals.rows, self.half_life) - self.marginals.rows
            some, rows = rows[: min(left, _AT_ONCE)], rows[min(left, _AT_ONCE) :]
            scored, self.marginals = engine.score_rows(self.marginals, some, self.half_life)
            yield scored

    def scores_so_far(self) -> Array:
        """Return the scores of rows that wait."""
        as_is = self.as_is | flat(self.waiting)
        if look_normal(self.waiting, as_is):
            return self.waiting.copy()
        return first_scores(self.waiting, as_is)

    def columns(self) -> Columns:
        """Return mean and spread of each column, in the units it came in."""
        if self.marginals is None:
            weights = row_weights(0, self._waiting, self.half_life)
            return columns_of(self.waiting, weights)
        known = self.marginals
        return Columns(known.rows, known.mean, known.squares, known.weight)

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        named: Named = {_WAITING: self.waiting, _AS_IS: self.as_is}
        if self.marginals is not None:
            known = self.marginals._asdict()
            del known["as_is"]
            named |= {f"{_OF_COLUMNS}{name}": np.array(value) for name, value in known.items()}
        return named

    @classmethod
    def from_arrays(cls, arrays: Named, half_life: float) -> Self | None:
        """Return the state whose `arrays` these are, None if there are none of it."""
        if _WAITING not in arrays:
            return None
        treated = cls(np.array(arrays[_AS_IS]), half_life)
        treated._keep(arrays[_WAITING])
        if f"{_OF_COLUMNS}knots" in arrays:
            knots, at, between, scores, mean, squares, weight, rows = (
                np.array(arrays[f"{_OF_COLUMNS}{name}"]) for name in Marginals._fields[1:]
            )
            treated.marginals = Marginals(
                treated.as_is, knots, at, between, scores, mean, squares, float(weight), int(rows)
            )
        return treated

    def _keep(self, rows: NDArray[np.floating]) -> None:
        needed = self._waiting + len(rows)
        if needed > len(self._room):
            size = min(max(needed, 2 * len(self._room), _LEAST_ROOM), FIRST_ROWS)
            room = np.empty((size, len(self.as_is)))
            room[: self._waiting] = self.waiting
            self._room = room
        self._room[self._waiting : needed] = rows
        self._waiting = needed
