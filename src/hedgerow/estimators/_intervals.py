"""How sure partial correlations are: intervals of edges, and any pair on request."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import in_open_interval
from hedgerow.base.locks import locked
from hedgerow.base.memory import check_memory
from hedgerow.base.table import EdgeTable
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._learner import CORRELATIONS_AT_HAND
from hedgerow.estimators._tested import TestedGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.graph import Graph
from hedgerow.method.inflation import Inflation
from hedgerow.method.intervals import LEVEL_OF_BALANCED, interval, level_of_each
from hedgerow.method.latent import latent_of
from hedgerow.method.levels import rows_are_few
from hedgerow.method.missed import given_more, given_one_more
from hedgerow.method.moments import Moments, correlation, moments_after
from hedgerow.method.one_pair import Known, of_pair
from hedgerow.method.promises import promise_of
from hedgerow.method.steps import Curves

Array = NDArray[np.float64]


class PartialCorrelation(NamedTuple):
    """The partial correlation of two columns, and an interval for it.

    ``given`` are the neighbours of one of the two or both, ``rows`` the effective ones that it
    counts with. Of a column that was set aside (constant, a copy of another, hardly ever there), of
    which nothing is known, the partial correlation is NaN and the interval goes from -1 to 1.
    """

    source: Any
    target: Any
    partial_corr: float
    low: float
    high: float
    given: tuple[Any, ...]
    rows: float


class Compared(NamedTuple):
    """What a comparison of two models asks of each."""

    labels: NDArray[Any]
    kinds: NDArray[np.str_]
    tested: NDArray[np.bool_]  # which columns took part in tests
    rows: float  # effective ones
    given: frozenset[Any]  # columns that were held fixed
    by_scores: NDArray[np.bool_]  # columns behind which nothing can lie
    # What partial correlations of columns come from, if nothing lies behind some.
    known: Callable[[NDArray[np.intp], NDArray[np.bool_]], Known]


class WithIntervals(TestedGraph[Graph, EdgeTable]):
    """A tested graph of partial correlations whose stream can be asked about any pair."""

    _stream: HedgeStream
    _results: dict[Any, Any]

    def _inflation(self) -> Inflation:
        raise NotImplementedError

    def _effective_rows(self) -> float:
        raise NotImplementedError

    @locked
    def partial_corr_of(
        self, source: Hashable, target: Hashable, level: float | None = None
    ) -> PartialCorrelation:
        """Return the partial correlation of two columns, joined by an edge or not.

        It is given the chosen neighbours of both; for an edge it is the number that `edges_` has.

        Parameters
        ----------
        source, target : name, or number of a column that has none
        level : float, optional
            The probability with which the interval misses the true partial correlation of a pair
            that was chosen in advance; by default the model's own, or 0.05 if it is balanced. Of
            pairs that were picked because of what the rows show, more will miss: `edges_` has
            intervals for edges that allow for it.

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> graph = HedgeGraph().fit(walk)  # 0 - 1 - 2
        >>> found = graph.partial_corr_of(0, 2)
        >>> found.given, found.low < 0 < found.high
        ((1,), True)
        """
        if level is None:
            level = self._level_asked() or LEVEL_OF_BALANCED
        level = in_open_interval("level", level, 0, 1)
        return self._partial_corr(self._ends_of(source, target), level)

    def _partial_corr(
        self, ends: tuple[int, int], level: float, known: Known | None = None
    ) -> PartialCorrelation:
        """Return the partial correlation of two columns, from what is ``known`` of all tested."""
        graph, labels = self._graph(), self._shown_labels()
        names = labels[ends[0]], labels[ends[1]]
        same = (graph.copies == max(ends)) & (graph.originals == min(ends))
        if same.any():
            edge = (graph.source == min(ends)) & (graph.target == max(ends))
            sign = float(graph.partial_corr[edge][0])
            return PartialCorrelation(*names, sign, sign, sign, (), self._effective_rows())
        columns = self._tested(graph)
        apart = any({*ends} == {*map(int, pair)} for pair in zip(*self._stream.apart()))
        if apart or not np.isin(ends, columns).all():
            return PartialCorrelation(*names, np.nan, -1.0, 1.0, (), self._effective_rows())
        known = known or self._known(columns)
        found = of_pair(known, *np.searchsorted(columns, ends))
        low, high = interval(np.array(found.partial_corr), np.array(found.spread), level)
        given = tuple(labels[columns[found.given]].tolist())
        bounds = float(low), float(high)
        return PartialCorrelation(*names, found.partial_corr, *bounds, given, known.effective_rows)

    @locked
    def compared(self) -> Compared:
        """Return what a comparison of two models asks of each (`hedgerow.difference`)."""
        tested = np.zeros(self.n_features_in_, dtype=np.bool_)
        tested[self._tested(self._graph())] = True
        kinds, held = self._stream.kinds(), self._stream.held
        given = frozenset(() if held is None else held.labels)
        rows = self._effective_rows()
        by_scores = self._stream.behind().by_scores
        return Compared(self._shown_labels(), kinds, tested, rows, given, by_scores, self._known)

    @locked
    def compared_since(self, earlier: Self) -> Compared:
        """Return what a comparison asks of the rows that came after those of an ``earlier`` model.

        It must be this one as it was then: sums of all rows less those of the first ones are left.
        """
        if not self._stream.goes_on_from(earlier._stream):
            raise ValueError(
                "since=True needs the same model after more rows: the second must have gone on "
                "from the first, after its first 512 rows, with no half_life and no columns of "
                "steps, yes or no, or counts"
            )
        all_rows, rows = self.compared(), self._stream.rows
        share = 1.0 - earlier._stream.rows / rows

        def known(columns: NDArray[np.intp], _by_scores: NDArray[np.bool_]) -> Known:
            moments, _ = self._stream.known()
            later = moments_after(moments, earlier._stream.known()[0])
            corr = correlation(later)[np.ix_(columns, columns)]
            return Known(corr, None, later.effective_rows, self._inflation().part(columns))

        return all_rows._replace(rows=share * all_rows.rows, known=known)

    @locked
    def intervals_up_to(self, loosest: float, level: float) -> tuple[Array, Array]:
        """Return the ends of intervals for edges up to a level, made for the graph at another.

        Parameters
        ----------
        loosest : float
            Level of the edges.
        level : float
            Level of the graph, whose edges the error rate of intervals is kept for.
        """
        promise = promise_of(self.error, self.level)
        some, full = self.graph_up_to(loosest), self._graph()
        in_graph = int((full.q_value <= level).sum())
        each = level_of_each(level, promise, in_graph, self.n_features_in_)
        low, high = interval(some.partial_corr, some.spread, each)
        if not len(low):
            return low, high
        columns = self._tested(full)
        seen = self.n_features_in_ <= CORRELATIONS_AT_HAND and self._stream.learner.has_moments
        if seen:
            more, spread = self._given_more(full, columns)
            keep = full.q_value <= loosest
            ends = interval(more[keep], spread[keep], each)
            low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
        clear = self._effective_rows() / full.per_clear
        few = rows_are_few(len(columns), clear, full.unexplained)
        if promise == "fwer" or few or not seen:
            return given_one_more(low, high, some.spread, len(columns))
        return low, high

    def _given_more(self, graph: Graph, columns: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return partial correlations given all that may be neighbours, and their errors."""
        key = ("given more", *self._graph_key())
        if key not in self._results:
            ends = np.searchsorted(columns, [graph.source, graph.target])
            tested = np.isin([graph.source, graph.target], columns).all(axis=0)
            found = graph.partial_corr.copy(), graph.spread.copy()
            known = self._known(columns)
            for mine, values in zip(found, given_more(known, graph.per_clear, *ends[:, tested])):
                mine[tested] = values
            self._results = {**self._results, key: found}
        result: tuple[Array, Array] = self._results[key]
        return result

    @locked
    def _known(
        self, columns: NDArray[np.intp], by_scores: NDArray[np.bool_] | None = None
    ) -> Known:
        """Return what partial correlations among some columns come from.

        Nothing is taken to lie behind those ``by_scores``.
        """
        hubs = np.searchsorted(columns, self._graph().hubs)
        moments, curves = self._stream.known()
        if by_scores is not None:
            curves = self._stream.behind().without(by_scores).curves
        return self._correlations(columns, moments, curves)._replace(hubs=hubs)

    def _correlations(
        self, columns: NDArray[np.intp], moments: Moments, curves: Curves | None
    ) -> Known:
        """Return what is known of some columns, by moments and what lies behind columns."""
        check_memory(16 * len(columns) ** 2, len(columns), "for partial correlations of pairs")
        inflation = self._inflation().part(columns)
        corr = correlation(moments)[np.ix_(columns, columns)]
        if curves is None:
            return Known(corr, None, moments.effective_rows, inflation, {})
        latent = latent_of(corr, curves.part(columns))
        return Known(latent.corr, latent, moments.effective_rows, inflation, {})

    def _tested(self, graph: Graph) -> NDArray[np.intp]:
        """Return the columns that take part in tests."""
        aside = np.r_[graph.constant, graph.copies, np.flatnonzero(self._stream.rare())]
        return np.setdiff1d(np.arange(self.n_features_in_), aside)

    def _ends_of(self, source: Hashable, target: Hashable) -> tuple[int, int]:
        """Return the numbers of two columns."""
        if source == target:
            raise ValueError(f"source and target must differ, got {source!r} twice")
        return self._number_of("source", source), self._number_of("target", target)

    def _number_of(self, parameter: str, name: Hashable) -> int:
        """Return the number of a column, which ``name`` is if columns have no names."""
        found = np.flatnonzero(self._shown_labels() == name)
        if not len(found):
            raise ValueError(f"{parameter} must be a column, got {name!r}")
        return int(found[0])

    def _shown_labels(self) -> NDArray[Any]:
        labels = column_labels(self)
        return labels if hasattr(self, "feature_names_in_") else labels.astype(np.intp)
