"""The engine for clusters: `numba_cpu` by strips of nodes, in tasks, and the same to the last bit.

Rows do not come here by `learn`: the tasks of `hedgerow.estimators._cluster_stream` read them. The
other functions of an engine are those of `numba_cpu`, or have promises for their arguments.
"""

from hedgerow.engines import scaling_cpu as sweeps
from hedgerow.engines.dask.evidence import part, repeats
from hedgerow.engines.dask.judging import find_edges
from hedgerow.engines.numba_cpu import inflation_of, scores_given_fewer

__all__ = ["find_edges", "inflation_of", "part", "repeats", "scores_given_fewer", "sweeps"]
