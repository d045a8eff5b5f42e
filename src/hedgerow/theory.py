"""The constants of a Gaussian graphical model, and the rows that learning it takes.

Symbols are the paper's: edge strength kappa, neighbourhood norm lambda, largest variance nu_max,
largest precision theta_max. The derivation of every explicit number is in docs/planning.md.
"""

from hedgerow.paper.bounds import (
    Bound,
    Problem,
    RowBudget,
    hedge_regret,
    plan,
    sufficient_rows,
)
from hedgerow.paper.constants import ModelConstants, constants

__all__ = [
    "Bound",
    "ModelConstants",
    "Problem",
    "RowBudget",
    "constants",
    "hedge_regret",
    "plan",
    "sufficient_rows",
]
