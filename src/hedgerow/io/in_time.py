"""Rows in the order of their times."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators import DataWarning
from hedgerow.io.source import BadRow, Batch, DataError, Reader
from hedgerow.io.times import FORMS, times_of

Order = NDArray[np.intp]


def order_in_time(source: Reader, name: str) -> Order | None:
    """Return the order of the rows in time, or None if they are in it; says what is found."""
    pieces, numbers = [], []
    for batch in source.batches([]):
        if batch is not None:
            pieces.append(_times(batch, name, source.place))
            numbers.append(batch.numbers)
    times = np.concatenate(pieces) if pieces else np.empty(0)
    steps = np.diff(times)
    repeated = int((np.diff(np.sort(times)) == 0).sum())
    if repeated:
        _warn(f"{repeated} rows have the time of another in column {name!r}")
    if not (steps < 0).any():
        return None
    first = np.concatenate(numbers)[1 + int(np.argmax(steps < 0))]
    _warn(
        f"rows are sorted by column {name!r}: {(steps < 0).sum()} came before their turn, "
        f"the first in {source.place} {first}"
    )
    return np.argsort(times, kind="stable")


class InTime(NamedTuple):
    """Which rows of a stream come too late, and the latest time before each row and after all."""

    times: NDArray[np.float64]
    late: NDArray[np.bool_]
    before: NDArray[np.float64]
    last: float


def check_times(values: Sequence[Any], last: float) -> InTime:
    """Compare times with those of earlier rows; one that cannot be read counts as late.

    Examples
    --------
    >>> check_times([1, 3, 2, "x", 4], last=0.0).late
    array([False, False,  True,  True, False])
    """
    times = times_of(values)
    latest = np.fmax.accumulate(np.r_[last, times])
    return InTime(times, ~(times >= latest[:-1]), latest[:-1], float(latest[-1]))


def sorted_batches(batches: Iterator[Batch], order: Order) -> Iterator[Batch]:
    """Yield one batch with all rows in this order."""
    found = list(batches)
    bad: dict[int, BadRow] = {}
    start = 0
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    for batch in found:
        bad |= {int(place[start + k]): wrong for k, wrong in batch.bad.items()}
        start += len(batch.rows)
    rows = np.concatenate([batch.rows for batch in found])[order]
    numbers = np.concatenate([batch.numbers for batch in found])[order]
    beside = [
        [value for batch in found for value in batch.beside[j]] for j in range(len(found[0].beside))
    ]
    beside = [[values[k] for k in order] for values in beside]
    yield Batch(rows, numbers, found[-1].done, bad, beside)


def _times(batch: Batch, name: str, place: str) -> NDArray[np.float64]:
    times = times_of(batch.beside[0])
    unread = np.flatnonzero(np.isnan(times))
    if len(unread):
        k = unread[0]
        raise DataError(
            f"times must be {FORMS}, got {batch.beside[0][k]!r:.40} in column {name!r}, "
            f"{place} {batch.numbers[k]}"
        )
    return times


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=4)
