"""What a report shows of a fitted model."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import __version__
from hedgerow.estimators import HedgeGraph, IsingGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.balance import LOOSEST_LEVEL
from hedgerow.method.graph import Graph
from hedgerow.method.promises import promise_of
from hedgerow.report._data import ReportData
from hedgerow.report._pairs import pairs_of

Array = NDArray[np.float64]

MOST_HISTOGRAMS = 300  # of a page: for more variables there are none, so that it stays small
_SHOWN = ("source", "target", "partial_corr", "z", "p_value", "q_value")
_MAX_LEVEL = 0.2  # edges up to this level go with the page, unless its own is looser


def data_of(
    model: HedgeGraph | IsingGraph,
    *,
    title: str = "Hedgerow report",
    n_columns: int | None = None,
    warnings: Sequence[str] = (),
    left_out: Mapping[str, Sequence[str]] | None = None,
    rows_left_out: Mapping[str, int] | None = None,
    said: Sequence[str] | None = None,
    room: float = 1.0,
) -> ReportData:
    """Return what a report shows of a fitted model, dated today.

    Parameters
    ----------
    model : HedgeGraph or IsingGraph
    title : str
    n_columns : int, optional
        Columns of the table that the model was fitted to, if some of them were left out.
    warnings : sequence of str
        What the reader should know before trusting the graph.
    left_out, rows_left_out : mappings, optional
        Columns and numbers of rows that were not learned from, by the reason.
    said : sequence of str, optional
        What was done to rows and columns; by default what the model knows of it.
    room : float
        The share of the usual number of pairs that the page tells about, as `explain` does.

    Examples
    --------
    >>> import numpy as np
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
    >>> data = data_of(HedgeGraph().fit(walk), title="A random walk")
    >>> data.names, data.rows, data.source
    (['0', '1', '2'], 400, array([1, 0]))
    """
    about: dict[str, Any] = {
        "names": column_labels(model).tolist(),
        "error": promise_of(model.error, model.level),
        "rows": model.n_samples_seen_,
        "n_columns": n_columns,
        "warnings": warnings,
        "left_out": left_out or {},
        "rows_left_out": rows_left_out or {},
        "title": title,
        "made": date.today().isoformat(),
    }
    if isinstance(model, IsingGraph):
        return _of_odds(model, said=model.said() if said is None else said, **about)
    treatment, end = model.treatment_, end_of_slider(model.level_)
    graph = model.graph_up_to(end)
    if said is None:
        said = [
            *treatment.sentences(),
            *model.hubs_in_words(),
            *model.resamples_in_words(),
        ]
    return of_graph(
        graph,
        model.level_,
        model.intervals_up_to(end, model.level_),
        **about,
        said=said,
        returns=model.returns_up_to(end),
        why_no_edges=model.why_no_edges(),
        pairs=pairs_of(model, graph, end, room),
        histograms=_histograms(model) if model.n_features_in_ <= MOST_HISTOGRAMS else (),
        kinds=treatment.kinds.tolist(),
        missing=treatment.missing.tolist(),
        autocorrelation=treatment.autocorrelation if treatment.related_in_time else (),
    )


def _of_odds(model: IsingGraph, **about: Any) -> ReportData:
    """Return what a page shows of a graph whose edges have odds ratios."""
    max_level = end_of_slider(model.level_)
    graph, edges = model.graph_up_to(max_level), model.edges_up_to(max_level)
    return ReportData(
        source=graph.source,
        target=graph.target,
        partial_corr=edges.log_odds_ratio,
        z=graph.z,
        p_value=graph.p_value,
        q_value=graph.q_value,
        level=model.level_,
        max_level=max_level,
        version=__version__,
        odds=True,
        **about,
    )


def _histograms(model: HedgeGraph) -> list[tuple[Any, ...]]:
    """Return a bar for each value where these are few by the kind of a column, else bins."""
    return [
        bins if bars is None else (bars.values[0], bars.values[-1], bars.counts, bars.values)
        for bins, bars in zip(model.histograms(), model.value_counts(), strict=True)
    ]


def of_graph(
    graph: Graph, level: float, ends: tuple[Array, Array] | None = None, **about: Any
) -> ReportData:
    """Return what a page shows of a graph whose edges go beyond the level, and have intervals."""
    max_level = end_of_slider(level)
    edges = {name: getattr(graph.up_to(max_level), name) for name in _SHOWN}
    if ends is not None:
        shown = graph.q_value <= max_level
        edges |= {"low": ends[0][shown], "high": ends[1][shown]}
    return ReportData(**edges, level=level, max_level=max_level, version=__version__, **about)


def end_of_slider(level: float) -> float:
    """Return the level up to which edges go with the page: a short number, and beyond ``level``."""
    return _MAX_LEVEL if level <= _MAX_LEVEL else max(LOOSEST_LEVEL, level)
