"""Drawings for notebooks and papers show the graph that was learned."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from hedgerow import HedgeGraph, difference, plot

matplotlib.use("Agg")
from matplotlib import pyplot as plt

NAMES = ["a", "b", "5$ or 6$", "<b>", "with\nnewline"]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((400, 4)), axis=1)
    walk[:, 1] *= -1
    frame = pd.DataFrame(np.c_[walk, rng.standard_normal(400)], columns=NAMES)
    return HedgeGraph(error="fwer").fit(frame)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def drawn(ax):
    """Render, so that text that matplotlib cannot read is an error here."""
    ax.figure.savefig(io.BytesIO())
    return ax


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_network_has_the_edges_of_the_model(model):
    ax = drawn(plot.network(model))
    (lines,) = ax.collections[:1]
    points = ax.collections[1].get_offsets()
    graph = model.graph_up_to(model.level)
    assert len(graph.source) == 3
    ends = [
        tuple(int(np.argmin(np.linalg.norm(points - end, axis=1))) for end in line)
        for line in lines.get_segments()
    ]
    assert ends == list(zip(graph.source, graph.target))
    colours = [plot.POSITIVE if r > 0 else plot.NEGATIVE for r in graph.partial_corr]
    np.testing.assert_allclose(lines.get_colors()[:, :3], [to_rgba(c)[:3] for c in colours])
    widths = np.array(lines.get_linewidths())
    np.testing.assert_allclose(
        widths / widths.max(), abs(graph.partial_corr) / max(abs(graph.partial_corr))
    )
    assert ax.get_title() == "3 edges, familywise error rate 0.05"


def test_another_level(model):
    ax = drawn(plot.network(model, level=0.5))
    assert len(ax.collections[0].get_segments()) == len(model.edges_up_to(0.5))
    assert ax.get_title().endswith("rate 0.5")
    with pytest.raises(ValueError, match=r"level must be in \(0, 0.5\], got 2"):
        plot.network(model, level=2)


def test_the_title_of_a_balanced_graph_says_that_its_level_is_an_estimate():
    rows = np.cumsum(np.random.default_rng().normal(size=(200, 8)), axis=1)
    balanced = HedgeGraph(level="balanced").fit(rows)
    assert drawn(plot.network(balanced)).get_title() == (
        f"{len(balanced.edges_)} edges, "
        f"balanced, estimated share of false edges {balanced.level_:.2g}"
    )
    title = drawn(plot.network(balanced, level=0.3)).get_title()
    assert title.endswith("balanced, estimated share of false edges 0.3")


def test_names_are_written_as_they_are(model):
    assert texts(plot.network(model)) == ["a", "b", r"5\$ or 6\$", "<b>", "with\nnewline"]
    labels = [each.get_text() for each in plot.heatmap(model).get_xticklabels()]
    assert labels == ["a", "b", r"5\$ or 6\$", "<b>", "with\nnewline"]


def test_names_are_written_where_they_are_few_or_wanted(model):
    many = HedgeGraph().fit(np.random.default_rng(0).standard_normal((200, 70)))
    assert texts(plot.network(many)) == []
    assert len(texts(plot.network(many, labels=True))) == 70
    assert texts(plot.network(model, labels=False)) == []
    assert len(plot.heatmap(many).get_xticks()) == 0
    assert len(plot.heatmap(many, labels=True).get_yticks()) == 70
    assert len(plot.heatmap(model, labels=False).get_xticks()) == 0


def test_the_heatmap_shows_partial_correlations(model):
    ax = drawn(plot.heatmap(model))
    (image,) = ax.images
    values = np.ma.filled(image.get_array(), np.nan)
    expected = model.partial_corr_
    off = ~np.eye(len(expected), dtype=bool)
    np.testing.assert_array_equal(values[off], expected[off])
    assert np.isnan(np.diag(values)).all()
    assert image.get_clim() == (-abs(expected[off]).max(), abs(expected[off]).max())


def test_drawing_changes_nothing(model):
    before = model.partial_corr_
    plot.heatmap(model)
    plot.network(model)
    np.testing.assert_array_equal(model.partial_corr_, before)


def test_axes_can_be_given(model):
    _, axes = plt.subplots(1, 2)
    assert plot.network(model, ax=axes[0]) is axes[0]
    assert plot.heatmap(model, ax=axes[1]) is axes[1]


def test_a_graph_without_edges():
    model = HedgeGraph(error="fwer", level=1e-9).fit(np.random.default_rng().normal(size=(99, 4)))
    assert drawn(plot.network(model)).get_title().startswith("0 edges")
    drawn(plot.heatmap(model))


def test_a_pair_is_drawn_from_what_is_left_of_it(model):
    ax = drawn(plot.pair(model, "a", "5$ or 6$"))
    left = model.residuals_of("a", "5$ or 6$")
    points = ax.collections[0].get_offsets()
    assert np.array_equal(points, np.c_[left.x, left.y])
    assert ax.get_title().startswith("no edge: partial correlation")
    assert plot.pair(model, "a", "b").get_title().startswith("edge: partial correlation")


def test_groups_are_drawn_in_one_layout_and_differences_in_their_colours():
    rng = np.random.default_rng(0)
    walk, other = (np.cumsum(rng.standard_normal((600, 4)), axis=1) for _ in range(2))
    other[:, 3] = rng.standard_normal(600)
    first, second = HedgeGraph(error="fwer").fit(walk), HedgeGraph(error="fwer").fit(other)
    places = plot.positions(first, second)
    for model in (first, second):
        nodes = drawn(plot.network(model, positions=places)).collections[-1]
        assert np.array_equal(nodes.get_offsets(), places)
    found = difference(first, second)
    ax = drawn(plot.difference(found, first, second))
    *beside, lines, _ = ax.collections
    wanted = [to_rgba(plot.RISE if d > 0 else plot.FALL, 0.9) for d in found.edges_.difference]
    assert [tuple(colour) for colour in lines.get_colors()] == wanted
    assert sum(len(each.get_segments()) for each in beside) == len(first.edges_) + len(
        second.edges_
    )
    with pytest.raises(ValueError, match="models must have the same columns in the same order"):
        plot.positions(first, HedgeGraph().fit(walk[:, :3]))
    with pytest.raises(ValueError, match="models must be one at least, got none"):
        plot.positions()


def test_edges_that_seldom_return_are_faint():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((500, 12))
    for j in range(1, 12):
        rows[:, j] += 0.2 * rows[:, j - 1]
    model = HedgeGraph().fit(rows).resample(rows, times=10)
    alphas = drawn(plot.network(model)).collections[0].get_colors()[:, 3]
    returns = model.edges_.returns
    assert np.allclose(alphas, 0.7 * (0.15 + 0.85 * returns))
    assert returns.min() < returns.max()
