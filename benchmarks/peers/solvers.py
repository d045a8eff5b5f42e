"""Which methods take part in which study: all of `hedgerow.rivals`, as far as they can be afforded.

A method's file in ``src/hedgerow/rivals`` is its solver. Here is only how it is called.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

FWER = {"error": "fwer"}  # for the exact graph no edge may be false


class Solver(NamedTuple):
    """How a method takes part."""

    label: str
    exact: Mapping[str, Any] = {}  # parameters where the exact graph is the aim
    # What the oracle sets: a cut of the scores, or the penalty; None where another solver finds
    # the same path of graphs.
    oracle: str | None = "cut"
    columns: int = 256  # most columns in the study of recovery
    degree: int = 10**9  # largest degree of graphs that it can find
    slow: bool = False  # fewer data sets
    twin: bool = False  # its graphs are those of another solver: times only


SOLVERS: dict[str, Solver] = {
    "hedgerow": Solver("HedgeGraph", FWER),
    "hedgerow_balanced": Solver("HedgeGraph balanced"),
    "inverse_gram": Solver("inverse Gram + tests", FWER),
    "scaled_lasso": Solver("scaled lasso + tests", FWER),
    "neighbourhoods": Solver("neighbourhoods, theory", oracle="penalty"),
    "neighbourhoods_ebic": Solver("neighbourhoods, EBIC", oracle=None),
    "huge_mb_ric": Solver("pyhuge neighbourhoods, RIC", oracle=None),
    "huge_mb_stars": Solver("pyhuge neighbourhoods, StARS", oracle=None, columns=64, slow=True),
    "quic": Solver("graphical lasso (QUIC), EBIC", oracle="penalty"),
    "glasso": Solver("graphical lasso (scikit-learn), EBIC", oracle=None, columns=0, twin=True),
    "huge_glasso_ebic": Solver("pyhuge graphical lasso, EBIC", oracle=None),
    "gglasso": Solver("gglasso, EBIC", oracle=None, columns=0, slow=True),
    "clime": Solver("CLIME", columns=64, slow=True),
    "aclime": Solver("ACLIME", columns=64, slow=True),
    "greedy_prune": Solver("GreedyPrune"),
    "hybrid_mb": Solver("HybridMB", columns=128),
    "pc": Solver("PC skeleton"),
    "conditional_covariance": Solver("conditional covariance", columns=128),
    "exhaustive": Solver("exhaustive search, d ≤ 3", columns=128, degree=3),
    "pseudo_likelihood": Solver("pseudo-likelihood"),
    "birth_death": Solver("birth-death sampling", columns=64, slow=True),
    "sparsitron": Solver("SparsitronGraph, λ = 2, κ = .2", columns=64),
}


def label(method: str) -> str:
    """Return what a method is called on the page; one that is new here has its own name."""
    return SOLVERS.get(method, Solver(method)).label
