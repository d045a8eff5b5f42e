"""A small table of edges that needs no data-frame package and turns into any of them."""

from collections.abc import Container, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROWS_SHOWN = 10


class Edge(NamedTuple):
    """An edge and its test."""

    source: Any
    target: Any
    partial_corr: float
    z: float
    p_value: float
    q_value: float


class BoundedEdge(NamedTuple):
    """One row of the table with an interval that the partial correlation lies in."""

    source: Any
    target: Any
    partial_corr: float
    low: float
    high: float
    z: float
    p_value: float
    q_value: float


class OddsEdge(NamedTuple):
    """One row of a table of edges between variables of yes or no."""

    source: Any
    target: Any
    coupling: float
    log_odds_ratio: float
    z: float
    p_value: float
    q_value: float


class EdgeTable:
    """Edges, the surest first: two columns of names and others of numbers.

    A column is an attribute and an item; iteration gives a `BoundedEdge` at a time.

    Examples
    --------
    >>> table = EdgeTable(source=["a"], target=["b"], partial_corr=[0.5], low=[0.4],
    ...                   high=[0.6], z=[7.0], p_value=[2.6e-12], q_value=[1e-11])
    >>> table.partial_corr
    array([0.5])
    >>> [edge.target for edge in table]
    ['b']
    >>> print(table)
    source  target  partial_corr    low   high     z  p_value  q_value
    a       b              0.500  0.400  0.600  7.00  2.6e-12    1e-11
    """

    ROW: type[NamedTuple] = BoundedEdge
    COLUMNS: tuple[str, ...] = BoundedEdge._fields
    source: NDArray[Any]
    target: NDArray[Any]
    partial_corr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    z: NDArray[np.float64]
    p_value: NDArray[np.float64]
    q_value: NDArray[np.float64]

    def __init__(self, **columns: Any) -> None:
        if set(columns) != set(self.COLUMNS):
            raise ValueError(f"columns must be {', '.join(self.COLUMNS)}, got {', '.join(columns)}")
        for name in self.COLUMNS:
            kind = None if name in ("source", "target") else np.float64
            setattr(self, name, np.asarray(columns[name], dtype=kind))

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, column: str) -> NDArray[Any]:
        if column not in self.COLUMNS:
            raise KeyError(f"column must be one of {', '.join(self.COLUMNS)}, got {column!r}")
        result: NDArray[Any] = getattr(self, column)
        return result

    def __iter__(self) -> Iterator[Any]:
        for values in zip(*(self[name].tolist() for name in self.COLUMNS)):
            yield self.ROW(*values)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.COLUMNS

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, which every data-frame constructor takes."""
        return {name: self[name] for name in self.COLUMNS}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """Return a polars DataFrame."""
        import polars

        return polars.DataFrame({name: column.tolist() for name, column in self.to_dict().items()})

    def __str__(self) -> str:
        shown = [self._texts(edge) for edge in self._head()]
        rest = len(self) - len(shown)
        return aligned([self.COLUMNS, *shown], left=(0, 1)) + (
            f"\n... and {rest} more" if rest else ""
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} edges>\n{self}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in self.COLUMNS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in self._texts(edge)) + "</tr>"
            for edge in self._head()
        )
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{len(self)} edges"
        )

    def _head(self) -> list[Any]:
        return [edge for edge, _ in zip(self, range(_ROWS_SHOWN))]

    @staticmethod
    def _texts(edge: Any) -> tuple[str, ...]:
        source, target, *estimates, z, p_value, q_value = edge
        numbers = [f"{estimate:.3f}" for estimate in estimates]
        return str(source), str(target), *numbers, f"{z:.2f}", f"{p_value:.2g}", f"{q_value:.2g}"


class DifferentEdge(NamedTuple):
    """One row of a table of pairs that differ between two groups."""

    source: Any
    target: Any
    partial_corr: float
    other_partial_corr: float
    difference: float
    low: float
    high: float
    z: float
    p_value: float
    q_value: float


class DifferenceTable(EdgeTable):
    """Pairs of columns whose partial correlations differ between two groups.

    Examples
    --------
    >>> table = DifferenceTable(source=["a"], target=["b"], partial_corr=[0.5], low=[-0.6],
    ...                         other_partial_corr=[0.0], difference=[-0.5], high=[-0.3], z=[-6.0],
    ...                         p_value=[2e-9], q_value=[1e-7])
    >>> [(edge.source, edge.difference) for edge in table]
    [('a', -0.5)]
    """

    ROW = DifferentEdge
    COLUMNS = DifferentEdge._fields
    other_partial_corr: NDArray[np.float64]
    difference: NDArray[np.float64]


class ResampledEdge(NamedTuple):
    """One row of a table of edges that were tested again in halves of the rows."""

    source: Any
    target: Any
    partial_corr: float
    low: float
    high: float
    z: float
    p_value: float
    q_value: float
    returns: float


class ResampledTable(EdgeTable):
    """Edges, and the share of halves of the rows that have them too.

    Examples
    --------
    >>> table = ResampledTable(source=["a"], target=["b"], partial_corr=[0.5], low=[0.4],
    ...                        high=[0.6], z=[7.0], p_value=[2.6e-12], q_value=[1e-11],
    ...                        returns=[0.98])
    >>> print(table)
    source  target  partial_corr    low   high     z  p_value  q_value  returns
    a       b              0.500  0.400  0.600  7.00  2.6e-12    1e-11     0.98
    """

    ROW = ResampledEdge
    COLUMNS = ResampledEdge._fields
    returns: NDArray[np.float64]

    @staticmethod
    def _texts(edge: Any) -> tuple[str, ...]:
        *others, returns = edge
        return *EdgeTable._texts(others), f"{returns:.2f}"


class OddsTable(EdgeTable):
    """Edges between variables of yes or no, with couplings and log odds ratios.

    Examples
    --------
    >>> table = OddsTable(source=["a"], target=["b"], coupling=[0.5], log_odds_ratio=[2.0], z=[7.0],
    ...                   p_value=[2.6e-12], q_value=[1e-11])
    >>> print(table)
    source  target  coupling  log_odds_ratio     z  p_value  q_value
    a       b          0.500           2.000  7.00  2.6e-12    1e-11
    """

    ROW = OddsEdge
    COLUMNS = OddsEdge._fields
    coupling: NDArray[np.float64]
    log_odds_ratio: NDArray[np.float64]


def aligned(rows: Sequence[Sequence[str]], left: Container[int]) -> str:
    """Return rows of cells as lines of text; the columns ``left`` begin flush, others end so.

    Examples
    --------
    >>> print(aligned([["name", "n"], ["a", "10"]], left=[0]))
    name   n
    a     10
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = (
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
