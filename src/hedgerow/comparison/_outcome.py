"""What became of one method."""

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from hedgerow.metrics import jaccard

Edges = NDArray[np.int64]  # (number of edges, 2), first < second


class Status(StrEnum):
    """How a method ended."""

    OK = "ok"
    FAILED = "failed"
    OUT_OF_TIME = "out of time"
    ABSENT = "absent"  # a package that the method needs
    NOT_RUN = "not run"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method found, or why it found nothing.

    Attributes
    ----------
    method : str
    status : Status
    reason : str
        Why there is no graph; empty if there is one.
    n_columns : int
    edges : ndarray of shape (number of edges, 2)
        Columns as numbers, the surest edge first.
    scores : ndarray of shape (number of edges,)
        How sure the method is of each edge, in its own units.
    seconds : float
        Time that it took to learn from all the rows; NaN without a graph.
    halves : tuple of pairs of edges
        The graphs of both halves of the rows, for each random split that there was time for.
    warnings : tuple of str
    """

    method: str
    status: Status
    reason: str
    n_columns: int
    edges: Edges = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    scores: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    seconds: float = float("nan")
    halves: tuple[tuple[Edges, Edges], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a graph."""
        return self.status is Status.OK

    @property
    def adjacency(self) -> csr_array:
        """The graph: symmetric, zero diagonal."""
        return adjacency_of(self.edges, self.n_columns)

    @property
    def stability(self) -> float:
        """Mean Jaccard index of the graphs of two halves of the rows.

        Two empty graphs tell nothing and do not count; NaN where no others are left.
        """
        graphs = [
            [adjacency_of(half, self.n_columns) for half in pair]
            for pair in self.halves
            if any(len(half) for half in pair)
        ]
        return float(np.mean([jaccard(*pair) for pair in graphs])) if graphs else float("nan")


def adjacency_of(edges: Edges, n_columns: int) -> csr_array:
    """Return edges as a symmetric matrix of bool."""
    ends = np.concatenate([edges, edges[:, ::-1]]).T
    ones = np.ones(ends.shape[1], dtype=np.bool_)
    return csr_array(coo_array((ones, tuple(ends)), shape=(n_columns, n_columns)))


def edges_of(adjacency: csr_array) -> Edges:
    """Return the edges of a symmetric matrix, in order."""
    graph = adjacency.tocoo()
    once = graph.row < graph.col
    edges = np.column_stack([graph.row[once], graph.col[once]]).astype(np.int64)
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]


def halves_of(n_rows: int, seed: int, split: int) -> list[NDArray[np.int64]]:
    """Return the rows of both halves of a random split, each in order.

    Examples
    --------
    >>> [half.tolist() for half in halves_of(5, seed=0, split=0)]
    [[2, 3, 4], [0, 1]]
    """
    order = np.random.default_rng([seed, split]).permutation(n_rows)
    return [np.sort(half) for half in np.array_split(order, 2)]


def varying(rows: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the columns that vary; others have no neighbours, and no method is shown them."""
    return np.flatnonzero(rows.min(axis=0) != rows.max(axis=0))
