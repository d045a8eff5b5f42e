"""What both estimators of the Sparsitron do: a stated horizon, held-out rows, one result."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.metaestimators import available_if

from hedgerow.base.checks import integer_at_least
from hedgerow.base.locks import locked
from hedgerow.estimators._shared import Shared
from hedgerow.estimators._sparsitron_stream import ChosenVectors, Plan, SparsitronStream
from hedgerow.estimators._warnings import GuaranteeWarning, warn
from hedgerow.estimators.input import column_labels, read_rows, refuse_constant


def _horizon_is_stated(estimator: "SparsitronBase") -> bool:
    if estimator.horizon is None:
        raise AttributeError("partial_fit needs horizon, the number of rows to come, got None")
    return True


class Result(NamedTuple):
    """What the last row brings."""

    choice: ChosenVectors
    adjacency: csr_array


class SparsitronBase(Shared, ABC):
    """A subclass says what it takes as known of the model, and what rows it takes."""

    delta: float
    selection: str
    horizon: int | None
    n_holdout: int | None

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a parameter cannot be right."""

    @abstractmethod
    def _plan(self, horizon: int) -> Plan:
        """Return all that is fixed before the first row."""

    @abstractmethod
    def _rows_for_guarantee(self) -> int:
        """Return the rows with which the graph is proved right with probability 1 - delta."""

    @abstractmethod
    def _coded(
        self, rows: NDArray[np.floating], low: NDArray[Any], high: NDArray[Any]
    ) -> NDArray[np.floating]:
        """Return rows as the run takes them; raise by the extremes of all rows so far."""

    @abstractmethod
    def _joined(self, choice: ChosenVectors) -> NDArray[np.bool_]:
        """Return the graph of the chosen vectors."""

    @locked
    def fit(self, X: Any, y: None = None) -> Self:
        """Learn the graph from all the rows of ``X``, in their order.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
        y : ignored
        """
        rows = read_rows(self, X, reset=True, min_rows=3)
        if self.horizon not in (None, len(rows)):
            raise ValueError(
                f"horizon must be None or the number of rows given to fit, {len(rows)}, "
                f"got {self.horizon!r}"
            )
        self._start(len(rows))
        return self._take(rows)

    @available_if(_horizon_is_stated)  # type: ignore[untyped-decorator]
    @locked
    def partial_fit(self, X: Any, y: None = None) -> Self:
        """Take the next rows of a stream of ``horizon`` rows; the last of them brings the graph.

        The result is that of ``fit`` on all the rows at once, bit for bit, and no row is kept.
        There is no result before the last row: an unfinished run is not covered by the guarantee.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
        y : ignored
        """
        first = not hasattr(self, "_stream")
        rows = read_rows(self, X, reset=first)
        if first:
            self._start(integer_at_least("horizon", self.horizon, 3))
        return self._take(rows)

    @property
    @locked
    def adjacency_(self) -> csr_array:
        """The graph."""
        return self._found("adjacency_").adjacency

    @property
    @locked
    def selected_step_(self) -> NDArray[np.int64]:
        """Last candidate that each node's weights average over."""
        return self._found("selected_step_").choice.steps

    @property
    @locked
    def selected_span_(self) -> NDArray[np.int64]:
        """Number of candidates averaged."""
        return self._found("selected_span_").choice.spans

    @property
    @locked
    def n_samples_seen_(self) -> int:
        """Rows taken so far."""
        if not hasattr(self, "_stream"):
            raise AttributeError("n_samples_seen_ is known from the first row on")
        return self._stream.seen

    @locked
    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_result", None) is not None

    def _found(self, name: str) -> Result:
        result: Result | None = getattr(self, "_result", None)
        if result is None:
            raise AttributeError(f"{name} is known from the last row on")
        return result

    def _start(self, horizon: int) -> None:
        """Forget any earlier result; fix all that must be known before the first row."""
        self._check_parameters()
        self._result: Result | None = None
        plan = self._plan(horizon)
        self.n_steps_, self.n_holdout_ = plan.n_steps, plan.n_holdout
        self.guaranteed_rows_ = self._rows_for_guarantee()
        self._low = np.full(self.n_features_in_, np.inf)
        self._high = -self._low
        self._stream = SparsitronStream(plan)

    def _take(self, rows: NDArray[np.floating]) -> Self:
        plan = self._stream.plan
        seen = self.n_samples_seen_ + len(rows)
        if seen > plan.horizon:
            raise ValueError(
                f"horizon must be at least the number of rows, {self.n_samples_seen_} seen and "
                f"{len(rows)} more, got {plan.horizon}"
            )
        low = np.minimum(self._low, rows.min(axis=0))
        high = np.maximum(self._high, rows.max(axis=0))
        coded = self._coded(rows, low, high)
        if seen == plan.horizon:
            refuse_constant(low, high, column_labels(self))
        self._low, self._high = low, high
        self._stream.feed(coded)
        if seen == plan.horizon:
            choice = self._stream.choose()
            self._result = Result(choice, csr_array(self._joined(choice)))
            self._warn_where_unproved()
        return self

    def _holdout_rows(self, horizon: int, usable: int) -> int:
        """Return M, of as many ``usable`` rows among those of the horizon."""
        if self.selection == "average":
            if self.n_holdout is not None:
                raise ValueError(
                    "n_holdout must be None with selection='average', which holds no rows out, "
                    f"got {self.n_holdout!r}"
                )
            return 0
        if self.n_holdout is None:
            return max(1, usable // 5)
        n_holdout = integer_at_least("n_holdout", self.n_holdout, 1)
        if n_holdout >= usable:
            raise ValueError(
                f"n_holdout must be below {usable}, so that of {horizon} rows some are left to "
                f"learn from, got {n_holdout}"
            )
        return n_holdout

    def _warn_where_unproved(self) -> None:
        if self._stream.plan.horizon < self.guaranteed_rows_:
            warn(
                GuaranteeWarning,
                f"{self._stream.plan.horizon} rows are fewer than the {self.guaranteed_rows_:.3g} "
                f"with which these parameters guarantee a probability of error of at most "
                f"{self.delta:g}; edges may be missing",
            )
