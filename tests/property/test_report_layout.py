"""Where variables are drawn, for any graph."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist, squareform

from hedgerow.drawing.layout import layout


def drawn(graph, strength=None):
    graph = nx.convert_node_labels_to_integers(graph, ordering="sorted")
    edges = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    strength = np.ones(len(edges)) if strength is None else strength
    return layout(len(graph), edges[:, 0], edges[:, 1], strength)


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 40))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=60, unique=True)) if pairs else []
    strength = draw(st.lists(st.floats(0, 1), min_size=len(edges), max_size=len(edges)))
    graph = nx.empty_graph(n)
    graph.add_edges_from(edges)
    return graph, np.array(strength)


@given(graphs())
@settings(deadline=None)  # the first example compiles
def test_every_variable_has_its_own_finite_place(case):
    graph, strength = case
    xy = drawn(graph, strength)
    assert xy.shape == (len(graph), 2)
    assert np.isfinite(xy).all()
    assert len(graph) < 2 or pdist(xy).min() > 0.05


@given(graphs())
@settings(deadline=None)
def test_connected_parts_keep_apart(case):
    graph, strength = case
    xy = drawn(graph, strength)
    distances = squareform(pdist(xy)) if len(graph) > 1 else np.zeros((len(graph),) * 2)
    parts = [sorted(part) for part in nx.connected_components(graph)]
    for i, part in enumerate(parts):
        for other in parts[:i]:
            assert distances[np.ix_(part, other)].min() > 0.8


@given(graphs())
@settings(deadline=None)
def test_the_same_graph_gives_the_same_drawing(case):
    graph, strength = case
    np.testing.assert_array_equal(drawn(graph, strength), drawn(graph, strength))


def stress(xy, graph):
    """Return the mean squared relative error of drawn distances, at the best scale."""
    hops = squareform(np.asarray(nx.floyd_warshall_numpy(graph)), checks=False)
    ratio = pdist(xy) / hops
    return np.mean((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2)


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(40),
        nx.cycle_graph(30),
        nx.grid_2d_graph(8, 8),
        nx.balanced_tree(2, 5),
        nx.random_regular_graph(3, 60, seed=1),
    ],
    ids=["path", "cycle", "grid", "tree", "random"],
)
def test_distances_are_kept_as_well_as_by_kamada_and_kawai(graph):
    graph = nx.convert_node_labels_to_integers(graph, ordering="sorted")
    peer = np.array(list(nx.kamada_kawai_layout(graph).values()))
    assert stress(drawn(graph), graph) < 1.05 * stress(peer, graph) + 1e-4


def test_a_grid_of_pixels_is_drawn_upright_with_the_first_at_the_top_left():
    xy = drawn(nx.grid_2d_graph(8, 8)).reshape(8, 8, 2)
    right, down = np.diff(xy, axis=1), np.diff(xy, axis=0)
    assert (right[..., 0] > 3 * np.abs(right[..., 1])).all()
    assert (-down[..., 1] > 3 * np.abs(down[..., 0])).all()


def test_stronger_edges_are_shorter():
    a, b, c = drawn(nx.path_graph(3), np.array([0.8, 0.2]))
    assert np.hypot(*(a - b)) < 0.6 * np.hypot(*(b - c))


def test_leaves_of_a_hub_beyond_the_pivots_do_not_coincide():
    """A star too large for all pairs: most leaves have the same distances to all pivots."""
    xy = drawn(nx.star_graph(3000))
    nearest = cKDTree(xy).query(xy, k=2)[0][:, 1]
    assert np.median(nearest) == pytest.approx(1)
    assert nearest.min() > 0.1
