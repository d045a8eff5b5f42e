"""How often each edge is found again in halves of the rows, on request."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import integer_at_least
from hedgerow.base.locks import locked
from hedgerow.base.memory import check_memory
from hedgerow.engines import fills_gaps
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._pictured import Pictured
from hedgerow.estimators._warnings import GuaranteeWarning, warn
from hedgerow.method.forgetting import NEVER
from hedgerow.method.graph import Graph, graph_of
from hedgerow.method.moments import with_unknown
from hedgerow.method.resampling import FEWEST_BLOCKS, block_length, both_moments, halves
from hedgerow.progress import report, watching

Array = NDArray[np.float64]
OFTEN = 0.9  # of the halves; what a summary counts
_SAME = 1e-9  # beyond rounding, of sums over the same rows


class Resamples(NamedTuple):
    """What halves of the rows have shown."""

    q_value: Array  # (edges of the graph, halves); infinite where a half has no such edge
    level: Array  # of each half: what was asked for, or what balances it
    block: int  # rows that stay together
    asked: int
    seed: int

    @property
    def done(self) -> int:
        """Return how many halves have been tested."""
        return int(self.q_value.shape[1])

    def to_dict(self) -> dict[str, int]:
        """Return what was done, by name."""
        return {"asked": self.asked, "done": self.done, "block": self.block, "seed": self.seed}


class Resampled(Pictured):
    """A tested graph that can be tested again in halves of its rows."""

    _results: dict[Any, Any]

    def _learned_again(
        self, X: Any, feature_names: Iterable[Hashable] | None
    ) -> tuple[HedgeStream, Array]:
        """Return a stream that has learned from the rows of X, and these as it was given them."""
        raise NotImplementedError

    @locked
    def resample(
        self,
        X: Any,
        times: int = 100,
        seed: int = 0,
        *,
        feature_names: Iterable[Hashable] | None = None,
    ) -> Self:
        """Find out how often each edge is found again in a random half of the rows.

        From then on, and until more rows come, `edges_` has a column ``returns``: the share of
        halves, each tested as a table of its own at the model's error and level, that have the
        edge. Where rows remember, halves are made of blocks of rows that follow each other. With
        half the rows, edges that are real but weak return seldom; that an edge returns always does
        not prove it, where what makes it wrong is in both halves (docs/groups.md).

        What is done to rows and columns, how much less sure tests are than those of independent
        normal rows, and Hedge's weights come from all rows; correlations, neighbours and tests are
        those of the half. If it is interrupted, what was done until then is kept.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n_samples, n_features)
            The rows that the model has learned from, all of them and in their order: it has not
            kept them.
        times : int, default=100
            Number of halves; each second one is what another has left.
        seed : int, default=0
            Of the choice of halves. The same seed gives the same halves.
        feature_names : iterable of str, optional
            Names of the columns, where ``X`` has none and columns are ``given``.

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
        >>> graph = HedgeGraph().fit(walk).resample(walk, times=20)
        >>> graph.edges_.returns
        array([1., 1., 1.])
        """
        times = integer_at_least("times", times, 2)
        seed = integer_at_least("seed", seed, 0)
        graph = self._graph()
        self._refuse_resampling()
        ready, unknown = self._ready_rows(X, feature_names)
        _, memory = self._inflation().typical_parts()
        block = self._block(len(ready), memory)
        columns: list[Array] = []
        levels: list[float] = []
        try:
            for found in self._halves(ready, unknown, block, times, seed):
                columns.append(_q_values(graph, found, self.n_features_in_))
                asked = self._level_asked()
                levels.append(found.balanced_level() if asked is None else asked)
                report("resampling", len(columns) / times)
        finally:
            if columns:
                known = Resamples(np.stack(columns, axis=1), np.array(levels), block, times, seed)
                self._results = {**self._results, self._resamples_key(): known}
        return self

    @locked
    def resamples(self) -> Resamples | None:
        """Return what `resample` has found out; None if it was not asked."""
        known: Resamples | None = self._results.get(self._resamples_key())
        return known

    @locked
    def returns_up_to(self, level: float) -> Array | None:
        """Return how often edges up to a level are found again at the model's own level, if known.

        Parameters
        ----------
        level : float
        """
        known = self.resamples()
        if known is None:
            return None
        share: Array = (known.q_value <= known.level).mean(axis=1)
        return share[self._graph().q_value <= level]

    def _resamples_key(self) -> tuple[Any, ...]:
        return ("resamples", *self._graph_key(), self._level_asked())

    def _returns(self, level: float) -> Array | None:
        """Return the share of halves that have each edge up to a level, if that is known."""
        known = self.resamples()
        if known is None or level == self.level_:
            return self.returns_up_to(level)
        share: Array = (known.q_value <= level).mean(axis=1)
        return share[self._graph().q_value <= level]

    def resamples_in_words(self) -> list[str]:
        """Return in words how many edges were found again."""
        known, share = self.resamples(), self._returns(self.level_)
        if known is None or share is None:
            return []
        blocks = f", in blocks of {known.block}," if known.block > 1 else ""
        often = int((share >= OFTEN).sum())
        return [
            f"In at least {100 * OFTEN:.0f} % of {known.done:,} random halves of the rows{blocks} "
            f"{often:,} of {len(share):,} edges were found again (seed {known.seed})."
        ]

    def _refuse_resampling(self) -> None:
        if self._stream.half_life != NEVER:
            raise ValueError(
                f"resample needs rows that count the same, got half_life={self._stream.half_life:g}"
            )
        if not fills_gaps(self._stream.engine_name):
            raise ValueError(
                f"resample is for device='cpu' or 'numpy', got a model of "
                f"device={self._stream.engine_name!r}"
            )

    def _refuse_other_rows(self, n_rows: int) -> None:
        """Raise if there are not as many rows as the model has seen, or memory is too small."""
        seen, n_columns = self.n_samples_seen_, self.n_features_in_
        if n_rows != seen:
            raise ValueError(f"X must be the {seen:,} rows of the model, got {n_rows:,}")
        check_memory(3 * n_rows * n_columns * 8, n_columns, "to test halves of the rows")

    def _ready_rows(
        self, X: Any, feature_names: Iterable[Hashable] | None
    ) -> tuple[Array, Array | None]:
        """Return all rows as they were learned from, and what is not known of filled cells."""
        stream, ready = self._learned_again(X, feature_names)
        (known, _), (mine, _) = stream.known(), self._stream.known()
        scale = _SAME * np.abs(np.diag(mine.products)).max(initial=0.0)
        if not np.allclose(known.products, mine.products, rtol=_SAME, atol=scale):
            raise ValueError(
                "X must be the rows of the model in their order, got others: correlations differ"
            )
        raw = stream.raw_moments()
        unknown = known.products - raw.products
        return ready, unknown if unknown.any() else None

    def _block(self, n_rows: int, memory: float) -> int:
        block = block_length(n_rows, memory)
        most = max(n_rows // FEWEST_BLOCKS, 1)
        if block > most:
            warn(
                GuaranteeWarning,
                f"rows remember for so long that blocks of {block:,} would be right, of which "
                f"{n_rows:,} rows have too few; with blocks of {most:,}, returns are too high",
            )
        return min(block, most)

    def _halves(
        self, ready: Array, unknown: Array | None, block: int, times: int, seed: int
    ) -> Any:
        """Yield the graphs of halves, one after the other."""
        stream, inflation = self._stream, self._inflation()
        engine, evidence = stream.evidence(inflation)
        whole = stream.raw_moments()
        aside, apart = stream.rare(), stream.apart()
        number = 0
        for half in halves(len(ready), block, times, seed):
            for moments in both_moments(ready, whole, half)[: times - number]:
                share = moments.weight / whole.weight
                lacking = None if unknown is None else unknown * share
                known = with_unknown(moments, lacking)
                of_half = evidence._replace(moments=known)
                n_rows = moments.weight / inflation.per_effective
                with watching(lambda *_: None):  # of its stages; there are as many as halves
                    found = graph_of(
                        engine,
                        of_half,
                        n_rows,
                        *self._graph_key()[1:],
                        aside,
                        self._for_hubs(known),
                    )
                yield found.without_pairs(*apart)
                number += 1


def _q_values(graph: Graph, found: Graph, n_columns: int) -> Array:
    """Return the q-values that the edges of a graph have in another; infinite where there is none.

    Copies of columns are told by which column comes first, in both.
    """
    mine, others = (
        np.minimum(each.source, each.target) * n_columns + np.maximum(each.source, each.target)
        for each in (graph, found)
    )
    result = np.full(len(mine), np.inf)
    _, here, there = np.intersect1d(mine, others, return_indices=True)
    result[here] = found.q_value[there]
    return result
