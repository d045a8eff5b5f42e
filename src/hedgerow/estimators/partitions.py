"""Rows that the workers of a cluster read themselves: partitions, in their order, one at a time."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from hedgerow.base.words import listed
from hedgerow.estimators.input import read_rows

Rows = NDArray[np.floating]
# Returns the rows of a partition, in pieces, the same each time it is called, on any worker.
Partition = Callable[[], Iterator[Any]]


_CELLS_AT_ONCE = 1 << 22  # treated together


class Checked(NamedTuple):
    """What the first reading of a partition told."""

    rows: int
    mark: int  # of all its bytes


class Source(NamedTuple):
    """Partitions of rows, in the order in which they are learned."""

    partitions: Sequence[Partition]
    n_columns: int
    names: list[Hashable] | None
    block: int = 0  # rows of the largest partition that is read at once, where that is known

    def rows(self, known: list[Checked], start: int, stop: int) -> Iterator[Rows]:
        """Yield the rows from ``start`` to ``stop``, many at a time where columns are few.

        Raise ValueError if a partition is not what it was.
        """
        waiting: list[Rows] = []
        for some in self._pieces(known, start, stop):
            waiting.append(some)
            if sum(map(len, waiting)) * self.n_columns >= _CELLS_AT_ONCE:
                yield np.concatenate(waiting)
                waiting = []
        if waiting:
            yield np.concatenate(waiting)

    def _pieces(self, known: list[Checked], start: int, stop: int) -> Iterator[Rows]:
        before = 0
        for number, checked in enumerate(known):
            first, last = max(start - before, 0), min(stop - before, checked.rows)
            if first < last:
                yield from self._some(number, checked, first, last)
            before += checked.rows

    def _some(self, number: int, checked: Checked, first: int, last: int) -> Iterator[Rows]:
        found, place = 0, 0
        for rows in self.read(number):
            found = crc32(rows.data, found)
            some = rows[max(first - place, 0) : max(last - place, 0)]
            place += len(rows)
            if len(some):
                yield some
            if place >= last and last < checked.rows:
                return
        if Checked(place, found) != checked:
            raise ValueError(
                f"X must have the same rows whenever they are read, got others in "
                f"{self.called(number)} when it was read again"
            )

    def read(self, number: int) -> Iterator[Rows]:
        """Yield the rows of a partition as arrays of numbers, checked."""
        place, where = 0, self.called(number)
        for some in self.partitions[number]():
            shape = tuple(getattr(some, "shape", ()))
            if len(shape) != 2:
                kind = type(some).__name__
                raise ValueError(f"X must have partitions that are tables, got {kind} in {where}")
            if shape[1] != self.n_columns:
                raise ValueError(
                    f"X must have {self.n_columns} columns in all partitions, got {shape[1]} in "
                    f"{where}"
                )
            if shape[0]:
                yield _numbers(some, where, place)
                place += shape[0]

    def called(self, number: int) -> str:
        """Return what to call a partition: as it calls itself, or by its number."""
        return str(getattr(self.partitions[number], "where", f"partition {number}"))


def _numbers(some: Any, where: str, before: int) -> Rows:
    """Return rows of a partition; raise for what is no number, and for cells that are missing."""
    try:
        rows = read_rows(BaseEstimator(), some, reset=True, gaps=True)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{error} (in {where})") from error
    gone = np.isnan(rows).any(axis=1)
    if gone.any():
        named = listed(map(str, before + np.flatnonzero(gone)))
        raise ValueError(
            f"X must have no missing cells on a cluster, got {np.isnan(rows).sum()} in {where}, in "
            f"its rows {named}; device='cpu' fills them in"
        )
    return rows


def check_partition(source: Source, number: int) -> Checked:
    """Return how many rows a partition has, and a mark by which it is known again."""
    n_rows, mark = 0, 0
    for rows in source.read(number):
        n_rows, mark = n_rows + len(rows), crc32(rows.data, mark)
    if not n_rows:
        raise ValueError(f"X must have rows in all partitions, got none in {source.called(number)}")
    return Checked(n_rows, mark)


def source_of(X: Any) -> Source:
    """Return the partitions of a dask array or data frame."""
    if isinstance(X, Source):
        return X
    from distributed import Future

    names: list[Hashable] | None = None
    block = 0
    if hasattr(X, "partitions") and hasattr(X, "columns"):
        parts, names = X.partitions, list(X.columns)
        number, n_columns = X.npartitions, len(names)
    elif hasattr(X, "blocks") and X.ndim == 2:
        unknown = [k for k, size in enumerate(X.chunks[0]) if size != size]
        if unknown or X.shape[1] != X.shape[1]:
            raise ValueError(
                f"X must have chunks of known sizes, got {len(unknown)} of unknown size (the first "
                f"is chunk {unknown[0] if unknown else 0}); X.compute_chunk_sizes() finds them"
            )
        X = X.rechunk({1: -1})
        parts, number, n_columns = X.blocks, X.numblocks[0], X.shape[1]
        block = max(X.chunks[0], default=0)
    else:
        raise ValueError(
            f"X must be a dask array of two dimensions or a dask data frame, got {type(X).__name__}"
        )
    if n_columns < 2:
        raise ValueError(f"X must have at least two columns, got {n_columns}")
    if any(isinstance(value, Future) for value in dict(X.__dask_graph__()).values()):
        raise ValueError(
            "X must not be persisted: workers read rows when they need them, and keep none; fit "
            "what it was before"
        )
    return Source([_Part(parts[k]) for k in range(number)], n_columns, names, block)


class _Part:
    """One partition of a dask collection, computed where and when it is read."""

    def __init__(self, collection: Any) -> None:
        self.collection = collection

    def __call__(self) -> Iterator[Any]:
        yield self.collection.compute(scheduler="synchronous")
