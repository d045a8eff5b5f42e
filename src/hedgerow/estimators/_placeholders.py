"""Placeholders, told with the names of columns: which value stands for cells without one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.method.placeholders import Placeholders

_SHOWN = 3


class StandIn(NamedTuple):
    """A value that stands for cells of a column that were not measured."""

    column: object
    value: float
    cells: int

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return self._asdict() | {"column": str(self.column)}


def stand_ins(known: Placeholders, labels: NDArray[np.object_]) -> list[StandIn]:
    """Return the columns that have placeholders, those with most of them first."""
    most = np.argsort(-known.found, kind="stable")[: np.count_nonzero(known.found)]
    return [StandIn(labels[j], float(known.values[j]), int(known.found[j])) for j in most]


def sentence_on(found: Sequence[StandIn]) -> str:
    """Return what was made of them.

    Examples
    --------
    >>> said = sentence_on([StandIn("age", 41.25, 20), StandIn("dose", 0.0, 3)])
    >>> said[57:]
    "('age': 41.25, 'dose': 0): 23 cells with it count as missing."
    """
    shown = listed(f"{name!r}: {value:.4g}" for name, value, _ in found[:_SHOWN])
    more = "" if len(found) <= _SHOWN else ", ..."
    one = "1 column has" if len(found) == 1 else f"{len(found):,} columns have"
    return (
        f"{one} a value in place of what was not measured ({shown}{more}): "
        f"{sum(each.cells for each in found):,} cells with it count as missing."
    )
