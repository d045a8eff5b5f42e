"""What a model learned, to a file: the format follows from its name or is given."""

import csv
import os
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from hedgerow.base.atomic import atomic_path
from hedgerow.base.checks import one_of
from hedgerow.estimators import HedgeGraph, IsingGraph
from hedgerow.estimators.input import column_labels
from hedgerow.io._graph_json import dump_json, write_cytoscape, write_node_link
from hedgerow.io._graph_xml import write_gexf, write_graphml
from hedgerow.io._network import Network, network_of
from hedgerow.io.source import optional

Learned = HedgeGraph | IsingGraph


class Format(NamedTuple):
    """A kind of file that a graph can be written to."""

    summary: str
    suffix: str | None
    write: Callable[[Learned, BinaryIO], None]


def write(path: str | os.PathLike[str], model: Learned, format: str | None = None) -> None:
    """Write the graph, its edges or its matrices to a file.

    Parameters
    ----------
    path : str or path
        An existing file is replaced only once the new one is complete.
    model : HedgeGraph or IsingGraph
        A fitted model.
    format : str, optional
        A key of `FORMATS`; by default the suffix of the file name decides.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, io
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.csv"
    >>> io.write(file, HedgeGraph().fit(walk))
    >>> [line.split(",")[:2] for line in file.read_text().splitlines()]
    [['source', 'target'], ['1', '2'], ['0', '1']]
    """
    format = format_of(path) if format is None else one_of("format", format, tuple(FORMATS))
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        FORMATS[format].write(model, stream)


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file name asks for.

    >>> format_of("graph.cyjs")
    'cytoscape'
    """
    suffix = Path(path).suffix.lower()
    suffixes = {kind.suffix: name for name, kind in FORMATS.items() if kind.suffix}
    if suffix not in suffixes:
        raise ValueError(
            f"file name must end in {', '.join(suffixes)}, or the format be given, "
            f"got {os.fspath(path)!r}"
        )
    return suffixes[suffix]


def _graph(write: Callable[[Network, BinaryIO], None]) -> Callable[[Learned, BinaryIO], None]:
    return lambda model, stream: write(network_of(model), stream)


def _delimited(delimiter: str) -> Callable[[Learned, BinaryIO], None]:
    def write(model: Learned, stream: BinaryIO) -> None:
        text = TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(model.edges_.COLUMNS)
        writer.writerows(model.edges_)
        text.detach()  # the stream is the caller's to close

    return write


def _json(model: Learned, stream: BinaryIO) -> None:
    dump_json([edge._asdict() for edge in model.edges_], stream)


def _parquet(model: Learned, stream: BinaryIO) -> None:
    optional("polars", "cli")
    model.edges_.to_polars().write_parquet(stream)


def _npz(model: Learned, stream: BinaryIO) -> None:
    names = column_labels(model)
    shared = {"names": names.astype(str), "adjacency": model.adjacency_.toarray()}
    matrices: dict[str, Any]
    if isinstance(model, IsingGraph):
        matrices = {"couplings": model.couplings_, "fields": model.fields_}
    else:
        matrices = {
            "partial_corr": model.partial_corr_,
            "precision": model.precision_,
            "covariance": model.covariance_,
            "location": model.location_,
        }
    np.savez_compressed(stream, **shared, **matrices)


FORMATS = {
    "csv": Format("edges between commas", ".csv", _delimited(",")),
    "tsv": Format("edges between tabs", ".tsv", _delimited("\t")),
    "parquet": Format("edges in Parquet", ".parquet", _parquet),
    "json": Format("edges as a list of objects", ".json", _json),
    "graphml": Format("graph for yEd, igraph and others", ".graphml", _graph(write_graphml)),
    "gexf": Format("graph for Gephi", ".gexf", _graph(write_gexf)),
    "cytoscape": Format("graph for Cytoscape", ".cyjs", _graph(write_cytoscape)),
    "node-link": Format("graph for D3 and networkx", None, _graph(write_node_link)),
    "npz": Format("matrices for NumPy", ".npz", _npz),
}
