"""The page of a comparison: the same drawing for the graphs of all methods, and a switch."""

import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import __version__
from hedgerow.base.atomic import atomic_path
from hedgerow.comparison import Comparison, edges_of
from hedgerow.drawing.layout import layout
from hedgerow.report._left_out import checked_columns
from hedgerow.report._left_out import left_out as told
from hedgerow.report.page import bundle, fill, policy
from hedgerow.report.payload import places


def write_comparison(
    path: str | os.PathLike[str],
    comparison: Comparison,
    *,
    title: str = "Methods compared",
    warnings: Sequence[str] = (),
    left_out: Mapping[str, Sequence[str]] | None = None,
    rows_left_out: Mapping[str, int] | None = None,
) -> None:
    """Write a page with the graphs of all methods to ``path``.

    Parameters
    ----------
    path : str or path
    comparison : Comparison
        What `hedgerow.compare` returned.
    title : str
    warnings : sequence of str
        What the reader should know about the rows.
    left_out, rows_left_out : mappings, optional
        Columns and numbers of rows that no method was shown, by the reason.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from hedgerow import compare
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "compared.html"
    >>> write_comparison(page, compare(walk, ["hedgerow", "inverse_gram"], resamples=0))
    >>> page.read_text()[:15]
    '<!doctype html>'
    """
    style, script = bundle()
    aside = told(checked_columns(left_out or {}), rows_left_out or {})
    payload = _payload(comparison, title, warnings) | aside
    page = fill(style, script, payload, policy(style, script)).encode()
    with atomic_path(path) as temporary:
        temporary.write_bytes(page)


def _payload(comparison: Comparison, title: str, warnings: Sequence[str]) -> dict[str, Any]:
    methods = [
        {**row, "name": row["method"], **_graph(comparison, outcome.edges, outcome.scores)}
        for row, outcome in zip(comparison.rows(), comparison.outcomes, strict=True)
    ]
    truth = None
    if comparison.truth is not None:
        edges = edges_of(comparison.truth)
        truth = _graph(comparison, edges, np.ones(len(edges)))
    return {
        "title": title,
        "version": __version__,
        "made": date.today().isoformat(),
        "rows": comparison.n_rows,
        "columns": len(comparison.names),
        "budget": comparison.time_budget,
        "warnings": list(warnings),
        "names": list(comparison.names),
        "methods": methods,
        "truth": truth,
        **places(_drawing(comparison)),
    }


def _graph(
    comparison: Comparison, edges: NDArray[np.int64], scores: NDArray[np.float64]
) -> dict[str, list[Any]]:
    source, target = edges.T.tolist()
    partial_corr = comparison.partial_corr(edges).tolist()
    return {
        "source": source,
        "target": target,
        "partialCorr": [float(f"{value:.5g}") for value in partial_corr],
        "score": [float(f"{value:.5g}") for value in scores.tolist()],
    }


def _drawing(comparison: Comparison) -> NDArray[np.float64]:
    """Draw the edges that at least half of the methods have, or all if there are none such.

    One method's dense graph would otherwise shape the drawing of all others.
    """
    graphs = [outcome.edges for outcome in comparison if outcome.ok]
    together = np.concatenate([np.empty((0, 2), dtype=np.int64), *graphs])
    edges, finders = np.unique(together, axis=0, return_counts=True)
    common = 2 * finders >= len(graphs)
    shown = common if common.any() else np.ones_like(common)
    source, target = edges[shown].T
    return layout(len(comparison.names), source, target, np.ones(len(source)))
