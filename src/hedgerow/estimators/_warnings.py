"""What estimators warn of; each kind can be silenced or turned into an error by its class."""

import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgerow.base import locks
from hedgerow.base.words import listed
from hedgerow.method.graph import Graph
from hedgerow.method.marginals import FIRST_ROWS

# Where an estimator's own lines are, and those of the lock that is held around them.
_OURS = {Path(__file__).parent, Path(locks.__file__).parent}


MOST_MISSING = 2 / 3  # share of a column's cells; beyond, false edges are not kept rare


class GuaranteeWarning(UserWarning):
    """The graph was learned, but the promised error rate does not cover it."""


class DataWarning(UserWarning):
    """Some columns could not be treated like the others."""


def warn(category: type[Warning], message: str) -> None:
    """Warn at the line that called an estimator, however deep inside it something was noticed."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).parent in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_columns(graph: Graph, labels: NDArray[np.object_], rare: NDArray[np.bool_]) -> None:
    """Warn of columns that were set aside, and of those that others determine."""
    constant = listed(repr(labels[j]) for j in graph.constant if not rare[j])
    seldom = listed(repr(labels[j]) for j in np.flatnonzero(rare))
    pairs = zip(graph.copies, graph.originals)
    copies = listed(f"{labels[copy]!r} of {labels[original]!r}" for copy, original in pairs)
    determined = listed(repr(labels[j]) for j in graph.determined)
    alike = listed(f"{labels[i]!r} and {labels[j]!r}" for i, j in graph.alike)
    if seldom:
        warn(
            DataWarning,
            f"columns that are missing in more than two thirds of the rows, or of the first "
            f"{FIRST_ROWS}, are isolated nodes, and edges are those that the other columns have "
            f"without them: {seldom}; if they begin late, learn from the rows after that, or "
            f"shuffle rows that are in no order",
        )
    if constant:
        warn(DataWarning, f"constant columns are isolated nodes: {constant}")
    if copies:
        warn(DataWarning, f"columns that repeat another are joined to it alone: {copies}")
    if alike:
        warn(
            DataWarning,
            f"what lies behind the steps of some columns is too much alike to be told apart, and "
            f"edges near them are doubtful: {alike}",
        )
    if determined:
        warn(DataWarning, f"columns that others determine have no unique edges: {determined}")
