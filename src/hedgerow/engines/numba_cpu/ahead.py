"""The tests in two halves, for two processes to compile: what both need, both would compile.

Asking Hedge needs the products that learning is made of; choosing neighbours and judging pairs
need neither.
"""

from typing import Any

import numpy as np

from hedgerow.engines.numba_cpu._edges import Correlations, ask_hedge, find_edges, repeats
from hedgerow.engines.numba_cpu._evidence import Evidence
from hedgerow.engines.numba_cpu._scores import score_polynomials
from hedgerow.engines.numba_cpu._threads import team
from hedgerow.method.moments import per_scale


def ask(evidence: Evidence) -> None:
    """Ask Hedge about all pairs, as `find_edges` does, and forget the answer."""
    moments, weights, _ = evidence
    corr = Correlations(moments.products, per_scale(moments))
    n_rows, n_columns = moments.effective_rows, len(moments.mean)
    scores = np.empty((n_columns, n_columns), dtype=np.float32)
    with team() as run:
        ask_hedge(corr, n_rows, score_polynomials(n_rows, 1)[0], weights, scores, run)


def judge(evidence: Evidence, error: str) -> None:
    """Test all pairs without asking Hedge, and forget the edges."""
    repeats(evidence, 1.0)
    find_edges(evidence, error, 0.5, ask=_agree)


def _agree(corr: Any, n_rows: float, curve: Any, weights: Any, scores: Any, run: Any) -> None:
    scores[np.tril_indices(len(scores))] = scores.T[np.tril_indices(len(scores))]
