"""What the page's script is given: a part is fixed, two can change as rows arrive, one is drawn."""

from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from hedgerow.method.balance import ALONE
from hedgerow.method.promises import BALANCED
from hedgerow.report._data import ReportData
from hedgerow.report._left_out import left_out
from hedgerow.report._pairs import payload_of

_UNIT = 100  # positions are written as integers, this many to a unit of the layout


def drawn_edges(data: ReportData) -> NDArray[np.bool_]:
    """Return which edges shape the drawing: those at the level, or all if none is."""
    drawn = data.q_value <= data.level
    return drawn if drawn.any() else np.ones_like(drawn)


def variables(data: ReportData) -> dict[str, Any]:
    """Return what stays the same while a graph is learned."""
    return {
        "title": data.title,
        "version": data.version,
        "columns": data.n_columns,
        "names": data.names,
        "error": data.error,
        "level": data.level,
        "maxLevel": data.max_level,
        **({"odds": True} if data.odds else {}),
    }


def places(xy: NDArray[np.float64]) -> dict[str, Any]:
    """Return where the variables are drawn."""
    x, y = np.rint(xy * _UNIT).astype(int).T.tolist()
    return {"x": x, "y": y}


def edges(data: ReportData) -> dict[str, Any]:
    """Return the edges, and what is to be known about the rows they come from."""
    return {
        "rows": data.rows,
        "warnings": data.warnings,
        "said": data.said,
        **left_out(data.left_out, data.rows_left_out),
        "detectable": _detectable(data),
        **({"whyNone": data.why_no_edges} if data.why_no_edges else {}),
        "source": data.source.tolist(),
        "target": data.target.tolist(),
        # Levels are compared with q, so q (and p beside it) keep every digit.
        "partialCorr": [float(f"{value:.5g}") for value in data.partial_corr.tolist()],
        **_intervals(data),
        **_returns(data),
        "z": [float(f"{value:.5g}") for value in data.z.tolist()],
        "p": data.p_value.tolist(),
        "q": data.q_value.tolist(),
    }


def _intervals(data: ReportData) -> dict[str, list[float]]:
    if data.low is None:
        return {}
    ends = {"low": data.low, "high": data.high}
    return {name: [float(f"{x:.4g}") for x in values.tolist()] for name, values in ends.items()}


def _returns(data: ReportData) -> dict[str, list[float]]:
    if data.returns is None:
        return {}
    return {"returns": [round(value, 3) for value in data.returns.tolist()]}


def pictures(data: ReportData) -> dict[str, Any]:
    """Return what columns look like, and what rows do in time, in as many digits as can be seen."""
    return {
        "histograms": [
            {
                "start": float(f"{start:.4g}"),
                "stop": float(f"{stop:.4g}"),
                "counts": [float(f"{count:.3g}") for count in counts],
                **({"values": [float(f"{value:.6g}") for value in values]} if values else {}),
            }
            for start, stop, counts, values in data.histograms
        ],
        "kinds": data.kinds,
        "missing": data.missing,
        "autocorrelation": [round(value, 3) for value in data.autocorrelation],
    }


def pairs(data: ReportData) -> dict[str, Any]:
    """Return what the page tells of single pairs of variables."""
    return {"pairs": [payload_of(pair) for pair in data.pairs]} if data.pairs else {}


def _detectable(data: ReportData) -> float | None:
    """Return the partial correlation at which a lone edge would stand out, or None without pairs.

    A single edge is found, by either error kind, when its p-value is below level / pairs; a
    balanced graph has its own level for that.
    """
    level = ALONE if data.error == BALANCED else data.level
    pairs = comb(len(data.names), 2)
    if not pairs or not data.rows:
        return None
    return float(-ndtri(level / (2 * pairs)) / sqrt(data.rows))
