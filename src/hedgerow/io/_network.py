"""A learned graph as plain data, the same for every format."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hedgerow import __version__
from hedgerow.base.table import BoundedEdge, OddsEdge
from hedgerow.estimators import HedgeGraph, IsingGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.promises import promise_of


class Network(NamedTuple):
    """Names of the nodes, edges between them, and how the graph was made."""

    nodes: list[Any]
    edges: list[Any]  # of `BoundedEdge` or `OddsEdge`
    facts: dict[str, Any]
    numbers: tuple[str, ...]  # names of what is known of each edge


def network_of(model: HedgeGraph | IsingGraph) -> Network:
    """Return the graph that a fitted model learned."""
    nodes = column_labels(model).tolist()
    ising = isinstance(model, IsingGraph)
    told = model.said() if isinstance(model, IsingGraph) else model.treatment_.sentences()
    facts = {
        "rows": int(model.n_samples_seen_),
        "columns": len(nodes),
        "error": promise_of(model.error, model.level),
        "level": model.level_,
        "version": __version__,
        "effective_rows": float(model.n_samples_seen_ if ising else model.n_samples_effective_),
        "treatment": " ".join(told),
    }
    edges = model.edges_
    return Network(nodes, list(edges), facts, edges.COLUMNS[2:])


def numbers_of(edge: BoundedEdge | OddsEdge) -> Iterator[tuple[str, float]]:
    """Yield the columns of numbers of an edge with their names."""
    yield from zip(edge._fields[2:], edge[2:])
