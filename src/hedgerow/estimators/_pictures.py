"""What a fitted model knows for pictures of its columns."""

from typing import Protocol

from sklearn.utils.validation import check_is_fitted

from hedgerow.base.locks import locked
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.method.histograms import Bars, Histogram


class _Fitted(Protocol):
    _stream: HedgeStream


class Pictures:
    """Methods that give pictures of columns, as numbers."""

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
