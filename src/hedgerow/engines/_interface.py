"""What an engine is: the functions that the estimator calls, on arrays that were checked before.

An engine is a module with these functions. It owns the form of its state: arrays on a graphics
card are as good as NumPy's. `numpy_ref` is the readable one; the others must agree with it.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.hedge import HedgeState
from hedgerow.moments import Moments


class Learned(NamedTuple):
    """What some rows have taught.

    The moments can be ahead of Hedge, which learns in whole batches: the first
    ``moments.rows - hedge.rows`` rows of the next batch are then counted in them already.
    """

    moments: Moments
    hedge: HedgeState


class Engine(Protocol):
    """The functions of an engine. A function may overwrite the state that it is given."""

    def init(self, n_columns: int) -> Any:
        """Return the state before the first row."""

    def learn(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state after more rows: whole batches, as `hedge.batch_ends` cuts them."""

    def count(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state with the rows of an unfinished batch in its moments, and no more."""

    def weights(self, state: Any, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return Hedge's average weights, those for the rows of an unfinished batch included."""

    def to_numpy(self, state: Any) -> Learned:
        """Return the state as NumPy arrays."""

    def from_numpy(self, learned: Learned) -> Any:
        """Return the state that `to_numpy` gave, even where another engine did."""
