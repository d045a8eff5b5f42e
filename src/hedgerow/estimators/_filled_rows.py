"""Treated rows without gaps: cells that are missing, or that their row contradicts, filled in."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.engines import Engine, Named
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.gap_model import expected_of, first_fill, rows_per_one, share_of_gaps
from hedgerow.method.gap_scores import no_shift, shifted, shifts, values_at_points
from hedgerow.method.gaps import Expected
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.marginals import FIRST_ROWS, LEAST_WEIGHT, next_refresh
from hedgerow.method.moments import Moments
from hedgerow.method.neighbours import step_thresholds
from hedgerow.method.outliers import (
    BEYOND_DOUBT,
    FAR_OFF,
    Regressions,
    far_off,
    more_than_chance,
    without_those_adrift,
    without_those_by_nature,
)
from hedgerow.method.slips import NAMED
from hedgerow.method.telling import Telling, nothing_told, rescaled, with_cells

Array = NDArray[np.float64]
Cells = NDArray[np.bool_]
# Rows without gaps, and which of their cells were there; None: all.
Complete = tuple[Array, Cells | None]

# Columns up to which cells are judged: it takes the correlations of all pairs before the first row
# is learned from.
MOST_JUDGED = 4000
_MOST_WITNESSES = 16  # columns that tell what a cell should be
_ROUNDS = 3  # of judging the first rows
PREFIX = "gap_"  # of names of arrays
_PARTS = 2.0**20  # of a cell, in which guesses are counted: sums are exact in any order


class Seen(NamedTuple):
    """How many cells were missing or outlying, by column."""

    rows: int
    missing: NDArray[np.int64]  # (p,)
    outlying: NDArray[np.int64]  # (p,)
    cells: list[tuple[int, int]]  # row and column of the first outlying ones


class Judges(NamedTuple):
    """What later cells are compared with."""

    centre: Array
    scale: Array
    regressions: Regressions
    limit: float


class FilledRows:
    """Fills in gaps, the same however rows are cut into chunks.

    A model of the rows is made when the first gap comes, and again whenever the scores of columns
    are brought up to date. Where no gap comes, none is made.
    """

    def __init__(self, n_columns: int, half_life: float) -> None:
        self.half_life = half_life
        none = np.zeros(n_columns, dtype=np.int64)
        self.seen = Seen(0, none, none, [])
        self.covariance = np.empty((0, 0))
        self.expected: Expected | None = None
        self.judges: Judges | None = None
        self.weight, self.there = 0.0, np.zeros(n_columns)
        self.telling = nothing_told(n_columns)
        self.ranked = np.zeros(n_columns, dtype=np.bool_)  # columns of scores of ranks
        self.guesses = self.shift = np.zeros((0, 0))  # of missing cells (`gap_scores`)
        self.both_gone = np.empty((0, 0))  # weight of the rows in which two cells both are
        self.since = 0  # the row whose weight is one
        self.per_one = 1.0  # rows that say as much as one would if it were independent

    def share(self) -> Array:
        """Return the share of cells that were there, by column."""
        return self.there / (self.weight or 1.0)

    def forgotten(self) -> Cells:
        """Return in which columns all missing cells together count less than one of the next row.

        What was filled in long ago is all that sums of it tell of, however little it counts.
        """
        result: Cells = self.weight - self.there < self._weights(1)
        return result

    def apart(self, fewest: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of columns that have cells, but both in fewer rows than ``fewest``."""
        n_rows = effective_rows(self.seen.rows, self.half_life)
        if not self.both_gone.size or n_rows < fewest:
            none = np.empty(0, dtype=np.intp)
            return none, none
        together = self.there + self.there[:, None] - self.weight + self.both_gone
        few = together * (n_rows / self.weight) < fewest
        some = self.there > 0
        first, second = np.nonzero(np.triu(few & some & some[:, None], 1))
        return first, second

    def unknown(self, weight: float) -> Array | None:
        """Return what sums of products of filled rows of this weight lack; None if nothing."""
        if not self.covariance.size:
            return None
        return self.covariance * (weight / self.weight)

    def first(self, engine: Engine, rows: Array, judged: Cells, ranked: Cells) -> Complete:
        """Return the first rows without gaps.

        Cells of ``judged`` columns may be far off; those of ``ranked`` ones are scores of ranks.
        """
        weights, gone = self._weights(len(rows)), np.isnan(rows)
        self.ranked = ranked
        self.per_one = rows_per_one(rows, engine.lagged)
        outlying = np.zeros_like(gone)
        filled = self._fill_first(engine, rows, weights)
        if judged.any() and rows.shape[1] <= MOST_JUDGED and len(rows) >= MIN_ROWS:
            for _ in range(_ROUNDS):
                found = self._judge(engine, filled, ~gone & ~outlying & judged, weights)
                if not found.any():
                    break
                outlying |= found
                filled = self._fill_first(engine, np.where(outlying, np.nan, rows), weights)
        if self.expected is None:
            self._count_complete(weights)
            return filled, None
        self._count(gone, outlying, filled, weights)
        return filled, ~(gone | outlying)

    def leave_alone(self, adrift: Cells) -> None:
        """Judge no later cells of columns that are adrift, or are told by such."""
        if self.judges is not None and adrift.any():
            kept = without_those_adrift(self.judges.regressions, adrift)
            self.judges = self.judges._replace(regressions=kept)

    def later(
        self, engine: Engine, rows: Array, moments: Callable[[], Moments]
    ) -> Iterator[Complete]:
        """Yield later rows without gaps; ``moments`` are those of all that were yielded before."""
        while len(rows):
            left = next_refresh(self.seen.rows, self.half_life) - self.seen.rows
            if self.seen.rows >= FIRST_ROWS and self._due():
                self._begin_anew()
                if self.expected is not None:
                    self.expected = self._model(engine, moments())
                    self.shift = self._shift()
            some = self._among_all(rows[:left])
            if self.expected is None:
                some = some[: self._complete(engine, some)]
                if not len(some):
                    self.expected = self._model(engine, moments())
                    self.covariance = np.zeros((rows.shape[1], rows.shape[1]))
                    self.guesses = self.shift = no_shift(rows.shape[1])
                    some = rows[:left]
            yield self._fill_later(engine, some)
            rows = rows[len(some) :]

    def _complete(self, engine: Engine, rows: Array) -> int:
        """Return how many rows come before the first that has a gap."""
        if np.isnan(rows.sum()):  # quick to tell, and seldom
            gone = np.isnan(rows).any(axis=1)
            rows = rows[: int(np.append(gone, True).argmax())]
        if self.judges is None:
            return len(rows)
        some = np.flatnonzero(engine.suspicious(rows, None, *self.judges))
        far = _cells_far_off(rows[some], np.ones((len(some), 1), dtype=np.bool_), self.judges)
        outlying = some[far.any(axis=1)]
        return int(outlying[0]) if len(outlying) else len(rows)

    def _fill_later(self, engine: Engine, rows: Array) -> Complete:
        weights = self._weights(len(rows))
        if self.expected is None:
            self._count_complete(weights)
            return rows, None
        gone = np.isnan(rows)
        filled = engine.fill(rows, self.expected, weights, np.empty((0, 0)))
        outlying = _far_off(engine, filled, ~gone, self.judges)
        rows = np.where(outlying, np.nan, rows)
        rows = engine.fill(rows, self.expected, weights, self.covariance)
        self._count(gone, outlying, rows, weights)
        return rows, ~(gone | outlying)

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        rows, missing, outlying, cells = self.seen
        named: Named = {
            "rows": np.array(rows),
            "missing": missing,
            "outlying": outlying,
            "cells": np.array(cells, dtype=np.int64).reshape(-1, 2),
            "covariance": self.covariance,
            "weight": np.array(self.weight),
            "there": self.there,
            "since": np.array(self.since),
            "per_one": np.array(self.per_one),
            "both_gone": self.both_gone,
            "ranked": self.ranked,
            "guesses": self.guesses,
            "shift": self.shift,
        }
        named |= {f"told_{name}": x for name, x in self.telling._asdict().items()}
        if self.expected is not None:
            named |= {f"expected_{name}": x for name, x in self.expected._asdict().items()}
        if self.judges is not None:
            centre, scale, (entries, residual), limit = self.judges
            named |= {
                "judge_centre": centre,
                "judge_scale": scale,
                "judge_residual": residual,
                "judge_starts": entries.indptr.astype(np.int64),
                "judge_neighbours": entries.indices.astype(np.int64),
                "judge_coefficients": entries.data,
                "judge_limit": np.array(limit),
            }
        return {f"{PREFIX}{name}": array for name, array in named.items()}

    @classmethod
    def from_arrays(cls, arrays: Named, n_columns: int, half_life: float) -> Self:
        """Return the state whose `arrays` these are; a new one if there are none."""
        filled = cls(n_columns, half_life)
        named = {
            name.removeprefix(PREFIX): np.array(array)
            for name, array in arrays.items()
            if name.startswith(PREFIX)
        }
        if not named:
            return filled
        cells = [(int(row), int(column)) for row, column in named["cells"]]
        filled.seen = Seen(int(named["rows"]), named["missing"], named["outlying"], cells)
        filled.covariance, filled.there = named["covariance"], named["there"]
        filled.weight, filled.since = float(named["weight"]), int(named["since"])
        filled.per_one = float(named.get("per_one", 1.0))  # models of 0.2 do not have it
        filled.both_gone, filled.ranked = named["both_gone"], named["ranked"]
        filled.guesses, filled.shift = named["guesses"], named["shift"]
        filled.telling = Telling(*(named[f"told_{name}"] for name in Telling._fields))
        if "expected_centre" in named:
            filled.expected = Expected(*(named[f"expected_{name}"] for name in Expected._fields))
        if "judge_centre" in named:
            entries = tuple(named[f"judge_{n}"] for n in ("coefficients", "neighbours", "starts"))
            known = Regressions(
                csr_array(entries, shape=(n_columns, n_columns)), named["judge_residual"]
            )
            limit = float(named["judge_limit"])
            filled.judges = Judges(named["judge_centre"], named["judge_scale"], known, limit)
        return filled

    def _fill_first(self, engine: Engine, rows: Array, weights: Array) -> Array:
        if not np.isnan(rows).any():
            return rows
        who = engine.related, engine.sweeps, engine.fill
        filled = first_fill(rows, weights, *who, ranked=self.ranked)
        self.expected, self.covariance = filled.expected, filled.covariance
        self.guesses, self.shift = no_shift(rows.shape[1]), filled.shift
        return filled.rows

    def _among_all(self, rows: Array) -> Array:
        """Return scores by ranks among all cells, those that are missing too."""
        return shifted(rows, self.shift) if self.shift.size else rows

    def _shift(self) -> Array:
        unknown = np.diag(self.covariance) / np.maximum(self.weight - self.there, LEAST_WEIGHT)
        return shifts(self.guesses, self.share(), unknown, self.shift)

    def _judge(self, engine: Engine, filled: Array, judged: Cells, weights: Array) -> Cells:
        """Return which of the first cells are far off; later ones are judged by the same."""
        weight = float(weights.sum())
        centre = weights @ filled / weight
        deviations = (filled - centre) * np.sqrt(weights)[:, None]
        corr = deviations.T @ deviations
        if self.covariance.size:
            corr += self.covariance
        spread = np.sqrt(np.diag(corr) / weight)
        scale = np.where(spread > 0, spread, np.inf)
        corr /= weight * scale  # in place: it is as large as all that is kept
        corr /= scale[:, None]
        np.fill_diagonal(corr, 1.0)
        share = 1.0 if judged.all() else float(np.median(judged.mean(axis=0)))
        n_rows = max(len(filled) * share**2, MIN_ROWS)
        thresholds = step_thresholds(len(corr), n_rows)[:_MOST_WITNESSES]
        found = engine.regressions(corr, n_rows, thresholds)
        found = found._replace(residual=np.where(judged.any(axis=0), found.residual, np.inf))
        judges = Judges(centre, scale, found, FAR_OFF)
        far = _far_off(engine, filled, judged, judges)
        kept = without_those_by_nature(found, far)
        if not np.array_equal(kept.residual, found.residual):
            judges = judges._replace(regressions=kept)
            far = _far_off(engine, filled, judged, judges)
        if self.judges is None:
            limit = FAR_OFF if more_than_chance(far, judged) else BEYOND_DOUBT
        else:
            limit = self.judges.limit
        self.judges = judges._replace(limit=limit)
        if limit > FAR_OFF:  # of the cells that are far off, those that are still farther
            some = np.flatnonzero(far.any(axis=1))
            far[some] = _far_off(engine, filled[some], judged[some], self.judges)
        return far

    def _model(self, engine: Engine, moments: Moments) -> Expected:
        products, unknown = moments.products, self.unknown(moments.weight)
        if unknown is not None:
            products = products + unknown
        share = share_of_gaps(self.share())
        n_rows = effective_rows(self.seen.rows, self.half_life) * share**2 / self.per_one
        return expected_of(
            products,
            moments.mean,
            moments.weight,
            n_rows,
            engine.related,
            engine.sweeps,
        )

    def _due(self) -> bool:
        return self.seen.rows == next_refresh(self.seen.rows - 1, self.half_life)

    def _begin_anew(self) -> None:
        """Give the next row the weight one."""
        factor = float(np.exp2((self.since - self.seen.rows) / self.half_life))
        self.since = self.seen.rows
        self.weight, self.there = self.weight * factor, self.there * factor
        self.covariance = self.covariance * factor
        self.guesses = np.rint(self.guesses * factor * _PARTS) / _PARTS
        self.both_gone = self.both_gone * factor
        self.telling = rescaled(self.telling, factor)

    def _weights(self, number: int) -> Array:
        passed = self.seen.rows - self.since + np.arange(number)
        weights: Array = np.exp2(passed / self.half_life)
        return weights

    def _count(self, gone: Cells, outlying: Cells, filled: Array, weights: Array) -> None:
        rows, missing, outside, cells = self.seen
        self._count_together(gone | outlying, weights)
        if self.expected is not None:
            centre, scale = self.expected.centre, self.expected.scale
            values = np.where(gone, (filled - centre) / scale * weights[:, None], 0.0)
            self.telling = with_cells(self.telling, values, rows)
        if self.guesses.size:
            bends = (gone | outlying) & self.ranked
            self.guesses = self.guesses + values_at_points(filled, bends)
        room = NAMED - len(cells)
        cells = cells + [(rows + int(t), int(j)) for t, j in np.argwhere(outlying)[:room]]
        missing, outside = missing + gone.sum(axis=0), outside + outlying.sum(axis=0)
        self.seen = Seen(rows + len(gone), missing, outside, cells)
        if self.half_life == NEVER:
            self.weight += len(gone)
            self.there = self.there + len(gone) - (gone | outlying).sum(axis=0)
            return
        # One after another, so that no cut of the rows changes a bit.
        self.weight = float(np.add.accumulate(np.append(self.weight, weights))[-1])
        there = weights[:, None] * ~(gone | outlying)
        self.there = np.add.accumulate(np.vstack([self.there, there]))[-1]

    def _count_complete(self, weights: Array) -> None:
        """Count rows of which no cell is missing, the first, or after others of which none was."""
        self.seen = self.seen._replace(rows=self.seen.rows + len(weights))
        self.weight = float(np.add.accumulate(np.append(self.weight, weights))[-1])
        self.there = np.full_like(self.there, self.weight)

    def _count_together(self, gone: Cells, weights: Array) -> None:
        some = np.flatnonzero(gone.any(axis=1))
        if not len(some):
            return
        both = self.both_gone.copy() if self.both_gone.size else np.zeros((gone.shape[1],) * 2)
        if self.half_life == NEVER:
            cells = gone[some].astype(np.float32)  # exact: a chunk has few rows
            both += cells.T @ cells
        else:
            for t in some:  # one after another, so that no cut of the rows changes a bit
                columns = np.flatnonzero(gone[t])
                both[columns[:, None], columns] += weights[t]
        self.both_gone = both


def _far_off(engine: Engine, filled: Array, there: Cells, judges: Judges | None) -> Cells:
    found = np.zeros_like(there)
    if judges is not None:
        some = np.flatnonzero(engine.suspicious(filled, there, *judges))
        if len(some):
            found[some] = _cells_far_off(filled[some], there[some], judges)
    return found


def _cells_far_off(filled: Array, there: Cells, judges: Judges) -> Cells:
    centre, scale, known, limit = judges
    return far_off((filled - centre) / scale, there, known, limit)
