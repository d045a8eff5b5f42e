"""What a notebook shows of an estimator whose results are computed when they are asked for.

scikit-learn's own display, and its ``dir``, which completion uses, look at every attribute. That
would compute them all: here both stay cheap.
"""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import numpy as np
from sklearn import get_config

from hedgerow.base.locks import locked
from hedgerow.base.table import EdgeTable
from hedgerow.drawing.svg import svg
from hedgerow.estimators._shared import Shared
from hedgerow.estimators.input import column_labels
from hedgerow.method.promises import in_words, promise_of

_DRAWN_UP_TO = 300  # variables; a drawing of more is made slowly and says little at this size


class NotebookSummary(Shared):
    """An estimator of a graph that tells, where HTML can be shown, what it has learned."""

    def __dir__(self) -> Iterable[str]:
        return object.__dir__(self)

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if self._shows_what_it_learned():
            return self._learned_html
        html: Callable[[], str] = super()._repr_html_
        return html

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        if self._shows_what_it_learned():
            return {"text/plain": repr(self), "text/html": self._learned_html()}
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return bundle

    def _shows_what_it_learned(self) -> bool:
        return bool(self.__sklearn_is_fitted__() and get_config()["display"] == "diagram")

    @locked
    def _learned_html(self) -> str:
        head = f"<code>{escape(repr(self))}</code>"
        rows, columns = f"{self.n_samples_seen_:,} rows", f"{self.n_features_in_:,} columns"
        edges = self._known_edges()
        if edges is None:
            return f"<div>{head}<p>Learned from {rows} of {columns}.</p></div>"
        kind = promise_of(self.error, self.level)
        promise = in_words(kind, self.level_, len(edges), self.why_no_edges())
        found = f"<p><b>{len(edges):,} edges</b> among {columns}, from {rows}, {promise}.</p>"
        done = escape(" ".join(self._treated()))
        said = f"<p>{done}</p>" if done else ""
        shown = f"{self._drawn(edges)}{edges._repr_html_()}" if len(edges) else ""
        return f"<div>{head}{found}{said}{shown}</div>"

    def _drawn(self, edges: EdgeTable) -> str:
        names = column_labels(self).tolist()
        if len(names) > _DRAWN_UP_TO:
            return ""
        number = {name: k for k, name in enumerate(names)}
        source, target = (
            np.array([number[name] for name in edges[end].tolist()]) for end in ("source", "target")
        )
        return svg([str(name) for name in names], source, target, edges[edges.COLUMNS[2]])

    def why_no_edges(self) -> str:
        """Return why a balanced graph is refused any edges; nothing if it is not."""
        return ""

    def _treated(self) -> list[str]:
        """Return in sentences what was done to rows and columns; asked if edges are known."""
        raise NotImplementedError

    def _known_edges(self) -> EdgeTable | None:
        """Return the edges if they are known already: to show a model must not take long."""
        raise NotImplementedError
