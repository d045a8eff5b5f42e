"""What is left of two columns when their neighbours are taken out: the picture of a pair."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.locks import locked
from hedgerow.estimators._hubs import WithHubs
from hedgerow.method.moments import Moments, correlation, per_scale
from hedgerow.method.one_pair import of_pair
from hedgerow.method.row_sample import RowSample

Array = NDArray[np.float64]


class PairResiduals(NamedTuple):
    """What the neighbours of two columns leave of them, in some of the rows.

    ``x`` and ``y`` have one number for each row that the model has kept, in standard deviations of
    the column: of its scores, where columns were given scores. ``row`` has the numbers of these
    rows, from 0 on, among those learned from.
    """

    source: Any
    target: Any
    partial_corr: float
    given: tuple[Any, ...]
    x: Array
    y: Array
    row: NDArray[np.int64]


class Pictured(WithHubs):
    """A tested graph that keeps some rows to draw pairs of columns from."""

    keep_rows: bool

    @property
    @locked
    def has_rows(self) -> bool:
        """Whether rows are kept that pairs of columns can be drawn from."""
        return self._stream.sample() is not None

    @locked
    def residuals_of(self, source: Hashable, target: Hashable) -> PairResiduals:
        """Return what is left of two columns when the neighbours of both are taken out.

        It is there for the rows that the model keeps: at most 256, the same however rows were cut
        into chunks. Their correlation is about the partial one, which comes from all rows. Of
        columns of steps, yes or no, or counts these are scores, and not what lies behind.

        Parameters
        ----------
        source, target : name, or number of a column that has none

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> left = HedgeGraph().fit(walk).residuals_of(0, 2)  # 0 - 1 - 2
        >>> left.given, len(left.x), bool(abs(np.corrcoef(left.x, left.y)[0, 1]) < 0.2)
        ((1,), 256, True)
        """
        left = self.residuals_of_all([self._ends_of(source, target)])[0]
        if left is None:
            raise ValueError(
                f"source and target must have been tested, got {source!r} and {target!r}, of which "
                f"nothing is known: explain tells why"
            )
        return left

    @locked
    def residuals_of_all(self, pairs: Sequence[tuple[int, int]]) -> list[PairResiduals | None]:
        """Return of many pairs of columns, by number, what `residuals_of` returns of one.

        Of those that were not tested, or repeat each other, there is None.

        Parameters
        ----------
        pairs : sequence of pairs of int

        Examples
        --------
        >>> from hedgerow import HedgeGraph
        >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
        >>> [left.given for left in HedgeGraph().fit(walk).residuals_of_all([(0, 1), (0, 2)])]
        [(2,), (1,)]
        """
        columns = self._tested(self._graph())
        sample, moments = self._sample(), self._stream.known()[0]
        known = self._known(columns)
        apart = {frozenset(map(int, pair)) for pair in zip(*self._stream.apart())}
        result: list[PairResiduals | None] = []
        for ends in pairs:
            if frozenset(ends) in apart or not np.isin(ends, columns).all():
                result.append(None)
                continue
            found = of_pair(known, *np.searchsorted(columns, ends))
            x, y = _left(sample, moments, np.array([*ends, *columns[found.given]]))
            labels = self._shown_labels()
            source, target = labels[list(ends)].tolist()
            given = tuple(labels[columns[found.given]].tolist())
            result.append(PairResiduals(source, target, found.partial_corr, given, x, y, sample.at))
        return result

    def _sample(self) -> RowSample:
        sample = self._stream.sample()
        if sample is None:
            raise RuntimeError(
                "this model keeps no rows to draw pairs from: it was told keep_rows=False, was "
                "saved by an earlier version, or learned on a cluster"
            )
        return sample


def _left(sample: RowSample, moments: Moments, columns: NDArray[np.intp]) -> Array:
    """Return what regressions on all other columns leave of the first two, in two rows."""
    some = moments._replace(
        mean=moments.mean[columns], products=moments.products[np.ix_(columns, columns)]
    )
    corr, unit = correlation(some), per_scale(some) * np.sqrt(some.weight)
    rows = (sample.rows[:, columns] - some.mean) * unit
    slopes = np.linalg.lstsq(corr[2:, 2:], corr[2:, :2], rcond=None)[0]
    left: Array = (rows[:, :2] - rows[:, 2:] @ slopes).T
    return left
