"""HedgeGraph: from rows to tested edges, with nothing to tune."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.blas import FEW_TO_TEST, one_thread_if_few
from hedgerow.base.checks import between
from hedgerow.base.locks import locked
from hedgerow.base.memory import check_memory
from hedgerow.base.table import EdgeTable, ResampledTable
from hedgerow.base.words import listed
from hedgerow.engines import CLUSTER, engine_for, fills_gaps, on_cluster
from hedgerow.estimators._as_covariance import AsCovariance
from hedgerow.estimators._assumptions import (
    ANY,
    INDEPENDENT,
    Assumptions,
    assumptions_of,
    check_assumptions,
    refuse_impossible,
)
from hedgerow.estimators._given import Cells, GivenColumns, check_given
from hedgerow.estimators._given_cells import HoldsFixed
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._kept import Kept
from hedgerow.estimators._of_graph import doubts_of_graph
from hedgerow.estimators._resampled import Resampled
from hedgerow.estimators._row_times import warn_of_times
from hedgerow.estimators._told import Told
from hedgerow.estimators._treatment import WORTH_SAYING
from hedgerow.estimators._treatment_of import doubts_about_given
from hedgerow.estimators._warnings import DataWarning, GuaranteeWarning, warn, warn_of_columns
from hedgerow.estimators.input import column_labels, has_gaps, refuse_gaps, take_columns
from hedgerow.method.forgetting import (
    LONGEST_HALF_LIFE,
    NEVER,
    SHORTEST_HALF_LIFE,
    effective_rows,
)
from hedgerow.method.graph import Graph, graph_of
from hedgerow.method.inflation import Inflation
from hedgerow.method.kinds import NORMAL
from hedgerow.method.moments import SMALLEST_SPREAD
from hedgerow.method.promises import promise_of
from hedgerow.method.shortage import shortage_of_rows


class HedgeGraph(HoldsFixed, AsCovariance, Told, Kept, Resampled):
    """Learn which variables are directly connected, at an error rate you choose.

    One Hedge player for each variable learns, in one pass, to predict it from the others. Every
    pair of variables is then tested for a direct connection: a partial correlation given all the
    other variables. There is no penalty, threshold or number of neighbours to choose.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of false edges among those reported
        (false discovery rate), or the probability that any edge reported is false (familywise
        error rate).
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same, and ``level_`` estimates the share of false ones, which is large where rows are few.
        Only if nothing is connected at all, any edge has a probability of 0.05 at most
        (docs/theory.md, section 15). There are no edges, and a warning, if rows are too few for
        any to stand out, or if edges would contradict the tests that they are from, or if most
        could as well be relations by way of a third column.
    device : {"cpu", "cuda", "auto", "numpy", "dask"}, default="cpu"
        What computes: the processor; an NVIDIA GPU (``pip install 'hedgerow[gpu]'``); the GPU
        where there is one and the columns are many; the processor with nothing compiled; or a
        cluster of Dask, which is taken for dask arrays and data frames anyway and has the results
        of "cpu" (docs/distributed.md). A GPU
        keeps the rows until it is asked for results, and a saved model then holds them
        (docs/gpu.md). "numpy" is at once ready for a first, small table, and slow for many
        columns; last digits may differ from those of "cpu", and with the cut of the rows into
        chunks (docs/speed.md).
    half_life : float or None, default=None
        Number of rows, at least 16, after which a row counts half as much: in the learner, the
        moments and the tests, which then count with about 2.9 half-lives of rows (docs/streams.md).
        None: every row counts the same for ever.
    rows : {"any", "independent"}, default="any"
        Whether rows may be related to those before them, as in a series in time. If they are, the
        tests count with fewer rows, as many as independent ones would say the same. Their order
        matters then. "independent": nothing of that is looked for.
    columns : {"any", "normal"}, or list of names or numbers, or dict, default="any"
        What shape columns may have. "any": each is replaced by normal scores of its ranks, heavy
        tails that columns share make the tests more careful, and of columns of steps, yes or no,
        or counts it is found out which they are; edges are then between what lies behind them.
        "normal": all columns are taken as they are, and to be normal, together as well. A list
        names columns that are taken as they are. A dict tells the kinds of some columns:
        "continuous", "steps", "yes/no", "counts", "zeros" (many equal values, the others
        continuous) or "as is" (docs/data.md).
    given : list of names or numbers, or dict, or None, default=None
        Columns that are held fixed: what they explain of the others is taken out of them, and they
        are no part of the graph. Numbers are taken as they are, text as categories; a dict tells it
        for each: "numbers", "categories", or None, to find out (docs/groups.md).
    keep_rows : bool, default=True
        Whether to keep some rows, up to 256, to draw pairs of columns from (`residuals_of`,
        `hedgerow.plot.pair`, the page): as the learner was given them, not in their own units. They
        are saved with the model. False for private data; rows that still wait are then all that a
        saved model holds of them.

    Attributes
    ----------
    edges_ : EdgeTable
        One row for each edge, the surest first: ``source``, ``target`` (names, where the columns
        have names), ``partial_corr`` with its interval ``low`` to ``high``, ``z``, ``p_value``, and
        ``q_value``, the smallest level at which it is an edge. Of the intervals a share of at most
        ``level`` is expected to miss the true partial correlation; with "fwer", any of them does
        with that probability (docs/theory.md, section 25). After `resample` there is ``returns``,
        the share of halves of the rows in which it is found again.
    level_ : float
        The error rate; of a balanced graph, its estimated share of false edges.
    adjacency_ : csr_array of bool, of shape (n_features, n_features)
        The graph: symmetric, zero diagonal.
    partial_corr_ : ndarray of shape (n_features, n_features)
        Partial correlations of the edges; zero elsewhere, one on the diagonal.
    precision_ : ndarray of shape (n_features, n_features)
        Maximum-likelihood precision matrix on the graph: positive definite, and exactly zero where
        there is no edge (docs/likelihood.md).
    covariance_ : ndarray of shape (n_features, n_features)
        Its inverse.
    location_ : ndarray of shape (n_features,)
        Mean of each column.
    column_kinds_ : ndarray of str, of shape (n_features,)
        The kind that each column is taken for: "continuous", "steps", "yes/no", "counts", "zeros",
        or "as is".
    hubs_ : list of Hub
        Columns with many more neighbours than others: ``column``, how many it has ``at_least``, and
        how many ``edges`` were found. All of these bounds hold with a probability of 1 - ``level``,
        also where no edge is clear (docs/theory.md, section 31).
    fewest_neighbours_ : ndarray of int, of shape (n_features,)
        The same bound for each column.
    treatment_ : Treatment
        What rows and columns look like and what was done about it: columns far from normal, how
        much rows are related and differ in size, a season; `summary` says it in words.
    n_samples_seen_ : int
    n_samples_effective_ : float
        Number of rows the tests count with: fewer than were seen, if rows are forgotten, related
        to those before them, or of unlike size.
    n_features_in_ : int
        Number of columns, without those that are ``given``.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names. Only if the columns have names, of their own or told to `fit` or `partial_fit`.

    Warns
    -----
    GuaranteeWarning
        If the rows are too few for any edge to be significant, or for the error rate to be kept.
    DataWarning
        If columns are constant, copies of each other, or determined by others.

    Notes
    -----
    ``fit`` forgets all earlier rows; ``partial_fit`` adds rows, and any way of cutting the same
    rows into chunks gives the same state and the same graph, bit for bit. Nothing but running
    sums is kept of the rows, apart from those of ``keep_rows`` and fewer than 512 that wait for
    their block to fill up; only a GPU keeps them all. Results are computed when first asked for.
    How edges are tested, what is proved about it and what is only measured: docs/theory.md,
    sections 8 to 13.

    Several threads can use one model: each call, and each question for a result, waits until no
    other is being answered. For several results of the same rows while another thread learns, ask
    a copy (``copy.copy``), which goes its own way.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph
    >>> rng = np.random.default_rng(0)
    >>> X = np.cumsum(rng.standard_normal((400, 5)), axis=1)  # a random walk: 0 - 1 - 2 - 3 - 4
    >>> graph = HedgeGraph(error="fwer").fit(X)
    >>> [(edge.source, edge.target) for edge in sorted(graph.edges_)]
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    """

    def __init__(
        self,
        error: str = "fdr",
        level: float | str = 0.05,
        device: str = "cpu",
        half_life: float | None = None,
        rows: str = ANY,
        columns: str | Collection[Hashable] | Mapping[Hashable, str] = ANY,
        given: Collection[Hashable] | Mapping[Hashable, str] | None = None,
        keep_rows: bool = True,
    ) -> None:
        self.error = error
        self.level = level
        self.device = device
        self.half_life = half_life
        self.rows = rows
        self.columns = columns
        self.given = given
        self.keep_rows = keep_rows

    @locked
    def fit(
        self, X: Any, y: None = None, *, feature_names: Iterable[Hashable] | None = None
    ) -> Self:
        """Learn the graph from all the rows of ``X``, in their order.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
            Cells may be missing (NaN, None, null, masked): they are filled in from the rest of
            their row, and counted (docs/data.md). Not on a GPU, nor if ``rows`` are independent
            and all ``columns`` normal. It has the columns that are ``given``, too. A dask array or
            data frame is learned by the cluster of the active client (docs/distributed.md).
        y : ignored
        feature_names : iterable of str, optional
            Names of the columns, where ``X`` has none.
        """
        self._check_parameters()
        if on_cluster(self.device, X):
            return self._fit_on_cluster(X, feature_names)
        read = self._read(X, feature_names, reset=True, min_rows=2, **self._rule_of_gaps())
        self._stream = self._new_stream(*read)
        self._take(*read, X)
        if not self._stream.seen:
            raise ValueError(f"X must have rows with cells, got {len(read.rows)} rows without any")
        self._graph()
        return self

    def _fit_on_cluster(self, X: Any, names: Iterable[Hashable] | None) -> Self:
        from hedgerow.estimators._cluster_fit import learned_on_cluster
        from hedgerow.estimators.partitions import source_of

        engine_for(CLUSTER, half_life=self._half_life())
        if self.given:
            raise ValueError("given needs rows on one machine, and goes with no cluster")
        source = source_of(X)
        take_columns(self, source.n_columns, source.names, names)
        self.__dict__.pop("_stream", None)
        with learned_on_cluster(source, self._assumptions()) as stream:
            self._stream = stream
            self._forget_results()
            try:
                self._graph()
            except BaseException:
                del self._stream
                raise
        return self

    @locked
    def partial_fit(
        self, X: Any, y: None = None, *, feature_names: Iterable[Hashable] | None = None
    ) -> Self:
        """Learn from further rows; the results so far are forgotten, the rows are not.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
        y : ignored
        feature_names : iterable of str, optional
            Names of the columns, where ``X`` has none. They are kept, and must not change.

        Examples
        --------
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> graph = HedgeGraph()
        >>> for rows in np.split(walk, 4):
        ...     graph = graph.partial_fit(rows, feature_names=["a", "b", "c"])
        >>> [(edge.source, edge.target) for edge in sorted(graph.edges_)]
        [('a', 'b'), ('b', 'c')]
        """
        first = not hasattr(self, "_stream")
        self._check_parameters()
        if on_cluster(self.device, X):
            raise ValueError(
                "a cluster learns all rows at once, with fit; partial_fit is for one machine"
            )
        if not first:
            self._refuse_other_rules()
        read = self._read(X, feature_names, reset=first, **self._rule_of_gaps())
        if first:
            self._stream = self._new_stream(*read)
        elif not fills_gaps(self._stream.engine_name):
            refuse_gaps(read.rows, column_labels(self), self.device)
        self._take(*read, X)
        return self

    @property
    @locked
    def n_samples_seen_(self) -> int:
        """Number of rows learned from, and of those that holding columns fixed has cost."""
        check_is_fitted(self)
        return self._stream.seen

    @property
    @locked
    def n_samples_effective_(self) -> float:
        """Number of rows that the tests count with."""
        check_is_fitted(self)
        return self._effective_rows()

    @locked
    def edges_up_to(self, level: float) -> EdgeTable:
        """Return the edges at another error level, of the same kind, without new tests.

        Parameters
        ----------
        level : float
            In (0, 0.5], or up to the estimator's own level if that is larger.

        Notes
        -----
        The q-values of a balanced graph estimate its shares of false edges, without what is done
        to keep an error rate when ``level`` is a number.
        """
        graph = self.graph_up_to(level)
        low, high = self.intervals_up_to(level, level)
        columns = self._ends(graph) | {
            "partial_corr": graph.partial_corr,
            "low": low,
            "high": high,
            "z": graph.z,
            "p_value": graph.p_value,
            "q_value": graph.q_value,
        }
        returns = self._returns(level)
        return (
            EdgeTable(**columns) if returns is None else ResampledTable(**columns, returns=returns)
        )

    @property
    @locked
    def partial_corr_(self) -> NDArray[np.float64]:
        """Partial correlations of the edges, one on the diagonal."""
        graph = self._graph().up_to(self.level_)
        check_memory(8 * self.n_features_in_**2, self.n_features_in_, "for partial_corr_")
        result: NDArray[np.float64] = self._symmetric(graph, graph.partial_corr).toarray()
        np.fill_diagonal(result, 1.0)
        return result

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stream") and self._stream.seen > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._fills_gaps()
        return tags

    def _check_parameters(self) -> None:
        promise_of(self.error, self.level)
        self._half_life()
        check_assumptions(self.rows, self.columns)
        check_given(self.given)
        if not isinstance(self.keep_rows, bool | np.bool_):
            raise ValueError(f"keep_rows must be True or False, got {self.keep_rows!r}")

    def _fills_gaps(self) -> bool:
        """Return whether rows may have missing cells: where nothing is taken for granted."""
        known = isinstance(self.columns, str) and self.columns == NORMAL
        return not (known and self.rows == INDEPENDENT)

    def _half_life(self) -> float:
        if self.half_life is None:
            return NEVER
        return between("half_life", self.half_life, SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE)

    def _rule_of_gaps(self) -> dict[str, Any]:
        known = f"rows={ANY!r} or columns={ANY!r} lets cells be missing"
        return {"gaps": self._fills_gaps(), "advice": f"; {known}"}

    def _new_stream(self, rows: NDArray[np.floating], cells: Cells | None) -> HedgeStream:
        half_life, gaps = self._half_life(), has_gaps(rows)
        engine = engine_for(self.device, self.n_features_in_, half_life, gaps=gaps)
        if not fills_gaps(engine):
            refuse_gaps(rows, column_labels(self), self.device)
        held = None
        if cells is not None:
            held = GivenColumns(self._given_labels, self._ways(cells), self.n_features_in_)
        keeps = bool(self.keep_rows)
        return HedgeStream(self.n_features_in_, engine, self._assumptions(), half_life, held, keeps)

    def _assumptions(self) -> Assumptions:
        known = assumptions_of(self.rows, self.columns, column_labels(self))
        # What is left of steps and counts is neither.
        return known._replace(told=np.full_like(known.told, "")) if self.given else known

    def _refuse_other_rules(self) -> None:
        """Raise if a parameter that rows were learned by is not what it was."""
        begun, now = self._stream.assumptions, self._assumptions()
        for name, same in (
            ("half_life", self._half_life() == self._stream.half_life),
            ("rows", now.independent == begun.independent),
            ("columns", now.same_columns(begun)),
            ("given", self._same_given()),
        ):
            if not same:
                raise ValueError(
                    f"{name} must not change after the first row, got {getattr(self, name)!r}; "
                    f"fit starts anew"
                )

    def _learned_again(
        self, X: Any, feature_names: Iterable[Hashable] | None
    ) -> tuple[HedgeStream, NDArray[np.float64]]:
        if feature_names is None and not self.given:
            feature_names = getattr(self, "feature_names_in_", None)
        read = self._read(X, feature_names, reset=False, **self._rule_of_gaps())
        there = ~np.isnan(read.rows).all(axis=1)
        cells = None if read.cells is None else [column[there] for column in read.cells]
        rows = read.rows[there]
        self._refuse_other_rows(len(rows))
        stream = self._new_stream(rows, cells)
        return stream, stream.record(rows, cells)

    def _take(self, rows: NDArray[np.floating], cells: Cells | None, X: Any) -> None:
        warn_of_times(X, self.rows)
        empty = np.zeros(len(rows), dtype=np.bool_)
        if has_gaps(rows):
            empty = np.isnan(rows).all(axis=1)
        if empty.any():
            warn(DataWarning, f"{empty.sum()} of {len(rows)} rows have no cell, and are left out")
            rows = rows[~empty]
            cells = None if cells is None else [column[~empty] for column in cells]
        refuse_impossible(self._stream.assumptions, rows, column_labels(self))
        if not self.keep_rows:
            self._stream.forget_sample()
        self._stream.take(rows, cells)
        self._forget_results()

    def _forget_results(self) -> None:
        self._results: dict[Any, Any] = {}  # replaced, never changed: copies share it

    def _graph(self) -> Graph:
        check_is_fitted(self)
        self._check_parameters()
        key = self._graph_key()
        if key not in self._results:
            stream = self._stream
            if stream.held is not None:
                stream.held.refuse_useless(column_labels(self), stream.half_life)
            with one_thread_if_few(self.n_features_in_, FEW_TO_TEST):
                engine, evidence = stream.evidence(self._inflation())
                n_rows, aside = self._effective_rows(), stream.rare()
                graph = graph_of(engine, evidence, n_rows, *key[1:], aside, self._for_hubs())
            graph = graph.with_determined(stream.determined()).without_pairs(*stream.apart())
            self._refuse_too_small(graph)
            self._results = {**self._results, key: graph}
            self._warn(graph)
        known: Graph = self._results[key]
        return known

    def _inflation(self) -> Inflation:
        if "inflation" not in self._results:
            self._results = {**self._results, "inflation": self._stream.inflation()}
        known: Inflation = self._results["inflation"]
        return known

    def _effective_rows(self) -> float:
        rows = effective_rows(self._stream.rows, self._stream.half_life)
        return rows / self._inflation().per_effective

    def _treated(self) -> list[str]:
        found = self.treatment_.sentences(), self.hubs_in_words(), self.resamples_in_words()
        return [sentence for sentences in found for sentence in sentences]

    @locked
    def _known_edges(self) -> EdgeTable | None:
        return self.edges_ if self._graph_key() in self._results else None

    def _refuse_too_small(self, graph: Graph) -> None:
        # A column that is zero since long may be the rest of one that was forgotten.
        if len(graph.too_small) and self.half_life is None:
            columns = listed(map(repr, column_labels(self)[graph.too_small]))
            raise ValueError(
                f"columns must be zero or vary by more than {SMALLEST_SPREAD:g}, whose square can "
                f"be told from zero, got smaller numbers in columns: {columns}; multiply them"
            )

    def _warn(self, graph: Graph) -> None:
        labels, treatment = column_labels(self), self.treatment_
        warn_of_columns(graph, labels, self._stream.rare())
        treated, unexplained = self._stream.treated, graph.unexplained
        bent = treated is not None and treated.bends(self._stream.engine)
        for doubt in (
            *doubts_about_given(self._stream, self._inflation(), labels),
            *treatment.doubts(),
            *doubts_of_graph(graph, bent=bent, by_steps=treatment.by_steps),
        ):
            warn(GuaranteeWarning, doubt)
        seen, effective = self.n_samples_seen_, self.n_samples_effective_
        effective /= graph.per_clear
        all_count = effective * WORTH_SAYING > seen
        kind, n_rows = ("rows", seen) if all_count else ("effective rows", effective)
        shortage = shortage_of_rows(
            n_rows, self.n_features_in_, self._level_asked(), unexplained, kind
        )
        if shortage and not graph.refused:
            warn(GuaranteeWarning, shortage)
        for doubt in self._doubts_of_balanced(graph):
            warn(GuaranteeWarning, doubt)
