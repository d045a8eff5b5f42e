"""Rows in, moments and evidence out, the same however the rows are cut into chunks."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import engines
from hedgerow.engines import Engine, Named
from hedgerow.estimators._assumptions import AS_IS, Assumptions
from hedgerow.estimators._learner import Learner
from hedgerow.estimators._treated_rows import TreatedRows
from hedgerow.estimators._treatment import Treatment, far_from_normal
from hedgerow.method import numpy_ref
from hedgerow.method.forgetting import NEVER, effective_rows
from hedgerow.method.histograms import Histogram
from hedgerow.method.inflation import Inflation, inflation_of, no_inflation
from hedgerow.method.kinds import CONTINUOUS
from hedgerow.method.latent import latent_of
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.moments import Columns, Moments, correlation
from hedgerow.method.residuals import typical_autocorrelation
from hedgerow.progress import part_of_a_stage

Array = NDArray[np.float64]


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
    ) -> None:
        self.engine_name = engine
        self.half_life = half_life
        self.assumptions = assumptions
        treats = not assumptions.complete
        self.treated = TreatedRows(assumptions, half_life) if treats else None
        self.learner = Learner(n_columns, engine, half_life)
        self._trial: Learner | None = None

    @property
    def engine(self) -> Engine:
        """The module that computes."""
        return engines.load(self.engine_name)

    @property
    def rows(self) -> int:
        """Number of rows taken."""
        waiting = 0 if self.treated is None else len(self.treated.waiting)
        return self.learner.rows + waiting

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.learner.n_columns

    def take(self, rows: NDArray[np.floating]) -> None:
        """Take the next rows."""
        self._trial = None
        if self.treated is None:
            self.learner.take(rows)
            return
        total = len(self.treated.waiting) + len(rows)
        done = 0
        for scored in self.treated.take(self.engine, rows):
            first = self.learner.rows == 0
            with part_of_a_stage(done / total, (done + len(scored)) / total):
                self.learner.take(scored)
            done += len(scored)
            if first:
                self.learner.look_back(scored)

    def columns(self) -> Columns:
        """Return mean and spread of each column, in the units it came in."""
        if self.treated is not None:
            return self.treated.columns()
        moments = self._asked().moments()
        return Columns(moments.rows, moments.mean, np.diag(moments.products), moments.weight)

    def mean(self) -> Array:
        """Return the mean of each column."""
        return self.learner.mean() if self.treated is None else self.treated.columns().mean

    def moments(self) -> Moments:
        """Return the moments of all rows so far, their correlations being those of scores."""
        moments = self._asked().moments()
        if self.treated is None:
            return moments
        columns, curves = self.treated.columns(), self.treated.curves()
        if curves is not None:
            moments = moments._replace(products=latent_of(correlation(moments), curves).corr)
        squares = np.diag(moments.products)
        wanted = columns.squares * (moments.weight / columns.weight)
        factor = np.sqrt(np.divide(wanted, squares, out=np.zeros_like(squares), where=squares > 0))
        products = moments.products * factor * factor[:, None]
        return moments._replace(mean=columns.mean, products=products)

    def inflation(self) -> Inflation:
        """Return how much less sure tests are than those of independent normal rows."""
        sums = self._asked().residuals()
        if sums is None:
            return no_inflation(self.n_columns)
        assert self.treated is not None
        _, normal, independent, _ = self.assumptions
        n_rows = effective_rows(self.rows, self.half_life)
        found = inflation_of(sums, n_rows, tails=not normal, memory=not independent)
        settled = self.treated.settled
        left = max(n_rows - settled.season.period + 1, 1.0)  # each phase has a mean of its own
        return found._replace(common=settled.repeated * n_rows / left)

    def determined(self) -> NDArray[np.bool_]:
        """Return which columns took part in an exact linear relation before they were scored."""
        if self.treated is None:
            return np.zeros(self.n_columns, dtype=np.bool_)
        return self.treated.settled.determined

    def treatment(self, inflation: Inflation, labels: NDArray[np.object_]) -> Treatment:
        """Return what was done to rows and columns."""
        n_rows = effective_rows(self.rows, self.half_life)
        effective = n_rows / inflation.per_effective
        if self.treated is None:
            straight = np.ones(self.n_columns)
            return Treatment(self.rows, effective, False, [], straight, 1.0, 1.0, 1, 1.0, [])
        as_is, season, repeated, wanders, _, kinds = self.treated.settled
        taken = self.assumptions.as_is | (kinds != CONTINUOUS)
        straight = np.where(taken, 1.0, self.treated.straightness())
        tails, memory = inflation.typical_parts()
        return Treatment(
            rows=self.rows,
            effective_rows=effective,
            scored=not as_is.all(),
            far_from_normal=far_from_normal(straight, labels),
            straightness=straight,
            tails=tails,
            memory=memory,
            season=season.period,
            repeated=repeated,
            wandering=[labels[j] for j in np.flatnonzero(wanders)],
            autocorrelation=self._typical_echo(),
            kinds=self.kinds(),
        )

    def histograms(self) -> list[Histogram]:
        """Return a histogram of each column in the units it came in; none if none was counted."""
        return [] if self.treated is None else self.treated.histograms()

    def _typical_echo(self) -> Array:
        sums = self._asked().residuals()
        if sums is None or self.assumptions.independent:
            return np.empty(0)
        return typical_autocorrelation(sums)[: self.rows - 1]

    def kinds(self) -> NDArray[np.str_]:
        """Return the kind of each column."""
        as_is = self.assumptions.as_is
        found = CONTINUOUS if self.treated is None else self.treated.settled.kinds
        return np.where(as_is, AS_IS, found)

    def evidence(self, inflation: Inflation) -> tuple[Engine, Any]:
        """Return what all rows taken so far say, and the engine that can read it.

        What lies behind columns of steps is tested by the readable functions.
        """
        asked = self._asked()
        evidence = asked.evidence(inflation)
        curves = None if self.treated is None else self.treated.curves()
        if curves is None:
            return self.engine, evidence
        weights = self.engine.weights(evidence).astype(np.float64)
        return numpy_ref, numpy_ref.Evidence(asked.moments(), weights, inflation, curves)

    def arrays(self) -> Named:
        """Return all that is kept, as named arrays."""
        treated = {} if self.treated is None else self.treated.arrays()
        return {**self.learner.arrays(), **treated}

    @classmethod
    def from_arrays(cls, arrays: Named, engine: str, assumptions: Assumptions) -> Self:
        """Return the stream whose `arrays` these are."""
        looked_back = 0 if assumptions.complete else FIRST_ROWS
        learner = Learner.from_arrays(arrays, engine, looked_back)
        stream = cls(learner.n_columns, engine, assumptions, learner.half_life)
        stream.learner = learner
        stream.treated = TreatedRows.from_arrays(arrays, assumptions, learner.half_life)
        return stream

    def _asked(self) -> Learner:
        """Return who has learned from all rows: of the first ones, somebody who is then forgotten.

        Once rows are handed on, it is the learner itself.
        """
        if self.treated is None or self.treated.marginals is not None:
            return self.learner
        if self._trial is None:
            rows, _ = self.treated.first_attempt()
            self._trial = Learner(self.n_columns, self.engine_name, self.half_life)
            self._trial.take(rows)
            self._trial.look_back(rows)
        return self._trial
