"""Why two columns are joined by an edge, or why not: numbers, and in words."""

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from math import comb, isnan
from typing import Any

import numpy as np

from hedgerow.base.checks import in_open_interval
from hedgerow.base.locks import locked
from hedgerow.base.words import listed
from hedgerow.engines import CLUSTER
from hedgerow.estimators._intervals import WithIntervals
from hedgerow.method.graph import Graph
from hedgerow.method.intervals import LEVEL_OF_BALANCED, level_of_each
from hedgerow.method.one_pair import Known, of_pair
from hedgerow.method.paths import strongest_path
from hedgerow.method.promises import BALANCED, in_words, promise_of
from hedgerow.method.scores import two_sided

_MOST_NAMED = 5
_NEAREST = 1.0 - 1e-15  # to one, of a partial correlation that has a finite z
CLEAR, CHANCE, AGREEMENT, REPEAT, NOT_TESTED, REFUSED = (
    "partial correlation",
    "chance",
    "agreement",
    "repeat",
    "not tested",
    "refusal",
)
_DECIDED = {
    CLEAR: "It is clear of what chance makes of {pairs:,} pairs: p = {p:.2g}, q = {q:.2g}.",
    CHANCE: "Among {pairs:,} pairs chance makes such a partial correlation: p = {p:.2g}, {q_is}.",
    AGREEMENT: "Alone it would be an edge, with p = {p:.2g}, but the other test that an edge needs "
    "does not agree: {q_is}.",
    REPEAT: "One repeats the other: their correlation is {corr:.0f}.",
    NOT_TESTED: "They were not tested: {why}.",
    REFUSED: "Alone it has p = {p:.2g}, but so has what is no edge.",
}


@dataclass(frozen=True)
class Explanation:
    """What is known of two columns, and what made an edge of them or did not.

    As text it is a few sentences.

    Attributes
    ----------
    source, target : names, or numbers of columns that have none
    is_edge : whether the two are joined at the model's level
    promise : "fdr", "fwer" or "balanced"
    graph_level : the error rate of the graph
    corr : float
        Their correlation; of columns that were given scores, or have something behind them, that of
        the scores, or of what lies behind.
    partial_corr : their correlation given ``given``
    low, high : interval that misses the true partial correlation with a probability of ``level``
    level : float
    given : tuple
        The neighbours of one of the two or both, which were chosen for them.
    rows : effective number of rows that the tests count with
    related : bool
        Whether the correlation is clear of zero, with the standard error of the partial one.
    p_value : float
        As in `edges_`; where the q-value is not known, that of ``partial_corr``.
    q_value : float
        The smallest level at which they are an edge; NaN if above 0.5, as far as levels are kept.
    decided_by : str
        "partial correlation", which made an edge; "chance", which could have made it; "agreement",
        which the two tests that an edge needs have not; "repeat", of one by the other; "not
        tested"; or "refusal", of all edges of a balanced graph.
    n_edges : number of edges of the graph
    n_pairs : number of pairs of columns that the tests allow for
    why : why they were not tested, or the graph was refused; else empty
    between : tuple or None
        Without an edge, the columns on the strongest path of edges from one to the other; None if
        no path joins them.
    """

    source: Any
    target: Any
    is_edge: bool
    promise: str
    graph_level: float
    corr: float
    partial_corr: float
    low: float
    high: float
    level: float
    given: tuple[Any, ...]
    rows: float
    related: bool
    p_value: float
    q_value: float
    decided_by: str
    n_edges: int
    n_pairs: int
    why: str
    between: tuple[Any, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON has, and the text; None is what is not known."""
        known = asdict(self) | {"text": str(self)}
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in known.items()
        }

    def __str__(self) -> str:
        is_edge = "an edge" if self.is_edge else "no edge"
        why_none = self.why if self.decided_by == REFUSED else ""
        promise = in_words(self.promise, self.graph_level, self.n_edges, why_none)
        lines = [f"{self.source} and {self.target}: {is_edge} {promise}."]
        if self.decided_by not in (REPEAT, NOT_TESTED):
            lines += self._measured()
        q_is = "q is above 0.5" if isnan(self.q_value) else f"q = {self.q_value:.2g}"
        found = {"p": self.p_value, "q": self.q_value, "q_is": q_is, "corr": self.corr}
        lines += [_DECIDED[self.decided_by].format(pairs=self.n_pairs, why=self.why, **found)]
        if not self.is_edge:
            lines += [self._way()]
        return "\n".join(lines)

    def _measured(self) -> list[str]:
        given = f"given {_and(self.given)}" if self.given else "as they have no other neighbours"
        return [
            f"Correlation {self.corr:.3f}, from {self.rows:,.0f} effective rows.",
            f"Partial correlation {self.partial_corr:.3f} ({100 * (1 - self.level):.4g} % interval "
            f"{self.low:.3f} to {self.high:.3f}), {given}.",
        ]

    def _way(self) -> str:
        if self.between is None:
            return "No path of edges joins them."
        if self.related or self.decided_by == NOT_TESTED:
            return f"They are related by way of {_and(self.between)}."
        return f"Edges join them by way of {_and(self.between)}, which leaves no clear correlation."


class Explained(WithIntervals):
    """A tested graph that can be asked why."""

    @locked
    def explain(
        self, source: Hashable, target: Hashable, level: float | None = None
    ) -> Explanation:
        """Tell why two columns are joined by an edge, or why not.

        Parameters
        ----------
        source, target : name, or number of a column that has none
        level : float, optional
            The probability with which the interval misses, as in `partial_corr_of`.

        Returns
        -------
        Explanation
            Numbers as attributes, and sentences as text.

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
        >>> graph = HedgeGraph().fit(walk)  # 0 - 1 - 2 - 3
        >>> graph.explain(0, 3).between
        (1, 2)
        >>> print(graph.explain(0, 3))
        0 and 3: no edge at a false discovery rate of 0.05.
        Correlation 0.484, from 392 effective rows.
        Partial correlation -0.009 (95 % interval -0.107 to 0.090), given 1 and 2.
        Among 6 pairs chance makes such a partial correlation: p = 0.87, q is above 0.5.
        They are related by way of 1 and 2.
        """
        return self._explanation(self._ends_of(source, target), level)

    @locked
    def explain_all(self, pairs: Sequence[tuple[int, int]]) -> list[Explanation]:
        """Tell of many pairs of columns, by number, what `explain` tells of one.

        Parameters
        ----------
        pairs : sequence of pairs of int

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
        >>> [each.is_edge for each in HedgeGraph().fit(walk).explain_all([(0, 1), (0, 2)])]
        [True, False]
        """
        known = self._known(self._tested(self._graph())) if len(pairs) else None
        return [self._explanation(pair, None, known) for pair in pairs]

    @locked
    def related_pairs(self, most: int, level: float) -> list[tuple[int, int]]:
        """Return the pairs of columns, by number, that are most correlated and yet no edge.

        Parameters
        ----------
        most : int
            How many pairs.
        level : float
            Up to which there is no edge between them, as in `edges_up_to`.

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
        >>> HedgeGraph().fit(walk).related_pairs(2, level=0.2)
        [(1, 3), (0, 2)]
        """
        graph = self.graph_up_to(level)
        columns = self._tested(graph)
        size = np.abs(self._known(columns).corr)
        size[np.tril_indices(len(columns))] = -1.0
        for some in ((graph.source, graph.target), self._stream.apart()):
            here = np.isin(some[0], columns) & np.isin(some[1], columns)
            i, j = (np.searchsorted(columns, end[here]) for end in some)
            size[np.minimum(i, j), np.maximum(i, j)] = -1.0
        best = np.argsort(-size, axis=None, kind="stable")[:most]
        first, second = np.unravel_index(best[size.flat[best] >= 0.0], size.shape)
        return list(zip(columns[first].tolist(), columns[second].tolist()))

    @property
    def explains(self) -> bool:
        """Whether any pair can be asked about: not of rows that a cluster has learned from."""
        return self._stream.engine_name != CLUSTER

    def _explanation(
        self, ends: tuple[int, int], level: float | None, known: Known | None = None
    ) -> Explanation:
        graph, pair = self._graph(), sorted(ends)
        level = in_open_interval("level", self._level_of_interval(level), 0, 1)
        found = self._partial_corr(ends, level, known)
        cut = graph.up_to(self.level_)
        here = np.flatnonzero((graph.source == pair[0]) & (graph.target == pair[1]))
        is_edge = bool(((cut.source == pair[0]) & (cut.target == pair[1])).any())
        corr, related = found.partial_corr, True  # of a repeat
        p_value, q_value = np.nan, np.nan
        why = self._why_not_tested(graph, pair) if isnan(found.partial_corr) else ""
        repeats = bool(np.isin(pair[1], graph.copies)) and is_edge
        if not why and not repeats:
            corr, related, p_value = self._asked(graph, pair, level, known)
        if len(here):
            p_value, q_value = graph.p_value[here[0]], graph.q_value[here[0]]
        promise = promise_of(self.error, self.level)
        decided_by = self._decided_by(len(cut.source), float(p_value), is_edge=is_edge)
        if why or repeats:
            decided_by = NOT_TESTED if why else REPEAT
        elif graph.refused:
            decided_by, why = REFUSED, graph.refused.because
        return Explanation(
            source=_plain(found.source),
            target=_plain(found.target),
            is_edge=is_edge,
            promise=promise,
            graph_level=self.level_,
            corr=float(corr),
            partial_corr=found.partial_corr,
            low=found.low,
            high=found.high,
            level=level,
            given=found.given,
            rows=float(found.rows),
            related=related and decided_by != NOT_TESTED,
            p_value=float(p_value),
            q_value=float(q_value),
            decided_by=decided_by,
            n_edges=len(cut.source),
            n_pairs=comb(self.n_features_in_, 2),
            why=why,
            between=None if is_edge else self._between(cut, pair),
        )

    def _asked(
        self, graph: Graph, pair: list[int], level: float, known: Known | None
    ) -> tuple[float, bool, float]:
        """Return the correlation of two columns, whether it is clear, and the partial's p-value."""
        columns = self._tested(graph)
        known = known or self._known(columns)
        i, j = np.searchsorted(columns, pair)
        found = of_pair(known, i, j)
        both = np.clip([known.corr[i, j], found.partial_corr], -_NEAREST, _NEAREST)
        spread = found.spread or np.inf  # none in a handful of rows: nothing is sure
        of_corr, of_partial = two_sided(np.arctanh(both) / spread)
        if abs(found.partial_corr) >= 1.0:  # cut off, and so unsure that it means nothing
            of_partial = 1.0
        return float(known.corr[i, j]), bool(of_corr <= level), float(of_partial)

    def _level_of_interval(self, level: float | None) -> float:
        return level if level is not None else self._level_asked() or LEVEL_OF_BALANCED

    def _decided_by(self, n_edges: int, p_value: float, *, is_edge: bool) -> str:
        """Return what decided on a pair that was tested.

        One more edge would be allowed the p-value of `level_of_each`: a pair below it that is no
        edge has failed another test.
        """
        if is_edge:
            return CLEAR
        promise = promise_of(self.error, self.level)
        allowed = level_of_each(self.level_, promise, n_edges + 1, self.n_features_in_)
        return AGREEMENT if promise != BALANCED and p_value <= allowed else CHANCE

    def _why_not_tested(self, graph: Graph, pair: list[int]) -> str:
        labels, rare = self._shown_labels(), self._stream.rare()
        for column in pair:
            if rare[column]:
                return f"{labels[column]} is hardly ever there"
            if column in graph.constant:
                return f"{labels[column]} never varies"
            if column in graph.copies:
                original = graph.originals[graph.copies == column][0]
                return f"{labels[column]} repeats {labels[original]}, which stands for it"
        return "they are hardly ever there together"

    def _between(self, cut: Graph, pair: list[int]) -> tuple[Any, ...] | None:
        edges = cut.source, cut.target, cut.partial_corr
        path = strongest_path(*edges, self.n_features_in_, (pair[0], pair[1]))
        return None if path is None else tuple(self._shown_labels()[path[1:-1]].tolist())


def _plain(label: Any) -> Any:
    """Return a name, or number, as Python has it."""
    return label.item() if isinstance(label, np.generic) else label


def _and(names: tuple[Any, ...]) -> str:
    """Return names for a sentence.

    >>> _and(("a", "b", "c"))
    'a, b and c'
    """
    if len(names) > _MOST_NAMED:
        return listed(map(str, names))
    *some, last = map(str, names)
    return f"{', '.join(some)} and {last}" if some else last
