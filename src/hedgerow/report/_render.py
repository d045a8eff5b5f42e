"""Fill the template with the data, the style and the script."""

import json
import os
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from math import comb, sqrt
from string import Template
from typing import Any

import numpy as np
from scipy.special import ndtri

from hedgerow._atomic import atomic_path
from hedgerow.report._data import ReportData
from hedgerow.report._layout import layout

_UNIT = 100  # positions are written as integers, this many to a unit of the layout


def write(path: str | os.PathLike[str], data: ReportData) -> None:
    """Write the page to ``path``; an interrupted write leaves an older file as it was.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> data = ReportData(names=["a", "b"], source=[0], target=[1], partial_corr=[0.5], z=[5.0],
    ...                   p_value=[6e-7], q_value=[6e-7], level=0.05, rows=100, version="1.0")
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "graph.html"
    >>> write(page, data)
    >>> page.read_text()[:15]
    '<!doctype html>'
    """
    page = render(data).encode()
    with atomic_path(path) as temporary:
        temporary.write_bytes(page)


def render(data: ReportData) -> str:
    """Return the page as text.

    Examples
    --------
    >>> data = ReportData(names=["<b>", "b"], source=[0], target=[1], partial_corr=[0.5], z=[5.0],
    ...                   p_value=[6e-7], q_value=[6e-7], level=0.05, rows=100, version="1.0")
    >>> "<b>" in render(data)
    False
    """
    style, script = _asset("bundle.css"), _asset("bundle.js")
    return Template(_asset("template.html")).substitute(
        policy=_policy(style, script), style=style, script=script, data=_inert_json(_payload(data))
    )


def _payload(data: ReportData) -> dict[str, Any]:
    drawn = data.q_value <= data.level
    if not drawn.any():
        drawn[:] = True
    strength = np.abs(data.partial_corr[drawn])
    xy = layout(len(data.names), data.source[drawn], data.target[drawn], strength)
    x, y = np.rint(xy * _UNIT).astype(int).T.tolist()
    return {
        "title": data.title,
        "made": data.made,
        "version": data.version,
        "warnings": data.warnings,
        "rows": data.rows,
        "columns": data.n_columns,
        "error": data.error,
        "level": data.level,
        "maxLevel": data.max_level,
        "detectable": _detectable(data),
        "names": data.names,
        "x": x,
        "y": y,
        "source": data.source.tolist(),
        "target": data.target.tolist(),
        # Levels are compared with q, so q (and p beside it) keep every digit.
        "partialCorr": [float(f"{value:.5g}") for value in data.partial_corr.tolist()],
        "z": [float(f"{value:.5g}") for value in data.z.tolist()],
        "p": data.p_value.tolist(),
        "q": data.q_value.tolist(),
    }


def _detectable(data: ReportData) -> float | None:
    """Return the partial correlation at which a lone edge would stand out, or None without pairs.

    A single edge is found, by either error kind, when its p-value is below level / pairs.
    """
    pairs = comb(len(data.names), 2)
    if not pairs or not data.rows:
        return None
    return float(-ndtri(data.level / (2 * pairs)) / sqrt(data.rows))


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: this style, this script, a worker, nothing else."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "worker-src blob:",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _inert_json(value: Any) -> str:
    """Return JSON in ASCII without ``<``, ``>`` and ``&``: no text in it can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
