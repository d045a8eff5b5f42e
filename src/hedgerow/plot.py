"""Drawings for notebooks and papers, on matplotlib axes.

`network` draws the graph, `heatmap` the matrix of partial correlations. For a page to explore, see
`hedgerow.report`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.drawing.layout import layout
from hedgerow.estimators import HedgeGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.promises import as_title, promise_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["heatmap", "network"]

POSITIVE, NEGATIVE = "#1f5fa8", "#c2571a"  # apart for the colour-blind too, as in the report
_NODE, _FAINT = "#333333", "#bbbbbb"
_WIDEST = 4.0  # points
_LABELS_UP_TO = 60  # variables; more names than these hide the drawing


def network(
    model: HedgeGraph,
    *,
    level: float | None = None,
    labels: bool | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the graph: blue edges are positive, orange ones negative, wide ones strong.

    Parameters
    ----------
    model : HedgeGraph
        A fitted model.
    level : float, optional
        Draw the edges at another error level than the model's own.
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
    >>> ax = plot.network(HedgeGraph(error="fwer").fit(walk))
    >>> ax.get_title()
    '4 edges, familywise error rate 0.05'
    """
    from matplotlib.collections import LineCollection

    level = model.level_ if level is None else level
    graph = model.graph_up_to(level)
    names = [str(name) for name in column_labels(model)]
    strength = np.abs(graph.partial_corr)
    xy = layout(len(names), graph.source, graph.target, strength)
    degree = np.bincount(np.r_[graph.source, graph.target], minlength=len(names))

    ax = _new_axes() if ax is None else ax
    colours = np.where(graph.partial_corr >= 0, POSITIVE, NEGATIVE)
    widths = _WIDEST * strength / max(strength.max(initial=0.0), 1e-12)
    lines = np.stack([xy[graph.source], xy[graph.target]], axis=1)
    ax.add_collection(
        LineCollection(list(lines), colors=list(colours), linewidths=widths, alpha=0.7)
    )
    ax.scatter(
        xy[:, 0], xy[:, 1], s=15 + 6 * degree, c=np.where(degree > 0, _NODE, _FAINT), zorder=2
    )
    if labels or (labels is None and len(names) <= _LABELS_UP_TO):
        for name, place in zip(names, xy):
            _write(ax, name, place)
    n_edges = len(graph.source)
    promise = as_title(promise_of(model.error, model.level), level, n_edges)
    ax.set_title(f"{n_edges} edge{'s' * (n_edges != 1)}, {promise}")
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.set_axis_off()
    return ax


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
    colours = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "white", POSITIVE])
    image = ax.imshow(values, cmap=colours, vmin=-strongest, vmax=strongest)
    ax.figure.colorbar(image, ax=ax, label="partial correlation", shrink=0.8)
    if labels or (labels is None and len(names) <= _LABELS_UP_TO):
        ax.set_xticks(range(len(names)), [_plain(name) for name in names], rotation=90)
        ax.set_yticks(range(len(names)), [_plain(name) for name in names])
    else:
        ax.set_xticks([])
        ax.set_yticks([])
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
