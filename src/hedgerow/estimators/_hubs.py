"""Columns with many neighbours, told even where the edges cannot be."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.locks import locked
from hedgerow.base.words import listed
from hedgerow.estimators._explained import Explained
from hedgerow.method.graph import Graph
from hedgerow.method.hubs import fewest_neighbours, hubs
from hedgerow.method.intervals import LEVEL_OF_BALANCED
from hedgerow.method.moments import Moments
from hedgerow.method.one_pair import Known

# Summaries and balanced graphs look for hubs among so many columns: it takes some seconds at most.
MOST_COLUMNS = 2000


class Hub(NamedTuple):
    """A column that has many more neighbours than others."""

    column: Any
    at_least: int  # neighbours that it has
    edges: int  # that were found


class WithHubs(Explained):
    """A tested graph that tells how many neighbours columns have at least."""

    _results: dict[Any, Any]

    @property
    @locked
    def fewest_neighbours_(self) -> NDArray[np.intp]:
        """How many neighbours each column has at least.

        With a probability of 1 - level (0.95 for a balanced graph) none of these numbers is too
        large, whatever the promise on edges. A column that was set aside has 0.
        """
        graph = self._graph()
        level = self._level_asked() or LEVEL_OF_BALANCED
        key = ("neighbours", level)
        if key not in self._results:
            found = graph.at_least
            if found is None:
                columns = self._tested(graph)
                found = np.zeros(self.n_features_in_, dtype=np.intp)
                scores = self._stream.engine.scores_given_fewer
                found[columns] = fewest_neighbours(self._known(columns), level, scores)
            self._results = {**self._results, key: found}
        bounds: NDArray[np.intp] = self._results[key]
        return bounds

    @property
    @locked
    def hubs_(self) -> list[Hub]:
        """Columns with many more neighbours than others, the surest of many first.

        Those that have, by `fewest_neighbours_`, at least three, and twice as many as are known of
        a typical column.

        Examples
        --------
        >>> from hedgerow import HedgeGraph, datasets
        >>> rows = datasets.make("star", 40, seed=0).sample(100, seed=0)
        >>> graph = HedgeGraph().fit(rows)
        >>> len(graph.edges_), graph.hubs_
        (0, [Hub(column=0, at_least=5, edges=0)])
        """
        at_least, degrees = self.fewest_neighbours_, self._degrees(self.level_)
        return self._as_hubs(hubs(at_least, degrees), degrees)

    def hubs_in_words(self) -> list[str]:
        """Return in words which columns are hubs; nothing of very many columns."""
        found = self.hubs_ if self._looks_for_hubs() else []
        if not found:
            return []
        sure = 1.0 - (self._level_asked() or LEVEL_OF_BALANCED)
        each = listed(
            f"{hub.column} has at least {hub.at_least:,} neighbours ({hub.edges:,} found)"
            for hub in found
        )
        return [f"Hub{'' if len(found) == 1 else 's'}, with {100 * sure:.4g} % confidence: {each}."]

    @locked
    def why_no_edges(self) -> str:
        """Return why a balanced graph is refused any edges; nothing if it is not.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import HedgeGraph
        >>> rows = np.random.default_rng(0).standard_normal((9, 40))
        >>> rows[:, 1] += 99 * rows[:, 0]
        >>> HedgeGraph(level="balanced").fit(rows).why_no_edges()
        'not even a partial correlation of 0.9 would stand out from chance in 9 rows of 40 columns'
        """
        refused = self._graph().refused
        return refused.because if refused else ""

    def _doubts_of_balanced(self, graph: Graph) -> list[str]:
        """Return why a balanced graph has no edges, or false ones that it does not count."""
        if graph.refused:
            return [str(graph.refused)]
        if not len(graph.missed) or not len(graph.source):
            return []
        return [
            f"columns have many more neighbours than clear edges, and are too many to be given to "
            f"all others: {listed(map(repr, self._shown_labels()[graph.missed].tolist()))}; "
            f"neighbours of such a column look related to each other, and the share of false edges "
            f"is then above level_: keep an error rate instead, or have more rows"
        ]

    def _looks_for_hubs(self) -> bool:
        few = self.n_features_in_ <= MOST_COLUMNS
        return few and bool(self._stream.learner.has_moments)

    def _for_hubs(
        self, moments: Moments | None = None
    ) -> Callable[[NDArray[np.intp]], Known] | None:
        """Return where hubs are looked for: in correlations of all rows, or by other moments."""
        if not self._looks_for_hubs():
            return None

        def known(columns: NDArray[np.intp]) -> Known:
            own, curves = self._stream.known()
            return self._correlations(columns, moments or own, curves)

        return known

    def _degrees(self, level: float) -> NDArray[np.intp]:
        graph = self._graph().up_to(level)
        return np.bincount(np.r_[graph.source, graph.target], minlength=self.n_features_in_)

    def _as_hubs(self, columns: NDArray[np.intp], degrees: NDArray[np.intp]) -> list[Hub]:
        names, at_least = self._shown_labels()[columns].tolist(), self.fewest_neighbours_
        return [Hub(name, int(at_least[k]), int(degrees[k])) for name, k in zip(names, columns)]
