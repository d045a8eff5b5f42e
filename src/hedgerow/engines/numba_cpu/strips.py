"""What this engine does to some nodes or pairs at a time, for an engine that has only these."""

from hedgerow.engines.numba_cpu._by_columns import (
    decide,
    regress_nodes,
    scores_of_columns,
    strongest_of_columns,
)
from hedgerow.engines.numba_cpu._calm import calm
from hedgerow.engines.numba_cpu._company import Bytes, Degrees, degrees_of, parts_of
from hedgerow.engines.numba_cpu._copies import first_copies
from hedgerow.engines.numba_cpu._counts import central_sums, group_sizes, histograms, listed
from hedgerow.engines.numba_cpu._edges import TILE, nodes_of_a_slab
from hedgerow.engines.numba_cpu._evidence import given
from hedgerow.engines.numba_cpu._few_rows import (
    ROUNDING,
    Basis,
    basis_of,
    factor_rows,
    residual_products,
    tried,
)
from hedgerow.engines.numba_cpu._learn import (
    Rows,
    after,
    count,
    jobs_of,
    needed_bytes,
    pieces_of,
    prepare,
    room_for,
)
from hedgerow.engines.numba_cpu._nodes import weight_rows
from hedgerow.engines.numba_cpu._pairs import (
    estimates,
    keep_given_fewer,
    partial_correlations,
    scores_given_both,
)
from hedgerow.engines.numba_cpu._products import WHOLE_TILES, zeros
from hedgerow.engines.numba_cpu._residuals import (
    add_sizes,
    leave_errors,
    look_back,
    standard_of,
    sums_of_first,
    with_columns,
)
from hedgerow.engines.numba_cpu._scores import score_polynomials
from hedgerow.engines.numba_cpu._select import (
    Neighbours,
    chosen_by,
    no_neighbours,
)
from hedgerow.engines.numba_cpu._shared import product_of
from hedgerow.engines.numba_cpu._stand_ins import choosers_of, weaken
from hedgerow.engines.numba_cpu._threads import blocks, team, with_threads
from hedgerow.engines.numba_cpu._witness import add_related, covariances_with, witness_scores

__all__ = [
    "ROUNDING",
    "TILE",
    "WHOLE_TILES",
    "Basis",
    "Bytes",
    "Degrees",
    "Neighbours",
    "Rows",
    "add_related",
    "add_sizes",
    "after",
    "basis_of",
    "blocks",
    "calm",
    "central_sums",
    "choosers_of",
    "chosen_by",
    "count",
    "covariances_with",
    "decide",
    "degrees_of",
    "estimates",
    "factor_rows",
    "first_copies",
    "given",
    "group_sizes",
    "histograms",
    "jobs_of",
    "keep_given_fewer",
    "leave_errors",
    "listed",
    "look_back",
    "needed_bytes",
    "no_neighbours",
    "nodes_of_a_slab",
    "partial_correlations",
    "parts_of",
    "pieces_of",
    "prepare",
    "product_of",
    "regress_nodes",
    "residual_products",
    "room_for",
    "score_polynomials",
    "scores_given_both",
    "scores_of_columns",
    "standard_of",
    "strongest_of_columns",
    "sums_of_first",
    "team",
    "tried",
    "weaken",
    "weight_rows",
    "with_columns",
    "with_threads",
    "witness_scores",
    "zeros",
]
