"""The engine for processors: compiled by Numba, on all cores, and the same to the last bit on one.

Weights and gradients are kept in single precision, moments in double. Work is divided by nodes and
by columns, never by the number of threads, and every number is the work of one thread: that is
why threads do not change it.
"""

from hedgerow.engines.numba_cpu._edges import find_edges, originals
from hedgerow.engines.numba_cpu._learn import count, from_numpy, init, learn, to_numpy
from hedgerow.engines.numba_cpu._weights import dense, given, weights

__all__ = [
    "count",
    "dense",
    "find_edges",
    "from_numpy",
    "given",
    "init",
    "learn",
    "originals",
    "to_numpy",
    "weights",
]
