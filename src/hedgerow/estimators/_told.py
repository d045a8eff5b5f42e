"""What a fitted model tells of its rows and columns: in words, and as numbers for pictures."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.locks import locked
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._treatment import Treatment
from hedgerow.estimators._treatment_of import treatment_of
from hedgerow.estimators.input import column_labels
from hedgerow.method.graph import Graph
from hedgerow.method.histograms import Bars, Histogram
from hedgerow.method.inflation import Inflation
from hedgerow.method.promises import in_words, promise_of


class _Fitted(Protocol):
    error: str
    level: float | str
    n_features_in_: int
    _stream: HedgeStream
    _results: dict[Any, Any]

    @property
    def n_samples_seen_(self) -> int: ...

    @property
    def level_(self) -> float: ...

    @property
    def treatment_(self) -> Treatment: ...

    def _graph(self) -> Graph: ...

    def _inflation(self) -> Inflation: ...

    def hubs_in_words(self) -> list[str]: ...

    def why_no_edges(self) -> str: ...

    def resamples_in_words(self) -> list[str]: ...


class Told:
    """What was done to rows and columns, and what they look like."""

    @property
    @locked
    def treatment_(self: _Fitted) -> Treatment:
        """What rows and columns look like, and what was done about it."""
        check_is_fitted(self)
        if "treatment" not in self._results:
            found = treatment_of(self._stream, self._inflation(), column_labels(self))
            self._results = {**self._results, "treatment": found}
        known: Treatment = self._results["treatment"]
        return known

    @property
    @locked
    def column_kinds_(self: _Fitted) -> NDArray[np.str_]:
        """The kind that each column is taken for."""
        check_is_fitted(self)
        return self._stream.kinds()

    @locked
    def why_not_held(self: _Fitted) -> str | None:
        """Return why given columns cannot be held fixed, by the rows so far; None if they can."""
        held = self._stream.held
        try:
            if held is not None:
                held.refuse_useless(column_labels(self), self._stream.half_life)
        except ValueError as error:
            return str(error)
        return None

    @locked
    def summary(self: _Fitted) -> str:
        """Return in a few sentences what was learned, and what was done to rows and columns.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> rows = np.exp(np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1))
        >>> print(HedgeGraph().fit(rows).summary())
        2 edges among 3 columns, from 400 rows, at a false discovery rate of 0.05.
        3 columns are far from normal (farthest: 2, 1, 0). Scores of ranks replace all 3 columns.
        """
        edges = len(self._graph().up_to(self.level_).source)
        promise = promise_of(self.error, self.level)
        found = (
            f"{edges:,} edge{'' if edges == 1 else 's'} among {self.n_features_in_:,} columns, "
            f"from {self.n_samples_seen_:,} rows, "
            f"{in_words(promise, self.level_, edges, self.why_no_edges())}."
        )
        more = [*self.hubs_in_words(), *self.resamples_in_words()]
        return "\n".join([found, *self.treatment_.sentences(), *more])

    @locked
    def histograms(self: _Fitted) -> list[Histogram]:
        """Return a histogram of each column, in its own units.

        Returns
        -------
        list of (start, stop, counts)
            Evenly spaced bins, at most 24. The first and the last one hold what lies beyond, too.
            There are none for ``rows="independent"`` with ``columns="normal"``: nothing was
            counted then.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> graph = HedgeGraph().fit(np.random.default_rng(0).exponential(size=(400, 2)))
        >>> start, stop, counts = graph.histograms()[0]
        >>> counts[:3].astype(int), int(counts.sum())
        (array([63, 62, 44]), 400)
        """
        check_is_fitted(self)
        return self._stream.histograms()

    @locked
    def value_counts(self: _Fitted) -> list[Bars | None]:
        """Return how often each value comes, of columns of steps, yes or no, or counts.

        Returns
        -------
        list of (values, counts) or None
            None for other columns, and for those of more than 30 values. There are none where
            there are no `histograms`.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> rows = np.random.default_rng(0).standard_normal((400, 2))
        >>> rows[:, 1] = rows[:, 1] > 0
        >>> values, counts = HedgeGraph().fit(rows).value_counts()[1]
        >>> values, int(counts.sum())
        (array([0., 1.]), 400)
        """
        check_is_fitted(self)
        return self._stream.bars()
