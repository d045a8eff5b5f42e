"""From p-values of all pairs to a graph with an error rate, or to a balanced one."""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.balance import LOOSEST_LEVEL, balanced_level, stands_out
from hedgerow.method.multiplicity import CORRECTIONS
from hedgerow.method.promises import BALANCED, promise_of
from hedgerow.rivals._base import Array


def accepted(p_values: Array, error: str, level: float | str) -> NDArray[np.bool_]:
    """Return the graph of the pairs that survive the correction for testing all pairs.

    Examples
    --------
    >>> p_values = np.array([[1.0, 1e-3, 0.5], [1e-3, 1.0, 0.03], [0.5, 0.03, 1.0]])
    >>> accepted(p_values, "fwer", 0.05)
    array([[False,  True, False],
           [ True, False, False],
           [False, False, False]])
    """
    promise = promise_of(error, level)
    upper = np.triu_indices(len(p_values), 1)
    tested = p_values[upper]
    adjusted = CORRECTIONS[promise](tested, len(tested))
    graph = np.zeros(p_values.shape, dtype=np.bool_)
    if promise != BALANCED:
        graph[upper] = adjusted <= float(level)
    elif stands_out(tested, len(tested)):
        graph[upper] = adjusted <= balanced_level(adjusted, LOOSEST_LEVEL)
    return graph | graph.T
