"""A drawing that stands still, as text: for notebooks, which show it without script or network."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from hedgerow.drawing.layout import layout
from hedgerow.drawing.look import FAINT, LABELS_UP_TO, NODE, colours, widths

_WIDTH, _HEIGHT, _MARGIN = 640, 400, 40  # pixels
_LARGEST_UNIT = 70.0  # pixels from a variable to its neighbour; small graphs need no more

_LETTERS = (  # with a white rim, to be read where they lie on lines
    'font-family="sans-serif" font-size="11" text-anchor="middle" '
    'stroke="#fff" stroke-width="2" paint-order="stroke"'
)


def svg(
    names: Sequence[str],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    values: NDArray[np.float64],
) -> str:
    """Return the graph as an ``<svg>`` element: blue lines are positive, wide ones strong.

    Pointing at a line or a dot shows its names.

    Examples
    --------
    >>> text = svg(["a", "b"], np.array([0]), np.array([1]), np.array([0.5]))
    >>> text.count("<line"), text.count("<circle"), text.count("<text")
    (1, 2, 2)
    """
    strength = np.abs(values)
    xy = layout(len(names), source, target, strength) * [1, -1]
    size = np.maximum(np.ptp(xy, axis=0), 1e-12)
    inside = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN])
    unit = min(_LARGEST_UNIT, *(inside / size))
    height = round(min(_HEIGHT, size[1] * unit + 2 * _MARGIN))
    places = (xy - (xy.max(axis=0) + xy.min(axis=0)) / 2) * unit + [_WIDTH / 2, height / 2]
    shown = [escape(name) for name in names]
    lines = [
        f'<line x1="{places[i, 0]:.1f}" y1="{places[i, 1]:.1f}" x2="{places[j, 0]:.1f}" '
        f'y2="{places[j, 1]:.1f}" stroke="{colour}" stroke-width="{width:.2f}">'
        f"<title>{shown[i]} – {shown[j]}: {value:.3f}</title></line>"
        for i, j, colour, width, value in zip(
            source, target, colours(values), widths(strength), values
        )
    ]
    joined = np.bincount(np.r_[source, target], minlength=len(names)) > 0
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{NODE if has else FAINT}">'
        f"<title>{name}</title></circle>"
        for (x, y), has, name in zip(places, joined, shown)
    ]
    labels = [
        f'<text x="{x:.1f}" y="{y - 7:.1f}">{name}</text>' for (x, y), name in zip(places, shown)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" style="max-width:100%;background:#fff">'
        f'<g stroke-opacity="0.7">{"".join(lines)}</g>{"".join(dots)}'
        f"<g {_LETTERS}>{''.join(labels) if len(names) <= LABELS_UP_TO else ''}</g></svg>"
    )
