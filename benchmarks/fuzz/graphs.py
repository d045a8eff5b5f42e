"""The same table gives the same graph: in any file, order of columns, chunks, or as a stream."""

import warnings
from typing import Any

import numpy as np

from benchmarks.fuzz.formats import WRITERS
from benchmarks.fuzz.oracles import Outcome, assert_bits, on_disk, read, stream
from benchmarks.fuzz.strategies import Case, Table
from hedgerow import HedgeGraph
from hedgerow.stream import open_source, run

_OPTIONS = {"missing": "drop"}


def same_graph(table: Table) -> None:
    """Read a table from every kind of file; compare rows, streams and graphs."""
    numbers = np.column_stack([column.numbers for column in table.columns])
    if np.isnan(numbers[:100]).all(axis=0).any():
        return  # an empty column is left out of text; elsewhere its type tells that it is one
    first = _read(table, "csv")
    if first.error:
        assert "no row is left" in first.error, first.error
        return
    assert_bits(first.rows, numbers[np.isfinite(numbers).all(axis=1)])
    for kind in WRITERS:
        for at_once in (1_000_000, 7):
            found = _read(table, kind, at_once)
            assert not found.error, f"{kind}: {found.error}"
            assert kind == "npy" or found.names == first.names, kind
            if kind == "xlsx":  # its writer keeps 16 digits
                np.testing.assert_allclose(found.rows, first.rows, rtol=1e-15)
            else:
                assert_bits(found.rows, first.rows)
    if len(first.rows) >= 2:
        _compare_graphs(table, first)


def _read(table: Table, kind: str, at_once: int = 1_000_000) -> Outcome:
    content = WRITERS[kind](table)
    case = Case(
        f"table.{kind}", content, _OPTIONS, at_once=at_once, block=max(97, len(content) // 9)
    )
    with on_disk(case) as path:
        found = read(case, path)
        flowing = stream(case, path)
        if not found.error:
            assert not flowing.error, f"{kind}: {flowing.error}"
            assert_bits(flowing.rows, found.rows)
    return found


def _is_plain(rows: Any) -> bool:
    n_rows, n_columns = rows.shape
    scale = np.abs(rows).max(axis=0)
    if n_rows <= 2 * n_columns or (scale < 1e-140).any():
        return False
    centred = rows / scale - (rows / scale).mean(axis=0)
    return bool(np.linalg.cond(centred) < 1e6)


def _compare_graphs(table: Table, first: Outcome) -> None:
    whole = _graph(first.rows, first.names)
    assert _graph(first.rows, first.names, pieces=5) == whole
    assert _streamed(table, "csv") == whole
    assert _streamed(table, "parquet") == whole
    if not _is_plain(first.rows):
        return  # columns that determine each other have more than one right graph
    order = list(reversed(range(len(first.names))))
    turned = _graph(first.rows[:, order], [first.names[j] for j in order])
    assert _pairs(turned) == _pairs(whole)


def _graph(rows: Any, names: list[str], pieces: int = 1) -> Any:
    model = HedgeGraph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for piece in np.array_split(rows, min(pieces, len(rows))):
                model.partial_fit(piece)
            model.feature_names_in_ = np.array(names, dtype=object)
            return [tuple(edge) for edge in model.edges_]
        except ValueError as error:
            return str(error)


def _streamed(table: Table, kind: str) -> Any:
    case = Case(f"table.{kind}", WRITERS[kind](table), {}, block=997)
    with on_disk(case) as path, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [
                tuple(edge)
                for edge in run(open_source(path, missing="drop"), bad_rows="skip").edges_
            ]
        except ValueError as error:
            return str(error)


def _pairs(edges: Any) -> Any:
    return "refused" if isinstance(edges, str) else {frozenset(edge[:2]) for edge in edges}
