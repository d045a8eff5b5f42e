"""HedgeGraph on a cluster: which tasks there are, in which order, and what comes back.

Back come what single columns are like, sums over residuals and, in the end, edges. Rows, and
numbers for each pair of columns, stay with the workers; of few columns, correlations come too, for
intervals and hubs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask import sums as sums_of
from hedgerow.engines.dask.cluster import Cluster, Future, alone, cluster_of
from hedgerow.engines.dask.evidence import Evidence, evidence_of
from hedgerow.engines.dask.exchange import fields, part
from hedgerow.engines.dask.learning import Taught, Totals
from hedgerow.engines.dask.room import Division, division_of, workers_of
from hedgerow.estimators import _cluster_stream as tasks
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.estimators._filled_rows import FilledRows
from hedgerow.estimators._given import Cells
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._known import Known
from hedgerow.estimators._learner import CORRELATIONS_AT_HAND
from hedgerow.estimators._treated_rows import TreatedRows
from hedgerow.estimators.partitions import Checked, Source, check_partition
from hedgerow.method.drift import Level
from hedgerow.method.forgetting import NEVER
from hedgerow.method.inflation import Inflation
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.moments import Moments
from hedgerow.method.residuals import Residuals
from hedgerow.method.row_sizes import RowSizes
from hedgerow.method.steps import Curves

Array = NDArray[np.float64]
_STAYED = "of a graph learned on a cluster, sums for pairs of columns stay there until fit returns"


class ClusterStream(HedgeStream):
    """What is known here of rows that a cluster has learned from."""

    def __init__(
        self,
        assumptions: Assumptions,
        treated: TreatedRows | None,
        filled: FilledRows,
        sizes: RowSizes,
        level: Level | None,
        learner: Any,
    ) -> None:
        self.engine_name = "dask"
        self.half_life = NEVER
        self.assumptions, self.held = assumptions, None
        self.treated, self.filled, self.sizes, self.level = treated, filled, sizes, level
        self.learner = learner
        self.fresh = None  # rows are learned from as they are
        self._trial = Known(learner, filled, sizes, level, None)
        self._behind = None  # columns are continuous

    @property
    def rows(self) -> int:
        """Number of rows learned from."""
        return int(self.learner.rows)

    def known(self) -> tuple[Moments, Curves | None]:
        """Return the moments that tests are made from, of few columns; raise for more."""
        learner: Any = self.learner
        return super().known() if learner.small is None else (learner.small, None)

    def take(self, rows: NDArray[np.floating], cells: Cells | None = None) -> NoReturn:
        """Raise: rows can be added on one machine only."""
        raise RuntimeError(f"{_STAYED}, so no rows can be added; fit all rows at once")

    def arrays(self) -> NoReturn:
        """Raise: there is nothing to go on from."""
        raise RuntimeError(f"{_STAYED}, so the model cannot be saved; save its edges_")


class OnCluster:
    """Stands for a learner whose state is on a cluster."""

    def __init__(
        self,
        totals: Totals,
        residuals: Residuals | None,
        cluster: Cluster,
        division: Division,
        taught: list[Taught],
    ) -> None:
        self.totals = totals
        self.rows = totals.rows
        self.sample = None  # rows stay there as well
        self.n_columns = len(totals.mean)
        self._residuals = residuals
        self._there: tuple[Cluster, Division, list[Taught]] | None = cluster, division, taught
        self.small: Moments | None = None  # of few columns, what intervals need

    @property
    def has_moments(self) -> bool:
        """Whether correlations are here, to be asked for."""
        return self.small is not None

    def mean(self) -> Array:
        """Return the mean of each column."""
        return self.totals.mean

    def residuals(self) -> Residuals | None:
        """Return sums over residuals."""
        return self._residuals

    def moments(self) -> NoReturn:
        """Raise: they would not fit here."""
        raise RuntimeError(f"{_STAYED}; there is no precision_, covariance_ or score afterwards")

    def evidence(self, inflation: Inflation, unknown: None) -> Evidence:
        """Return what all rows say, as promises; once."""
        if self._there is None:
            raise RuntimeError(f"{_STAYED}; for another kind of error rate, fit again")
        cluster, division, taught = self._there
        self._there = None  # so that what was taught can go as soon as it is taken up
        evidence = evidence_of(cluster, division.layout, taught, self.totals, inflation)
        if self.n_columns <= CORRELATIONS_AT_HAND:
            products = np.concatenate(cluster.answers(evidence.products))
            weights = evidence.weight, evidence.squared_weight
            self.small = Moments(self.rows, evidence.mean, products, *weights)
        return evidence


@contextmanager
def learned_on_cluster(source: Source, assumptions: Assumptions) -> Iterator[ClusterStream]:
    """Yield what the active client's cluster has learned; it is asked for edges inside."""
    with cluster_of(_client()) as cluster:
        workers = workers_of(cluster.client)
        if not workers.number:
            raise ConnectionError(
                "a cluster with workers is needed, and this one has none now; "
                "client.wait_for_workers(1) waits until it has"
            )
        division = division_of(workers, source.n_columns, source.block)
        yield _learn(cluster, source, assumptions, division)


def _client() -> Any:
    from distributed import get_client

    try:
        client = get_client()
    except ValueError as error:
        raise ConnectionError(
            "a cluster is needed, and no client of one is open; client = distributed.Client() "
            "starts one on this machine, distributed.Client('tcp://host:8786') joins another"
        ) from error
    if client.status != "running":
        raise ConnectionError(f"the client of the cluster must be running, it is {client.status}")
    return client


def _learn(
    cluster: Cluster, source: Source, assumptions: Assumptions, division: Division
) -> ClusterStream:
    number = len(source.partitions)
    rows = cluster.given("where rows are", source)
    checked = [
        cluster.task(f"check partition {k + 1} of {number}", check_partition, rows, k)
        for k in range(number)
    ]
    known: list[Checked] = cluster.answers(checked, "checking")
    total = sum(one.rows for one in known)
    if total < 2:
        raise ValueError(f"X must have at least two rows, got {total}")
    of_rows = (rows, cluster.given("sizes of partitions", known))
    told = cluster.given("what is known", assumptions)
    first = cluster.task("look at the first rows", alone, tasks.look_first, *of_rows, told)
    cluster.wait([first])

    begin = 0 if assumptions.complete else min(FIRST_ROWS, total)
    starts = list(range(begin, total, division.rows)) or [begin]
    ends = [*starts[1:], total]
    parts = _learned_strips(cluster, division, (*of_rows, told), first, list(zip(starts, ends)))
    residuals = None
    if not assumptions.complete:
        residuals = _residuals(cluster, division, first, parts)
    taught = [one.taught for one in parts[-1]]
    totals, treated, filled, level = cluster.answer(parts[-1][0].told)
    sizes = cluster.answer(cluster.task("sizes of rows", part, first, "sizes"))
    del parts
    learner = OnCluster(totals, residuals, cluster, division, taught)
    return ClusterStream(assumptions, treated, filled, sizes, level, learner)


def _learned_strips(
    cluster: Cluster,
    division: Division,
    source: tuple[Future, ...],
    first: Future,
    spans: list[tuple[int, int]],
) -> list[list[Any]]:
    """Return promises of the fields of what strips return, for each span of rows.

    They are taken apart as soon as they are there, and the whole can go.
    """
    strips = division.layout.strips
    number = len(strips)
    held: list[Future | None] = [None] * number
    learned: list[Future] = []
    parts: list[list[Any]] = []
    for m, span in enumerate(spans):
        last = m == len(spans) - 1
        after = f", rows {span[0]} to {span[1]}" if len(spans) > 1 else ""
        row = []
        # The last strips have the longest rows of products: begun first, they keep nobody waiting.
        for k in reversed(range(number)):
            name = f"learn strip {k + 1} of {number}{after}"
            row.append(
                cluster.task(
                    name, tasks.learn_strip, *source, first, held[k], strips[k], span, last
                )
            )
        row.reverse()
        learned += row
        parts.append([_fields(cluster, k, one, m == 0, last) for k, one in enumerate(row)])
        held = [one.held for one in parts[-1]]
    cluster.wait(learned, "learning")
    return parts


def _fields(cluster: Cluster, strip: int, learned: Future, first: bool, last: bool) -> Any:
    """Return promises of those fields of what a strip returned that are there."""

    def field(name: str, attribute: str) -> Future:
        return cluster.task(name, part, learned, attribute)

    return tasks.Part(
        held=None if last else field("where strips are", "held"),
        taught=fields(cluster, strip, learned) if last else None,
        told=field("what all strips learned", "told") if last and not strip else None,
        first_errors=field("errors in the first rows", "first_errors") if first else None,
        errors=field("errors of strips", "errors"),
        ends=field("ends of batches", "ends"),
    )


def _residuals(
    cluster: Cluster, division: Division, first: Future, parts: list[list[Any]]
) -> Residuals:
    """Return sums over what predictions left of all rows."""
    strips = division.layout.strips
    sums = cluster.answer(cluster.task("sums over the first rows", part, first, "sums"))
    if sums is None:
        left = [one.first_errors for one in parts[0]]
        whole = cluster.task("sums over the first rows", sums_of.first_sums, left)
    else:
        whole = cluster.given("sums over the first rows", sums)
    own = [cluster.task("sums of strips", sums_of.strip_of, whole, strip) for strip in strips]
    for row in parts:
        sizes = None
        for one, strip in zip(row, strips):
            known = one.errors, whole, strip
            sizes = cluster.task("sizes of rows", sums_of.with_sizes, sizes, *known)
        own = [
            cluster.task("sums of strips", sums_of.with_errors, before, one.errors, one.ends, sizes)
            for before, one in zip(own, row)
        ]
    return sums_of.joined(cluster.answers(own))
