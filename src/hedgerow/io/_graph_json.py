"""Graphs in JSON: node-link, as D3 and networkx have it, and Cytoscape's."""

import json
from typing import Any, BinaryIO

from hedgerow.io._network import Network, numbers_of


def write_node_link(network: Network, stream: BinaryIO) -> None:
    """Write what ``networkx.node_link_graph(..., edges="edges")`` reads."""
    content = {
        "directed": False,
        "multigraph": False,
        "graph": network.facts,
        "nodes": [{"id": node} for node in network.nodes],
        "edges": [edge._asdict() for edge in network.edges],
    }
    dump_json(content, stream)


def write_cytoscape(network: Network, stream: BinaryIO) -> None:
    """Write what Cytoscape, Cytoscape.js and ``networkx.cytoscape_graph`` read."""
    nodes = [{"id": str(node), "name": str(node), "value": node} for node in network.nodes]
    edges = [
        {"source": str(edge.source), "target": str(edge.target), **dict(numbers_of(edge))}
        for edge in network.edges
    ]
    content = {
        "directed": False,
        "multigraph": False,
        "data": network.facts,
        "elements": {
            "nodes": [{"data": node} for node in nodes],
            "edges": [{"data": edge} for edge in edges],
        },
    }
    dump_json(content, stream)


def dump_json(content: Any, stream: BinaryIO) -> None:
    """Write JSON on one line."""
    stream.write(json.dumps(content, allow_nan=False).encode() + b"\n")
