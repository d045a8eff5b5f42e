"""What a page tells of single pairs of variables, and draws of them."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators import HedgeGraph
from hedgerow.estimators.input import column_labels
from hedgerow.method.graph import Graph

MOST_EDGES = 200  # the surest; of these a page can tell, so that it stays small
MOST_OTHERS = 100  # pairs without an edge, the most correlated
MOST_COLUMNS = 2000  # with more, a page tells of no pair: all are looked through
_STEPS = 127  # of a coordinate, on either side of zero: finer than a screen


class PairTold(NamedTuple):
    """What is known of two variables, in sentences, and what their neighbours leave of them."""

    source: int
    target: int
    said: Sequence[str]
    partial_corr: float
    way: Sequence[int] | None = None  # variables between the two, where no edge joins them
    x: NDArray[np.float64] | None = None  # none where no rows are kept
    y: NDArray[np.float64] | None = None


def pairs_of(model: HedgeGraph, graph: Graph, level: float, share: float = 1.0) -> list[PairTold]:
    """Return what a page tells of the edges of a graph, up to a level, and of other pairs.

    ``share`` is how much of the room on the page there is for it.
    """
    if not model.explains or model.n_features_in_ > MOST_COLUMNS:
        return []
    edges, others = (int(most * share) for most in (MOST_EDGES, MOST_OTHERS))
    pairs = list(zip(graph.source[:edges].tolist(), graph.target[:edges].tolist()))
    pairs += model.related_pairs(others, level)
    told = model.explain_all(pairs)
    number = {name: j for j, name in enumerate(column_labels(model).tolist())}
    left = model.residuals_of_all(pairs) if model.has_rows else [None] * len(pairs)
    return [
        PairTold(
            *pair,
            str(one).splitlines(),
            one.partial_corr,
            None if one.between is None else [number[name] for name in one.between],
            *(() if some is None else (some.x, some.y)),
        )
        for pair, one, some in zip(pairs, told, left, strict=True)
    ]


def payload_of(pair: PairTold) -> dict[str, Any]:
    """Return what the page's script is given of a pair."""
    given: dict[str, Any] = {"source": pair.source, "target": pair.target, "said": list(pair.said)}
    if pair.way is not None:
        given["way"] = list(pair.way)
    if pair.x is None or pair.y is None:
        return given
    points = np.stack([pair.x, pair.y], axis=1)
    reach = np.maximum(np.abs(points).max(axis=0), 1e-300)
    steps = np.rint(points / reach * _STEPS).astype(np.int8)
    return given | {
        "partialCorr": float(f"{pair.partial_corr:.4g}"),
        "points": b64encode(steps.tobytes()).decode(),
    }
