"""A drawing that follows a changing graph: still a drawing, and still the same one to a reader."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from hedgerow.drawing.layout import layout


def drawn(graph, start=None):
    edges = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    return layout(len(graph), edges[:, 0], edges[:, 1], np.ones(len(edges)), start)


@st.composite
def two_graphs(draw):
    """Two graphs of the same variables."""
    n = draw(st.integers(0, 40))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = st.lists(st.sampled_from(pairs), max_size=60, unique=True) if pairs else st.just([])
    graphs = nx.empty_graph(n), nx.empty_graph(n)
    for graph in graphs:
        graph.add_edges_from(draw(edges))
    return graphs


@given(two_graphs())
@settings(deadline=None)  # the first example compiles
def test_every_variable_keeps_its_own_place_and_parts_keep_apart(graphs):
    before, after = graphs
    xy = drawn(after, drawn(before))
    assert xy.shape == (len(after), 2)
    assert np.isfinite(xy).all()
    distances = squareform(pdist(xy)) if len(after) > 1 else np.zeros((len(after),) * 2)
    assert len(after) < 2 or distances[np.triu_indices(len(after), 1)].min() > 0.05
    parts = [sorted(part) for part in nx.connected_components(after)]
    for i, part in enumerate(parts):
        for other in parts[:i]:
            if max(len(part), len(other)) > 1:
                assert distances[np.ix_(part, other)].min() > 0.8


@given(two_graphs())
@settings(deadline=None)
def test_variables_without_edges_stay(graphs):
    before, _ = graphs
    alone = nx.empty_graph(len(before))
    start = drawn(before)
    np.testing.assert_array_equal(drawn(alone, start), start)


@pytest.fixture
def grid():
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8), ordering="sorted")


def test_one_edge_less_moves_variables_by_less_than_half_the_way_to_a_neighbour(grid):
    rng = np.random.default_rng()
    start = drawn(grid)
    for _ in range(10):
        fewer = grid.copy()
        fewer.remove_edge(*rng.permutation(list(grid.edges))[0])
        assert np.median(np.linalg.norm(drawn(fewer, start) - start, axis=1)) < 0.5


def test_a_graph_that_grew_edge_by_edge_is_drawn_as_well_as_at_once(grid):
    """The order in which edges come hardly matters: about one in 300 leaves the grid folded.

    That three of five do happens once in some million runs.
    """
    rng = np.random.default_rng()
    distances = np.array([[d for _, d in sorted(row.items())] for _, row in shortest(grid)])
    grown = []
    for _ in range(5):
        order = rng.permutation(list(grid.edges))
        xy = drawn(nx.empty_graph(64))
        for known in range(10, 113, 6):
            part = nx.empty_graph(64)
            part.add_edges_from(map(tuple, order[:known]))
            xy = drawn(part, xy)
        grown.append(stress(xy, distances))
    assert np.median(grown) < 1.2 * stress(drawn(grid), distances)


def shortest(graph):
    return sorted(nx.all_pairs_shortest_path_length(graph))


def stress(xy, distances):
    """Return the mean squared relative error of drawn distances, at the best scale."""
    share = squareform(pdist(xy))[distances > 0] / distances[distances > 0]
    return np.mean((share * share.sum() / (share**2).sum() - 1) ** 2)
