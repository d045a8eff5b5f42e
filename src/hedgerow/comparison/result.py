"""The graphs of several methods, side by side."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow import __version__, metrics
from hedgerow.base.table import aligned
from hedgerow.comparison._outcome import Outcome, adjacency_of
from hedgerow.engines.likelihood_cpu import fit_precision

COLUMNS = ("method", "edges", "seconds", "stability", "f1", "fdp", "exact", "status")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` returns.

    A method is an item, by name; iteration gives one `Outcome` after another.

    Attributes
    ----------
    outcomes : tuple of Outcome
        In the order in which the methods ran.
    names : tuple of str
        The columns.
    n_rows : int
    time_budget : float
        Seconds that each method had.
    resamples : int
        Random splits of the rows that were asked for.
    covariance : ndarray of shape (n_columns, n_columns)
        Of the rows.
    truth : csr_array or None
        The true graph, if it was given.
    """

    outcomes: tuple[Outcome, ...]
    names: tuple[str, ...]
    n_rows: int
    time_budget: float
    resamples: int
    covariance: NDArray[np.float64]
    truth: csr_array | None = None

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    def __getitem__(self, method: str) -> Outcome:
        for outcome in self.outcomes:
            if outcome.method == method:
                return outcome
        known = ", ".join(outcome.method for outcome in self.outcomes)
        raise KeyError(f"method must be one of {known}, got {method!r}")

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the comparison before all methods had run."""
        return any(outcome.reason == "interrupted" for outcome in self.outcomes)

    @property
    def agreement(self) -> NDArray[np.float64]:
        """Jaccard index of the graphs of every two methods; NaN where one has no graph."""
        result = np.full((len(self), len(self)), np.nan)
        graphs = {k: each.adjacency for k, each in enumerate(self.outcomes) if each.ok}
        for i, first in graphs.items():
            for j, second in graphs.items():
                if i <= j:
                    result[i, j] = result[j, i] = metrics.jaccard(first, second)
        return result

    def partial_corr(self, edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the partial correlations of the most likely Gaussian model on a graph.

        Parameters
        ----------
        edges : ndarray of int of shape (number of edges, 2)
        """
        graph = adjacency_of(edges, len(self.names))
        precision = fit_precision(self.covariance, self.n_rows, graph).precision
        scale = np.sqrt(precision.diagonal())
        source, target = edges.T
        values = np.asarray(precision[source, target]).ravel() if len(edges) else np.empty(0)
        result: NDArray[np.float64] = -values / (scale[source] * scale[target])
        return result

    def rows(self) -> list[dict[str, Any]]:
        """Return the table, a dictionary for each method; what is not known is None.

        ``edges``; ``seconds`` to learn from all rows; ``stability``, the mean Jaccard index of
        the graphs of two halves of the rows, over ``splits`` random splits; with a truth also
        ``f1``, ``fdp`` (the share of edges that are false) and ``exact``; ``status``, ``reason``
        and ``warnings``.
        """
        return [self._row(outcome) for outcome in self.outcomes]

    def _row(self, outcome: Outcome) -> dict[str, Any]:
        row: dict[str, Any] = {
            "method": outcome.method,
            "edges": len(outcome.edges) if outcome.ok else None,
            "seconds": _known(outcome.seconds),
            "stability": _known(outcome.stability),
            "splits": len(outcome.halves),
        }
        if self.truth is not None:
            scores = {"f1": metrics.f1, "fdp": metrics.fdp, "exact": metrics.exact_recovery}
            for name, score in scores.items():
                row[name] = score(outcome.adjacency, self.truth) if outcome.ok else None
        return row | {
            "status": str(outcome.status),
            "reason": outcome.reason,
            "warnings": list(outcome.warnings),
        }

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Return the table as a polars DataFrame."""
        import polars

        return polars.DataFrame(self.rows(), infer_schema_length=None)

    def to_json(self) -> str:
        """Return table, agreement and all graphs, with the names of the columns."""
        methods = [
            self._row(outcome) | {"graph": list(self._named_edges(outcome))}
            for outcome in self.outcomes
        ]
        agreement = [[_known(value) for value in line] for line in self.agreement.tolist()]
        content = {
            "version": __version__,
            "rows": self.n_rows,
            "columns": list(self.names),
            "time_budget": self.time_budget,
            "resamples": self.resamples,
            "methods": methods,
            "agreement": agreement,
        }
        return json.dumps(content, indent=2, allow_nan=False)

    def _named_edges(self, outcome: Outcome) -> Iterator[dict[str, Any]]:
        for (source, target), score in zip(outcome.edges.tolist(), outcome.scores.tolist()):
            yield {"source": self.names[source], "target": self.names[target], "score": score}

    def __str__(self) -> str:
        rows = self.rows()
        shown = [name for name in COLUMNS if name in rows[0]]
        texts = [[text_of(row, name) for name in shown] for row in rows]
        return aligned([shown, *texts], left=(0, len(shown) - 1))

    def __repr__(self) -> str:
        size = f"{self.n_rows:,} rows, {len(self.names):,} columns"
        return f"<Comparison of {len(self)} methods on {size}>\n{self}"


def text_of(row: dict[str, Any], name: str) -> str:
    """Return a cell of the table for people.

    Examples
    --------
    >>> text_of({"seconds": 0.01234}, "seconds"), text_of({"exact": True}, "exact")
    ('0.012', 'yes')
    """
    value = row[name]
    if name == "status":
        return f"{value}: {row['reason']}" if row["reason"] else value
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "seconds":
        return f"{value:.2g}" if value < 10 else f"{value:.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _known(value: float) -> float | None:
    return None if isnan(value) else value
