"""The online run behind the Sparsitron's estimators: rows in, a weight vector for each node out.

The first M rows are held out and the T rows after them are learned from. The papers hold out the
last M, which makes no difference to independent rows, but with this order every candidate can be
scored when it is made. Of Gaussian variables, held-out rows are needed only through their Gram
matrix, so no row at all is kept: the state is a few (p, p) arrays, whatever T and M. Of Ising
models the M rows are kept.
"""

from math import log, sqrt
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.memory import check_memory
from hedgerow.paper import sparsitron_cpu as kernels
from hedgerow.paper.sparsitron import default_beta, selection_windows

Array = NDArray[np.float64]

_BLOCK_SIZE = 2**20  # entries copied, centred and scaled at a time
# The kernels use all cores, by a pool of threads that may end the process if two threads call it
# at once (Numba's "workqueue", where there is no other): different models take turns.
_KERNELS = Lock()


class Plan(NamedTuple):
    """All that is fixed before the first row."""

    n_features: int
    n_holdout: int
    n_steps: int
    l1_bound: float
    selection: str
    row_bound: float = 1.0
    centre: bool = False
    logistic: bool = False  # for Ising models: entries are -1 and 1, and there is a constant

    @property
    def horizon(self) -> int:
        """Rows in all; one is spent on the mean if that is unknown."""
        return self.n_holdout + self.n_steps + int(self.centre)

    @property
    def scale(self) -> float:
        """Factor that takes rows within ``row_bound`` to rows within 1 / sqrt(λ + 1)."""
        return 1.0 if self.logistic else 1.0 / (self.row_bound * sqrt(self.l1_bound + 1.0))

    @property
    def n_inputs(self) -> int:
        """Columns that nodes are predicted from, of which a node is not one for itself."""
        return self.n_features + int(self.logistic)

    @property
    def held_shape(self) -> tuple[int, int]:
        """Shape of what is kept of the rows held out."""
        return (self.n_holdout if self.logistic else self.n_features), self.n_inputs

    @property
    def rate(self) -> float:
        """s = ½ ln(1/β), the step of the closed form."""
        return 0.5 * log(1.0 / default_beta(2 * self.n_inputs - 1, self.n_steps))

    @property
    def needed_bytes(self) -> int:
        """Memory for the matrices of a run, and for sums of candidates at ends of windows."""
        sums = 0
        if self.selection != "argmin":
            sums = len(np.unique(selection_windows(self.selection, self.n_steps)))
        held = self.held_shape[0] * self.held_shape[1]
        return 8 * (self.n_features * self.n_inputs * (3 + sums) + held)


class ChosenVectors(NamedTuple):
    """The chosen vectors; node i's is the mean of ``spans[i]`` candidates up to ``steps[i]``."""

    weights: Array
    steps: NDArray[np.int64]
    spans: NDArray[np.int64]


class SparsitronStream:
    """State of a run. Feeding the same rows in other pieces leads to the identical state."""

    def __init__(self, plan: Plan) -> None:
        p = plan.n_features
        check_memory(plan.needed_bytes, p, "to learn")
        self.plan = plan
        self.seen = 0  # rows as given, before one is spent on the mean
        self.held_out = 0
        self.peak = np.zeros(p)  # largest absolute entry among the rows learned from
        self._mean = np.zeros(p)
        self._held = np.zeros(plan.held_shape)
        learner = _Best if plan.selection == "argmin" else _Averages
        self._learner = learner(plan, self._held)

    def feed(self, rows: NDArray[np.floating]) -> None:
        """Take the next rows."""
        block = max(1, _BLOCK_SIZE // self.plan.n_features)
        for start in range(0, len(rows), block):
            with _KERNELS:
                self._feed_block(rows[start : start + block].astype(np.float64))

    def choose(self) -> ChosenVectors:
        """Return the outcome once all rows have been fed."""
        with _KERNELS:
            return self._learner.choose()

    def _feed_block(self, rows: Array) -> None:
        if self.plan.centre:
            kernels.centre(rows, self._mean, self.seen)
        self.seen += len(rows)
        if self.plan.centre and self.seen == len(rows):
            rows = rows[1:]  # the first row of all went into the mean
        cut = min(self.plan.n_holdout - self.held_out, len(rows))
        if cut:
            self._hold_out(self._inputs(rows[:cut]))
        if cut < len(rows):
            np.maximum(self.peak, np.abs(rows[cut:]).max(axis=0), out=self.peak)
            self._learner.learn(self._inputs(rows[cut:]))

    def _inputs(self, rows: Array) -> Array:
        """Rows as the kernels want them."""
        if self.plan.logistic:
            return np.column_stack([rows, np.ones(len(rows))])
        return rows * self.plan.scale

    def _hold_out(self, rows: Array) -> None:
        if self.plan.logistic:
            self._held[self.held_out : self.held_out + len(rows)] = rows
        else:
            kernels.add_gram(rows, self._held)
        self.held_out += len(rows)


class _Best:
    """Keeps the one candidate of least risk so far: ``selection="argmin"``."""

    def __init__(self, plan: Plan, held: Array) -> None:
        p, n = plan.n_features, plan.n_inputs
        self._plan, self._held = plan, held
        self._step = 0
        self._gradient = np.zeros((p, n))
        self._risk = np.full(p, np.inf)
        self._steps = np.zeros(p, dtype=np.int64)
        self._weights = np.zeros((p, n))

    def learn(self, rows: Array) -> None:
        kernels.learn_best(
            rows,
            self._gradient,
            self._held,
            self._step,
            self._risk,
            self._steps,
            self._weights,
            self._plan.l1_bound,
            self._plan.rate,
            self._plan.logistic,
        )
        self._step += len(rows)

    def choose(self) -> ChosenVectors:
        return ChosenVectors(self._weights, self._steps, np.ones_like(self._steps))


class _Averages:
    """Sums the candidates up to every end of a window: ``"checkpoints"`` and ``"average"``."""

    def __init__(self, plan: Plan, held: Array) -> None:
        p, n = plan.n_features, plan.n_inputs
        self._plan, self._held = plan, held
        self._step = 0
        self._gradient = np.zeros((p, n))
        self._total = np.zeros((p, n))
        self._windows = np.array(selection_windows(plan.selection, plan.n_steps))
        self._ends = np.unique(self._windows)  # of which the first is 0, with a sum of zero
        self._total_at = np.zeros((self._ends.size, p, n))

    def learn(self, rows: Array) -> None:
        kernels.learn_sum(
            rows,
            self._gradient,
            self._total,
            self._step,
            self._ends,
            self._total_at,
            self._plan.l1_bound,
            self._plan.rate,
            self._plan.logistic,
        )
        self._step += len(rows)

    def choose(self) -> ChosenVectors:
        starts, stops = self._windows.T
        first, last = np.searchsorted(self._ends, starts), np.searchsorted(self._ends, stops)
        weights = np.empty_like(self._total)
        chosen = kernels.best_window(
            self._total_at, self._ends, first, last, self._held, weights, self._plan.logistic
        )
        return ChosenVectors(weights, stops[chosen], (stops - starts)[chosen])
