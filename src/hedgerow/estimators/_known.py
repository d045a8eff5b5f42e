"""What a stream of treated rows knows: who has learned what, and of whom tests are made."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators._filled_rows import FilledRows
from hedgerow.estimators._fresh_rows import FreshRows
from hedgerow.estimators._learner import Learner
from hedgerow.method.drift import Level
from hedgerow.method.forecasts import echo_of_errors
from hedgerow.method.moments import Moments, beyond_rounding, with_unknown
from hedgerow.method.row_sizes import RowSizes

Array = NDArray[np.float64]

# What is new in a row is made of several rows. If a typical column misses more cells than this,
# pairs would count too many.
_MOST_GAPS = 0.05


class Known(NamedTuple):
    """What is known after all rows."""

    learner: Any  # `Learner`, or what stands for one whose state is elsewhere
    filled: FilledRows
    sizes: RowSizes
    level: Level | None  # of columns, before the next row; None if it stays
    fresh: FreshRows | None  # None if rows are learned from as they are only

    def forecast(self) -> FreshRows | None:
        """Return who has learned what is new in rows, if tests are made of that."""
        if self.fresh is None or np.median(self.filled.share()) < 1.0 - _MOST_GAPS:
            return None
        return self.fresh if self.fresh.alike(self.learner, self.sizes.cost) else None

    def teller(self) -> Learner:
        """Return who has learned what tests are made of."""
        fresh = self.forecast()
        learner: Learner = self.learner if fresh is None else fresh.learner
        return learner

    def moments(self) -> Moments:
        """Return the moments that tests are made of."""
        return with_unknown(self.teller().moments(), self.unknown())

    def unknown(self) -> Array | None:
        """Return what sums of products of filled rows lack: nothing where a column is constant."""
        if not self.filled.covariance.size:
            return None
        fresh = self.forecast()
        moments = self.teller().moments()
        unknown = self.filled.unknown(moments.weight)
        if unknown is None:
            return None
        if fresh is not None:
            unknown = unknown * echo_of_errors(fresh.forecast)
        scale = np.sqrt(np.diag(moments.products) / moments.weight)
        varies = beyond_rounding(moments.mean, scale)
        return np.where(varies & varies[:, None], unknown, 0.0)
