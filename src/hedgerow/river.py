"""HedgeGraph for river: one dictionary at a time, at the end of a pipeline."""

import copy
from collections.abc import Collection, Hashable, Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.base.locks import locked, without_lock
from hedgerow.base.table import EdgeTable
from hedgerow.base.words import listed
from hedgerow.estimators import HedgeGraph

try:
    from river import base
except ImportError as error:
    raise ImportError("hedgerow.river needs river (pip install river)") from error

__all__ = ["RiverHedgeGraph"]

_HELD = 64  # rows; a call for each would cost more than learning from it


class RiverHedgeGraph(base.Estimator):
    """Learn which features are directly connected, from a stream of dictionaries.

    The learner and its promise are those of `hedgerow.HedgeGraph`. Features are matched by name,
    in whatever order they come; the first row decides which there are. One that a later row lacks,
    or that is None or NaN, is missing, and is filled in from the rest of its row.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of false edges, or the probability of any.
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same.
    half_life : float or None, default=None
        Number of rows after which a row counts half as much; None: every row counts for ever.
    rows : {"any", "independent"}, default="any"
        Whether rows may be related to those before them.
    columns : {"any", "normal"} or list of names, default="any"
        What shape columns may have (docs/data.md).

    Notes
    -----
    Several threads can use one model: each call waits until no other is being answered.

    Examples
    --------
    >>> import numpy as np
    >>> from river import preprocessing
    >>> from hedgerow.river import RiverHedgeGraph
    >>> rng = np.random.default_rng(0)
    >>> model = preprocessing.StandardScaler() | RiverHedgeGraph(error="fwer")
    >>> for values in np.cumsum(rng.standard_normal((400, 4)), axis=1):
    ...     model.learn_one(dict(zip("abcd", values)))
    >>> [(edge.source, edge.target) for edge in sorted(model["RiverHedgeGraph"].edges)]
    [('a', 'b'), ('b', 'c'), ('c', 'd')]
    """

    def __init__(
        self,
        error: str = "fdr",
        level: float | str = 0.05,
        half_life: float | None = None,
        rows: str = "any",
        columns: str | Collection[Hashable] = "any",
    ) -> None:
        self.error = error
        self.level = level
        self.half_life = half_life
        self.rows = rows
        self.columns = columns
        self._learner = HedgeGraph(
            error=error, level=level, half_life=half_life, rows=rows, columns=columns
        )
        self._names: dict[Hashable, None] = {}  # a set in order
        self._held: list[list[float]] = []
        self._known: HedgeGraph | None = None  # asked last, as long as there are no more rows

    @property
    def _supervised(self) -> bool:
        return False

    @property
    @locked
    def edges(self) -> EdgeTable:
        """Edges at the chosen level, the surest first, by the names of features."""
        if self._held or self._known is None:
            self._known = self.graph
        return self._known.edges_

    @property
    @locked
    def graph(self) -> HedgeGraph:
        """A `HedgeGraph` of all rows so far, with everything it offers.

        It is a copy, and goes its own way. After further rows, ask for it again.
        """
        self._learn()
        return copy.copy(self._learner)

    @locked
    def learn_one(self, x: Mapping[Hashable, Any]) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : dict
            A finite number for each feature, None or NaN where it is missing. Only if ``rows`` are
            independent and ``columns`` normal, none may be.
        """
        self._match(x)
        self._held.append([self._number(name, x.get(name)) for name in self._names])
        if len(self._held) == _HELD:
            self._learn()

    @locked
    def learn_many(self, X: Any) -> None:
        """Learn from several rows.

        Parameters
        ----------
        X : data frame (pandas, polars, or any that narwhals knows)
            A column of finite numbers for each feature, with null or NaN where one is missing.
        """
        frame = nw.from_native(X, eager_only=True)
        self._match(frame.columns)
        self._learn()
        columns = [self._numbers(name, frame) for name in self._names]
        if len(frame):
            self._known = None
            self._learner.partial_fit(np.column_stack(columns), feature_names=self._names)

    @locked
    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle gets: all that was learned, in memory of its own."""
        state = without_lock(super().__getstate__())
        own = {"_learner": copy.copy(self._learner), "_held": list(self._held), "_known": None}
        return state | own

    def _match(self, features: Iterable[Hashable]) -> None:
        """Keep the names of the first row's features; raise if a later row has others."""
        given = dict.fromkeys(features)
        self._names = self._names or given
        missing = [name for name in self._names if name not in given]
        new = [name for name in given if name not in self._names]
        if new or (missing and not self._fills_gaps()):
            found = {"none of": [] if self._fills_gaps() else missing, "new": new}
            text = " and ".join(f"{k} {listed(map(repr, v))}" for k, v in found.items() if v)
            raise ValueError(f"x must have the features of the first row, got {text}")

    def _fills_gaps(self) -> bool:
        return bool(get_tags(self._learner).input_tags.allow_nan)

    def _numbers(self, name: Hashable, frame: nw.DataFrame[Any]) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where they are missing; raise if one is none."""
        if name not in frame.columns:
            return np.full(len(frame), np.nan)
        column = frame[name]
        values = column.to_numpy()
        if values.dtype.kind in "biuf" and (np.abs(values) <= LARGEST_NUMBER).all():
            return values.astype(np.float64)
        cells = zip(column.to_list(), column.is_null().to_list())
        return np.array([self._number(name, None if gone else value) for value, gone in cells])

    def _number(self, name: Hashable, value: Any) -> float:
        """Return the number of a feature, NaN if it is missing; raise if it is none."""
        missing = value is None or (isinstance(value, Real) and value != value)
        if missing and self._fills_gaps():
            return np.nan
        if not isinstance(value, Real) or not isfinite(value):
            raise ValueError(f"feature {name!r} must be a finite number, got {value!r}")
        if abs(float(value)) > LARGEST_NUMBER:
            raise ValueError(
                f"feature {name!r} must be a number of size up to {LARGEST_NUMBER:g}, got {value:g}"
            )
        return float(value)

    def _learn(self) -> None:
        """Learn from the rows that are held."""
        if self._held:
            self._known = None
            self._learner.partial_fit(np.array(self._held), feature_names=self._names)
            self._held.clear()
