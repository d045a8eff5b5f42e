"""Rows treated and learned from by the workers of a cluster, each a strip of nodes.

Every strip reads and treats all rows itself: that is far cheaper than learning from them, and
nothing but the first look at 512 rows is passed on. What predictions leave of rows is exchanged,
because the size of a row is a sum over all columns (`hedgerow.method.residuals`).
"""

from copy import deepcopy
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.base.blas import one_thread_if_few
from hedgerow.base.words import listed
from hedgerow.engines.dask.layout import Strip
from hedgerow.engines.dask.learning import (
    Singles,
    StripEngine,
    Taught,
    Totals,
    packed,
    totals_of,
    unpacked,
)
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.estimators._filled_rows import FilledRows
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._learner import Learner
from hedgerow.estimators._treated_rows import TreatedRows
from hedgerow.estimators.partitions import Checked, Source
from hedgerow.method.drift import Level
from hedgerow.method.kinds import CONTINUOUS
from hedgerow.method.learned import Learned
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.residuals import Residuals
from hedgerow.method.row_sizes import RowSizes

Array = NDArray[np.float64]


class First(NamedTuple):
    """What the first rows decide."""

    treated: TreatedRows | None
    filled: FilledRows
    sizes: RowSizes
    level: Level | None  # after them
    rows: Array  # ready to be learned from
    coefficients: csr_array | None  # on clear neighbours
    sums: Residuals | None  # of what these leave


class Held(NamedTuple):
    """Where a strip is among the rows."""

    treated: TreatedRows | None
    filled: FilledRows
    level: Level | None
    learned: Learned  # without sheets
    pending: Array
    learned_rows: int


class Part(NamedTuple):
    """What a task of a strip returns; None, what is not there yet or not needed."""

    held: Held | None  # if more rows come
    taught: Taught | None  # if none come
    told: tuple[Totals, TreatedRows | None, FilledRows, Level | None] | None  # same for all
    first_errors: Singles | None  # what weights left of the first rows
    errors: Singles
    ends: NDArray[np.intp]


class StripLearner(Learner):
    """A learner for the nodes of a strip."""

    def __init__(self, n_columns: int, strip: Strip) -> None:
        self._own = StripEngine(strip)
        super().__init__(n_columns, "numba_cpu")

    @property
    def engine(self) -> Any:
        """What computes."""
        return self._own

    def moments(self) -> NoReturn:
        """Raise: who asks has found a cell to be filled in."""
        raise ValueError(
            "X must have no cells on a cluster that the rest of their row contradicts, got one "
            "among the rows after the first; device='cpu' fills them in, columns='normal' takes "
            "them as they are"
        )

    def counted(self) -> Learned:
        """Return the state with the rows of an unfinished batch in its moments."""
        state: Learned = self._counted()
        return state


class StripStream(HedgeStream):
    """Treats rows as `HedgeStream` does, and learns the nodes of a strip from them."""

    def __init__(self, n_columns: int, assumptions: Assumptions, strip: Strip) -> None:
        super().__init__(n_columns, "numba_cpu", assumptions)
        self.learner: StripLearner = StripLearner(n_columns, strip)
        if self.treated is not None:
            self.treated.looks_for_slips = False  # nothing would fill them in

    def look(self, rows: NDArray[np.floating]) -> First:
        """Return what the first rows decide."""
        if self.treated is None:
            nothing = np.empty((0, rows.shape[1]))
            return First(None, self.filled, self.sizes, None, nothing, None, None)
        ready = list(self.treated.take(self.engine, rows))
        treated = ready[0] if ready else self.treated.first_attempt(self.engine)[0]
        self._refuse_kinds()
        with one_thread_if_few(self.n_columns):
            rows, sizes = self._ready(self.filled, treated)
            self._refuse_cells()
            learned, level, coefficients, _ = self._without_first_level(rows, self.filled)
            sums = None
            if coefficients is not None:
                sums = self.learner.left_by(coefficients, learned)
        return First(self.treated, self.filled, sizes, level, learned, coefficients, sums)

    def _refuse_kinds(self) -> None:
        kinds = self.kinds()
        assert self.treated is not None
        found = self.treated.settled(self.engine).kinds
        some = np.flatnonzero(found != CONTINUOUS)
        if len(some):
            named = listed(f"{j} ({kinds[j]})" for j in some)
            raise ValueError(
                f"X must have continuous columns on a cluster, got columns of other kinds: "
                f"{named}; device='cpu' finds what lies behind them, columns='normal' takes them "
                f"as they are"
            )

    def _refuse_cells(self) -> None:
        if self.filled.expected is not None:
            cells = listed(f"row {t}, column {j}" for t, j in self.filled.seen.cells)
            raise ValueError(
                f"X must have no cells on a cluster that the rest of their row contradicts, got "
                f"{int(self.filled.seen.outlying.sum())} among the first rows: {cells}; "
                f"device='cpu' fills them in, columns='normal' takes them as they are"
            )


def look_first(source: Source, known: list[Checked], assumptions: Assumptions) -> First:
    """Return what the first rows decide: a task."""
    rows = np.concatenate(list(source.rows(known, 0, FIRST_ROWS)))
    return StripStream(source.n_columns, assumptions, (0, 0)).look(rows)


def learn_strip(
    source: Source,
    known: list[Checked],
    assumptions: Assumptions,
    first: First,
    held: Held | None,
    strip: Strip,
    rows: tuple[int, int],
    last: bool,
) -> Part:
    """Let the nodes of a strip learn from some rows, the next ones: a task."""
    stream = StripStream(source.n_columns, assumptions, strip)
    stream.sizes = first.sizes
    learner, engine = stream.learner, stream.learner.engine
    first_errors = None
    if held is None:
        stream.treated, stream.filled = deepcopy((first.treated, first.filled))
        stream.level = first.level
        learner.take(first.rows)
        if first.treated is not None and first.coefficients is None:
            first_errors = engine.first_errors(learner.state, first.rows)
    else:
        stream.treated, stream.filled = deepcopy((held.treated, held.filled))
        stream.level = held.level
        learner.state = unpacked(held.learned, strip)
        learner._learned_rows = held.learned_rows
        learner.take(held.pending)
    engine.keeps = first.treated is not None
    for some in source.rows(known, *rows):
        stream.take(some)
    errors, ends = engine.handed_out()
    if not last:
        state = packed(learner.state, strip)
        pending = learner.pending.copy()
        known_rows = learner._learned_rows
        kept = Held(stream.treated, stream.filled, stream.level, state, pending, known_rows)
        return Part(kept, None, None, first_errors, errors, ends)
    state = learner.counted()
    told = totals_of(state), stream.treated, stream.filled, stream.level
    only_once = told if strip[0] == 0 else None
    return Part(None, engine.taught(state), only_once, first_errors, errors, ends)
