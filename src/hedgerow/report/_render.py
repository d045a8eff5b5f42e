"""A report as a file, or as text."""

import os
from typing import Any

import numpy as np

from hedgerow.base.atomic import atomic_path
from hedgerow.drawing.layout import layout
from hedgerow.report._data import ReportData
from hedgerow.report.page import bundle, fill, policy
from hedgerow.report.payload import drawn_edges, edges, pairs, pictures, places, variables


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
    style, script = bundle()
    return fill(style, script, _payload(data), policy(style, script))


def _payload(data: ReportData) -> dict[str, Any]:
    drawn = drawn_edges(data)
    strength = np.abs(data.partial_corr[drawn])
    xy = layout(len(data.names), data.source[drawn], data.target[drawn], strength)
    shown = edges(data) | pictures(data) | pairs(data)
    return variables(data) | places(xy) | shown | {"made": data.made}
