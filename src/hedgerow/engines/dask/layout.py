"""How nodes are divided: strips that are kept, and shorter runs of nodes that are worked on."""

from math import ceil
from typing import NamedTuple

# Every block of nodes that a compiled function takes at a time (tiles of 12, 16, 48 and 64) begins
# where it would begin on one machine.
UNIT = 192
# Rows of products that belong to a node: its own and those of its neighbours. A thread has in hand
# what belongs to a run.
ROWS_PER_NODE = 9

Strip = tuple[int, int]  # the first node, and the first that belongs to the next strip


class Layout(NamedTuple):
    """Strips of all nodes, and for how many nodes products are brought together at a time.

    Where matrices of all pairs are small, Hedge is asked with all strips ``together`` in a task.
    """

    n_columns: int
    width: int  # of a strip, but for the last
    run: int
    together: bool = False

    @property
    def strips(self) -> list[Strip]:
        """All strips."""
        ends = range(0, self.n_columns, self.width)
        return [(first, min(first + self.width, self.n_columns)) for first in ends]

    def runs(self, strip: Strip) -> list[Strip]:
        """Return the runs of a strip."""
        first, last = strip
        return [(start, min(start + self.run, last)) for start in range(first, last, self.run)]

    @property
    def all_runs(self) -> list[Strip]:
        """All runs, in order."""
        return [some for strip in self.strips for some in self.runs(strip)]

    @property
    def rows(self) -> int:
        """Number of rows of products that a thread may have in hand."""
        return ROWS_PER_NODE * self.run


def layout_of(n_columns: int, n_strips: int, run: int, *, together: bool = False) -> Layout:
    """Return about so many strips of equal width, and runs of about so many nodes.

    Examples
    --------
    >>> layout_of(1000, 3, 200).strips
    [(0, 384), (384, 768), (768, 1000)]
    """
    width = UNIT * max(ceil(n_columns / n_strips / UNIT), 1)
    return Layout(n_columns, width, UNIT * max(min(run, width) // UNIT, 1), together)
