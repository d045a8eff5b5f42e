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


class Edges(NamedTuple):
    """Pairs of columns with q-values up to some level, in no particular order."""

    source: NDArray[np.intp]
    target: NDArray[np.intp]
    partial_corr: NDArray[np.float64]
    z: NDArray[np.float64]
    p_value: NDArray[np.float64]
    q_value: NDArray[np.float64]
    unexplained: NDArray[np.float64]  # for each column: share that its neighbours do not explain


class Engine(Protocol):
    """The functions of an engine. Those that return a state may overwrite the one they get."""

    def init(self, n_columns: int) -> Any:
        """Return the state before the first row."""

    def learn(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state after more rows: whole batches, as `hedge.batch_ends` cuts them."""

    def count(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state with the rows of an unfinished batch in its moments, and no more."""

    def to_numpy(self, state: Any) -> Learned:
        """Return the state as NumPy arrays."""

    def from_numpy(self, learned: Learned) -> Any:
        """Return the state that `to_numpy` gave, even where another engine did."""

    def weights(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return Hedge's average weights, those for the rows of an unfinished batch included."""

    def dense(self, weights: Any) -> NDArray[np.floating]:
        """Return the matrix of weights: row i holds node i's."""

    def given(self, dense: NDArray[np.floating]) -> Any:
        """Return weights from their matrix."""

    def originals(
        self, moments: Moments, copy: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return for every column the first one whose correlation with it exceeds ``copy``.

        That is itself, where there is no other. The second array holds the correlations' signs.
        """

    def find_edges(self, moments: Moments, weights: Any, error: str, loosest: float) -> Edges:
        """Test every pair of columns, all of which vary, as `edges.judge_pairs` does."""
