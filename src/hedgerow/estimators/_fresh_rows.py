"""A second learner, of what is new in each row, for as long as all columns remember alike."""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.engines import Named
from hedgerow.estimators._learner import Learner
from hedgerow.method.alike import alike_at_first, alike_later
from hedgerow.method.first_look import unexplained
from hedgerow.method.forecasts import Forecast, differing, first_fresh, later_fresh
from hedgerow.method.forgetting import effective_rows

Array = NDArray[np.float64]
Clear = Callable[[Array], csr_array | None]

PREFIX = "fresh_"  # begins the names of what is kept
FORECAST = tuple(f"{PREFIX}{name}" for name in Forecast._fields)


class Told(NamedTuple):
    """What is new in the first rows."""

    fresh: Array
    forecast: Forecast
    coefficients: csr_array  # of columns on their clear neighbours


def told_by_those_before(rows: Array, clear: Clear) -> Told | None:
    """Return what is new in the first rows; None if nothing is gained, or columns differ.

    ``clear`` finds the coefficients of columns on their clear neighbours.
    """
    if (found := first_fresh(rows)) is None:
        return None
    fresh, forecast = found
    coefficients = clear(fresh)
    if coefficients is None or not alike_at_first(unexplained(fresh, coefficients)):
        return None
    return Told(fresh, forecast, coefficients)


class FreshRows:
    """Learns from rows without what those before them say.

    Beside the rows as they are: what is new has the same graph only if all columns remember alike,
    which later rows may deny.
    """

    def __init__(self, learner: Learner, forecast: Forecast) -> None:
        self.learner = learner
        self.forecast = forecast
        self._answered = 0, False  # after so many rows, whether columns remember alike

    @classmethod
    def begin(cls, learner: Learner, told: Told) -> Self:
        """Return who has learned from what is new in the first rows."""
        learner.take(told.fresh)
        learner.look_back(told.fresh, told.coefficients)
        return cls(learner, told.forecast)

    def take(self, rows: Array) -> None:
        """Take the next rows."""
        fresh, self.forecast = later_fresh(rows, self.forecast)
        self.learner.take(fresh)

    def alike(self, as_they_are: Learner, divided: float) -> bool:
        """Return whether columns remember alike, as far as all rows tell.

        ``as_they_are`` has learned the same rows as they are, ``divided`` is the cost of dividing
        them by their sizes.
        """
        rows, sums = self.learner.rows, self.learner.residuals()
        if self._answered[0] != rows and sums is not None:
            n_rows = effective_rows(rows, self.learner.half_life)
            found = self.learner.engine.inflation_of(sums, n_rows, divided=divided)
            variance = differing(self.forecast, n_rows, *found.typical_parts())
            theirs, own = as_they_are.moments().products, self.learner.moments().products
            self._answered = rows, alike_later(theirs, own, variance)
        return self._answered[1]

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        known = {**self.forecast._asdict(), **self.learner.arrays()}
        return {f"{PREFIX}{name}": np.array(x) for name, x in known.items()}

    @classmethod
    def from_arrays(cls, arrays: Named, engine: str, looked_back: int, clear: Clear) -> Self | None:
        """Return the state whose `arrays` these are, None if there are none of it."""
        if FORECAST[0] not in arrays:
            return None
        learner = Learner.from_arrays(learned_arrays(arrays), engine, looked_back, clear)
        coefficients, left, past = (np.array(arrays[name]) for name in FORECAST)
        return cls(learner, Forecast(coefficients, float(left), past))


def learned_arrays(arrays: Named) -> Named:
    """Return the arrays of the learner, under the names that it gives them."""
    own = (name for name in arrays if name.startswith(PREFIX) and name not in FORECAST)
    return {name.removeprefix(PREFIX): arrays[name] for name in own}
