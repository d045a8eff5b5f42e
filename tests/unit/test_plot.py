"""Drawings for notebooks and papers show the graph that was learned."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from hedgerow import HedgeGraph, plot

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
