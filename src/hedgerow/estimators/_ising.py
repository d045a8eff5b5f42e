"""IsingGraph: from rows of yes or no to tested edges, couplings and fields."""

from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.checks import integer_at_least
from hedgerow.base.locks import locked
from hedgerow.base.table import OddsTable
from hedgerow.base.words import listed
from hedgerow.engines.numba_cpu import ising as engine
from hedgerow.estimators._ising_kept import KeptIsing
from hedgerow.estimators._ising_rows import IsingRows, Rows, Words, numbers_for_words
from hedgerow.estimators._tested import TestedGraph
from hedgerow.estimators._warnings import DataWarning, GuaranteeWarning, warn
from hedgerow.estimators.input import column_labels, read_rows
from hedgerow.method.balance import LOOSEST_LEVEL
from hedgerow.method.ising_graph import IsingEdges, edges_of, too_few_rows
from hedgerow.method.ising_model import (
    couplings_of,
    entries,
    fields_given,
    log_odds,
    pseudo_log_likelihood,
)
from hedgerow.method.ising_neighbours import table_of
from hedgerow.method.promises import in_words, promise_of

Array = NDArray[np.float64]

# Types of tables that are not copied; the first is what others become.
_NOT_COPIED: tuple[type[np.generic], ...] = (
    *(np.float64, np.float32, np.bool_),
    *(np.int8, np.uint8, np.int16, np.int32, np.int64),
)


class IsingGraph(KeptIsing, TestedGraph[IsingEdges, OddsTable]):
    """Learn which variables of yes or no act on each other directly, at an error rate you choose.

    Every variable has two values, -1 and +1, and P(x) ∝ exp(Σ_{i<j} J_ij x_i x_j + Σ_i h_i x_i):
    the Ising model. Two variables are connected where J_ij is not zero; 4 J_ij is then their log
    odds ratio given all others. One Hedge player for each variable proposes its neighbours, and
    every pair is tested for an edge from both ends. There is nothing to tune.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of false edges among those reported
        (false discovery rate), or the probability that any edge reported is false (familywise
        error rate).
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same, and ``level_`` estimates the share of false ones.

    Attributes
    ----------
    edges_ : OddsTable
        One row for each edge, the surest first: ``source``, ``target`` (names, where the columns
        have names), ``coupling``, ``log_odds_ratio``, ``z``, ``p_value``, and ``q_value``, the
        smallest level at which it is an edge.
    level_ : float
        The error rate; of a balanced graph, its estimated share of false edges.
    adjacency_ : csr_array of bool, of shape (n_features, n_features)
        The graph: symmetric, zero diagonal.
    couplings_ : ndarray of shape (n_features, n_features)
        J: symmetric, and zero where there is no edge.
    fields_ : ndarray of shape (n_features,)
        h.
    values_ : ndarray of shape (n_features, 2)
        The value of each column that is taken for -1, and that taken for +1: the larger number, or
        the word that is later in the alphabet.
    n_samples_seen_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the columns have names, of their own or told to `fit` or `partial_fit`.

    Warns
    -----
    GuaranteeWarning
        If the rows are too few for any edge to be significant.
    DataWarning
        If columns are constant, or the same as another in all rows.

    Notes
    -----
    Rows are taken to be independent. They are kept, one bit for each cell, so that any way of
    cutting them into chunks for ``partial_fit`` gives the same results, bit for bit. Results are
    computed when first asked for. docs/ising.md says what the model means, how it is tested, what
    is promised and where it is weak.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import IsingGraph
    >>> rng = np.random.default_rng(0)
    >>> steps = np.where(rng.random((500, 4)) < 0.8, 1, -1)
    >>> X = np.cumprod(steps, axis=1)  # each is the one before in four of five rows
    >>> graph = IsingGraph(error="fwer").fit(X)
    >>> [(edge.source, edge.target) for edge in sorted(graph.edges_)]
    [(0, 1), (1, 2), (2, 3)]
    >>> graph.couplings_[0, 1].round(1)  # log(0.8 / 0.2) / 2
    np.float64(0.7)
    """

    def __init__(self, error: str = "fdr", level: float | str = 0.05) -> None:
        self.error = error
        self.level = level

    @locked
    def fit(
        self, X: Any, y: None = None, *, feature_names: Iterable[Hashable] | None = None
    ) -> Self:
        """Learn the graph from all the rows of ``X``.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
            Columns have two values: 0 and 1, -1 and 1, False and True, two words, or any others.
        y : ignored
        feature_names : iterable of str, optional
            Names of the columns, where ``X`` has none.
        """
        self._check_parameters()
        rows, words = self._read(X, {}, reset=True, names=feature_names, min_rows=2)
        stream = IsingRows(self.n_features_in_)
        stream.take(rows, words, column_labels(self))
        self._stream = stream
        self._graph()
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
        """
        first = not hasattr(self, "_stream")
        self._check_parameters()
        known = {} if first else self._stream.words
        rows, words = self._read(X, known, reset=first, names=feature_names)
        stream = IsingRows(self.n_features_in_) if first else self._stream
        stream.take(rows, words, column_labels(self))
        self._stream = stream
        return self

    @property
    @locked
    def values_(self) -> NDArray[Any]:
        """The values that are taken for -1 and for +1."""
        check_is_fitted(self)
        return self._stream.named_values()

    @locked
    def edges_up_to(self, level: float) -> OddsTable:
        """Return the edges at another error level, of the same kind, without new tests.

        Parameters
        ----------
        level : float
            In (0, 0.5], or up to the estimator's own level if that is larger. Couplings are those
            of the model with all these edges.
        """
        graph = self.graph_up_to(level)
        values = entries(self._couplings(level), graph.source, graph.target)
        return OddsTable(
            **self._ends(graph),
            coupling=values,
            log_odds_ratio=4.0 * values,
            z=graph.z,
            p_value=graph.p_value,
            q_value=graph.q_value,
        )

    @property
    @locked
    def couplings_(self) -> Array:
        """J: zero where there is no edge."""
        result: Array = self._couplings(self.level_).toarray()
        return result

    @property
    @locked
    def fields_(self) -> Array:
        """h."""
        key = ("fields", self.level_, *self._graph_key())
        if key not in self._stream.results:
            fields = fields_given(self._stream.bits(), self._couplings(self.level_))
            self._stream.results[key] = fields
        known: Array = self._stream.results[key]
        return known.copy()

    @locked
    def predict_proba(self, X: Any, column: Hashable | None = None) -> Array:
        """Return the probabilities of one variable's two values, given the others of each row.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
            All columns; what stands in the one asked for makes no difference.
        column : name or number, optional
            The last one by default.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Of the value that is taken for -1, and of that taken for +1.
        """
        j = self._column(column)
        odds = log_odds(self._bits_of(X), self._couplings(self.level_), self.fields_)[:, j]
        high = 1.0 / (1.0 + np.exp(-odds))
        return np.column_stack([1.0 - high, high])

    @locked
    def score(self, X: Any, y: None = None) -> float:
        """Return the mean pseudo-log-likelihood of the rows of ``X``.

        It is the sum over columns of the log probability of a cell given the rest of its row.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
        y : ignored
        """
        bits = self._bits_of(X)
        return pseudo_log_likelihood(bits, self._couplings(self.level_), self.fields_)

    @locked
    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> NDArray[Any]:
        """Draw rows of the fitted model, in the values of the columns (`datasets.IsingModel`).

        Parameters
        ----------
        n : int
        seed : int or Generator, optional
        """
        from hedgerow.datasets import IsingModel

        n = integer_at_least("n", n, 1)
        model = IsingModel(self._couplings(self.level_), self.fields_)
        high = (model.sample(n, seed) > 0).astype(np.intp)
        return self.values_[np.arange(self.n_features_in_), high]

    @locked
    def summary(self) -> str:
        """Return in a few sentences what was learned, and which value of each column is which."""
        edges = len(self._graph().up_to(self.level_).source)
        found = (
            f"{edges:,} edge{'' if edges == 1 else 's'} among {self.n_features_in_:,} columns, "
            f"from {self.n_samples_seen_:,} rows, "
            f"{in_words(promise_of(self.error, self.level), self.level_, edges)}."
        )
        return "\n".join([found, *self.said()])

    @locked
    def said(self) -> list[str]:
        """Return in sentences which value of each column is taken for +1, and which for -1."""
        labels, values = column_labels(self), self.values_
        kinds: dict[tuple[str, str], list[str]] = {}
        for j, (low, high) in enumerate(values.tolist()):
            if low != high:
                kinds.setdefault((_shown(high), _shown(low)), []).append(repr(labels[j]))
        return [
            f"+1 is {high} and -1 is {low} in "
            + ("all columns." if len(names) == len(labels) else f"{listed(names)}.")
            for (high, low), names in kinds.items()
        ]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stream")

    def _check_parameters(self) -> None:
        promise_of(self.error, self.level)

    def _graph(self) -> IsingEdges:
        check_is_fitted(self)
        key = self._graph_key()
        if key not in self._stream.results:
            graph = edges_of(engine, self._stream.bits(), *key[1:])
            self._stream.results[key] = graph
            self._warn(graph)
        known: IsingEdges = self._stream.results[key]
        return known

    def _couplings(self, level: float) -> csr_array:
        graph, key = self._graph().up_to(level), ("couplings", level, *self._graph_key())
        if key not in self._stream.results:
            neighbours = graph.neighbours(self.n_features_in_)
            fits = engine.regress_all(table_of(self._stream.bits()), neighbours)
            self._stream.results[key] = couplings_of(fits, neighbours)
        known: csr_array = self._stream.results[key]
        return known

    def _bits_of(self, X: Any) -> NDArray[np.uint8]:
        check_is_fitted(self)
        rows, words = self._read(X, self._stream.words, reset=False)
        return self._stream.coded(rows, words, column_labels(self))

    def _read(self, X: Any, known: Words, **rules: Any) -> tuple[Rows, Words]:
        """Return rows of numbers, and the words that some of these stand for."""
        numbers, words = numbers_for_words(X, known)
        return read_rows(self, numbers, dtypes=_NOT_COPIED, **rules), words

    def _column(self, column: Hashable | None) -> int:
        check_is_fitted(self)
        if column is None:
            return int(self.n_features_in_) - 1
        found = np.flatnonzero(column_labels(self) == column)
        if not len(found):
            raise ValueError(f"column must be the name or number of one, got {column!r}")
        return int(found[0])

    def _treated(self) -> list[str]:
        return self.said()

    @locked
    def _known_edges(self) -> OddsTable | None:
        return self.edges_ if self._graph_key() in self._stream.results else None

    def _warn(self, graph: IsingEdges) -> None:
        names = [repr(label) for label in column_labels(self)]
        if len(graph.constant):
            constant = listed(names[j] for j in graph.constant)
            warn(DataWarning, f"constant columns are isolated nodes: {constant}")
        if len(graph.copies):
            pairs = zip(graph.copies, graph.originals)
            copies = listed(f"{names[original]} and {names[copy]}" for copy, original in pairs)
            warn(
                DataWarning,
                f"columns are the same in all rows, or opposite, and cannot be told apart by what "
                f"others say about them: {copies}",
            )
        n_rows, n_columns = self._stream.rows, self.n_features_in_
        if too_few_rows(n_rows, n_columns, self._level_asked() or LOOSEST_LEVEL):
            warn(
                GuaranteeWarning,
                f"{n_rows} rows are too few for any edge among {n_columns} columns to be "
                f"significant",
            )


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
