"""The nodes of a strip learn from rows, as `numba_cpu` lets all nodes learn."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.layout import Strip
from hedgerow.engines.dask.sheet import sheet
from hedgerow.engines.numba_cpu.strips import (
    Rows,
    after,
    blocks,
    count,
    jobs_of,
    leave_errors,
    look_back,
    pieces_of,
    prepare,
    room_for,
    standard_of,
    team,
    weight_rows,
)
from hedgerow.method.engine import Array
from hedgerow.method.forgetting import NEVER
from hedgerow.method.hedge import HedgeState, share_of
from hedgerow.method.learned import Learned
from hedgerow.method.moments import Moments, init_columns
from hedgerow.method.residuals import LAGS, Residuals
from hedgerow.progress import report

Singles = NDArray[np.float32]

_NODES = 64  # whose weights are made at a time


class Taught(NamedTuple):
    """What all rows have taught a strip."""

    products: Array  # up to the last column of the strip
    weights: Singles  # (w, p)


class Totals(NamedTuple):
    """What is the same for all strips."""

    rows: int
    mean: Array
    weight: float
    squared_weight: float


class StripEngine:
    """The functions of an engine that a learner asks for, for the nodes of a strip.

    The prediction errors of rows that are learned from are kept, from the moment on that
    ``keeps`` is true: sums over them need those of all strips.
    """

    def __init__(self, strip: Strip) -> None:
        self.strip = strip
        self.keeps = False
        self.errors: list[Singles] = []
        self.ends: list[NDArray[np.intp]] = []
        self._learned = 0

    def init(self, n_columns: int, half_life: float = NEVER) -> Learned:
        """Return the state before the first row."""
        learner = HedgeState(
            columns=init_columns(n_columns),
            gradient=sheet(n_columns, n_columns, np.float32),
            curvature=np.zeros(n_columns),
            matched=np.ones(n_columns),
            squared=np.ones(n_columns),
            average=sheet(n_columns, n_columns, np.float32),
        )
        products = sheet(n_columns, n_columns, np.float64)
        return Learned(Moments(0, np.zeros(n_columns), products, 0.0, 0.0), learner, half_life)

    def learn(self, state: Learned, rows: Rows) -> Learned:
        """Return the state after more rows: whole batches."""
        pieces = list(pieces_of(state, rows))
        if not pieces:
            return state
        first, last = self.strip
        n_columns = rows.shape[1]
        longest = max(int(ends[-1]) - start for start, ends in pieces)
        room = room_for(pieces, n_columns)
        errors = np.empty((0, LAGS), dtype=np.float32)
        if self.keeps:
            errors = sheet(n_columns, LAGS + longest + 1, np.float32)
        with team() as run:
            for start, ends in pieces:
                chunk = prepare(state.half_life, rows, room, state.hedge.columns, start, ends)
                run(jobs_of(state, chunk, errors, self.strip))
                if self.keeps:
                    size = len(chunk.standard)
                    self.errors.append(errors[first:last, LAGS : LAGS + size].copy())
                    self.ends.append(chunk.ends + self._learned)
                    self._learned += size
                state = after(state, chunk)
                report("learning", int(ends[-1]) / len(rows))
        return state

    def count(self, state: Learned, rows: Rows) -> Learned:
        """Return the state with the rows of an unfinished batch in its moments."""
        return count(state, rows, self.strip)

    def residuals(self, state: Learned) -> Residuals | None:
        """Return sums over residuals of regressions; those of a strip alone are not enough."""
        return state.residuals

    look_back = staticmethod(look_back)

    def first_errors(self, state: Learned, rows: Rows) -> Singles:
        """Return what the weights of the strip's nodes leave of the first rows."""
        first, last = self.strip
        errors = sheet(rows.shape[1], len(rows), np.float32)
        leave_errors(state, standard_of(rows, state.half_life), errors, self.strip)
        return errors[first:last].copy()

    def handed_out(self) -> tuple[Singles, NDArray[np.intp]]:
        """Return the errors that were kept, after `LAGS` zeros, and where batches end."""
        first, last = self.strip
        before = np.zeros((last - first, LAGS), dtype=np.float32)
        ends = np.concatenate([np.empty(0, dtype=np.intp), *self.ends])
        return np.concatenate([before, *self.errors], axis=1), ends

    def taught(self, state: Learned) -> Taught:
        """Return what was learned, when all rows have been."""
        first, last = self.strip
        moments, learner, *_ = state
        share = np.float32(share_of(learner.columns.weight, moments.weight))
        weights = np.empty((last - first, len(moments.mean)), dtype=np.float32)
        with team() as run:
            run(
                partial(weight_rows, *some, share, learner, weights[some[0] - first :])
                for some in blocks(last, _NODES, first)
            )
        return Taught(moments.products[first:last, :last], weights)


def totals_of(state: Learned) -> Totals:
    """Return what is the same for all strips."""
    moments = state.moments
    return Totals(moments.rows, moments.mean, moments.weight, moments.squared_weight)


def packed(state: Learned, strip: Strip) -> Learned:
    """Return the state of a strip without the sheets around it, in memory of its own."""
    first, last = strip
    moments, learner, *_ = state
    learner = learner._replace(
        gradient=learner.gradient[first:last].copy(), average=learner.average[first:last].copy()
    )
    products = moments.products[first:last, :last].copy()
    return state._replace(moments=moments._replace(products=products), hedge=learner)


def unpacked(state: Learned, strip: Strip) -> Learned:
    """Return what `packed` was given, in memory of its own."""
    first, last = strip
    moments, learner, *_ = state
    fresh = StripEngine(strip).init(len(moments.mean), state.half_life)
    fresh.hedge.gradient[first:last] = learner.gradient
    fresh.hedge.average[first:last] = learner.average
    fresh.moments.products[first:last, :last] = moments.products
    own = {name: getattr(learner, name).copy() for name in ("curvature", "matched", "squared")}
    learner = fresh.hedge._replace(columns=learner.columns, **own)
    products = fresh.moments.products
    moments = moments._replace(products=products, mean=moments.mean.copy())
    return state._replace(moments=moments, hedge=learner)
