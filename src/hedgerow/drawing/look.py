"""What drawings of a graph have in common: colours, widths, and when names are written."""

import numpy as np
from numpy.typing import NDArray

POSITIVE, NEGATIVE = "#1f5fa8", "#c2571a"  # apart for the colour-blind too, as in the report
NODE, FAINT = "#333333", "#bbbbbb"  # with neighbours, and without
LABELS_UP_TO = 60  # variables; more names than these hide the drawing
_WIDEST = 4.0  # points


def widths(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how wide lines are drawn: the strongest has the full width.

    >>> widths(np.array([0.5, 0.25]))
    array([4., 2.])
    """
    result: NDArray[np.float64] = _WIDEST * strength / max(strength.max(initial=0.0), 1e-12)
    return result


def colours(values: NDArray[np.float64]) -> list[str]:
    """Return a colour for the sign of each value.

    >>> colours(np.array([0.5, -0.5]))
    ['#1f5fa8', '#c2571a']
    """
    return [POSITIVE if value >= 0 else NEGATIVE for value in values]
