"""The engine for NVIDIA GPUs: torch and Triton.

It keeps the rows on the device and learns from all of them when it is asked: of the p×p arrays
of the learner only the average weights are ever held in full, and moments only for those who ask
for them. Columns are sorted and turned into scores on the device; rows are divided by their sizes
on the host, by the functions of the engine for processors. Where torch finds no GPU, Triton's
interpreter can stand in for it, slowly: that is how this engine is tested everywhere.
"""

from hedgerow.engines.numba_cpu import (
    behind,
    fill,
    hashes_of,
    inflation_of,
    lagged,
    memories,
    regressions,
    related,
    row_factors,
    scores_given_fewer,
    second_hump,
    suspicious,
    sweeps,
    without_given,
    without_level,
)
from hedgerow.engines.torch_gpu.fitting import (
    evidence,
    find_edges,
    part,
    repeats,
    residuals,
    weights,
)
from hedgerow.engines.torch_gpu.marginals import first_marginals, first_scores, score_rows
from hedgerow.engines.torch_gpu.ordered import in_order
from hedgerow.engines.torch_gpu.table import (
    count,
    from_numpy,
    init,
    learn,
    look_back,
    mean,
    moments,
    to_numpy,
)

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
