"""What a stream knows of its rows and columns, told by the names of these."""

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators._filled_rows import FilledRows
from hedgerow.estimators._first_rows import FirstRows
from hedgerow.estimators._given import Given
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._placeholders import stand_ins
from hedgerow.estimators._swinging import Swinging
from hedgerow.estimators._treatment import (
    Stuck,
    Treatment,
    doubts_of_effects,
    far_from_normal,
    slowest,
)
from hedgerow.method.alike import steps_remember
from hedgerow.method.drift import slow_shares
from hedgerow.method.forgetting import effective_rows
from hedgerow.method.inflation import Inflation
from hedgerow.method.kinds import CONTINUOUS
from hedgerow.method.residuals import typical_autocorrelation
from hedgerow.method.slips import NAMED, Slips
from hedgerow.method.stuck import Runs, finished, stuck
from hedgerow.method.telling import clear_sum, standard_sums

Array = NDArray[np.float64]
Labels = NDArray[np.object_]


def treatment_of(stream: HedgeStream, inflation: Inflation, labels: Labels) -> Treatment:
    """Return what was done to rows and columns."""
    treated, n_rows = stream.treated, effective_rows(stream.rows, stream.half_life)
    effective = n_rows / inflation.per_effective
    if treated is None:
        straight = np.ones(stream.n_columns)
        plain = Treatment(stream.rows, effective, 0, [], straight, False, 1.0, 1.0, 1, 1.0, [])
        return plain._replace(given=_given(stream, labels))
    settled = treated.settled(stream.engine)
    repeated, _ = treated.repeated(stream.engine)
    taken = stream.assumptions.as_is | (settled.kinds != CONTINUOUS)
    straight = np.where(taken, 1.0, treated.straightness())
    tails, left = inflation.typical_parts()
    known, memory = stream.asked(), stream.memory(inflation)
    fresh, filled, slips = known.forecast(), known.filled, settled.slips
    slow, by_steps = np.zeros(stream.n_columns), False
    if known.level is not None:
        slow, by_steps = slow_shares(known.level, stream.rows), known.level.before.size > 0
    sums = known.teller().residuals()
    return Treatment(
        rows=stream.rows,
        effective_rows=effective,
        scored=int((~settled.as_is).sum()),
        far_from_normal=far_from_normal(straight, labels),
        straightness=straight,
        divided=known.sizes.divides,
        tails=tails,
        memory=memory,
        season=settled.season.period,
        repeated=repeated,
        wandering=[labels[j] for j in np.flatnonzero(settled.wanders)],
        autocorrelation=_typical_echo(stream),
        smaller_group=settled.populations.share,
        groups_apart=settled.populations.apart,
        missing=filled.seen.missing - slips.found - settled.placeholders.found,
        share_missing=1.0 - filled.share(),
        outlying=int((filled.seen.outlying + slips.found).sum()),
        outlying_cells=_outlying(filled, slips, labels),
        placeholders=stand_ins(settled.placeholders, labels),
        kinds=stream.kinds(),
        by_scores=labels[stream.behind().by_scores].tolist(),
        telling=_telling(filled, memory, labels),
        apart=[(labels[a], labels[b]) for a, b in zip(*stream.apart())],
        stuck=_stuck(settled.runs, stream, labels),
        slow=slow,
        slowest=slowest(slow, labels),
        by_steps=by_steps,
        steps_remember=by_steps and sums is not None and steps_remember(sums, n_rows),
        swinging=Swinging.of(inflation, labels),
        foretold=0.0 if fresh is None else 1.0 - fresh.forecast.left,
        memory_left=left,
        at_once=inflation.at_once,
        given=_given(stream, labels),
        **FirstRows.of(settled, labels)._asdict(),
    )


def doubts_about_given(stream: HedgeStream, inflation: Inflation, labels: Labels) -> list[str]:
    """Return what is doubtful where few rows tell the effects of given columns."""
    told, treated = _given(stream, labels), stream.treated
    if told is None or treated is None:
        return []
    shape = treated.straightness(), treated.outside(), labels
    memory, large = stream.memory(inflation), stream.asked().sizes.divides
    return doubts_of_effects(told.cost, stream.seen, *shape, memory, large=large)


def _given(stream: HedgeStream, labels: Labels) -> Given | None:
    return None if stream.held is None else stream.held.told(labels)


def _outlying(filled: FilledRows, slips: Slips, labels: Labels) -> list[tuple[int, object]]:
    """Return row and column of the first cells that count as missing though they are there."""
    cells = sorted([*filled.seen.cells, *((int(row), int(j)) for row, j in slips.cells)])
    return [(row, labels[j]) for row, j in cells[:NAMED]]


def _telling(filled: FilledRows, memory: float, labels: Labels) -> list[tuple[object, str]]:
    """Return columns whose missing cells seem to be high, or low."""
    found = standard_sums(filled.telling) / np.sqrt(memory)
    clear = (np.abs(found) > clear_sum(len(labels))) & ~filled.forgotten()
    return [(labels[j], "high" if found[j] > 0 else "low") for j in np.flatnonzero(clear)]


def _stuck(known: Runs, stream: HedgeStream, labels: Labels) -> list[Stuck]:
    """Return columns that have one value in many rows on end, and which rows these are."""
    runs = finished(known, stream.half_life)
    columns = np.flatnonzero(stuck(runs, stream.rows, stream.half_life))
    return [Stuck(labels[j], int(runs.first[j]), int(runs.final[j])) for j in columns]


def _typical_echo(stream: HedgeStream) -> Array:
    sums = stream.asked().learner.residuals()
    if sums is None or stream.assumptions.independent:
        return np.empty(0)
    return typical_autocorrelation(sums)[: stream.rows - 1]
