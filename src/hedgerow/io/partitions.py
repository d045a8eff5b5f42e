"""Files that the workers of a cluster read themselves, each as a partition of rows."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators.partitions import Source
from hedgerow.io._table import open_table
from hedgerow.io.source import DataError


class FilePartition:
    """The rows of one file, read in batches wherever they are asked for."""

    def __init__(self, path: str, names: list[str], options: dict[str, Any]) -> None:
        self.path = self.where = path
        self.names = names
        self.options = options

    def __call__(self) -> Iterator[NDArray[np.float64]]:
        """Yield the rows; raise ValueError if the file is not like the others."""
        try:
            yield from self._rows()
        except DataError as error:
            raise ValueError(f"{self.path}: {error}") from error

    def _rows(self) -> Iterator[NDArray[np.float64]]:
        with open_table(self.path, **self.options) as table:
            if table.names != self.names:
                other = [name for name in table.names if name not in self.names]
                lacks = [name for name in self.names if name not in table.names]
                what = f"got {other[0]!r}" if other else f"{lacks[0]!r} is missing"
                what = what if other or lacks else "they are in another order"
                raise ValueError(
                    f"all files must have the columns of the first, in its order; in {self.path} "
                    f"{what}"
                )
            yield from table
            if table.n_dropped:
                raise ValueError(
                    f"all rows must have values on a cluster, got {table.n_dropped} without any "
                    f"in {self.path}"
                )


def partitions_of(
    paths: Sequence[str | os.PathLike[str]], names: list[str], **options: Any
) -> Source:
    """Return files as partitions, in this order, for `HedgeGraph.fit` on a cluster.

    Parameters
    ----------
    paths : sequence of str or path
        Files that all workers can see under these names.
    names : list of str
        The columns that all files have.
    **options : see `open_table`
    """
    whole = [os.path.abspath(path) for path in paths]
    parts = [FilePartition(path, names, options) for path in whole]
    return Source(parts, len(names), list(names))
