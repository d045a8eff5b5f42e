"""What estimators of tested edges share: a level, the edges up to it, and the graph of these."""

from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.locks import locked
from hedgerow.base.table import EdgeTable
from hedgerow.estimators._notebook import NotebookSummary
from hedgerow.estimators.input import column_labels
from hedgerow.method.balance import LOOSEST_LEVEL
from hedgerow.method.promises import BALANCED, promise_of


class _Tests(Protocol):
    """Edges by column number, with the levels from which on they are edges."""

    @property
    def source(self) -> NDArray[np.signedinteger]: ...
    @property
    def target(self) -> NDArray[np.signedinteger]: ...

    def up_to(self, level: float) -> Self: ...
    def balanced_level(self) -> float: ...


G = TypeVar("G", bound=_Tests)
T = TypeVar("T", bound=EdgeTable)


class TestedGraph(NotebookSummary, Generic[G, T]):
    """An estimator whose `_graph` has been tested, and whose `edges_up_to` a level are a table."""

    __test__ = False  # to pytest, what begins with Test is one
    error: str
    level: float | str
    n_features_in_: int
    _stream: Any

    def _graph(self) -> G:
        """Return all tests up to the loosest level that can be asked for."""
        raise NotImplementedError

    def edges_up_to(self, level: float) -> T:
        """Return the edges at another error level, of the same kind, without new tests."""
        raise NotImplementedError

    @property
    @locked
    def n_samples_seen_(self) -> int:
        """Number of rows learned from."""
        check_is_fitted(self)
        return int(self._stream.rows)

    @property
    @locked
    def edges_(self) -> T:
        """Edges at the chosen level, the surest first."""
        return self.edges_up_to(self.level_)

    @property
    @locked
    def level_(self) -> float:
        """The error rate; of a balanced graph, its estimated share of false edges."""
        graph, level = self._graph(), self._level_asked()
        return graph.balanced_level() if level is None else level

    @locked
    def graph_up_to(self, level: float) -> G:
        """Return what `edges_up_to` returns with columns as numbers, and findings about columns.

        Parameters
        ----------
        level : float
            In (0, 0.5], or up to the estimator's own level if that is larger.
        """
        graph, (*_, loosest) = self._graph(), self._graph_key()
        if not 0 < level <= loosest:
            raise ValueError(f"level must be in (0, {loosest:g}], got {level!r}")
        return graph.up_to(level)

    @property
    @locked
    def adjacency_(self) -> csr_array:
        """The graph as a sparse boolean matrix."""
        graph = self._graph().up_to(self.level_)
        return self._symmetric(graph, np.ones(len(graph.source), dtype=np.bool_))

    @locked
    def to_networkx(self) -> Any:
        """Return a networkx Graph whose edges carry what `edges_` has of them, by name."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(column_labels(self).tolist())
        for edge in self.edges_:
            values = edge._asdict()
            graph.add_edge(values.pop("source"), values.pop("target"), **values)
        return graph

    def _level_asked(self) -> float | None:
        return None if self.level == BALANCED else float(self.level)

    def _graph_key(self) -> tuple[str, str, float]:
        loosest = max(LOOSEST_LEVEL, self._level_asked() or 0.0)
        return ("graph", promise_of(self.error, self.level), loosest)

    def _ends(self, graph: G) -> dict[str, NDArray[Any]]:
        """Return the two ends of each edge as a table has them: names, or numbers of columns."""
        labels = column_labels(self)
        if not hasattr(self, "feature_names_in_"):
            labels = labels.astype(np.intp)
        return {"source": labels[graph.source], "target": labels[graph.target]}

    def _symmetric(self, graph: G, values: NDArray[Any]) -> csr_array:
        ends = (np.r_[graph.source, graph.target], np.r_[graph.target, graph.source])
        shape = (self.n_features_in_, self.n_features_in_)
        return csr_array((np.r_[values, values], ends), shape=shape)
