"""Rows as they come to rows that the learner can take: waiting, scored, without a season."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.blas import one_thread_if_few
from hedgerow.engines import Engine, Named
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.estimators._filled_rows import MOST_JUDGED
from hedgerow.estimators._settled import (
    Settled,
    are_settled,
    arrays_of,
    marginals_of,
    settled_of,
)
from hedgerow.estimators._warnings import MOST_MISSING
from hedgerow.method.blanks import blank_shares
from hedgerow.method.bursts import NONE as NO_BURSTS
from hedgerow.method.bursts import bursts_of
from hedgerow.method.carried import carried_shares
from hedgerow.method.depth import depth_spread
from hedgerow.method.determined import determined_columns, shares_of_total
from hedgerow.method.directions import about_means
from hedgerow.method.drift import first_contrasts
from hedgerow.method.first_look import clear_neighbours, unexplained
from hedgerow.method.forecasts import remembers, whitened
from hedgerow.method.forgetting import NEVER, row_weights
from hedgerow.method.histograms import (
    Bars,
    Histogram,
    bars_of_counts,
    bars_of_values,
    histogram_of_values,
    histograms_of_counts,
)
from hedgerow.method.interpolated import interpolated_shares
from hedgerow.method.kin import NONE as NO_KIN
from hedgerow.method.kin import kin_of
from hedgerow.method.kinds import (
    CONTINUOUS,
    STEPS,
    YES_NO,
    ZEROS,
    Kinds,
    are_fine,
    curves_of,
    kinds_of,
)
from hedgerow.method.marginals import (
    FIRST_ROWS,
    Marginals,
    Seen,
    flat,
    look_normal,
    next_refresh,
    outside,
    outside_of,
    seen_columns,
    straightness,
    straightness_of,
)
from hedgerow.method.nested import NONE as NOT_NESTED
from hedgerow.method.nested import nested_in
from hedgerow.method.ordered import Ordered, in_order, those
from hedgerow.method.paces import paces_of
from hedgerow.method.placeholders import (
    Placeholders,
    first_placeholders,
    no_placeholders,
    without_placeholders,
)
from hedgerow.method.populations import ONE, populations
from hedgerow.method.repeats import Repeats, first_repeats, mean_times, no_repeats, with_rows
from hedgerow.method.restless import restless_of
from hedgerow.method.returning import NONE as NONE_RETURN
from hedgerow.method.returning import returning
from hedgerow.method.seasons import (
    first_season,
    no_season,
    period_of,
    varying,
    wandering,
    without_season,
)
from hedgerow.method.slips import Slips, first_slips, no_slips, without_slips
from hedgerow.method.steps import Curves
from hedgerow.method.stuck import Runs, continued, no_runs
from hedgerow.method.twins import NONE as NO_TWINS
from hedgerow.method.twins import twins_of

Array = NDArray[np.float64]

_AT_ONCE = 1024  # rows that are handed on at a time, or more if columns are few: ...
_CELLS_AT_ONCE = 1 << 19  # ... cells that stay in caches, as each of them is read many times
_LEAST_ROOM = 32
_WAITING = "waiting"


class Looked(NamedTuple):
    """The first rows without slips and placeholders, and what their columns are."""

    first: Ordered
    as_is: NDArray[np.bool_]
    kinds: Kinds
    slips: Slips
    placeholders: Placeholders


class TreatedRows:
    """Turns rows into scores of ranks, the same however they are cut into chunks.

    The first rows wait until all of them are there (`marginals`). A season that they show is taken
    out of all rows (`seasons`). Slips and placeholders count as missing where gaps will be filled
    in.
    """

    def __init__(self, assumptions: Assumptions, half_life: float, *, slips: bool) -> None:
        self.assumptions = assumptions
        self.half_life = half_life
        self.looks_for_slips = slips
        self.measured = True  # rather than what is left of what was
        self.marginals: Marginals | None = None
        self._settled: Settled | None = None
        self.judged = np.zeros_like(assumptions.as_is)  # columns in which a cell may be far off
        self._looked: Looked | None = None
        self._attempt: tuple[Array, Settled] | None = None
        self._straight: tuple[Marginals, Array] | None = None  # of these, asked several times
        self._room = np.empty((0, len(assumptions.as_is)))
        self._waiting = 0

    @property
    def waiting(self) -> Array:
        """The first rows, as they came, while they are too few."""
        return self._room[: self._waiting]

    def settled(self, engine: Engine) -> Settled:
        """Return what the first rows decide; or would, if no others came."""
        return self.first_attempt(engine)[1] if self._settled is None else self._settled

    def take(self, engine: Engine, rows: NDArray[np.floating]) -> Iterator[Array]:
        """Take rows; yield treated ones, in the order they came, the first `FIRST_ROWS` at once."""
        if self._settled is None:
            taken = min(len(rows), FIRST_ROWS - self._waiting)
            self._keep(rows[:taken])
            rows = rows[taken:]
            if self._waiting < FIRST_ROWS:
                return
            yield self._treat_first(engine)
        size = max(_AT_ONCE, _CELLS_AT_ONCE // rows.shape[1])
        for start in range(0, len(rows), size):
            yield from self._treat_later(engine, rows[start : start + size])

    def first_attempt(self, engine: Engine) -> tuple[Array, Settled]:
        """Return what the rows that wait become if no others come, and what they decide then."""
        if self._attempt is None:
            with one_thread_if_few(len(self.judged)):
                self._attempt = self._settle(engine, self._look(engine.in_order))
        return self._attempt

    def _look(self, sorted_by: Callable[[Array], Ordered] = in_order) -> Looked:
        """Return the rows that wait, with what their columns are.

        ``sorted_by`` is `in_order`, or what does the same.
        """
        if self._looked is None:
            self._looked = self._looked_at(self._without_late(self.waiting, sorted_by))
        return self._looked

    def _looked_at(self, first: Ordered) -> Looked:
        as_is = self.assumptions.as_is | flat(first.rows)
        kinds = self._kinds(first, as_is)
        slips, placeholders = no_slips(len(as_is)), no_placeholders(len(as_is))
        if self.looks_for_slips and not self.assumptions.normal:
            # A code looks like many zeros, or whatever it is.
            kinds_or_codes = np.where(kinds == ZEROS, CONTINUOUS, kinds)
            judged = self._may_be_off(first, kinds_or_codes) & ~as_is
            first, slips = first_slips(first, judged, ~as_is)
            untold = np.isin(self.assumptions.told, ("", CONTINUOUS)) & ~as_is
            first, placeholders = first_placeholders(first, untold & self.measured)
            coded = np.isfinite(slips.codes).any() or np.isfinite(slips.limits).any()
            if coded or placeholders.found.any():
                kinds = self._kinds(first, as_is)
        return Looked(first, as_is, kinds, slips, placeholders)

    def _may_be_off(self, first: Ordered, kinds: Kinds) -> NDArray[np.bool_]:
        """Return columns in which a cell may be far off; in others it is one of few that are."""
        judged: NDArray[np.bool_] = first.mostly_different & (kinds == CONTINUOUS)
        return judged & ~self.assumptions.as_is

    def curves(self, engine: Engine) -> Curves | None:
        """Return scores as functions of what lies behind columns; None if they are just that."""
        settled = self.settled(engine)
        if (settled.kinds == CONTINUOUS).all():
            return None
        known = self.marginals
        if known is None:
            known = engine.first_marginals(self._look().first, settled.as_is, NEVER)
        return curves_of(settled.kinds, known)

    def bends(self, engine: Engine) -> bool:
        """Return whether a season was taken out of scores, which it bends."""
        return len(self.settled(engine).season.bends) > 0

    def repeated(self, engine: Engine) -> tuple[float, float]:
        """Return how often a row is there, in the mean: at all, and apart from itself in time."""
        settled = self.settled(engine)
        if len(settled.repeats.hashes):
            return mean_times(settled.repeats)
        return settled.repeated, settled.repeated

    def times(self, engine: Engine) -> tuple[float, float]:
        """Return `repeated`, a row that has a twin among the first ones being there twice."""
        number = self.settled(engine).twins.number
        again = 1.0 + number / (self._waiting or FIRST_ROWS)
        return (again, again) if number else self.repeated(engine)

    def straightness(self) -> Array:
        """Return the share of each column's variance that is that of its scores."""
        if self.marginals is None:
            return straightness(self._look().first)
        if self._straight is None or self._straight[0] is not self.marginals:
            self._straight = self.marginals, straightness_of(self.marginals)
        return self._straight[1]

    def outside(self) -> Array:
        """Return how many times as large variances are as the middle halves of columns say."""
        if self.marginals is None:
            return outside(self._look().first)
        return outside_of(self.marginals)

    def histograms(self) -> list[Histogram]:
        """Return a histogram of each column, in the units it came in."""
        if self.marginals is None:
            return [histogram_of_values(column) for column in self._look().first.rows.T]
        return histograms_of_counts(self.marginals)

    def bars(self, engine: Engine) -> list[Bars | None]:
        """Return how often each value comes, of columns that have a few by their kind."""
        known = self.marginals
        bars: list[Bars | None] = []
        for j, kind in enumerate(self.settled(engine).kinds):
            if kind in (CONTINUOUS, ZEROS):
                bars.append(None)
            elif known is None:
                bars.append(bars_of_values(self._look().first.rows[:, j]))
            else:
                bars.append(bars_of_counts(known.knots[j], known.at[j], known.between[j]))
        return bars

    def columns(self) -> Seen:
        """Return mean and spread of each column, in the units it came in."""
        if self.marginals is None:
            return seen_columns(
                self._look().first.rows, row_weights(0, self._waiting, self.half_life)
            )
        return Seen(self.marginals.mean, self.marginals.squares, self.marginals.weight)

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        named: Named = {_WAITING: self.waiting}
        if self.marginals is not None and self._settled is not None:
            named |= arrays_of(self._settled, self.marginals)
        return named

    @classmethod
    def from_arrays(
        cls, arrays: Named, assumptions: Assumptions, half_life: float, *, slips: bool
    ) -> Self | None:
        """Return the state whose `arrays` these are, None if there are none of it."""
        if _WAITING not in arrays:
            return None
        treated = cls(assumptions, half_life, slips=slips)
        treated._keep(arrays[_WAITING])
        if are_settled(arrays):
            treated._settled, treated.marginals = settled_of(arrays), marginals_of(arrays)
        return treated

    def _kinds(self, first: Ordered, as_is: NDArray[np.bool_]) -> Kinds:
        told = self.assumptions.told
        return np.where((told != "") & ~as_is, told, kinds_of(first, as_is | (told != "")))

    def _fine(
        self, engine: Engine, first: Ordered, as_is: NDArray[np.bool_], kinds: Kinds
    ) -> Kinds:
        """Return the kinds of columns, fine steps being continuous where rows remember.

        Beside coarse steps, or if users say that they are steps, they stay.
        """
        steps = kinds == STEPS
        told = (self.assumptions.told != "") & steps
        whole = (steps | (kinds == CONTINUOUS)).all() and first.complete and not told.any()
        if self.assumptions.independent or not steps.any() or not whole:
            return kinds
        scored = engine.first_scores(first, as_is)
        if not self.looks_for_slips or len(kinds) > MOST_JUDGED or not remembers(scored):
            return kinds
        scored = about_means(scored)[0]
        weights = row_weights(0, len(scored), self.half_life)
        memory = engine.memories(scored, self.half_life)
        relations = clear_neighbours(engine, scored, weights, memory)
        left = unexplained(scored, relations).var(axis=0)
        return np.where(steps, CONTINUOUS, kinds) if are_fine(first, steps, left) else kinds

    def _as_they_come(
        self, engine: Engine, first: Ordered, as_is: NDArray[np.bool_], kinds: Kinds
    ) -> tuple[NDArray[np.bool_], Array, int]:
        """Return which columns keep their values, the scores of all, and the period of a season.

        Few rows that look normal need no scores. Nor do rows, few or many, that have a season,
        drift or remember, if what is new in them does: scores would bend it. It is the same for
        all columns (`look_normal`).
        """
        scored = engine.first_scores(first, as_is)
        period = 1 if self.assumptions.independent else period_of(scored)
        normal = False
        if (kinds == CONTINUOUS).all() and first.complete and not as_is.all():
            few, related = len(first.rows) < FIRST_ROWS, not self.assumptions.independent
            remember = related and (period > 1 or remembers(scored))
            if few or remember:
                normal = period == 1 and look_normal(first, as_is)
            if remember and not normal:
                contrasts, _ = first_contrasts(varying(first.rows, period), engine.without_level)
                normal = look_normal(engine.in_order(whitened(contrasts)), as_is)
        return (np.ones_like(as_is), first.rows, period) if normal else (as_is, scored, period)

    def _settle(self, engine: Engine, looked: Looked) -> tuple[Array, Settled]:
        first, as_is, kinds, slips, placeholders = looked
        kinds = self._fine(engine, first, as_is, kinds)
        as_is, scored, period = self._as_they_come(engine, first, as_is, kinds)
        relations = determined_columns(first.rows)
        _, normal, independent, _ = self.assumptions
        if independent:
            treated, season, wanders = scored, no_season(scored), np.zeros_like(as_is)
            repeats, bursts = no_repeats(), NO_BURSTS
            paces = restless = np.zeros(len(as_is))
            returns = NONE_RETURN
        else:
            bend = np.flatnonzero((kinds == CONTINUOUS) & ~as_is)
            treated, season = first_season(scored, period, bend)
            wanders = wandering(treated)
            repeats = first_repeats(engine.hashes_of(first.rows), first)
            bursts, paces = bursts_of(treated), paces_of(treated)
            restless = np.where(kinds == CONTINUOUS, restless_of(treated, engine.lagged), 0.0)
            returns = returning(treated)
        repeated, _ = mean_times(repeats)
        groups, kin, depth, twins = ONE, NO_KIN, 0.0, NO_TWINS
        if not normal:
            depth = depth_spread(first, kinds)
            self.judged = self._may_be_off(first, kinds)
            different = first.mostly_different & ~wanders
            known = those(treated, different)
            known = known if first.complete else np.where(np.isnan(known), 0.0, known)
            groups = populations(known, engine.second_hump, memory=not independent)
            if not independent and repeated == 1.0:
                twins = twins_of(those(known, kinds[different] == CONTINUOUS))
            if not independent and repeated == 1.0 and groups == ONE:
                asked = ~self.assumptions.as_is & ~wanders
                smooth = np.flatnonzero(kinds == CONTINUOUS)
                kin = kin_of(treated, np.flatnonzero(asked), smooth)
        runs = self._runs(no_runs(len(as_is)), first.rows, kinds, 0)
        carried, blanks, interpolated = np.zeros((3, len(as_is)))
        nested = NOT_NESTED
        if self.measured and not independent and repeated == 1.0:
            nested = nested_in(first)
            carried = carried_shares(first)
            carried[nested.columns] = 0.0
            interpolated = np.where(wanders, 0.0, interpolated_shares(first))
        if self.measured:
            blanks = blank_shares(first)
        first_look = as_is, season, repeated, wanders, relations, groups, repeats, kinds
        later = runs, bursts, kin, nested, carried, depth, blanks, paces
        shares = shares_of_total(first.rows, relations, kinds != YES_NO) & self.measured
        last = slips, restless, twins, placeholders, interpolated, returns, shares
        return treated, Settled(*first_look, *later, *last)

    def _runs(self, known: Runs, rows: NDArray[np.floating], kinds: Kinds, before: int) -> Runs:
        """Return what is known of runs of equal values after more rows; steps have many."""
        watched = np.isin(kinds, (CONTINUOUS, ZEROS)) & (not self.assumptions.independent)
        return continued(known, rows, watched, before, self.half_life)

    def _treat_first(self, engine: Engine) -> Array:
        with one_thread_if_few(len(self.judged)):
            looked = self._looked_at(self._without_late(self._room, engine.in_order))
            treated, self._settled = self._settle(engine, looked)
            as_is = self._settled.as_is
            self.marginals = engine.first_marginals(looked.first, as_is, self.half_life)
        self._room, self._waiting, self._looked = self._room[:0].copy(), 0, None
        return treated

    def _without_late(self, rows: Array, sorted_by: Callable[[Array], Ordered]) -> Ordered:
        """Return first rows without columns of which too little is there to tell what cells are.

        Before they begin, nothing says what their cells would have been, and their neighbours look
        related in these rows. Where rows are forgotten, so are these.
        """
        first = sorted_by(rows)
        late = first.there < (1.0 - MOST_MISSING) * len(rows)
        if self.half_life == NEVER and late.any():
            return sorted_by(np.where(late, np.nan, rows))
        return first

    def _treat_later(self, engine: Engine, rows: NDArray[np.floating]) -> Iterator[Array]:
        assert self.marginals is not None
        assert self._settled is not None
        late = self.marginals.weight == 0.0
        if self.half_life == NEVER and late.any():
            rows = np.where(late, np.nan, rows)
        kinds, before, slips = self._settled.kinds, self.marginals.rows, self._settled.slips
        placeholders = self._settled.placeholders
        if self.looks_for_slips:
            rows, slips = without_slips(rows, slips, before)
            rows, placeholders = without_placeholders(rows, placeholders)
        repeats = self._repeats(engine, rows, self._settled.repeats)
        runs = self._runs(self._settled.runs, rows, kinds, before)
        self._settled = self._settled._replace(
            repeats=repeats, runs=runs, slips=slips, placeholders=placeholders
        )
        while len(rows):
            left = next_refresh(self.marginals.rows, self.half_life) - self.marginals.rows
            scored, self.marginals = engine.score_rows(self.marginals, rows[:left], self.half_life)
            treated, season = without_season(scored, self._settled.season)
            self._settled = self._settled._replace(season=season)
            yield treated
            rows = rows[left:]

    def _repeats(self, engine: Engine, rows: NDArray[np.floating], known: Repeats) -> Repeats:
        """Return what is known of repetitions after more rows."""
        counts = len(known.hashes) > 0 and self.half_life == NEVER
        return with_rows(known, engine.hashes_of(rows)) if counts else known

    def _keep(self, rows: NDArray[np.floating]) -> None:
        needed = self._waiting + len(rows)
        if needed > len(self._room):
            size = min(max(needed, 2 * len(self._room), _LEAST_ROOM), FIRST_ROWS)
            room = np.empty((size, self._room.shape[1]))
            room[: self._waiting] = self.waiting
            self._room = room
        self._room[self._waiting : needed] = rows
        self._waiting, self._looked, self._attempt = needed, None, None
