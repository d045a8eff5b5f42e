"""Whatever the columns are called, other programs read the same graph back."""

import json
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import HedgeGraph, io

# XML has no control characters; how those are written is a unit test.
characters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
names = st.text(characters | st.sampled_from("\t\n\r"), max_size=12)
READERS = {
    "graphml": nx.read_graphml,
    "gexf": nx.read_gexf,
    "node-link": lambda path: nx.node_link_graph(json.loads(path.read_text()), edges="edges"),
    "cytoscape": lambda path: nx.cytoscape_graph(json.loads(path.read_text())),
}


@given(st.lists(names, min_size=3, max_size=6, unique=True), st.sampled_from(sorted(READERS)))
def test_networkx_reads_the_same_graph(columns, format):
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((300, len(columns))), axis=1)
    model = HedgeGraph(level=0.3).fit(pd.DataFrame(walk, columns=columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        io.write(path, model, format)
        graph = READERS[format](path)
    assert not graph.is_directed()
    expected = model.to_networkx()
    assert list(graph) == list(expected)
    assert graph.number_of_edges() == expected.number_of_edges() >= len(columns) - 1
    for source, target, values in expected.edges(data=True):
        assert values.items() <= graph.edges[source, target].items()
