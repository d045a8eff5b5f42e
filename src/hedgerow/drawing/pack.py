"""Pack the connected parts of a drawing side by side, without overlap and with little waste.

What is drawn marks cells of a fine grid; a part goes to the first point of a spiral, from the
middle outwards, around which all the cells it needs are free.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation
from scipy.sparse import csr_array

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

_CELL = 0.5  # in units of the layout
_MARGIN = 2  # cells kept free around what is drawn
_GAP = 1.3  # between single variables, in units
_LANDSCAPE = 1.15  # the drawing is this much wider, and lower, than a disc of its area
_SAMPLES = 64  # points along an edge, at most
_GOLDEN_ANGLE = np.pi * (3.0 - sqrt(5.0))


def pack(xy: Array, parts: list[slice], blocks: list[csr_array], *, stay: bool = False) -> None:
    """Move the parts, in the order given, and then the single variables, in place.

    Parameters
    ----------
    xy : array of shape (n, 2)
        Each part around the origin; the single variables come last.
    parts, blocks : list of slice, list of csr_array
        The rows of each part, and the edges among them.
    stay : bool
        The parts are where they should be: move only those that overlap, to the nearest room.
    """
    footprints = [_footprint(xy[rows], block) for rows, block in zip(parts, blocks)]
    area = sum(len(cells) for cells in footprints) * (_CELL * (1 + _MARGIN)) ** 2
    singles = len(xy) - (parts[-1].stop if parts else 0)
    places = np.rint(_spiral(4 * (area + singles * _GAP**2)) / _CELL).astype(np.int64)
    reach = np.rint(np.abs(xy).max(axis=0, initial=0.0) / _CELL).astype(np.int64)
    middle = np.abs(places).max(axis=0) + reach + _MARGIN
    taken = np.zeros(2 * middle + 1, dtype=bool)
    searched: dict[int, int] = {}  # where parts of this size last found room; before, there is none
    moves = np.r_[np.zeros((1, 2), dtype=np.int64), places] if stay else places
    for rows, cells in zip(parts, footprints):
        begin = 0 if stay else searched.get(len(cells), 0)
        move = searched[len(cells)] = _first_free(taken, cells + middle, moves, begin)
        xy[rows] += moves[move] * _CELL
        _mark(taken, cells + moves[move] + middle)
    alone = np.arange(len(xy) - singles, len(xy))
    if stay and singles:
        cells = np.rint(xy[alone] / _CELL).astype(np.int64) + middle
        free = ~taken[tuple(cells.T)]
        alone = alone[~free]
        if free.any():
            _mark(taken, cells[free])
    full = taken[tuple((places + middle).T)]
    xy[alone] = places[np.argsort(full, kind="stable")[: len(alone)]] * _CELL


def _footprint(xy: Array, block: csr_array) -> Cells:
    """Return the cells that the points and edges of a part cover."""
    edges = block.tocoo()
    once = edges.row < edges.col
    start, stop = xy[edges.row[once]], xy[edges.col[once]]
    longest = np.abs(stop - start).max(initial=0.0)
    steps = np.linspace(0, 1, min(_SAMPLES, 2 + int(longest / _CELL)))[:, None, None]
    cells = np.rint((start + steps * (stop - start)) / _CELL).astype(np.int64).reshape(-1, 2)
    corner = cells.min(axis=0)
    drawn = np.zeros(cells.max(axis=0) - corner + 1, dtype=bool)
    drawn[tuple((cells - corner).T)] = True
    result: Cells = np.argwhere(drawn) + corner
    return result


def _first_free(taken: NDArray[np.bool_], cells: Cells, places: Cells, begin: int) -> int:
    step = 1 + 20_000 // len(cells)
    for first in range(begin, len(places), step):
        wanted = cells + places[first : first + step, None]
        free = ~taken[wanted[..., 0], wanted[..., 1]].any(axis=1)
        if free.any():
            return first + int(free.argmax())
    return len(places) - 1


def _mark(taken: NDArray[np.bool_], cells: Cells) -> None:
    """Take the cells and a margin around them."""
    low, high = cells.min(axis=0) - _MARGIN, cells.max(axis=0) + _MARGIN + 1
    window = taken[low[0] : high[0], low[1] : high[1]]
    drawn = np.zeros_like(window)
    drawn[tuple((cells - low).T)] = True
    window |= binary_dilation(drawn, np.ones((3, 3)), iterations=_MARGIN)


def _spiral(area: float) -> Array:
    """Return points about `_GAP` apart that fill an ellipse of ``area``, from the middle out."""
    k = np.arange(int(area / _GAP**2) + 2)
    radius = _GAP * np.sqrt((k + 0.5) / np.pi)
    angle = _GOLDEN_ANGLE * k
    x, y = radius * np.cos(angle) * _LANDSCAPE, radius * np.sin(angle) / _LANDSCAPE
    return np.stack([x, y], axis=1)
