"""The constants of a graphical model, Gaussian or Ising, and the rows that learning it takes.

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
from hedgerow.paper.bounds_ising import IsingProblem, plan_ising, sufficient_ising_rows
from hedgerow.paper.constants import ModelConstants, constants

__all__ = [
    "Bound",
    "IsingProblem",
    "ModelConstants",
    "Problem",
    "RowBudget",
    "constants",
    "hedge_regret",
    "plan",
    "plan_ising",
    "sufficient_ising_rows",
    "sufficient_rows",
]
