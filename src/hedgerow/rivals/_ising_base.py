"""What rivals for Ising models share: columns of two values, couplings, and the rules for edges."""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import positive
from hedgerow.base.words import listed
from hedgerow.estimators.input import column_labels
from hedgerow.rivals._base import Array, Found, Rival
from hedgerow.rivals._clock import Clock

Signs = NDArray[np.int8]  # (m, p), -1 and 1


class Estimate(NamedTuple):
    """Row i of ``couplings`` is what node i says; ``fields`` are those of the nodes."""

    couplings: Array
    fields: Array


class IsingRival(Rival):
    """A rival that learns from columns of two values, the higher of which counts as +1."""

    def _learn(self, rows: Array, clock: Clock) -> Found:
        return self._learn_signs(self._signs(rows), clock)

    @abstractmethod
    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        """Check the parameters and learn from rows of -1 and 1."""

    def _signs(self, rows: Array) -> Signs:
        low, high = rows.min(axis=0), rows.max(axis=0)
        bad = np.flatnonzero(~((rows == low) | (rows == high)).all(axis=0))
        if bad.size:
            columns = listed(repr(label) for label in column_labels(self)[bad])
            raise ValueError(f"X must have columns of two values, got more in columns: {columns}")
        return np.where(rows == high, 1, -1).astype(np.int8)


def found(
    estimate: Estimate, min_coupling: float | None, rule: str, attributes: dict[str, object]
) -> Found:
    """Return the graph of an estimate, and its couplings, made symmetric by their mean.

    Edges are the pairs whose mean coupling is at least half of ``min_coupling`` in size or, if that
    is not known, whose couplings are not zero: both of them by the rule "and", one by "or".
    """
    size = np.abs(estimate.couplings)
    couplings = (estimate.couplings + estimate.couplings.T) / 2
    if min_coupling is not None:
        graph = np.abs(couplings) >= positive("min_coupling", min_coupling) / 2
    elif rule == "and":
        graph = (size > 0) & (size.T > 0)
    else:
        graph = (size > 0) | (size.T > 0)
    np.fill_diagonal(graph, False)
    told = {"couplings_": couplings, "fields_": estimate.fields, **attributes}
    return Found((size + size.T) / 2, graph, None, told)
