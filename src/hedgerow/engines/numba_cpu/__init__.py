"""The engine for processors: compiled by Numba, on all cores, and the same to the last bit on one.

Weights and gradients are kept in single precision, moments in double. Work is divided by nodes and
by columns, never by the number of threads, and every number is the work of one thread: that is
why threads do not change it.
"""

from hedgerow.engines import scaling_cpu as sweeps
from hedgerow.engines.numba_cpu import behind
from hedgerow.engines.numba_cpu._drift import without_level
from hedgerow.engines.numba_cpu._edges import find_edges, repeats, scores_given_fewer
from hedgerow.engines.numba_cpu._evidence import evidence, part, weights
from hedgerow.engines.numba_cpu._first_look import memories
from hedgerow.engines.numba_cpu._gaps import fill, regressions, related
from hedgerow.engines.numba_cpu._given import without_given
from hedgerow.engines.numba_cpu._hashes import hashes_of
from hedgerow.engines.numba_cpu._humps import second_hump
from hedgerow.engines.numba_cpu._inflation import inflation_of
from hedgerow.engines.numba_cpu._learn import (
    count,
    from_numpy,
    init,
    learn,
    mean,
    moments,
    residuals,
    to_numpy,
)
from hedgerow.engines.numba_cpu._marginals import first_marginals, first_scores, score_rows
from hedgerow.engines.numba_cpu._outliers import suspicious
from hedgerow.engines.numba_cpu._residuals import lagged, look_back
from hedgerow.engines.numba_cpu._row_sizes import row_factors
from hedgerow.method.ordered import in_order

__all__ = [
    "behind",
    "count",
    "evidence",
    "fill",
    "find_edges",
    "first_marginals",
    "first_scores",
    "from_numpy",
    "hashes_of",
    "in_order",
    "inflation_of",
    "init",
    "lagged",
    "learn",
    "look_back",
    "mean",
    "memories",
    "moments",
    "part",
    "regressions",
    "related",
    "repeats",
    "residuals",
    "row_factors",
    "score_rows",
    "scores_given_fewer",
    "second_hump",
    "suspicious",
    "sweeps",
    "to_numpy",
    "weights",
    "without_given",
    "without_level",
]
