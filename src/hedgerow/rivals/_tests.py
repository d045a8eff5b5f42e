"""From p-values of all pairs to a graph with an error rate."""

import numpy as np
from numpy.typing import NDArray

from hedgerow._validate import in_open_interval, one_of
from hedgerow.multiplicity import benjamini_hochberg, holm
from hedgerow.rivals._base import Array

ERRORS = {"fdr": benjamini_hochberg, "fwer": holm}


def accepted(p_values: Array, error: str, level: float) -> NDArray[np.bool_]:
    """Return the graph of the pairs that survive the correction for testing all pairs.

    Examples
    --------
    >>> p_values = np.array([[1.0, 1e-3, 0.5], [1e-3, 1.0, 0.03], [0.5, 0.03, 1.0]])
    >>> accepted(p_values, "fwer", 0.05)
    array([[False,  True, False],
           [ True, False, False],
           [False, False, False]])
    """
    adjust = ERRORS[one_of("error", error, tuple(ERRORS))]
    in_open_interval("level", level, 0, 1)
    upper = np.triu_indices(len(p_values), 1)
    graph = np.zeros(p_values.shape, dtype=np.bool_)
    graph[upper] = adjust(p_values[upper]) <= level
    return graph | graph.T
