"""Tables that lie on their side: a row for each variable, a column for each sample."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.io.source import (
    NOT_NUMERIC,
    Batch,
    Column,
    DataError,
    Reader,
    numbered,
    rows_at_once,
)
from hedgerow.io.times import is_time

_ROWS, _COLUMNS = 500, 50  # looked at for a hint
_ALIKE = 0.7  # rank correlation at which columns are measurements of the same things
_FEWEST_COLUMNS = 5


class Turned:
    """A table with rows and columns exchanged, in memory.

    The first column has the names of the variables unless it is one of numbers.
    """

    place = "column"

    def __init__(self, source: Reader) -> None:
        columns = [
            column._replace(flaw=NOT_NUMERIC) if column.words else column
            for column in source.columns
        ]
        named = bool(columns) and columns[0].flaw is not None
        samples = [j for j, column in enumerate(columns) if column.flaw is None]
        if not samples:
            raise DataError("columns of numbers are needed, got none")
        names: list[str] = []
        pieces = []
        source.beside = [0] if named else []
        for batch in source.batches(samples):
            if batch is None:
                continue
            for k, wrong in batch.bad.items():
                raise DataError(f"{source.place} {batch.numbers[k]}: {wrong.reason}")
            pieces.append(batch.rows)
            names += [str(name).strip() for name in batch.beside[0]] if named else []
        table = np.concatenate(pieces) if pieces else np.empty((0, len(samples)))
        self._rows = np.ascontiguousarray(table.T)
        self._numbers = np.array(samples) + 1
        self.total: int | None = len(self._rows)
        self.beside: list[int] = []
        self.columns = [Column(name, None) for name in names or numbered(len(table))]
        self.left_out = [
            columns[j].name for j in range(int(named), len(columns)) if columns[j].flaw
        ]

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        at_once = rows_at_once(len(self.columns))
        for start in range(0, len(self._rows), at_once):
            stop = min(start + at_once, len(self._rows))
            yield Batch(self._rows[start:stop][:, chosen], self._numbers[start:stop], stop)


def looks_turned(labels: Sequence[str], rows: NDArray[np.float64]) -> float | None:
    """Return how alike the columns are if rows look like variables, else None.

    Where columns are samples of the same variables they agree about which of these are large;
    their cells at the left are names, all different.
    """
    if rows.shape[1] < _FEWEST_COLUMNS or len(rows) <= 2 * rows.shape[1]:
        return None
    if len(set(labels)) < len(labels) or not labels or any(map(is_time, labels)):
        return None
    some = rows[:_ROWS, :_COLUMNS]
    some = some[np.isfinite(some).all(axis=1)]
    if len(some) < _FEWEST_COLUMNS or (some.min(axis=0) == some.max(axis=0)).any():
        return None
    ranks = np.argsort(np.argsort(some, axis=0), axis=0)
    alike = np.asarray(np.corrcoef(ranks, rowvar=False))
    middle = float(np.median(alike[np.triu_indices(len(alike), 1)]))
    return middle if middle > _ALIKE else None
