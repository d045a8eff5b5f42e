"""A learned graph as plain data, the same for every format."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hedgerow import __version__
from hedgerow.base.table import Edge
from hedgerow.estimators import HedgeGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.promises import promise_of


class Network(NamedTuple):
    """Names of the nodes, edges between them, and how the graph was made."""

    nodes: list[Any]
    edges: list[Edge]
    facts: dict[str, Any]


def network_of(model: HedgeGraph) -> Network:
    """Return the graph that a fitted model learned."""
    nodes = column_labels(model).tolist()
    facts = {
        "rows": int(model.n_samples_seen_),
        "columns": len(nodes),
        "error": promise_of(model.error, model.level),
        "level": model.level_,
        "version": __version__,
        "effective_rows": float(model.n_samples_effective_),
        "treatment": " ".join(model.treatment_.sentences()),
    }
    return Network(nodes, list(model.edges_), facts)


def numbers_of(edge: Edge) -> Iterator[tuple[str, float]]:
    """Yield the columns of numbers of an edge with their names."""
    yield from zip(Edge._fields[2:], edge[2:])
