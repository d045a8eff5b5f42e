"""Rows in, moments and evidence out, the same however the rows are cut into chunks."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow import engines
from hedgerow.base.blas import one_thread_if_few
from hedgerow.engines import Engine, Named
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.estimators._clear import ClearNeighbours
from hedgerow.estimators._filled_rows import FilledRows
from hedgerow.estimators._fresh_rows import FreshRows, Told, told_by_those_before
from hedgerow.estimators._given import Cells, GivenColumns
from hedgerow.estimators._known import Known
from hedgerow.estimators._learner import Learner
from hedgerow.estimators._treated_rows import TreatedRows
from hedgerow.estimators._warnings import MOST_MISSING
from hedgerow.method import numpy_ref
from hedgerow.method.alike import adrift, steps_alike
from hedgerow.method.drift import (
    MOSTLY_SLOW,
    MUCH_SLOW,
    Level,
    first_contrasts,
    first_steps,
    slow_shares,
)
from hedgerow.method.first_look import unexplained
from hedgerow.method.forecasts import WORTH_IT, whitened
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.graph import COPY
from hedgerow.method.histograms import Bars, Histogram
from hedgerow.method.inflation import Inflation, alike, no_inflation, swinging_only, without_tails
from hedgerow.method.kinds import AS_IS, CONTINUOUS, YES_NO
from hedgerow.method.latent import latent_of
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.marginals import FIRST_ROWS, LEAST_WEIGHT
from hedgerow.method.moments import Moments, correlation, varies, with_unknown
from hedgerow.method.row_sample import RowSample, no_rows
from hedgerow.method.row_sizes import RowSizes, divided, first_sizes, no_sizes
from hedgerow.method.steps import Curves
from hedgerow.method.untenable import untenable
from hedgerow.progress import part_of_a_stage

Array = NDArray[np.float64]


_MANY_SLOW = 0.25  # of columns: among many, memory that is no drift makes a few look slow


class WithoutLevel(NamedTuple):
    """The first rows as they are learned from, and what was found on the way."""

    rows: Array
    level: Level | None
    coefficients: csr_array | None  # of columns on their clear neighbours
    told: Told | None


class Behind(NamedTuple):
    """Scores as functions of what lies behind columns; None if that is the columns themselves."""

    curves: Curves | None
    by_scores: NDArray[np.bool_]  # columns behind which nothing can lie, taken by their scores

    def without(self, columns: NDArray[np.bool_]) -> "Behind":
        """Return the same if nothing lies behind some more columns."""
        curves = None if self.curves is None else self.curves.straightened(columns)
        if curves is not None and not (curves.noise > 0.0).any():
            curves = None
        return Behind(curves, self.by_scores | columns)


class HedgeStream:
    """Treats rows and learns from them.

    The first rows are not learned before there are enough of them to treat (`TreatedRows`); who
    asks earlier gets what those that are there would give.
    """

    def __init__(
        self,
        n_columns: int,
        engine: str,
        assumptions: Assumptions,
        half_life: float = NEVER,
        held: GivenColumns | None = None,
        keeps: bool = False,
    ) -> None:
        self.engine_name = engine
        self.half_life = half_life
        self.assumptions = assumptions
        self.treated: TreatedRows | None = None
        if not assumptions.complete:
            fills = engines.fills_gaps(engine)
            self.treated = TreatedRows(assumptions, half_life, slips=fills)
        self.hold(held)
        self.filled = FilledRows(n_columns, half_life)
        self.clear = ClearNeighbours(engine, assumptions.independent, half_life)
        self.learner = Learner(n_columns, engine, half_life)
        self.learner.sample = no_rows(n_columns) if keeps else None
        self.sizes = no_sizes(n_columns)
        self.level: Level | None = None
        self.fresh: FreshRows | None = None
        self._trial: Known | None = None
        self._behind: Behind | None = None

    def hold(self, held: GivenColumns | None) -> None:
        """Hold columns fixed: what they leave of others was not measured, and has no codes."""
        self.held = held
        if self.treated is not None:
            self.treated.measured = held is None

    @property
    def engine(self) -> Engine:
        """The module that computes."""
        return engines.load(self.engine_name)

    @property
    def rows(self) -> int:
        """Number of rows taken, without those that holding columns fixed has cost."""
        waiting = 0 if self.treated is None else len(self.treated.waiting)
        return self.learner.rows + waiting

    @property
    def seen(self) -> int:
        """Number of rows taken."""
        return self.rows if self.held is None else self.held.rows

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.learner.n_columns

    def take(self, rows: NDArray[np.floating], cells: Cells | None = None) -> None:
        """Take the next rows, and the ``cells`` of given columns beside them."""
        self._trial = self._behind = None
        if self.held is not None and cells is not None:
            normal = self.assumptions.normal
            rows = self.held.take(self.engine, rows, cells, self.half_life, normal=normal)
        if self.treated is None:
            self.learner.take(rows)
            return
        total = len(self.treated.waiting) + len(rows)
        done = 0
        for treated in self.treated.take(self.engine, rows):
            if self.learner.rows:
                pieces = self.filled.later(self.engine, treated, self._about_level)
                for filled, there in pieces:
                    with part_of_a_stage(done / total, (done + len(filled)) / total):
                        ready = self._without_level(self._divided(filled, there))
                        self.learner.take(ready)
                        if self.fresh is not None:
                            self.fresh.take(ready)
                    done += len(filled)
            else:
                with part_of_a_stage(0.0, len(treated) / total):
                    known = self._begin(self.learner, self.filled, treated)
                    self.sizes, self.level, self.fresh = known[2:]
                done = len(treated)

    def _begin(self, learner: Learner, filled: FilledRows, treated: Array) -> Known:
        """Learn from the first rows; return what is known after them."""
        with one_thread_if_few(self.n_columns):
            rows, sizes = self._ready(filled, treated)
            # Before the learner has learned, its arrays take no room.
            rows, level, coefficients, told = self._without_first_level(rows, filled)
            learner.take(rows)
            learner.look_back(rows, coefficients)
            if told is None:
                return Known(learner, filled, sizes, level, None)
            second = Learner(self.n_columns, self.engine_name, self.half_life)
            second.taken = None if learner.taken is None else []
            return Known(learner, filled, sizes, level, FreshRows.begin(second, told))

    def _ready(self, filled: FilledRows, treated: Array) -> tuple[Array, RowSizes]:
        """Return the first rows without gaps and of one size, and what they say about sizes."""
        assert self.treated is not None
        fills = engines.fills_gaps(self.engine_name)
        judged = self.treated.judged if fills else np.zeros_like(self.treated.judged)
        # What is left of a season is no score of ranks any more.
        ranked = judged & (self.treated.settled(self.engine).season.period == 1)
        rows, there = filled.first(self.engine, treated, judged, ranked)
        # Scores of steps are few, and must stay what they are.
        if self.assumptions.normal or not (self.kinds() == CONTINUOUS).all():
            return rows, no_sizes(self.n_columns)
        return first_sizes(rows, there)

    def _without_first_level(self, rows: Array, filled: FilledRows) -> WithoutLevel:
        """Return the first rows as they are learned from; who ``filled`` them is told of walks.

        Levels come after sizes, or they would follow large rows.
        """
        if not self._may_drift():
            return WithoutLevel(rows, None, self.clear.of(rows), None)
        contrasts, level = first_contrasts(rows, self.engine.without_level)
        filled.leave_alone(slow_shares(level, len(rows)) > MOSTLY_SLOW)
        if not self._loses_level():
            return WithoutLevel(rows, level, self.clear.of(rows), None)
        memory = self.clear.memories(contrasts)
        coefficients = self.clear.of(contrasts, memory)
        if memory is None or coefficients is None:
            return WithoutLevel(contrasts, level, coefficients, None)
        told = None
        if not (drifts := self._adrift(contrasts, memory, coefficients)):
            told = self._told(contrasts, memory)
            many = np.mean(slow_shares(level, len(rows)) > MUCH_SLOW) > _MANY_SLOW
            drifts = told is None and bool(many)
        if drifts:
            steps, level_after = first_steps(rows, level)
            relations = self.clear.of(steps)
            if relations is not None and steps_alike(unexplained(steps, relations)):
                return WithoutLevel(steps, level_after, relations, None)
            told = self._told(contrasts, memory)
        return WithoutLevel(contrasts, level, coefficients, told)

    def _adrift(self, rows: Array, memory: Array, coefficients: csr_array) -> bool:
        """Return whether something lasts in rows that is not the memory of all columns."""
        if float(np.median(memory)) > WORTH_IT:
            rows = whitened(rows)
            if (found := self.clear.of(rows)) is None:
                return False
            coefficients = found
        return adrift(unexplained(rows, coefficients))

    def _told(self, rows: Array, memory: Array) -> Told | None:
        """Return what is new in the first rows, if that is worth while, and keeps the graph."""
        assert self.treated is not None
        once = self.treated.settled(self.engine).repeated == 1.0
        if not once or float(np.median(memory)) <= WORTH_IT:
            return None
        return told_by_those_before(rows, self.clear.of)

    def _may_drift(self) -> bool:
        """Return whether levels are looked at: not of walks that scores have bent."""
        assert self.treated is not None
        settled = self.treated.settled(self.engine)
        steady = 2 * settled.wanders.sum() <= self.n_columns or settled.as_is.all()
        return not self.assumptions.independent and bool(steady)

    def _loses_level(self) -> bool:
        """Return whether levels are taken out as well: scores of steps must stay what they are."""
        return bool(np.isin(self.kinds(), (AS_IS, CONTINUOUS)).all())

    def _without_level(self, rows: Array) -> Array:
        if self.level is None:
            return rows
        contrasts, self.level = self.engine.without_level(rows, self.level)
        return contrasts if self._loses_level() else rows

    def _about_level(self) -> Moments:
        """Return the moments of rows about the level that they have now."""
        moments = self.learner.moments()
        if self.level is None or not self._loses_level():
            return moments
        return moments._replace(mean=self.level.mean)

    def _divided(self, rows: Array, there: NDArray[np.bool_] | None) -> Array:
        if not self.sizes.divides:
            return rows
        return divided(rows, self.engine.row_factors(rows, self.sizes), self.sizes, there)

    def record(self, rows: NDArray[np.floating], cells: Cells | None) -> Array:
        """Take all rows there are; return them as they were learned from."""
        self.learner.taken = []
        self.take(rows, cells)
        learner = self.asked().teller()
        assert learner.taken is not None
        ready, learner.taken = np.concatenate(learner.taken), None
        return ready

    def raw_moments(self) -> Moments:
        """Return the moments of rows as they were learned from, filled cells taken as known."""
        return self.asked().teller().moments()

    def sample(self) -> RowSample | None:
        """Return some of the rows as they were learned from; None if none are kept."""
        kept: RowSample | None = self.asked().learner.sample
        return kept

    def forget_sample(self) -> None:
        """Keep no rows from now on."""
        self.learner.sample = self._trial = None

    def mean(self) -> Array:
        """Return the mean of each column."""
        if self.held is not None:
            return self.held.mean()
        return self.learner.mean() if self.treated is None else self.treated.columns().mean

    def moments(self) -> Moments:
        """Return the moments of all rows so far, their correlations being those of scores."""
        moments = self.asked().moments()
        if self.treated is None:
            return moments
        columns, curves = self.treated.columns(), self.behind().curves
        if curves is not None:
            moments = moments._replace(products=latent_of(correlation(moments), curves).corr)
        squares = np.diag(moments.products)
        wanted = columns.squares * (moments.weight / np.maximum(columns.weight, LEAST_WEIGHT))
        factor = np.sqrt(np.divide(wanted, squares, out=np.zeros_like(squares), where=squares > 0))
        products = moments.products * factor * factor[:, None]
        return moments._replace(mean=self.mean(), products=products)

    def inflation(self) -> Inflation:
        """Return how much less sure tests are than those of independent normal rows."""
        return self._inflation_of(self.asked().teller())

    def _inflation_of(self, learner: Learner) -> Inflation:
        _, filled, sizes, *_ = self.asked()
        sums = learner.residuals()
        if sums is None:
            return no_inflation(self.n_columns)
        assert self.treated is not None
        _, normal, independent, _ = self.assumptions
        n_rows = effective_rows(self.rows, self.half_life)
        settled = self.treated.settled(self.engine)
        found = self.engine.inflation_of(
            sums, n_rows, tails=not normal, memory=not independent, divided=sizes.cost
        )
        found = swinging_only(found, settled.kinds == CONTINUOUS)
        if (answers := settled.kinds == YES_NO).any():
            found = without_tails(found, answers)
        left = max(n_rows - settled.season.period + 1, 1.0)  # each phase has a mean of its own
        # Rows that repeat one of the last few are told by memory already; if that is most of it, it
        # is the same for all pairs.
        repeated, apart = self.treated.times(self.engine)
        _, memory = found.typical_parts()
        if 2.0 * (repeated / apart - 1.0) > memory - 1.0 > 0.0:
            found = alike(found)
        # A pair is there in as many rows as both its cells are, if they are missing independently.
        share = np.maximum(filled.share(), 1.0 / n_rows)
        typical = float(np.median(share))
        common = max(apart * found.common, repeated / memory) * n_rows / left / typical**2
        return found._replace(tails=found.tails * (typical / share), common=common)

    def memory(self, inflation: Inflation) -> float:
        """Return the typical factor for memory of rows as they are."""
        known = self.asked()
        told = known.forecast() is None
        as_they_are = inflation if told else self._inflation_of(known.learner)
        return as_they_are.typical_parts()[1]

    def determined(self) -> NDArray[np.bool_]:
        """Return which columns took part in an exact linear relation before they were scored."""
        if self.treated is None:
            return np.zeros(self.n_columns, dtype=np.bool_)
        return self.treated.settled(self.engine).determined

    def apart(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of columns that were hardly ever there together: nothing relates them."""
        return self.asked().filled.apart(MIN_ROWS)

    def rare(self) -> NDArray[np.bool_]:
        """Return which columns are there too rarely to be learned from."""
        filled = self.asked().filled
        result: NDArray[np.bool_] = filled.weight - filled.there > MOST_MISSING * filled.weight
        return result

    def histograms(self) -> list[Histogram]:
        """Return a histogram of each column in the units it came in; none if none was counted."""
        return [] if self.treated is None else self.treated.histograms()

    def bars(self) -> list[Bars | None]:
        """Return how often each value of a column comes, where it has a few."""
        return [] if self.treated is None else self.treated.bars(self.engine)

    def kinds(self) -> NDArray[np.str_]:
        """Return the kind of each column."""
        as_is = self.assumptions.as_is
        found = CONTINUOUS if self.treated is None else self.treated.settled(self.engine).kinds
        return np.where(as_is, AS_IS, found)

    def evidence(self, inflation: Inflation) -> tuple[Engine, Any]:
        """Return what all rows taken so far say, and the engine that can read it.

        What lies behind columns of steps is tested by the readable one, helped by this one.
        """
        known = self.asked()
        learner, unknown = known.teller(), known.unknown()
        evidence = learner.evidence(inflation, unknown)
        curves = self.behind().curves
        if curves is None:
            return self.engine, evidence
        weights = self.engine.weights(evidence).astype(np.float64)
        moments, who = with_unknown(learner.moments(), unknown), self.engine.behind
        return numpy_ref, numpy_ref.Evidence(moments, weights, inflation, curves, who)

    def known(self) -> tuple[Moments, Curves | None]:
        """Return the moments that tests are made from, and what lies behind columns if not they."""
        return self.asked().moments(), self.behind().curves

    def behind(self) -> Behind:
        """Return what lies behind columns, and behind which nothing can."""
        if self._behind is None:
            self._behind = self._what_lies_behind()
        return self._behind

    def _what_lies_behind(self) -> Behind:
        nowhere = np.zeros(self.n_columns, dtype=np.bool_)
        curves = None if self.treated is None else self.treated.curves(self.engine)
        if curves is None:
            return Behind(None, nowhere)
        moments, corr = self.asked().moments(), correlation(self.asked().moments())
        repeats = (np.abs(np.triu(corr, 1)) > COPY).any(axis=0)
        some = np.flatnonzero(varies(moments) & ~repeats & ~self.rare())
        n_rows = max(moments.effective_rows / self.inflation().per_effective, MIN_ROWS)
        asked = corr[np.ix_(some, some)], curves.part(some), n_rows, self.engine.behind
        nowhere[some] = untenable(*asked)
        return Behind(curves, nowhere).without(nowhere)

    def goes_on_from(self, earlier: "HedgeStream") -> bool:
        """Return whether this is the other after more rows, and sums of those are to be had.

        First rows decide so much that no others decide the same.
        """
        if self.half_life != NEVER or not 0 < earlier.rows < self.rows:
            return False
        if self.n_columns != earlier.n_columns:
            return False
        if self.treated is None or earlier.treated is None:
            return self.treated is earlier.treated
        mine, theirs = self.treated.marginals, earlier.treated.marginals
        same = mine is not None and theirs is not None and np.array_equal(mine.knots, theirs.knots)
        now, then = self.asked().forecast(), earlier.asked().forecast()
        same = same and (now is None) == (then is None)
        return same and self.treated.curves(self.engine) is None

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        named = self.learner.arrays()
        if self.treated is None:
            return named
        named |= self.treated.arrays()
        if self.learner.rows:
            named |= {f"size_{name}": np.array(x) for name, x in self.sizes._asdict().items()}
            named |= self.filled.arrays()
            if self.level is not None:
                named |= {f"level_{name}": np.array(x) for name, x in self.level._asdict().items()}
            if self.fresh is not None:
                named |= self.fresh.arrays()
        return named

    @classmethod
    def from_arrays(cls, arrays: Named, engine: str, assumptions: Assumptions) -> Self:
        """Return the stream whose `arrays` these are."""
        half_life = float(arrays.get("half_life", NEVER))
        stream = cls(arrays["pending"].shape[1], engine, assumptions, half_life)
        looked_back = 0 if assumptions.complete else FIRST_ROWS
        learner = Learner.from_arrays(arrays, engine, looked_back, stream.clear.of)
        stream.learner = learner
        slips = engines.fills_gaps(engine)
        known = arrays, assumptions, learner.half_life
        stream.treated = TreatedRows.from_arrays(*known, slips=slips)
        stream.filled = FilledRows.from_arrays(arrays, learner.n_columns, learner.half_life)
        if "level_mean" in arrays:
            mean, amounts, start, total, left = (
                np.array(arrays[f"level_{name}"]) for name in Level._fields[:5]
            )
            before = np.array(arrays.get("level_before", np.empty(0)))
            stream.level = Level(mean, float(amounts), start, total, left, before)
        stream.fresh = FreshRows.from_arrays(arrays, engine, looked_back, stream.clear.of)
        if "size_trust" in arrays:
            columns, centre, shape, typical, trust, votes = (
                np.array(arrays[f"size_{name}"]) for name in RowSizes._fields
            )
            stream.sizes = RowSizes(
                columns, centre, shape, float(typical), float(trust), float(votes)
            )
        return stream

    def asked(self) -> Known:
        """Return who has learned from all rows: of the first ones, somebody who is then forgotten.

        Once rows are handed on, it is the learner itself.
        """
        if self.treated is None or self.treated.marginals is not None:
            return Known(self.learner, self.filled, self.sizes, self.level, self.fresh)
        if self._trial is None:
            rows, _ = self.treated.first_attempt(self.engine)
            learner = Learner(self.n_columns, self.engine_name, self.half_life)
            learner.sample = self.learner.sample
            learner.taken = None if self.learner.taken is None else []
            filled = FilledRows(self.n_columns, self.half_life)
            self._trial = self._begin(learner, filled, rows)
        return self._trial
