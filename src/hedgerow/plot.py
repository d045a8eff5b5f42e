"""Drawings for notebooks and papers, on matplotlib axes.

`network` draws the graph, `heatmap` the matrix of partial correlations, `pair` what is left of two
columns when their neighbours are taken out, `difference` what differs between two groups, in the
layout that `positions` finds for both. For a page to explore, see `hedgerow.report`.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.drawing.layout import layout, layout_together
from hedgerow.drawing.look import FAINT, LABELS_UP_TO, NEGATIVE, NODE, POSITIVE, colours, widths
from hedgerow.estimators import Difference, HedgeGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.promises import as_title, promise_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["difference", "heatmap", "network", "pair", "positions"]

Places = NDArray[np.float64]

RISE, FALL = "#00806a", "#b02a7b"
_FAINTEST = 0.15  # share of its opacity that an edge keeps which is never found again
_GIVEN_NAMED = 3  # neighbours that are named on an axis


def network(
    model: HedgeGraph,
    *,
    level: float | None = None,
    labels: bool | None = None,
    positions: Places | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the graph: blue edges are positive, orange ones negative, wide ones strong.

    After `HedgeGraph.resample`, edges that are seldom found again are faint.

    Parameters
    ----------
    model : HedgeGraph
        A fitted model.
    level : float, optional
        Draw the edges at another error level than the model's own.
    labels : bool, optional
        Whether to write the names; by default if there are at most 60.
    positions : array of shape (n_features, 2), optional
        Where the variables are, as `positions` returns for several groups.
    ax : matplotlib Axes, optional
        Where to draw; by default new axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, plot
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 5)), axis=1)
    >>> ax = plot.network(HedgeGraph(error="fwer").fit(walk))
    >>> ax.get_title()
    '4 edges, familywise error rate 0.05'
    """
    level = model.level_ if level is None else level
    graph, table = model.graph_up_to(level), model.edges_up_to(level)
    n, strength = model.n_features_in_, np.abs(graph.partial_corr)
    xy = layout(n, graph.source, graph.target, strength) if positions is None else positions
    returns = table["returns"] if "returns" in table.COLUMNS else np.ones(len(strength))
    ax = _new_axes() if ax is None else ax
    shades, wide = colours(graph.partial_corr), widths(strength)
    ends = graph.source, graph.target
    _lines(ax, xy, ends, shades, wide, 0.7 * (_FAINTEST + (1 - _FAINTEST) * returns))
    _nodes(ax, xy, ends, [str(name) for name in column_labels(model)], labels)
    n_edges = len(graph.source)
    promise = as_title(promise_of(model.error, model.level), level, n_edges)
    ax.set_title(f"{n_edges} edge{'s' * (n_edges != 1)}, {promise}")
    return ax


def positions(*models: HedgeGraph) -> Places:
    """Return where the variables of several groups are, to draw all graphs in one layout.

    Parameters
    ----------
    *models : HedgeGraph
        Fitted to rows of the same columns, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, plot
    >>> rng = np.random.default_rng(0)
    >>> walks = [np.cumsum(rng.standard_normal((400, 5)), axis=1) for _ in range(2)]
    >>> first, second = (HedgeGraph().fit(walk) for walk in walks)
    >>> plot.positions(first, second).shape
    (5, 2)
    """
    if not models:
        raise ValueError("models must be one at least, got none")
    labels = column_labels(models[0]).tolist()
    if any(column_labels(model).tolist() != labels for model in models):
        raise ValueError("models must have the same columns in the same order")
    graphs = [model.graph_up_to(model.level_) for model in models]
    source, target, corr = (
        np.concatenate([getattr(graph, name) for graph in graphs])
        for name in ("source", "target", "partial_corr")
    )
    return layout_together(len(labels), source, target, np.abs(corr))


def difference(
    found: Difference,
    first: HedgeGraph,
    second: HedgeGraph,
    *,
    labels: bool | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw what differs between two groups: green is higher in the second, purple is lower.

    Thin grey lines are edges of either graph that do not differ, at the level of ``found``.

    Parameters
    ----------
    found : Difference
        What `hedgerow.difference` returned for the two.
    first, second : HedgeGraph
        Fitted to rows of the same columns, in the same order.
    labels : bool, optional
        Whether to write the names; by default if there are at most 60.
    ax : matplotlib Axes, optional
        Where to draw; by default new axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, difference, plot
    >>> rng = np.random.default_rng(0)
    >>> walk, other = (np.cumsum(rng.standard_normal((600, 4)), axis=1) for _ in range(2))
    >>> other[:, 3] = rng.standard_normal(600)  # 3 is on its own
    >>> models = HedgeGraph().fit(walk), HedgeGraph().fit(other)
    >>> plot.difference(difference(*models), *models).get_title()
    '2 differences, false discovery rate 0.05'
    """
    xy, table = positions(first, second), found.edges_
    place = {name: j for j, name in enumerate(column_labels(first).tolist())}
    ends = tuple(
        np.array([place[name] for name in table[end].tolist()], dtype=np.intp)
        for end in ("source", "target")
    )
    ax = _new_axes() if ax is None else ax
    for model in (first, second):
        graph = model.graph_up_to(model.level_)
        _lines(ax, xy, (graph.source, graph.target), FAINT, 0.7, 0.6)
    size = np.abs(table.difference)
    _lines(ax, xy, ends, np.where(table.difference >= 0, RISE, FALL), widths(size), 0.9)
    _nodes(ax, xy, ends, [str(name) for name in place], labels)
    many = f"{len(size)} difference{'s' * (len(size) != 1)}"
    ax.set_title(f"{many}, {as_title(found.error, found.level, len(size))}")
    return ax


def _lines(ax: "Axes", xy: Places, ends: Any, shades: Any, wide: Any, alpha: Any) -> None:
    from matplotlib.collections import LineCollection

    if not len(ends[0]):  # of which matplotlib cannot tell how opaque they are
        return
    lines = np.stack([xy[ends[0]], xy[ends[1]]], axis=1)
    ax.add_collection(LineCollection(list(lines), colors=shades, linewidths=wide, alpha=alpha))


def _nodes(ax: "Axes", xy: Places, ends: Any, names: list[str], labels: bool | None) -> None:
    """Draw variables, those without a line faint, and what axes of a network have in common."""
    degree = np.bincount(np.concatenate(ends), minlength=len(names))
    ax.scatter(xy[:, 0], xy[:, 1], s=15 + 6 * degree, c=np.where(degree > 0, NODE, FAINT), zorder=2)
    if labels or (labels is None and len(names) <= LABELS_UP_TO):
        for name, place in zip(names, xy):
            _write(ax, name, place)
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.set_axis_off()


def heatmap(model: HedgeGraph, *, labels: bool | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the partial correlations of the edges as a matrix; the diagonal is left empty.

    Parameters
    ----------
    model : HedgeGraph
        A fitted model.
    labels : bool, optional
        Whether to write the names; by default if there are at most 60.
    ax : matplotlib Axes, optional
        Where to draw; by default new axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, plot
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 5)), axis=1)
    >>> image = plot.heatmap(HedgeGraph().fit(walk)).images[0]
    >>> image.get_array().shape
    (5, 5)
    """
    from matplotlib.colors import LinearSegmentedColormap

    values = model.partial_corr_
    np.fill_diagonal(values, np.nan)
    strongest = np.nanmax(np.abs(values), initial=0.0) or 1.0
    names = [str(name) for name in column_labels(model)]

    ax = _new_axes() if ax is None else ax
    shades = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "white", POSITIVE])
    image = ax.imshow(values, cmap=shades, vmin=-strongest, vmax=strongest)
    ax.figure.colorbar(image, ax=ax, label="partial correlation", shrink=0.8)
    if labels or (labels is None and len(names) <= LABELS_UP_TO):
        ax.set_xticks(range(len(names)), [_plain(name) for name in names], rotation=90)
        ax.set_yticks(range(len(names)), [_plain(name) for name in names])
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    return ax


def pair(
    model: HedgeGraph, source: Hashable, target: Hashable, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw what is left of two columns when their neighbours are taken out, row by row.

    The line has the slope of the partial correlation, which comes from all rows; points are the
    rows that the model keeps.

    Parameters
    ----------
    model : HedgeGraph
        A fitted model that keeps rows, as it does unless ``keep_rows=False``.
    source, target : name, or number of a column that has none
    ax : matplotlib Axes, optional
        Where to draw; by default new axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, plot
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 5)), axis=1)
    >>> plot.pair(HedgeGraph().fit(walk), 0, 2).get_xlabel()
    '0, less what 1 and 3 say'
    """
    left, told = model.residuals_of(source, target), model.explain(source, target)
    colour = POSITIVE if left.partial_corr >= 0 else NEGATIVE
    ax = _new_axes() if ax is None else ax
    ax.scatter(left.x, left.y, s=12, c=colour if told.is_edge else NODE, alpha=0.5, linewidths=0)
    slope = left.partial_corr * (left.y.std() / (left.x.std() or 1.0))
    ax.axline((0.0, 0.0), slope=slope, color=NODE, linewidth=1)
    names = " and ".join(map(str, left.given[:_GIVEN_NAMED]))
    if len(left.given) > _GIVEN_NAMED:
        names = f"{len(left.given)} neighbours"
    less = f", less what {_plain(names)} say{'s' * (len(left.given) == 1)}" if left.given else ""
    ax.set_xlabel(_plain(str(left.source)) + less)
    ax.set_ylabel(_plain(str(left.target)) + less)
    ax.set_title(
        f"{'edge' if told.is_edge else 'no edge'}: partial correlation {told.partial_corr:.2f} "
        f"({told.low:.2f} to {told.high:.2f})"
    )
    return ax


def _new_axes() -> "Axes":
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def _write(ax: "Axes", name: str, place: Any) -> None:
    from matplotlib.patheffects import withStroke

    ax.annotate(
        _plain(name),
        place,
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize="small",
        path_effects=[withStroke(linewidth=2, foreground="white")],
    )


def _plain(name: str) -> str:
    r"""Return a name that matplotlib shows as it is: between dollars it would read mathematics.

    >>> _plain("5$ or 6$")
    '5\\$ or 6\\$'
    """
    return name.replace("$", r"\$")
